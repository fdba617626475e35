# For Doxygen: comments of // as documentation, letter by letter, and what is indented in them as code.
function escaped(text) {
  gsub(/[\\@<>#%&]/, "\\\\&", text)
  return text
}
NR == 1 && /^\/\/ / { print "/// \\file" }
/^ *\/\/( |$)/ {
  at = index($0, "//")
  text = substr($0, at + 2)
  if (text !~ /^   /) code = 0
  else if (blank) code = 1
  blank = text ~ /^ *$/
  print substr($0, 1, at - 1) "///" (code && !blank ? "    " text : escaped(text))
  next
}
{ blank = code = 0 }
match($0, /[;{,)] +\/\/ /) {
  print substr($0, 1, RSTART) " ///< " escaped(substr($0, RSTART + RLENGTH))
  next
}
{ print }
