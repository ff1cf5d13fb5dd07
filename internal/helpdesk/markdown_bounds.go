package helpdesk

import "strings"

const (
	// maxCells is how many cells the tables of a text may have. A row that is too short is filled up, so that a few thousand characters
	// could make a million of them.
	maxCells = 20_000
	// maxLevels is how deep quotes and lists may stand in each other: the time to read them grows with the square of it.
	maxLevels = 100
	// maxMarks is how many marks of links, emphasis, code and HTML a paragraph may have: each may be looked for to
	// the paragraph's end.
	maxMarks = 2000
	// maxSteps is how many bytes may be looked at for the marks of a text in all.
	maxSteps = 128 << 20
	// maxRepeatedBytes is how many bytes the addresses of a text may become that stand in it once and are referred to often.
	maxRepeatedBytes = 1 << 20
)

// isWithinCellLimit reports whether the tables of a text have no more cells than they may, however they are laid out.
func isWithinCellLimit(source string) bool {
	rows, widest := 0, 0
	for line := range strings.Lines(source) {
		rows, widest = rows+1, max(widest, strings.Count(line, "|")+1)
	}
	return rows*widest <= maxCells
}

// hasTooManyMarks reports whether a paragraph of a text has more marks than it may, or the text more in long paragraphs. What
// stands between two empty lines counts as one, but for headings and items that are not indented.
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

// startsBlock reports whether a line never goes on with the paragraph before it: an empty one, a heading, an item.
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

// expandsTooMuch reports whether a text may refer so often to addresses that it has once that they become more than they may.
func expandsTooMuch(source string) bool {
	if !strings.Contains(source, "]:") {
		return false
	}
	longest, from := 0, 0
	for i := range len(source) + 1 {
		if i == len(source) || strings.IndexByte(" \t\r\n", source[i]) >= 0 {
			longest, from = max(longest, i-from), i+1
		}
	}
	return longest*strings.Count(source, "[") > maxRepeatedBytes
}

// isNestedTooDeep reports whether a line of a text opens more quotes and lists than may stand in each other.
func isNestedTooDeep(source string) bool {
	for line := range strings.Lines(source) {
		if countLevels(line) > maxLevels {
			return true
		}
	}
	return false
}

// countLevels counts the quotes and lists that a line may open: > always does, the mark of a list only with white space behind it.
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
