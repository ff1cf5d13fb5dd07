package ingest

import (
	"strings"
	"unicode/utf8"

	"parley/internal/prose"
)

// Piece is a stretch of a text that can be found and quoted by itself: text[Start:End].
type Piece struct {
	Heading    string // titles above it, outermost first, joined by " › "
	Start, End int
}

// Sizes of a piece in bytes: a section is cut only where it is larger than most, at the last place that leaves enough.
const (
	mostBytes  = 1200
	someBytes  = 700 // a piece this large may end where a block ends
	overlap    = 240 // at most so much of the piece before is repeated
	titleBytes = 120
)

// Split cuts a text into pieces along its structure: a new piece begins at each heading, sections larger than a piece are cut
// between blocks, large blocks between lines or sentences, and as a last resort anywhere between two code points. Where a
// section is cut the last sentence of a piece is repeated in the next. Front matter is left out.
func Split(text string) []Piece {
	s := splitter{text: text}
	for _, b := range prose.Blocks(text) {
		switch b.Kind {
		case prose.Heading:
			s.heading(b)
		case prose.Markup:
		default:
			s.block(b)
		}
	}
	s.flush()
	s.titleOnly()
	return s.pieces
}

type title struct {
	block prose.Block
	text  string
	used  bool // a piece stands under it
}

type splitter struct {
	text   string
	titles []title
	pieces []Piece
	first  int // in pieces, of this section
	open   bool
	start  int // of the open piece
	end    int
	fresh  int // where what is not repeated begins
}

func (s *splitter) heading(b prose.Block) {
	s.flush()
	s.first = len(s.pieces)
	keep := len(s.titles)
	for keep > 0 && s.titles[keep-1].block.Level >= b.Level {
		keep--
	}
	if keep < len(s.titles) {
		s.titleOnly()
	}
	s.titles = append(s.titles[:keep], title{block: b, text: clean(s.text[min(b.Inner, b.End):b.End])})
}

// titleOnly keeps a heading that has nothing below it findable: it becomes a piece itself.
func (s *splitter) titleOnly() {
	if n := len(s.titles); n > 0 && !s.titles[n-1].used {
		b := s.titles[n-1].block
		s.add(b.Start, b.End)
	}
}

// clean makes a title short and free of marks.
func clean(title string) string {
	title = strings.Join(strings.Fields(strings.Trim(title, "#*_` \t")), " ")
	if i := strings.Index(title, " {#"); i > 0 && strings.HasSuffix(title, "}") {
		title = title[:i]
	}
	return title[:cutAt(title, titleBytes)]
}

// cutAt gives the largest code point boundary of s that is not beyond n; in what is not UTF-8, n.
func cutAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := n; i > max(0, n-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}

func (s *splitter) path() string {
	var names []string
	for _, t := range s.titles {
		if t.text != "" {
			names = append(names, t.text)
		}
	}
	return strings.Join(names, " › ")
}

func (s *splitter) add(start, end int) {
	if strings.TrimSpace(s.text[start:end]) == "" {
		return
	}
	for i := range s.titles {
		s.titles[i].used = true
	}
	s.pieces = append(s.pieces, Piece{Heading: s.path(), Start: start, End: end})
}

// block puts a block into the open piece, or cuts before it.
func (s *splitter) block(b prose.Block) {
	switch {
	case !s.open:
		s.begin(b.Start)
	case b.End-s.start > mostBytes && s.end-s.start >= someBytes, b.End-b.Start > mostBytes, b.End-s.start > 2*mostBytes:
		if !s.introduces() {
			s.cut(b.Start)
		}
	}
	if b.End-b.Start > mostBytes {
		s.large(b)
	}
	s.end = b.End
}

// introduces reports that the open piece is a line that only leads to what follows ("To do this:").
func (s *splitter) introduces() bool {
	piece := strings.TrimRight(s.text[s.fresh:s.end], "* \t\r\n")
	return strings.HasSuffix(piece, ":") && len(piece) < overlap
}

func (s *splitter) begin(at int) { s.open, s.start, s.fresh, s.end = true, at, at, at }

// large cuts a block that does not fit into one piece.
func (s *splitter) large(b prose.Block) {
	if b.Kind == prose.Paragraph || b.Kind == prose.Item {
		for _, sentence := range prose.Sentences(s.text, b.Start, b.End) {
			s.part(sentence.Start, sentence.End)
		}
		return
	}
	for at := b.Start; at < b.End; {
		end := b.End
		if n := strings.IndexByte(s.text[at:b.End], '\n'); n >= 0 {
			end = at + n + 1
		}
		s.part(at, end)
		at = end
	}
}

// part adds a sentence or a line, cut anywhere if it is too long itself.
func (s *splitter) part(start, end int) {
	if end-s.start > mostBytes && s.end > s.start {
		s.cut(start)
	}
	for end-s.start > mostBytes {
		at := s.start + breakAt(s.text[s.start:end], mostBytes)
		s.add(s.start, at)
		s.begin(at)
	}
	s.end = end
}

// breakAt finds the last space in the second half of the first n bytes, or else a code point boundary.
func breakAt(text string, n int) int {
	n = cutAt(text, n)
	if i := strings.LastIndexByte(text[:n], ' '); i > n/2 {
		return i + 1
	}
	return n
}

func (s *splitter) flush() {
	if s.open && s.end > s.fresh {
		s.add(s.start, s.end)
	}
	s.open = false
}

// cut ends the open piece and begins the next with the last sentence of this one.
func (s *splitter) cut(next int) {
	s.add(s.start, s.end)
	from, end := max(s.fresh, s.end-2*overlap), s.end
	for from < end && !utf8.RuneStart(s.text[from]) {
		from++
	}
	s.begin(next)
	if sentences := prose.Sentences(s.text, from, end); len(sentences) > 1 {
		if last := sentences[len(sentences)-1]; end-last.Start <= overlap {
			s.start = last.Start
		}
	}
}
