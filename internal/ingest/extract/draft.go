package extract

import (
	"strings"
)

// draft is a text in the making.
type draft struct {
	b     strings.Builder
	lists bool // the last block is an item of a list
}

// full reports that no more is taken; the reader may stop.
func (d *draft) full() bool { return d.b.Len() > mostText }

func (d *draft) text() string { return d.b.String() }

func (d *draft) block(text string) {
	if text == "" || d.full() {
		return
	}
	if d.b.Len() > 0 {
		d.b.WriteString("\n\n")
	}
	d.b.WriteString(text)
	d.lists = false
}

func (d *draft) heading(level int, text string) {
	if text = flat(text); text != "" {
		d.block(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// paragraph takes a paragraph; line breaks in it stay.
func (d *draft) paragraph(text string) {
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if line = flat(line); line != "" {
			kept = append(kept, line)
		}
	}
	d.block(strings.Join(kept, "\n"))
}

// item takes an item of a list; marker is "-" or a number with its point, depth is 0 for the outermost list.
func (d *draft) item(depth int, marker, text string) {
	if text = flat(text); text == "" {
		return
	}
	line := strings.Repeat("  ", min(max(depth, 0), 8)) + marker + " " + text
	if !d.lists {
		d.block(line)
	} else if !d.full() {
		d.b.WriteString("\n" + line)
	}
	d.lists = true
}
