# SPDX-License-Identifier: MIT
# Configs that run, each with the result that it reaches.
EXTRA_DIST += \
	%D%/README.md \
	%D%/embed.c \
	%D%/fashion_mlp.yaml
