package html

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

func (s *pageStream) closeLink() {
	if s.linkFrom > len(s.buf) {
		s.linkURL = ""
	}
	if s.linkURL == "" { // one that has been closed, or was never opened
		return
	}
	if label := draft.CollapseSpaces(string(s.buf[s.linkFrom:])); label != "" && label != s.linkURL {
		s.buf = append(s.buf[:s.linkFrom], "["+label+"]("+s.linkURL+")"...)
	}
	s.linkURL = ""
}

// flushBlock ends the open block. In a cell it only parts words.
func (s *pageStream) flushBlock() {
	if s.inCell {
		s.buf = append(s.buf, ' ')
		return
	}
	text, kind := string(s.buf), s.blockTag
	s.buf, s.blockTag, s.linkURL = s.buf[:0], 0, ""
	switch level := slices.Index(headingTags, kind); {
	case level >= 0:
		if s.heading1 == "" && kind == atom.H1 {
			s.heading1 = draft.CollapseSpaces(text)
		}
		s.out.AddHeading(level+1, text)
	case kind == atom.Pre:
		if strings.TrimSpace(text) != "" {
			s.out.AddBlock("```\n" + strings.Trim(text, "\n") + "\n```")
		}
	case kind == atom.Li:
		s.out.AddItem(len(s.listCounters)-1, s.nextMarker(text), text)
	default:
		s.out.AddParagraph(text)
	}
}

var headingTags = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// nextMarker returns the sign before an item, which is counted where it says something.
func (s *pageStream) nextMarker(text string) string {
	last := len(s.listCounters) - 1
	if last < 0 || s.listCounters[last] < 0 {
		return "-"
	}
	if strings.TrimSpace(text) != "" {
		s.listCounters[last]++
	}
	return strconv.Itoa(s.listCounters[last]) + "."
}

func (s *pageStream) closeCell() {
	if s.inCell {
		s.row = append(s.row, string(s.buf))
		s.buf, s.inCell, s.linkURL = s.buf[:0], false, ""
	}
}

// layoutCellBytes is from how many bytes on a cell holds what a row cannot: the table lays the page out.
const layoutCellBytes = 1500

func (s *pageStream) closeRow() {
	s.closeCell()
	row := s.row
	s.row = nil
	if len(row) == 0 {
		return
	}
	if slices.ContainsFunc(row, func(cell string) bool { return len(cell) > layoutCellBytes }) {
		s.closeTable()
		for _, cell := range row {
			s.out.AddParagraph(cell)
		}
		return
	}
	if s.table == nil {
		s.table = s.out.NewTable()
	}
	s.table.AddRow(row)
}

// closeTable writes what the table holds back. That it is too large shows in the text.
func (s *pageStream) closeTable() {
	if s.table != nil {
		_ = s.table.Finish()
		s.table = nil
	}
}

// endTable ends the innermost table with its open row.
func (s *pageStream) endTable() {
	s.closeRow()
	s.closeTable()
}
