# SPDX-License-Identifier: MIT
# rules.awk LAYOUT - what in a layout is against the rules of docs/ABI.md,
# section 2: members of fixed width, naturally aligned, and no padding between
# them that has no name.

$1 == "unreadable" { print }

$1 == "member" {
    where = $2 "." $3
    type = $6
    for (i = 7; i <= NF; i++) type = type " " $i
    if (type !~ /\*/ && type !~ /^(u?int(32|64)_t|uint8_t|double)(\[|$)/ &&
        type !~ /^char\[/ && type !~ /^nn_[a-z_]+(\[|$)/)
        print where " is of type " type ", which has no fixed width"
    if ($2 == last && $4 != end)
        print where " begins at " $4 ", but the member before it ends at " end
    if ($2 != last && $4 != 0)
        print where " does not begin at 0"
    last = $2
    end = $4 + $5
}
