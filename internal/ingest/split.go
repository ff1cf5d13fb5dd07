package ingest

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/prose"
)

// Piece is a stretch of a text that can be found and quoted by itself: text[Start:End].
type Piece struct {
	Heading    string // titles above it, outermost first, joined by between
	Start, End int
}

const between = " › "

// Sizes of a piece in bytes: a section is cut only where it is larger than most, at the last place that leaves enough.
const (
	mostBytes  = 1200
	someBytes  = 700 // a piece this large may end where a block ends
	overlap    = 240 // at most so much of the piece before is repeated
	titleBytes = 120
)

// What the pieces of a text take together is bounded by the text: for each a row, its heading and its words, at most
// so many times the bytes that were read and some more, so that short texts are cut as finely as they are laid out.
// Where the rest of a text would take more, sections that are too small to stand alone are joined, with their
// headings between them.
const (
	rowBytes = 512
	timesRow = 4
	slack    = 16 << 10
)

// Takes is what a piece takes, in memory as in the database.
func (p Piece) Takes() int { return rowBytes + len(p.Heading) + p.End - p.Start }

// Split cuts a text into pieces along its structure: a new piece begins at each heading, sections larger than a piece are cut
// between blocks, large blocks between lines or sentences, and as a last resort anywhere between two code points. Where a
// section is cut the last sentence of a piece is repeated in the next. Front matter is left out. Headings with
// nothing below them go with the next piece.
func Split(text string) []Piece { return slices.Collect(EachPiece(text)) }

// EachPiece hands out the pieces that Split gives, one at a time.
func EachPiece(text string) iter.Seq[Piece] { return eachPiece(text, nil) }

// eachPiece hands out the pieces of a text. name, where there is one, makes a heading of the titles above a piece.
func eachPiece(text string, name func(path string) string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		s := splitter{text: text, name: name, yield: yield}
		for b := range prose.EachBlock(text) {
			switch b.Kind {
			case prose.Heading:
				s.heading(b)
			case prose.Markup:
			default:
				s.block(b)
			}
			if s.stopped {
				return
			}
		}
		s.flush()
		s.leave(0)
		s.flushBare()
	}
}

type title struct {
	block prose.Block
	text  string
	used  bool // a piece stands under it, or holds it
}

type splitter struct {
	text    string
	name    func(path string) string
	yield   func(Piece) bool
	stopped bool
	taken   int // by the pieces so far
	titles  []title
	section int   // where the heading of this section begins, until a piece stands under it; -1 then
	bare    Piece // headings that nothing stands below and that no piece has yet; empty for none
	lone    title // the one heading that bare is; without text where there are more
	above   title // a lone heading right before this section, as the title of a page above its first one; without text for none
	open    bool
	start   int // of the open piece
	end     int
	fresh   int // where what is not repeated begins
	under   int // the titles before here stand above it
}

func (s *splitter) heading(b prose.Block) {
	joined := s.joins(b)
	if !joined {
		s.flush()
	}
	keep := len(s.titles)
	for keep > 0 && s.titles[keep-1].block.Level >= b.Level {
		keep--
	}
	s.above = title{}
	s.leave(keep)
	s.titles = append(s.titles, title{block: b, text: clean(s.text[min(b.Inner, b.End):b.End]), used: joined})
	s.section = b.Start
}

// leave takes titles from the stack. Those that nothing stands below go on, to stay findable, as words of the next
// piece.
func (s *splitter) leave(keep int) {
	for _, t := range s.titles[keep:] {
		if t.used {
			continue
		}
		if s.bare.End > 0 && t.block.End-s.bare.Start > mostBytes {
			s.flushBare()
		}
		if s.bare.End == 0 {
			s.bare, s.lone = Piece{Heading: s.path(t.block.Start + 1), Start: t.block.Start}, t
		} else {
			s.bare.Heading, s.lone = s.path(s.bare.Start), title{}
		}
		s.bare.End = t.block.End
	}
	s.titles = s.titles[:keep]
}

// flushBare makes pieces of headings that no piece takes up.
func (s *splitter) flushBare() {
	bare := s.bare
	s.bare = Piece{}
	for p := range stretches(s.text, bare) {
		s.put(p)
	}
}

