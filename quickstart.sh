#!/bin/sh
# SPDX-License-Identifier: MIT
# quickstart.sh - from a clean Debian to a trained network: installs what is
# missing, builds in ./build, links ./nn, and trains on Fashion-MNIST.
set -eu
cd "$(dirname "$0")"
. build-aux/packages.sh

install_packages build data
configure_and_make
link_programs
say "Train: ./nn train examples/fashion_mlp.yaml"
./nn train examples/fashion_mlp.yaml
