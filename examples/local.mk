# SPDX-License-Identifier: MIT
# Configs that run, each with the result that it reaches.
