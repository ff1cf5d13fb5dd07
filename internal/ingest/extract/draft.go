package extract

import (
	"strings"
)

// textBuilder is a text in the making.
type textBuilder struct {
	buf          strings.Builder
	endsWithItem bool // the last block is an item of a list
}

// isFull reports that no more is taken; the reader may stop.
func (d *textBuilder) isFull() bool { return d.buf.Len() > maxTextBytes }

func (d *textBuilder) text() string { return d.buf.String() }

func (d *textBuilder) addBlock(text string) {
	if text == "" || d.isFull() {
		return
	}
	if d.buf.Len() > 0 {
		d.buf.WriteString("\n\n")
	}
	d.buf.WriteString(text)
	d.endsWithItem = false
}

func (d *textBuilder) addHeading(level int, text string) {
	if text = collapseSpaces(text); text != "" {
		d.addBlock(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// addParagraph takes a paragraph; line breaks in it stay.
func (d *textBuilder) addParagraph(text string) {
	lines := strings.Split(text, "\n")
	nonEmpty := lines[:0]
	for _, line := range lines {
		if line = collapseSpaces(line); line != "" {
			nonEmpty = append(nonEmpty, line)
		}
	}
	d.addBlock(strings.Join(nonEmpty, "\n"))
}

// addItem takes an item of a list; marker is "-" or a number with its point, depth is 0 for the outermost list.
func (d *textBuilder) addItem(depth int, marker, text string) {
	if text = collapseSpaces(text); text == "" {
		return
	}
	line := strings.Repeat("  ", min(max(depth, 0), 8)) + marker + " " + text
	if !d.endsWithItem {
		d.addBlock(line)
	} else if !d.isFull() {
		d.buf.WriteString("\n" + line)
	}
	d.endsWithItem = true
}
