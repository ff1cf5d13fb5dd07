package safehtml

import "strings"

const (
	// maxCells is the most cells of a text's tables. A short row is filled up, so that a few thousand characters could
	// make a million cells.
	maxCells = 20_000
	// maxLevels is how deep quotes and lists may be nested: the time to parse them grows with its square.
	maxLevels = 100
	// maxMarks is the most marks of links, emphasis, code and HTML in a paragraph: the parser may search for the end of
	// each up to the paragraph's end.
	maxMarks = 2000
	// maxSteps is the most bytes that are searched for all marks of a text.
	maxSteps = 128 << 20
	// maxRepeatedBytes is the most bytes of link references: an address that is written once may be referred to often.
	maxRepeatedBytes = 1 << 20
)

// isWithinCellLimit reports whether the tables of a text have at most maxCells cells, whatever their layout.
func isWithinCellLimit(source string) bool {
	rows, widest := 0, 0
	for line := range strings.Lines(source) {
		rows, widest = rows+1, max(widest, strings.Count(line, "|")+1)
	}
	return rows*widest <= maxCells
}

// hasTooManyMarks reports whether a paragraph of a text has more than maxMarks marks, or all paragraphs need more than
// maxSteps. The lines between two empty lines count as one paragraph, except headings and items that are not indented.
func hasTooManyMarks(source string) bool {
	marks, size, steps := 0, 0, 0
	for line := range strings.Lines(source) {
		if startsBlock(line) {
			steps += marks * size
			marks, size = 0, 0
		}
		marks, size = marks+countMarks(line), size+len(line)
		if marks > maxMarks {
			return true
		}
	}
	return steps+marks*size > maxSteps
}

// startsBlock reports whether a line cannot continue the paragraph before it: an empty line, a heading or an item.
func startsBlock(line string) bool {
	body := strings.TrimLeft(line, " ")
	if strings.TrimSpace(body) == "" {
		return true
	}
	if len(line)-len(body) > 3 {
		return false
	}
	mark, rest, _ := strings.Cut(body, " ")
	isItem := mark == "-" || mark == "*" || mark == "+"
	isHeading := mark != "" && len(mark) <= 6 && strings.Trim(mark, "#") == ""
	return strings.TrimSpace(rest) != "" && (isItem || isHeading)
}

// countMarks counts the marks of a line; several of a kind in a row are one, except brackets.
func countMarks(line string) (n int) {
	for i := range len(line) {
		switch c := line[i]; c {
		case '[', ']', '<', '&':
			n++
		case '*', '_', '~', '`':
			if i == 0 || line[i-1] != c {
				n++
			}
		}
	}
	return n
}

// expandsTooMuch reports whether link references could expand to more than maxRepeatedBytes.
func expandsTooMuch(source string) bool {
	if !strings.Contains(source, "]:") {
		return false
	}
	longest := 0
	for word := range strings.FieldsFuncSeq(source, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }) {
		longest = max(longest, len(word))
	}
	return longest*strings.Count(source, "[") > maxRepeatedBytes
}

// isNestedTooDeep reports whether a line of a text opens more than maxLevels quotes and lists.
func isNestedTooDeep(source string) bool {
	for line := range strings.Lines(source) {
		if countLevels(line) > maxLevels {
			return true
		}
	}
	return false
}

// countLevels counts the quotes and lists that a line may open: > always does, a list marker only before white space.
func countLevels(line string) (n int) {
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>':
			n++
		case strings.IndexByte("-+*.)", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			n++
		case strings.IndexByte(" \t-+*.)0123456789", c) < 0:
			return n
		}
	}
	return n
}
