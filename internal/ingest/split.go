package ingest

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/markdown"
	"parley/internal/text/prose"
)

// Piece is a stretch of a text that can be found and quoted by itself: text[Start:End].
type Piece struct {
	Heading    string // titles above it, outermost first, joined by between
	Start, End int
}

const headingSeparator = " › "

// Sizes of a piece in bytes: a section is cut only where it is larger than most, at the last place that leaves enough.
const (
	maxPieceBytes = 1200
	minPieceBytes = 700 // a piece this large may end where a block ends
	overlapBytes  = 240 // at most so much of the piece before is repeated
	maxTitleBytes = 120
)

// What the pieces of a text take together is bounded by the text: for each a row, its heading and its words, at most
// so many times the bytes that were read and some more, so that short texts are cut as finely as they are laid out.
// Where the rest of a text would take more, sections that are too small to stand alone are joined, with their
// headings between them.
const (
	rowOverheadBytes = 512
	sizeFactor       = 4
	sizeSlack        = 16 << 10
)

// StoredBytes returns what a piece takes, in memory as in the database.
func (p Piece) StoredBytes() int { return rowOverheadBytes + len(p.Heading) + p.End - p.Start }

// Split cuts a text into pieces along its structure: a new piece begins at each heading, sections larger than a piece
// are cut between blocks, large blocks between lines or sentences, and as a last resort anywhere between two code
// points. Where a section is cut the last sentence of a piece is repeated in the next. Front matter is left out.
// Headings with nothing below them go with the next piece.
func Split(text string) []Piece { return slices.Collect(EachPiece(text)) }

// EachPiece yields the pieces that Split returns, one at a time.
func EachPiece(text string) iter.Seq[Piece] { return eachPiece(text, nil) }

// eachPiece yields the pieces of a text. name, where there is one, makes a heading of the titles above a piece.
func eachPiece(text string, name func(path string) string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		s := splitter{text: text, nameHeading: name, yield: yield}
		for b := range markdown.EachBlock(text) {
			switch b.Kind {
			case markdown.Heading:
				s.addHeading(b)
			case markdown.Markup:
			default:
				s.addBlock(b)
			}
			if s.done {
				return
			}
		}
		s.flush()
		s.popTitles(0)
		s.flushEmptyHeadings()
	}
}

type title struct {
	block    markdown.Block
	text     string
	hasPiece bool // a piece is under it, or holds it
}

type splitter struct {
	text          string
	nameHeading   func(path string) string
	yield         func(Piece) bool
	done          bool
	takenBytes    int // by the pieces so far
	titles        []title
	sectionStart  int   // where the heading of this section begins, until a piece is under it; -1 then
	emptyHeadings Piece // headings that nothing is below and that no piece has yet; empty for none
	soleTitle     title // the one heading that emptyHeadings is; without text if there are more
	// a lone heading right before this section, as the title of a page above its first one; without text for none
	above      title
	isOpen     bool
	start      int // of the open piece
	end        int
	freshStart int // where what is not repeated begins
	titlesEnd  int // the titles before here are above it
}

func (s *splitter) addHeading(b markdown.Block) {
	joined := s.joinHeading(b)
	if !joined {
		s.flush()
	}
	keep := len(s.titles)
	for keep > 0 && s.titles[keep-1].block.Level >= b.Level {
		keep--
	}
	s.above = title{}
	s.popTitles(keep)
	s.titles = append(s.titles,
		title{block: b, text: cleanTitle(s.text[min(b.ContentStart, b.End):b.End]), hasPiece: joined})
	s.sectionStart = b.Start
}

// popTitles takes titles from the stack. Those with nothing below them become words of the next piece, so that they are
// found.
func (s *splitter) popTitles(keep int) {
	for _, t := range s.titles[keep:] {
		if t.hasPiece {
			continue
		}
		if s.emptyHeadings.End > 0 && t.block.End-s.emptyHeadings.Start > maxPieceBytes {
			s.flushEmptyHeadings()
		}
		if s.emptyHeadings.End == 0 {
			s.emptyHeadings, s.soleTitle = Piece{Heading: s.headingPath(t.block.Start + 1), Start: t.block.Start}, t
		} else {
			s.emptyHeadings.Heading, s.soleTitle = s.headingPath(s.emptyHeadings.Start), title{}
		}
		s.emptyHeadings.End = t.block.End
	}
	s.titles = s.titles[:keep]
}

