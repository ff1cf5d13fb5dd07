package pdf

import "golang.org/x/text/unicode/bidi"

// Parts of the reader that tests call directly.
var (
	DecryptFile    = decryptFile
	HashRevision6  = hashRevision6
	ToReadingOrder = toReadingOrder
)

// CountCMapCodes returns the number of codes that a table maps.
func CountCMapCodes(text string) int { return len(readCMap([]byte(text))) }

// RebuildFile returns the file with a plain cross-reference table.
func RebuildFile(data []byte) []byte {
	whole, _ := rebuildFile(data)
	return whole
}

// ReadVisualLine reads a line whose characters are each placed separately.
func ReadVisualLine(text string, left bool) string {
	var line []visualItem
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		line = append(line, visualItem{string(r), p.Class()})
	}
	return logicalText(line, left)
}
