# Prints FILE:LINE:COLUMN:LENGTH:REPLACEMENT for each small change that could be made to a line of C: another comparison, another
# connective, a constant one larger, a negation dropped, a statement left out. Comments, preprocessor lines, tables and assertions
# are left alone.
function offer(column, length_, text) { print FILENAME ":" FNR ":" column ":" length_ ":" text }

function swap(from, to,   at, rest, base) {
    rest = $0; base = 0
    while ((at = index(rest, from)) > 0) {
        offer(base + at, length(from), to)
        base += at + length(from) - 1
        rest = substr($0, base + 1)
    }
}

FNR == 1 { comment = 0; body = 0 }
/\/\*/ { comment = 1 }
{ skip = comment }
/\*\// { comment = 0 }
/^[{]/ { body = 1 }
/^}/ { body = 0 }
skip || !body || /^[^ ]/ || /ASSERT|HOLDS|MUTATED|mark\(|work\(|EFFECT_TOUCH|\{ *"|\[[A-Z_0-9]*\] *=|case |default:|static const|enum|return NULL|^ *\/\// { next }
{
    swap(" == ", " != "); swap(" != ", " == ")
    swap(" < ", " <= "); swap(" > ", " >= "); swap(" <= ", " < "); swap(" >= ", " > ")
    swap(" && ", " || "); swap(" || ", " && ")
    swap(" + 1", " + 2"); swap(" - 1", " - 0"); swap("++", "--"); swap("--", "++")
    swap("(!", "("); swap(" |= ", " = "); swap(" &= ", " |= ")
    swap("true", "false"); swap("false", "true")
    swap(" = 0;", " = 1;"); swap(" = 1;", " = 0;"); swap("return 0;", "return 1;")
}
# A call or an assignment as a whole.
/^ +[a-z_]+(\(|->|\(w\)|[a-z_.]* [|&+-]?= ).*;$/ && !/return|break|continue|goto/ {
    match($0, /[^ ]/)
    offer(RSTART, length($0) - RSTART + 1, ";")
}
