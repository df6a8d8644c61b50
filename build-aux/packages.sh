# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# packages.sh - what quickstart.sh and check.sh share: install the packages of
# groups of packages.txt, and configure and compile in ./build.  Sourced from
# the root of the source tree.
export DEBIAN_FRONTEND=noninteractive

say () { printf '\n==> %s\n' "$*"; }

# packages_of GROUP...: the lines of these groups.
packages_of ()
{
    awk -v groups=" $* " '
        { sub(/#.*/, "") }
        /^\[.*\]/ { wanted = index(groups, " " substr($1, 2, length($1) - 2) " ") }
        !/^\[/ && NF && wanted { print }' packages.txt
}

is_installed ()
{
    dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null |
        grep -q '^install ok installed$'
}

# missing_packages GROUP...: of each line the first name, unless one of its
# alternatives is installed.
missing_packages ()
{
    packages_of "$@" | while read -r line
    do
        found=no
        for name in $(printf '%s' "$line" | tr '|' ' ')
        do
            if is_installed "$name"
            then
                found=yes
            fi
        done
        test "$found" = yes || printf '%s\n' "$line"
    done
}

# first_known 'a | b': the first alternative that apt has.
first_known ()
{
    for name in $(printf '%s' "$1" | tr '|' ' ')
    do
        if apt-cache show "$name" >/dev/null 2>&1
        then
            printf '%s\n' "$name"
            return
        fi
    done
    printf '%s\n' "${1%% *}"
}

# as_root COMMAND...: through sudo where that is needed.
as_root ()
{
    if test "$(id -u)" = 0
    then
        "$@"
    elif command -v sudo >/dev/null 2>&1
    then
        sudo -E "$@"
    else
        printf 'Run as root, or without sudo first:\n  %s\n' "$*" >&2
        return 1
    fi
}

# install_packages GROUP...: installs what is missing, and nothing otherwise.
install_packages ()
{
    say "Packages: $*"
    if ! command -v dpkg-query >/dev/null 2>&1 ||
        ! command -v apt-get >/dev/null 2>&1
    then
        if test -n "${NN_SKIP_PACKAGES-}"
        then
            return
        fi
        printf '%s\n' "This is not a Debian system. Install the equivalents of" \
            "these Debian packages, then run again with NN_SKIP_PACKAGES=1:" >&2
        packages_of "$@" | sed 's/^/  /' >&2
        return 1
    fi
    missing=$(missing_packages "$@")
    if test -z "$missing"
    then
        echo "all are installed"
        return
    fi
    as_root apt-get -o DPkg::Lock::Timeout=300 update
    names=$(printf '%s\n' "$missing" | while read -r line
        do first_known "$line"; done)
    # shellcheck disable=SC2086 # one word a package
    as_root apt-get -o DPkg::Lock::Timeout=300 install -y \
        --no-install-recommends $names
}

processors ()
{
    nproc 2>/dev/null || echo 2
}

# An installed cmocka that the last configure did not see.
wants_tests ()
{
    grep -q '^S\["HAVE_CMOCKA_TRUE"\]="#"' build/config.status &&
        pkg-config --exists 'cmocka >= 1.1.5'
}

# configure_and_make: in ./build, which both scripts use in turn.  NN_CONFIGURE
# holds options for the first time.
configure_and_make ()
{
    if ! test -f configure || test configure.ac -nt configure
    then
        say "Bootstrap: autoreconf"
        ./bootstrap
    fi
    mkdir -p build
    if ! test -f build/config.status || ! test -f build/Makefile || wants_tests
    then
        say "Configure in ./build"
        # shellcheck disable=SC2086 # a list of options
        (cd build && ../configure ${NN_CONFIGURE-})
    fi
    say "Compile in ./build"
    make -C build -j "$(processors)" all
}

# link_programs: the programs of ./build, to be called from here.
link_programs ()
{
    for program in nn nn-conformance
    do
        if test -x "build/$program"
        then
            ln -sf "build/$program" "$program"
        fi
    done
}
