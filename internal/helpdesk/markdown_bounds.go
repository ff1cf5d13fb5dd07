package helpdesk

import "strings"

const (
	// mostCells is how many cells the tables of a text may have. A row that is too short is filled up, so that a few thousand characters
	// could make a million of them.
	mostCells = 20_000
	// mostLevels is how deep quotes and lists may stand in each other: the time to read them grows with the square of it.
	mostLevels = 100
)

// tabular reports whether the tables of a text have no more cells than they may, however they are laid out.
func tabular(source string) bool {
	rows, widest := 0, 0
	for line := range strings.Lines(source) {
		rows, widest = rows+1, max(widest, strings.Count(line, "|")+1)
	}
	return rows*widest <= mostCells
}

// nested reports whether a line of a text opens more quotes and lists than may stand in each other.
func nested(source string) bool {
	for line := range strings.Lines(source) {
		if levels(line) > mostLevels {
			return true
		}
	}
	return false
}

// levels counts the quotes and lists that a line may open: > always does, the mark of a list only with white space behind it.
func levels(line string) (n int) {
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
