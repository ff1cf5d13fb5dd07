# Reads what "go test -json" reports of tests, the same file twice, and adds to three files of a folder: to "tests" how each test
# ended the last time ("STATUS PACKAGE TEST"), to "flaky" the names of tests that failed and then passed, and to "flaky-output"
# these names again, each with what it printed until it first failed, moved in. In the same way it writes to the file "whole" the
# packages that failed though none of their tests had, as one does that leaves goroutines behind. It fails where a test is not as
# it should be though it may have passed: one that compares a golden file, which has one try, and one that never passed.

# The text of a field of the line, as it is escaped there.
function field(key) {
  if (!match($0, "\"" key "\":\"([^\"\\\\]|\\\\.)*\"")) return ""
  return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
}

function unescape(text) {
  gsub(/\\\\/, "\001", text)
  gsub(/\\n/, "\n", text)
  gsub(/\\t/, "\t", text)
  gsub(/\\"/, "\"", text)
  gsub(/\\u003c/, "<", text)
  gsub(/\\u003e/, ">", text)
  gsub(/\\u0026/, "\\&", text)
  gsub(/\001/, "\\\\", text)
  return text
}

# The test of the line, or the one it is a part of, that is flaky; "" if there is none.
function flakyTest(  name) {
  name = field("Package") " " field("Test")
  while (!(name in isFlaky) && sub(/\/[^\/ ]*$/, "", name));
  return name in isFlaky ? name : ""
}

function findFlaky(  name, parent) {
  for (name in hasFailed) if (last[name] == "pass") isFlaky[name] = 1
  for (name in isFlaky) for (parent = name; sub(/\/[^\/ ]*$/, "", parent);) isParent[parent] = 1
  for (name in isParent) delete isFlaky[name]
}

# Writes a name and, moved in, what it printed.
function describe(name, file,  lines, count, i) {
  print name >> file
  count = split(printed[name], lines, "\n")
  for (i = 1; i <= count; i++) if (lines[i] != "") print "    " lines[i] >> file
}

function refuse(why, name) {
  print why ": " name > "/dev/stderr"
  status = 1
}

NR == FNR && /"Action":"(pass|fail|skip)","Package":"[^"]*","Test":/ {
  name = field("Package") " " field("Test")
  last[name] = field("Action")
  if (last[name] == "fail") hasFailed[name] = hasFailedTest[field("Package")] = 1
}

NR == FNR && /"Action":"(pass|fail|skip)","Package":"[^"]*","Elapsed":/ {
  name = field("Package")
  if (field("Action") == "fail" && !(name in hasFailedTest)) isWhole[name] = 1
  delete hasFailedTest[name]
}

NR == FNR { next }

FNR == 1 { findFlaky() }

/"Action":"fail","Package":"[^"]*","Test":/ && (name = flakyTest()) { isOver[name] = 1 }

/"Action":"fail","Package":"[^"]*","Elapsed":/ { isOver[field("Package")] = 1 }

/"Action":"output","Package":"[^"]*","Test":/ && (name = flakyTest()) && !(name in isOver) {
  text = unescape(field("Output"))
  if (text !~ /^=== (RUN|PAUSE|CONT|NAME)/) printed[name] = printed[name] text
}

/"Action":"output","Package":"[^"]*","Output":/ && ((name = field("Package")) in isWhole) && !(name in isOver) {
  text = unescape(field("Output"))
  if (text !~ /^(PASS|FAIL)/) printed[name] = printed[name] text
}

END {
  for (name in last) print last[name], name >> (folder "/tests")
  for (name in isFlaky) {
    print name >> (folder "/flaky")
    describe(name, folder "/flaky-output")
    if (name ~ / Test[^\/]*Golden/) refuse("What a golden file is compared with is not always the same", name)
  }
  for (name in isWhole) describe(name, whole)
  for (name in last) if (last[name] == "fail") refuse("Never passed", name)
  exit status
}