// flushEmptyHeadings makes pieces of headings that no piece takes up.
func (s *splitter) flushEmptyHeadings() {
	headings := s.emptyHeadings
	s.emptyHeadings = Piece{}
	for p := range splitLarge(s.text, headings) {
		s.emit(p)
	}
}

// splitLarge cuts a piece that may be too large between two words.
func splitLarge(text string, p Piece) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for ; p.End-p.Start > maxPieceBytes; p.Start += breakIndex(text[p.Start:p.End], maxPieceBytes) {
			if !yield(Piece{p.Heading, p.Start, p.Start + breakIndex(text[p.Start:p.End], maxPieceBytes)}) {
				return
			}
		}
		if p.Start < p.End {
			yield(p)
		}
	}
}

// joinHeading reports whether the open piece goes on beyond a heading, for one more would be too much. It then begins
// with its own heading.
func (s *splitter) joinHeading(b markdown.Block) bool {
	if !s.isOpen {
		return false
	}
	start := s.start
	if s.sectionStart >= 0 {
		start = min(start, s.sectionStart)
	}
	if s.above.text != "" {
		start = min(start, s.above.block.Start)
	}
	if b.End-start > minPieceBytes || !s.exceedsBudget(s.withName(Piece{s.headingPath(s.titlesEnd), s.start, s.end})) {
		return false
	}
	s.start, s.titlesEnd, s.freshStart, s.end = start, start, min(start, s.freshStart), b.End
	s.markTitlesUsed()
	return true
}

// exceedsBudget reports whether a piece does not fit into the budget.
func (s *splitter) exceedsBudget(p Piece) bool {
	return s.takenBytes+p.StoredBytes() > sizeFactor*p.End+sizeSlack
}

func (s *splitter) withName(p Piece) Piece {
	if s.nameHeading != nil {
		p.Heading = s.nameHeading(p.Heading)
	}
	return p
}

// cleanTitle makes a title short and free of marks.
func cleanTitle(title string) string {
	title = strings.Join(strings.Fields(strings.Trim(title, "#*_` \t")), " ")
	if i := strings.Index(title, " {#"); i > 0 && strings.HasSuffix(title, "}") {
		title = title[:i]
	}
	return title[:runeBoundary(title, maxTitleBytes)]
}

