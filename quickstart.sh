#!/bin/sh
# SPDX-License-Identifier: MIT
# quickstart.sh - from a clean Debian to a trained network: installs what is
# missing, builds in ./build, links ./nn, and trains on Fashion-MNIST.
set -eu
cd "$(dirname "$0")"
. build-aux/packages.sh

install_packages build data
configure_and_make
for program in nn nn-conformance
do
    if test -x "build/$program"
    then
        ln -sf "build/$program" "$program"
    fi
done
say "Train: ./nn train examples/fashion_mlp.yaml"
./nn train examples/fashion_mlp.yaml
