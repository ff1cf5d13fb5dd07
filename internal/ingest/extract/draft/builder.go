package draft

import "strings"

// Builder builds the text of a document, in blocks apart by a blank line.
type Builder struct {
	buf          strings.Builder
	endsWithItem bool // the last block is an item of a list
}

// IsFull reports whether the text is as long as it may be; the reader may stop.
func (d *Builder) IsFull() bool { return d.buf.Len() > MaxTextBytes }

// Size returns the bytes of the text so far.
func (d *Builder) Size() int { return d.buf.Len() }

// Text returns the text so far.
func (d *Builder) Text() string { return d.buf.String() }

// AddBlock adds a text as it is.
func (d *Builder) AddBlock(text string) {
	if text == "" || d.IsFull() {
		return
	}
	if d.buf.Len() > 0 {
		d.buf.WriteString("\n\n")
	}
	d.buf.WriteString(text)
	d.endsWithItem = false
}

// AddHeading adds a heading of level 1 to 6.
func (d *Builder) AddHeading(level int, text string) {
	if text = CollapseSpaces(text); text != "" {
		d.AddBlock(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// AddParagraph adds a paragraph; line breaks in it stay.
func (d *Builder) AddParagraph(text string) {
	lines := strings.Split(text, "\n")
	nonEmpty := lines[:0]
	for _, line := range lines {
		if line = CollapseSpaces(line); line != "" {
			nonEmpty = append(nonEmpty, line)
		}
	}
	d.AddBlock(strings.Join(nonEmpty, "\n"))
}

// AddItem adds an item of a list; marker is "-" or a number with its point, depth is 0 for the outermost list.
func (d *Builder) AddItem(depth int, marker, text string) {
	if text = CollapseSpaces(text); text == "" {
		return
	}
	line := strings.Repeat("  ", min(max(depth, 0), 8)) + marker + " " + text
	if !d.endsWithItem {
		d.AddBlock(line)
	} else if !d.IsFull() {
		d.buf.WriteString("\n" + line)
	}
	d.endsWithItem = true
}

// mostRepeated bounds the bytes that the tables of one file repeat, because cells span columns and rows.
const mostRepeated = 1 << 20

// RepeatBudget bounds the text that tables of one file repeat.
type RepeatBudget struct{ bytes int }

// Take returns the text of a cell for another cell that repeats it, or nothing where too much has been repeated
// already.
func (r *RepeatBudget) Take(text string) string {
	if r.bytes += len(text); r.bytes > mostRepeated {
		return ""
	}
	return text
}