// stretches cuts a piece that may be too large between two words.
func stretches(text string, p Piece) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for ; p.End-p.Start > mostBytes; p.Start += breakAt(text[p.Start:p.End], mostBytes) {
			if !yield(Piece{p.Heading, p.Start, p.Start + breakAt(text[p.Start:p.End], mostBytes)}) {
				return
			}
		}
		if p.Start < p.End {
			yield(p)
		}
	}
}

// joins reports that the open piece goes on beyond a heading, for one more would be too much. It then begins with its
// own heading.
func (s *splitter) joins(b prose.Block) bool {
	if !s.open {
		return false
	}
	start := s.start
	if s.section >= 0 {
		start = min(start, s.section)
	}
	if s.above.text != "" {
		start = min(start, s.above.block.Start)
	}
	if b.End-start > someBytes || !s.tight(s.named(Piece{s.path(s.under), s.start, s.end})) {
		return false
	}
	s.start, s.under, s.fresh, s.end = start, start, min(start, s.fresh), b.End
	s.use()
	return true
}

// tight reports that there is no room for a piece.
func (s *splitter) tight(p Piece) bool { return s.taken+p.Takes() > timesRow*p.End+slack }

func (s *splitter) named(p Piece) Piece {
	if s.name != nil {
		p.Heading = s.name(p.Heading)
	}
	return p
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

// path is the titles that begin before a place.
func (s *splitter) path(before int) string {
	var names []string
	if t := s.above; t.text != "" && t.block.Start < before {
		names = append(names, t.text)
	}
	for _, t := range s.titles {
		if t.text != "" && t.block.Start < before {
			names = append(names, t.text)
		}
	}
	return strings.Join(names, between)
}

// use notes that a piece stands under the titles.
func (s *splitter) use() {
	for i := range s.titles {
		s.titles[i].used = true
	}
}

func (s *splitter) add(start, end int) { s.put(Piece{s.path(s.under), start, end}) }

// put hands a piece out; where there is little room with the last of its titles, or with none.
func (s *splitter) put(p Piece) {
	if s.stopped || strings.TrimSpace(s.text[p.Start:p.End]) == "" {
		return
	}
	if p = s.named(p); s.tight(p) {
		if p.Heading = lastTitle(p.Heading); s.tight(p) {
			p.Heading = ""
		}
	}
	s.use()
	s.section = -1
	s.taken += p.Takes()
	s.stopped = !s.yield(p)
}

// block puts a block into the open piece, or cuts before it.
func (s *splitter) block(b prose.Block) {
	switch {
	case !s.open:
		s.first(b)
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

// first begins a piece with a block, and with the bare headings before it.
func (s *splitter) first(b prose.Block) {
	if s.bare.End > 0 && b.Start-s.bare.Start > someBytes {
		s.flushBare()
	}
	s.begin(b.Start)
	if s.bare.End > 0 && !s.crowns(b) {
		s.start, s.fresh, s.end = s.bare.Start, s.bare.Start, s.bare.Start
	}
	s.bare = Piece{}
}

// crowns makes a lone heading a title above the section that follows it at once, where both are of one level and there is room.
func (s *splitter) crowns(b prose.Block) bool {
	if s.lone.text == "" || len(s.titles) == 0 {
		return false
	}
	own := s.titles[len(s.titles)-1]
	if own.block.Level != s.lone.block.Level || strings.TrimSpace(s.text[s.lone.block.End:own.block.Start]) != "" {
		return false
	}
	if own.text == s.lone.text {
		return true
	}
	s.above = s.lone
	if s.tight(s.named(Piece{s.path(b.Start), b.Start, b.End})) {
		s.above = title{}
		return false
	}
	return true
}

// introduces reports that the open piece is a line that only leads to what follows ("To do this:").
func (s *splitter) introduces() bool {
	piece := strings.TrimRight(s.text[s.fresh:s.end], "* \t\r\n")
	return strings.HasSuffix(piece, ":") && len(piece) < overlap
}

func (s *splitter) begin(at int) { s.open, s.start, s.fresh, s.end, s.under = true, at, at, at, at }

// large cuts a block that does not fit into one piece.
func (s *splitter) large(b prose.Block) {
	if b.Kind == prose.Paragraph || b.Kind == prose.Item {
		for sentence := range prose.EachSentence(s.text, b.Start, b.End) {
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
			s.start = last.Start // under stays: the titles are those of what is new
		}
	}
}

func lastTitle(path string) string {
	if i := strings.LastIndex(path, between); i >= 0 {
		path = path[i+len(between):]
	}
	return path
}