// runeBoundary returns the largest code point boundary of s that is not beyond n; in what is not UTF-8, n.
func runeBoundary(s string, n int) int {
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

// headingPath returns the titles that begin before a place.
func (s *splitter) headingPath(before int) string {
	var names []string
	if t := s.above; t.text != "" && t.block.Start < before {
		names = append(names, t.text)
	}
	for _, t := range s.titles {
		if t.text != "" && t.block.Start < before {
			names = append(names, t.text)
		}
	}
	return strings.Join(names, headingSeparator)
}

// markTitlesUsed notes that a piece is under the titles.
func (s *splitter) markTitlesUsed() {
	for i := range s.titles {
		s.titles[i].hasPiece = true
	}
}

func (s *splitter) emitRange(start, end int) { s.emit(Piece{s.headingPath(s.titlesEnd), start, end}) }

// emit yields a piece; where little of the budget is left, with the last of its titles or none.
func (s *splitter) emit(p Piece) {
	if s.done || strings.TrimSpace(s.text[p.Start:p.End]) == "" {
		return
	}
	if p = s.withName(p); s.exceedsBudget(p) {
		if p.Heading = lastTitle(p.Heading); s.exceedsBudget(p) {
			p.Heading = ""
		}
	}
	s.markTitlesUsed()
	s.sectionStart = -1
	s.takenBytes += p.StoredBytes()
	s.done = !s.yield(p)
}

// addBlock puts a block into the open piece, or cuts before it.
func (s *splitter) addBlock(b markdown.Block) {
	switch {
	case !s.isOpen:
		s.beginWithBlock(b)
	case b.End-s.start > maxPieceBytes && s.end-s.start >= minPieceBytes, b.End-b.Start > maxPieceBytes,
		b.End-s.start > 2*maxPieceBytes:
		if !s.isLeadIn() {
			s.cutPiece(b.Start)
		}
	}
	if b.End-b.Start > maxPieceBytes {
		s.addLargeBlock(b)
	}
	s.end = b.End
}

// beginWithBlock begins a piece with a block, and with the bare headings before it.
func (s *splitter) beginWithBlock(b markdown.Block) {
	if s.emptyHeadings.End > 0 && b.Start-s.emptyHeadings.Start > minPieceBytes {
		s.flushEmptyHeadings()
	}
	s.openPiece(b.Start)
	if s.emptyHeadings.End > 0 && !s.promoteHeading(b) {
		s.start, s.freshStart, s.end = s.emptyHeadings.Start, s.emptyHeadings.Start, s.emptyHeadings.Start
	}
	s.emptyHeadings = Piece{}
}

// promoteHeading makes a lone heading a title above the section that follows it at once, where both are of one level
// and the budget allows it, and reports whether it has.
func (s *splitter) promoteHeading(b markdown.Block) bool {
	if s.soleTitle.text == "" || len(s.titles) == 0 {
		return false
	}
	own := s.titles[len(s.titles)-1]
	if own.block.Level != s.soleTitle.block.Level ||
		strings.TrimSpace(s.text[s.soleTitle.block.End:own.block.Start]) != "" {
		return false
	}
	if own.text == s.soleTitle.text {
		return true
	}
	s.above = s.soleTitle
	if s.exceedsBudget(s.withName(Piece{s.headingPath(b.Start), b.Start, b.End})) {
		s.above = title{}
		return false
	}
	return true
}

// isLeadIn reports whether the open piece is a line that only leads to what follows ("To do this:").
func (s *splitter) isLeadIn() bool {
	piece := strings.TrimRight(s.text[s.freshStart:s.end], "* \t\r\n")
	return strings.HasSuffix(piece, ":") && len(piece) < overlapBytes
}

func (s *splitter) openPiece(at int) {
	s.isOpen, s.start, s.freshStart, s.end, s.titlesEnd = true, at, at, at, at
}

// addLargeBlock cuts a block that does not fit into one piece.
func (s *splitter) addLargeBlock(b markdown.Block) {
	if b.Kind == markdown.Paragraph || b.Kind == markdown.Item {
		for sentence := range prose.EachSentence(s.text, b.Start, b.End) {
			s.addPart(sentence.Start, sentence.End)
		}
		return
	}
	for at := b.Start; at < b.End; {
		end := b.End
		if n := strings.IndexByte(s.text[at:b.End], '\n'); n >= 0 {
			end = at + n + 1
		}
		s.addPart(at, end)
		at = end
	}
}

// addPart adds a sentence or a line, cut anywhere if it is too long itself.
func (s *splitter) addPart(start, end int) {
	if end-s.start > maxPieceBytes && s.end > s.start {
		s.cutPiece(start)
	}
	for end-s.start > maxPieceBytes {
		at := s.start + breakIndex(s.text[s.start:end], maxPieceBytes)
		s.emitRange(s.start, at)
		s.openPiece(at)
	}
	s.end = end
}

// breakIndex finds the last space in the second half of the first n bytes, or else a code point boundary.
func breakIndex(text string, n int) int {
	n = runeBoundary(text, n)
	if i := strings.LastIndexByte(text[:n], ' '); i > n/2 {
		return i + 1
	}
	return n
}

func (s *splitter) flush() {
	if s.isOpen && s.end > s.freshStart {
		s.emitRange(s.start, s.end)
	}
	s.isOpen = false
}

// cutPiece ends the open piece and begins the next with the last sentence of this one.
func (s *splitter) cutPiece(next int) {
	s.emitRange(s.start, s.end)
	from, end := max(s.freshStart, s.end-2*overlapBytes), s.end
	for from < end && !utf8.RuneStart(s.text[from]) {
		from++
	}
	s.openPiece(next)
	if sentences := prose.Sentences(s.text, from, end); len(sentences) > 1 {
		if last := sentences[len(sentences)-1]; end-last.Start <= overlapBytes {
			s.start = last.Start // under stays: the titles are those of what is new
		}
	}
}

func lastTitle(path string) string {
	if i := strings.LastIndex(path, headingSeparator); i >= 0 {
		path = path[i+len(headingSeparator):]
	}
	return path
}
