package draft

import "strings"

// Builder is a text in the making.
type Builder struct {
	buf          strings.Builder
	endsWithItem bool // the last block is an item of a list
}

// IsFull reports that no more is taken; the reader may stop.
func (d *Builder) IsFull() bool { return d.buf.Len() > MaxTextBytes }

// Size returns the bytes of the text so far.
func (d *Builder) Size() int { return d.buf.Len() }

func (d *Builder) Text() string { return d.buf.String() }

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

func (d *Builder) AddHeading(level int, text string) {
	if text = CollapseSpaces(text); text != "" {
		d.AddBlock(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// AddParagraph takes a paragraph; line breaks in it stay.
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

// AddItem takes an item of a list; marker is "-" or a number with its point, depth is 0 for the outermost list.
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

// mostRepeated bounds the bytes that the tables of one file say more than once, because cells span columns and rows.
const mostRepeated = 1 << 20

// RepeatBudget counts what tables say more than once.
type RepeatBudget struct{ bytes int }

// Take returns the text of a cell that stands in another one as well; it is empty where too much has been repeated already.
func (r *RepeatBudget) Take(text string) string {
	if r.bytes += len(text); r.bytes > mostRepeated {
		return ""
	}
	return text
}
