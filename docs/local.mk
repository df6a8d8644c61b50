# SPDX-License-Identifier: MIT
# The manual.
EXTRA_DIST += \
	%D%/ABI.md \
	%D%/DESIGN.md \
	%D%/REQUIREMENTS.md \
	%D%/STYLE.md
