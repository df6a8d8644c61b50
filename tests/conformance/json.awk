# SPDX-License-Identifier: MIT
# json.awk - says "bad: LINE" of every line that is no JSON object (RFC 8259).
# A line is looked at as bytes; texts may hold any that are not control
# characters.
function fail() { wrong = 1 }
function blank() { while (substr(text, at, 1) == " ") at++ }
function string(    c) {
    if (substr(text, at++, 1) != "\"") return fail()
    for (;;) {
        c = substr(text, at++, 1)
        if (c == "" || c < " ") return fail()
        if (c == "\"") return
        if (c == "\\") {
            c = substr(text, at++, 1)
            if (c == "u") {
                if (substr(text, at, 4) !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) return fail()
                at += 4
            } else if (index("\"\\/bfnrt", c) == 0) return fail()
        }
    }
}
function list(close_, pairs) {
    at++; blank()
    if (substr(text, at, 1) == close_) { at++; return }
    while (!wrong) {
        blank()
        if (pairs) { string(); blank(); if (substr(text, at++, 1) != ":") return fail() }
        value(); blank()
        if (substr(text, at, 1) == close_) { at++; return }
        if (substr(text, at++, 1) != ",") return fail()
    }
}
function value(    c) {
    if (wrong) return
    blank(); c = substr(text, at, 1)
    if (c == "{") return list("}", 1)
    if (c == "[") return list("]", 0)
    if (c == "\"") return string()
    if (match(substr(text, at), /^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)/)) {
        at += RLENGTH; return
    }
    fail()
}
{
    text = $0; at = 1; wrong = 0
    if (substr(text, 1, 1) != "{") fail()
    value()
    if (wrong || at != length(text) + 1) print "bad: " $0
}
