package cite

import (
	"parley/internal/model"
	"slices"
	"unicode/utf8"
)

// Filter takes the markers [1], [1][2], [1, 2] and what models write in their place out of an answer and turns each
// into evidence for the sentence it follows. It holds back only what may still become a marker. Code is left alone, and
// so are a Markdown link [1](…), its target, and a note [1]: at the beginning of a line.
type Filter struct {
	passages      []model.Passage
	text          []byte // the answer as passed on; kept only where there are passages
	leadSpaces    []byte // spaces before the first marker of a group
	gapSpaces     []byte // spaces held back
	marker        []byte // a marker that is not whole yet, or is whole and waits for what follows it
	isComplete    bool
	numbers       []int // of the whole marker
	isNote        bool  // the marker began its line
	isInLink      bool  // inside the target of a Markdown link
	isGroupOpen   bool  // there is a group of markers that waits for what follows it
	citedNumbers  []int // numbers of the passages it names
	citations     []model.Citation
	citationCount int
	code          CodeTracker
	evidence      []*passageEvidence // of the passages, each read when it is first cited
}

// NewFilter returns a filter of an answer about the passages.
func NewFilter(passages []model.Passage) *Filter { return &Filter{passages: passages} }

const (
	maxMarkerBytes = 40
	maxGapSpaces   = 8
	maxCitations   = 1000 // of one answer; further markers just vanish
)

// Feed takes the next piece of the answer and returns the text that can be passed on, with the citations found so far.
func (f *Filter) Feed(piece []byte) (string, []model.Citation) {
	if len(f.passages) == 0 {
		return string(piece), nil
	}
	from := len(f.text)
	for len(piece) > 0 {
		c, size := utf8.DecodeRune(piece)
		f.feedRune(c)
		piece = piece[size:]
	}
	return f.takeOutput(from)
}

// Finish takes the last piece and returns all that was held back.
func (f *Filter) Finish(piece []byte) (string, []model.Citation) {
	text, cites := f.Feed(piece)
	if len(f.passages) == 0 {
		return text, cites
	}
	from := len(f.text)
	if f.isComplete {
		f.acceptMarker()
	}
	f.emitMarkerAsText()
	if !f.isGroupOpen {
		f.text = append(f.text, f.gapSpaces...)
	}
	f.citeGroup()
	tail, more := f.takeOutput(from)
	return text + tail, append(cites, more...)
}

func (f *Filter) takeOutput(from int) (string, []model.Citation) {
	cites := f.citations
	f.citations = nil
	return string(f.text[from:]), cites
}

func (f *Filter) feedRune(c rune) {
	switch {
	case f.isComplete && (c == '(' || c == ':' && f.isNote):
		f.emitMarkerAsText()
	case f.isComplete:
		f.acceptMarker()
	case len(f.marker) > 0:
		if f.growMarker(c) {
			return
		}
		f.emitMarkerAsText()
	}
	switch {
	case (c == '[' || c == '【') && !f.code.IsInside() && !f.isInLink, c == escapedOpen, c == escapedOpenWide:
		f.marker = utf8.AppendRune(f.marker, c)
		f.isNote = !f.isGroupOpen && len(f.gapSpaces) == 0 && f.atLineStart()
	case c == ' ' && len(f.gapSpaces) < maxGapSpaces && !f.code.IsInside():
		f.gapSpaces = append(f.gapSpaces, ' ')
	default:
		f.emitPlain(c)
	}
}

// growMarker adds c to the marker; false when it cannot be one.
func (f *Filter) growMarker(c rune) bool {
	if len(f.marker)+utf8.RuneLen(c) > maxMarkerBytes {
		return false
	}
	marker := utf8.AppendRune(f.marker, c)
	list, state := parseMarker(string(marker))
	switch {
	case state == markerInvalid:
		return false
	case state == markerComplete && isEscapedMarker(marker):
		f.marker = nil
		for _, c := range unescapeMarker(string(marker)) {
			f.emitPlain(c)
		}
		return true
	}
	f.marker, f.isComplete, f.numbers = marker, state == markerComplete, list
	return true
}

func (f *Filter) acceptMarker() {
	if !f.isGroupOpen {
		f.leadSpaces = append(f.leadSpaces[:0], f.gapSpaces...)
	}
	for _, n := range f.numbers {
		if n <= len(f.passages) && !slices.Contains(f.citedNumbers, n) {
			f.citedNumbers = append(f.citedNumbers, n)
		}
	}
	f.isGroupOpen = true
	f.gapSpaces, f.marker, f.isComplete = f.gapSpaces[:0], f.marker[:0], false
}

// emitMarkerAsText passes on as text what looked like a marker and is none.
func (f *Filter) emitMarkerAsText() {
	if len(f.marker) == 0 {
		return
	}
	marker := f.marker
	f.marker, f.isComplete = nil, false
	for _, c := range string(marker) {
		f.emitPlain(c)
	}
}

// emitPlain passes on c, which is no part of a marker, after settling what was held back before it.
func (f *Filter) emitPlain(c rune) {
	if !f.isGroupOpen {
		f.text = append(f.text, f.gapSpaces...)
		f.gapSpaces = f.gapSpaces[:0]
		f.emitRune(c)
		return
	}
	switch {
	case isSentenceEnd(c):
		f.emitRune(c)
		f.citeGroup()
	case c == '\n' || c == ',' || c == ';' || c == ':' || c == ')' || f.atLineStart():
		f.citeGroup()
		f.emitRune(c)
	default:
		space := f.gapSpaces
		if len(space) == 0 {
			space = f.leadSpaces
		}
		f.citeGroup()
		f.text = append(f.text, space...)
		f.emitRune(c)
	}
	f.gapSpaces = f.gapSpaces[:0]
}

func (f *Filter) emitRune(c rune) {
	switch {
	case c == '(' && !f.code.IsInside() && len(f.text) > 0 && f.text[len(f.text)-1] == ']':
		f.isInLink = true
	case c == ')' || c == ' ' || c == '\n':
		f.isInLink = false
	}
	f.code.Advance(c)
	f.text = utf8.AppendRune(f.text, c)
}

func (f *Filter) atLineStart() bool { return len(f.text) == 0 || f.text[len(f.text)-1] == '\n' }

// citeGroup ties the sentence before the group of markers to the passages they name. Numbers of no passage are evidence
// of nothing and vanish.
func (f *Filter) citeGroup() {
	defer func() { f.citedNumbers, f.isGroupOpen = f.citedNumbers[:0], false }()
	if len(f.citedNumbers) == 0 || f.citationCount >= maxCitations {
		return
	}
	f.citationCount += len(f.citedNumbers)
	start, end := lastSentence(f.text)
	if start == end {
		return
	}
	for _, n := range f.citedNumbers {
		p := &f.passages[n-1]
		from, to, ok := f.evidenceOf(n - 1).findSupport(string(f.text[start:end]))
		if !ok {
			continue
		}
		f.citations = append(f.citations, model.Citation{
			PassageIndex: n - 1, Start: p.Start + from, End: p.Start + to, AnswerStart: start, AnswerEnd: end,
		})
	}
}

func (f *Filter) evidenceOf(i int) *passageEvidence {
	if f.evidence == nil {
		f.evidence = make([]*passageEvidence, len(f.passages))
	}
	if f.evidence[i] == nil {
		f.evidence[i] = newEvidence(&f.passages[i])
	}
	return f.evidence[i]
}
