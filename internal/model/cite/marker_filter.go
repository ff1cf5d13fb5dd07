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
func (m *Filter) Feed(piece []byte) (string, []model.Citation) {
	if len(m.passages) == 0 {
		return string(piece), nil
	}
	from := len(m.text)
	for len(piece) > 0 {
		c, size := utf8.DecodeRune(piece)
		m.feedRune(c)
		piece = piece[size:]
	}
	return m.takeOutput(from)
}

// Finish takes the last piece and returns all that was held back.
func (m *Filter) Finish(piece []byte) (string, []model.Citation) {
	text, cites := m.Feed(piece)
	if len(m.passages) == 0 {
		return text, cites
	}
	from := len(m.text)
	if m.isComplete {
		m.acceptMarker()
	}
	m.emitMarkerAsText()
	if !m.isGroupOpen {
		m.text = append(m.text, m.gapSpaces...)
	}
	m.citeGroup()
	tail, more := m.takeOutput(from)
	return text + tail, append(cites, more...)
}

func (m *Filter) takeOutput(from int) (string, []model.Citation) {
	cites := m.citations
	m.citations = nil
	return string(m.text[from:]), cites
}

func (m *Filter) feedRune(c rune) {
	switch {
	case m.isComplete && (c == '(' || c == ':' && m.isNote):
		m.emitMarkerAsText()
	case m.isComplete:
		m.acceptMarker()
	case len(m.marker) > 0:
		if m.growMarker(c) {
			return
		}
		m.emitMarkerAsText()
	}
	switch {
	case (c == '[' || c == '【') && !m.code.IsInside() && !m.isInLink, c == escapedOpen, c == escapedOpenWide:
		m.marker = utf8.AppendRune(m.marker, c)
		m.isNote = !m.isGroupOpen && len(m.gapSpaces) == 0 && m.atLineStart()
	case c == ' ' && len(m.gapSpaces) < maxGapSpaces && !m.code.IsInside():
		m.gapSpaces = append(m.gapSpaces, ' ')
	default:
		m.emitPlain(c)
	}
}

// growMarker adds c to the marker; false when it cannot be one.
func (m *Filter) growMarker(c rune) bool {
	if len(m.marker)+utf8.RuneLen(c) > maxMarkerBytes {
		return false
	}
	marker := utf8.AppendRune(m.marker, c)
	list, state := parseMarker(string(marker))
	switch {
	case state == markerInvalid:
		return false
	case state == markerComplete && isEscapedMarker(marker):
		m.marker = nil
		for _, c := range unescapeMarker(string(marker)) {
			m.emitPlain(c)
		}
		return true
	}
	m.marker, m.isComplete, m.numbers = marker, state == markerComplete, list
	return true
}

func (m *Filter) acceptMarker() {
	if !m.isGroupOpen {
		m.leadSpaces = append(m.leadSpaces[:0], m.gapSpaces...)
	}
	for _, n := range m.numbers {
		if n <= len(m.passages) && !slices.Contains(m.citedNumbers, n) {
			m.citedNumbers = append(m.citedNumbers, n)
		}
	}
	m.isGroupOpen = true
	m.gapSpaces, m.marker, m.isComplete = m.gapSpaces[:0], m.marker[:0], false
}

// emitMarkerAsText passes on as text what looked like a marker and is none.
func (m *Filter) emitMarkerAsText() {
	if len(m.marker) == 0 {
		return
	}
	marker := m.marker
	m.marker, m.isComplete = nil, false
	for _, c := range string(marker) {
		m.emitPlain(c)
	}
}

// emitPlain passes on c, which is no part of a marker, after settling what was held back before it.
func (m *Filter) emitPlain(c rune) {
	if !m.isGroupOpen {
		m.text = append(m.text, m.gapSpaces...)
		m.gapSpaces = m.gapSpaces[:0]
		m.emitRune(c)
		return
	}
	switch {
	case isSentenceEnd(c):
		m.emitRune(c)
		m.citeGroup()
	case c == '\n' || c == ',' || c == ';' || c == ':' || c == ')' || m.atLineStart():
		m.citeGroup()
		m.emitRune(c)
	default:
		space := m.gapSpaces
		if len(space) == 0 {
			space = m.leadSpaces
		}
		m.citeGroup()
		m.text = append(m.text, space...)
		m.emitRune(c)
	}
	m.gapSpaces = m.gapSpaces[:0]
}

func (m *Filter) emitRune(c rune) {
	switch {
	case c == '(' && !m.code.IsInside() && len(m.text) > 0 && m.text[len(m.text)-1] == ']':
		m.isInLink = true
	case c == ')' || c == ' ' || c == '\n':
		m.isInLink = false
	}
	m.code.Advance(c)
	m.text = utf8.AppendRune(m.text, c)
}

func (m *Filter) atLineStart() bool { return len(m.text) == 0 || m.text[len(m.text)-1] == '\n' }

// citeGroup ties the sentence before the group of markers to the passages they name. Numbers of no passage are evidence
// of nothing and vanish.
func (m *Filter) citeGroup() {
	defer func() { m.citedNumbers, m.isGroupOpen = m.citedNumbers[:0], false }()
	if len(m.citedNumbers) == 0 || m.citationCount >= maxCitations {
		return
	}
	m.citationCount += len(m.citedNumbers)
	start, end := lastSentence(m.text)
	if start == end {
		return
	}
	for _, n := range m.citedNumbers {
		p := &m.passages[n-1]
		from, to, ok := m.evidenceOf(n - 1).findSupport(string(m.text[start:end]))
		if !ok {
			continue
		}
		m.citations = append(m.citations, model.Citation{
			PassageIndex: n - 1, Start: p.Start + from, End: p.Start + to, AnswerStart: start, AnswerEnd: end,
		})
	}
}

func (m *Filter) evidenceOf(i int) *passageEvidence {
	if m.evidence == nil {
		m.evidence = make([]*passageEvidence, len(m.passages))
	}
	if m.evidence[i] == nil {
		m.evidence[i] = newEvidence(&m.passages[i])
	}
	return m.evidence[i]
}
