# SPDX-License-Identifier: MIT
# layout.awk - reads headers of the plugin interface and writes a C program
# that prints what a compiler makes of them, one line each:
#
#     member STRUCT NAME OFFSET SIZE TYPE
#     constant NAME VALUE
#     function NAME TYPE
#     operation NUMBER NAME "OPERANDS" "TYPES"
#
# Nothing is listed here by hand: structs, members and constants are found in
# the text.  In a type of a function the names of its arguments are left out,
# since they may change.  A member that this script cannot read is printed as
# the line "unreadable ...", which no golden file has.

# The text of a line without its comments.
function uncomment(line,    out, end) {
    out = ""
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (!end) return out
            in_comment = 0
            line = substr(line, end + 2)
        } else if (match(line, /"([^"\\]|\\.)*"|\/\*/)) {
            out = out substr(line, 1, RSTART - 1)
            if (substr(line, RSTART, 2) == "/*") in_comment = 1
            else out = out substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
        } else return out line
    }
    return out
}

function trim(text) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

# The arguments of a function, "T NAME, ...", without their names.
function arguments(list,    i, c, depth, one, out) {
    one = out = ""
    for (i = 1; i <= length(list); i++) {
        c = substr(list, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && !depth) {
            out = out declared_type(one) ", "
            one = ""
        } else one = one c
    }
    return out declared_type(one)
}

# The type of "T NAME"; sets the name as well.
function declared_type(text,    open, rest, result, head, suffix) {
    text = trim(text)
    if (match(text, /\(\*[A-Za-z_0-9]+\)\(/)) {
        open = RSTART + RLENGTH
        head = substr(text, 1, RSTART - 1)
        rest = substr(text, open, length(text) - open)
        declared = substr(text, RSTART + 2, RLENGTH - 4)
        suffix = declared
        result = trim(head) " (*)(" arguments(rest) ")"
        declared = suffix
        return result
    }
    suffix = ""
    if (match(text, /\[.*\]$/)) {
        suffix = substr(text, RSTART)
        text = substr(text, 1, RSTART - 1)
    }
    declared = ""
    if (match(text, /[ *][A-Za-z_][A-Za-z_0-9]*$/)) {
        declared = substr(text, RSTART + 1)
        text = substr(text, 1, RSTART)
    }
    return trim(text) suffix
}

function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return text
}

function struct_members(name, body,    n, i, part, type) {
    n = split(body, part, ";")
    for (i = 1; i < n; i++) {
        type = declared_type(part[i])
        if (declared == "") {
            program = program "    puts(\"unreadable " name " " \
                quoted(trim(part[i])) "\");\n"
            continue
        }
        program = program "    MEMBER(" name ", " declared ", \"" \
            quoted(type) "\");\n"
    }
}

function function_types(text,    one) {
    while (match(text, /typedef [^;{}()]*\(\*nn_[a-z_0-9]+\)\([^;]*\);/)) {
        one = substr(text, RSTART + 8, RLENGTH - 9)
        text = substr(text, RSTART + RLENGTH)
        one = declared_type(one)
        program = program "    puts(\"function " declared " " quoted(one) \
            "\");\n"
    }
}

function constant(text,    name) {
    sub(/^#[ \t]*define[ \t]+/, "", text)
    if (!match(text, /^NN_[A-Z0-9_a-z]+/)) return
    name = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    if (text !~ /^[ \t]/) return    # has arguments, or no value
    text = trim(text)
    if (text ~ /^"/)
        program = program "    puts(\"constant " name " \" TEXT(" name "));\n"
    else if (text ~ /^[0-9(]/)
        program = program "    VALUE(" name ");\n"
}

FNR == 1 { in_comment = 0; joined = "" }

{
    line = uncomment($0)
    if (line ~ /\\[ \t]*$/) {
        sub(/\\[ \t]*$/, " ", line)
        joined = joined line
        next
    }
    line = joined line
    joined = ""
    if (line ~ /^[ \t]*#[ \t]*define/) constant(line)
    else if (line !~ /^[ \t]*#/) text = text " " line
    if (FNR == 1 || !(FILENAME in seen)) {
        seen[FILENAME] = 1
        name = FILENAME
        sub(/.*\/nn\//, "nn/", name)
        includes = includes "#include <" name ">\n"
    }
}

END {
    function_types(text)
    while (match(text, /struct nn_[a-z_0-9]+ \{[^{}]*\}/)) {
        body = substr(text, RSTART + 7, RLENGTH - 8)
        text = substr(text, RSTART + RLENGTH)
        name = body
        sub(/ .*/, "", name)
        sub(/^[^{]*\{/, "", body)
        struct_members(name, body)
    }
    print "#include <stddef.h>\n#include <stdio.h>"
    print includes
    print "#define TEXT_(...) #__VA_ARGS__\n#define TEXT(x) TEXT_(x)"
    print "#define MEMBER(type, name, text) printf(\"member %s %s %zu %zu "  \
          "%s\\n\", #type, #name, offsetof(struct type, name), "            \
          "sizeof(((struct type *)0)->name), text)"
    print "#define VALUE(name) printf(\"constant %s %lld\\n\", #name, "      \
          "(long long)(name))"
    print "#define OPERATION(NAME, name, operands, types, doc) "             \
          "printf(\"operation %d %s \\\"%s\\\" \\\"%s\\\"\\n\", NN_OP_##NAME, " \
          "#name, operands, types);"
    print "int main(void)\n{"
    printf "%s", program
    print "    NN_BASE_OPERATIONS(OPERATION)\n    return 0;\n}"
}
