# SPDX-License-Identifier: MIT
# Scripts that run the programs as a user would.
