# SPDX-License-Identifier: MIT
# compare.awk GOLDEN TODAY - says in what TODAY breaks the promise of GOLDEN,
# one finding a line; both come from layout.sh.  Every struct, and the list of
# operations, of GOLDEN must be the beginning of TODAY's; constants keep their
# values, except numbers of things, which may grow.

$1 == "constant" {
    value = $0
    sub(/^constant [^ ]+ /, "", value)
    if (FNR == NR) constants[++n_constants] = $2
    if (FNR == NR) old_value[$2] = value
    else new_value[$2] = value
}

$1 == "function" {
    if (FNR == NR) old_function[$2] = $0
    else new_function[$2] = $0
}

# A list is a struct, or the operations; an entry is its line.
$1 == "member" || $1 == "operation" {
    list = $1 == "member" ? $2 : "operation"
    name = $3
    if (FNR == NR) {
        if (!(list in n_old)) lists[++n_lists] = list
        old[list, ++n_old[list]] = $0
        old_name[list, n_old[list]] = name
    } else {
        new[list, ++n_new[list]] = $0
        new_name[list, n_new[list]] = name
        place[list, name] = n_new[list]
    }
}

END {
    for (i = 1; i <= n_constants; i++) {
        name = constants[i]
        if (!(name in new_value))
            print name " is gone"
        else if (new_value[name] == old_value[name] || (grows(name) &&
                 new_value[name] + 0 > old_value[name] + 0))
            continue
        else
            print name " is " new_value[name] ", was " old_value[name]
    }
    for (name in old_function)
        if (new_function[name] != old_function[name])
            print name " has another type than " old_function[name]
    for (i = 1; i <= n_lists; i++) compare(lists[i])
}

function grows(name) {
    return name ~ /(_COUNT|_ROWS|_OPERANDS|_ABI_MINOR)$/
}

# The first difference of a list: what comes after it only follows from it.
function compare(list,    k, name) {
    for (k = 1; k <= n_old[list]; k++) {
        name = old_name[list, k]
        if (old[list, k] == new[list, k]) continue
        if (!((list, name) in place))
            print list "." name " is gone"
        else if (place[list, name] > k)
            print list "." new_name[list, k] " stands before " list "." name
        else if (place[list, name] < k)
            print list "." name " stands twice"
        else
            print list "." name " is \"" new[list, k] "\", was \"" \
                old[list, k] "\""
        return
    }
}
