# SPDX-License-Identifier: MIT
# The manual's blocks of code.
TESTS += %D%/blocks.sh
EXTRA_DIST += \
	%D%/base.yaml \
	%D%/blocks.sh
