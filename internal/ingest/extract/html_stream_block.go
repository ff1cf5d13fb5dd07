package extract

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

func (s *stream) closeLink() {
	if s.linkFrom > len(s.words) {
		s.link = ""
	}
	if s.link == "" { // one that has been closed, or was never opened
		return
	}
	if label := flat(string(s.words[s.linkFrom:])); label != "" && label != s.link {
		s.words = append(s.words[:s.linkFrom], "["+label+"]("+s.link+")"...)
	}
	s.link = ""
}

// flush ends the open block. In a cell it only parts words.
func (s *stream) flush() {
	if s.inCell {
		s.words = append(s.words, ' ')
		return
	}
	text, kind := string(s.words), s.kind
	s.words, s.kind, s.link = s.words[:0], 0, ""
	switch level := slices.Index(headings, kind); {
	case level >= 0:
		if s.heading1 == "" && kind == atom.H1 {
			s.heading1 = flat(text)
		}
		s.d.heading(level+1, text)
	case kind == atom.Pre:
		if strings.TrimSpace(text) != "" {
			s.d.block("```\n" + strings.Trim(text, "\n") + "\n```")
		}
	case kind == atom.Li:
		s.d.item(len(s.lists)-1, s.marker(text), text)
	default:
		s.d.paragraph(text)
	}
}

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// marker is the sign before an item, which is counted where it says something.
func (s *stream) marker(text string) string {
	last := len(s.lists) - 1
	if last < 0 || s.lists[last] < 0 {
		return "-"
	}
	if strings.TrimSpace(text) != "" {
		s.lists[last]++
	}
	return strconv.Itoa(s.lists[last]) + "."
}

func (s *stream) closeCell() {
	if s.inCell {
		s.row = append(s.row, string(s.words))
		s.words, s.inCell, s.link = s.words[:0], false, ""
	}
}

// longCell is from how many bytes on a cell holds what a row cannot: the table lays the page out.
const longCell = 1500

func (s *stream) closeRow() {
	s.closeCell()
	row := s.row
	s.row = nil
	if len(row) == 0 {
		return
	}
	if slices.ContainsFunc(row, func(cell string) bool { return len(cell) > longCell }) {
		s.closeTable()
		for _, cell := range row {
			s.d.paragraph(cell)
		}
		return
	}
	if s.table == nil {
		s.table = s.d.table()
	}
	s.table.row(row)
}

// closeTable writes what the table holds back. That it is too large shows in the text.
func (s *stream) closeTable() {
	if s.table != nil {
		_ = s.table.end()
		s.table = nil
	}
}

// endTable ends the innermost table with its open row.
func (s *stream) endTable() {
	s.closeRow()
	s.closeTable()
}
