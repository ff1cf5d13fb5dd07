package llm

import (
	"slices"
	"unicode/utf8"
)

// marks takes the markers [1], [1][2], [1, 2] and what models write in their place out of an answer and turns each into evidence for
// the sentence it follows. It holds back only what may still become a marker. Code is left alone, and so are a Markdown link
// [1](…), its target, and a note [1]: at the beginning of a line.
type marks struct {
	passages []Passage
	text     []byte // the answer as handed on; kept only where there are passages
	lead     []byte // spaces before the first marker of a group
	gap      []byte // spaces held back
	mark     []byte // a marker that is not whole yet, or is whole and waits for what follows it
	whole    bool
	numbers  []int // of the whole marker
	note     bool  // the marker began its line
	link     bool  // inside the target of a Markdown link
	open     bool  // there is a group of markers that waits for what follows it
	cited    []int // numbers of the passages it names
	cites    []Cite
	count    int
	code     code
	evidence []*evidence // of the passages, each read when it is first cited
}

const (
	longestMark = 40
	longestGap  = 8
	mostCites   = 1000 // of one answer; further markers just vanish
)

// feed takes more of the answer and gives what of it can be handed on, with the evidence that became clear.
func (m *marks) feed(piece []byte) (string, []Cite) {
	if len(m.passages) == 0 {
		return string(piece), nil
	}
	from := len(m.text)
	for len(piece) > 0 {
		c, size := utf8.DecodeRune(piece)
		m.rune(c)
		piece = piece[size:]
	}
	return m.handOn(from)
}

// end takes the last piece and gives everything held back.
func (m *marks) end(piece []byte) (string, []Cite) {
	text, cites := m.feed(piece)
	if len(m.passages) == 0 {
		return text, cites
	}
	from := len(m.text)
	if m.whole {
		m.accept()
	}
	m.literal()
	if !m.open {
		m.text = append(m.text, m.gap...)
	}
	m.cite()
	tail, more := m.handOn(from)
	return text + tail, append(cites, more...)
}

func (m *marks) handOn(from int) (string, []Cite) {
	cites := m.cites
	m.cites = nil
	return string(m.text[from:]), cites
}

func (m *marks) rune(c rune) {
	switch {
	case m.whole && (c == '(' || c == ':' && m.note):
		m.literal()
	case m.whole:
		m.accept()
	case len(m.mark) > 0:
		if m.grow(c) {
			return
		}
		m.literal()
	}
	switch {
	case (c == '[' || c == '【') && !m.code.inside() && !m.link, c == shieldOpen, c == shieldOpenWide:
		m.mark = utf8.AppendRune(m.mark, c)
		m.note = !m.open && len(m.gap) == 0 && m.atLineStart()
	case c == ' ' && len(m.gap) < longestGap && !m.code.inside():
		m.gap = append(m.gap, ' ')
	default:
		m.plain(c)
	}
}

// grow adds c to the marker; false when it cannot be one.
func (m *marks) grow(c rune) bool {
	if len(m.mark)+utf8.RuneLen(c) > longestMark {
		return false
	}
	held := utf8.AppendRune(m.mark, c)
	list, state := readMark(string(held))
	switch {
	case state == markBroken:
		return false
	case state == markWhole && shielded(held):
		m.mark = nil
		for _, c := range unshieldMark(string(held)) {
			m.plain(c)
		}
		return true
	}
	m.mark, m.whole, m.numbers = held, state == markWhole, list
	return true
}

// accept takes the whole marker out of the text.
func (m *marks) accept() {
	if !m.open {
		m.lead = append(m.lead[:0], m.gap...)
	}
	for _, n := range m.numbers {
		if n <= len(m.passages) && !slices.Contains(m.cited, n) {
			m.cited = append(m.cited, n)
		}
	}
	m.open = true
	m.gap, m.mark, m.whole = m.gap[:0], m.mark[:0], false
}

// literal hands on as text what looked like a marker and is none.
func (m *marks) literal() {
	if len(m.mark) == 0 {
		return
	}
	held := m.mark
	m.mark, m.whole = nil, false
	for _, c := range string(held) {
		m.plain(c)
	}
}

// plain hands on c, which is no part of a marker, after settling what was held back before it.
func (m *marks) plain(c rune) {
	if !m.open {
		m.text = append(m.text, m.gap...)
		m.gap = m.gap[:0]
		m.emit(c)
		return
	}
	switch {
	case endsSentence(c):
		m.emit(c)
		m.cite()
	case c == '\n' || c == ',' || c == ';' || c == ':' || c == ')' || m.atLineStart():
		m.cite()
		m.emit(c)
	default:
		space := m.gap
		if len(space) == 0 {
			space = m.lead
		}
		m.cite()
		m.text = append(m.text, space...)
		m.emit(c)
	}
	m.gap = m.gap[:0]
}

func (m *marks) emit(c rune) {
	switch {
	case c == '(' && !m.code.inside() && len(m.text) > 0 && m.text[len(m.text)-1] == ']':
		m.link = true
	case c == ')' || c == ' ' || c == '\n':
		m.link = false
	}
	m.code.step(c)
	m.text = utf8.AppendRune(m.text, c)
}

func (m *marks) atLineStart() bool { return len(m.text) == 0 || m.text[len(m.text)-1] == '\n' }

// cite ties the sentence before the group of markers to the passages they name. Numbers of no passage are evidence of
// nothing and vanish.
func (m *marks) cite() {
	defer func() { m.cited, m.open = m.cited[:0], false }()
	if len(m.cited) == 0 || m.count >= mostCites {
		return
	}
	m.count += len(m.cited)
	start, end := lastSentence(m.text)
	if start == end {
		return
	}
	for _, n := range m.cited {
		p := &m.passages[n-1]
		from, to, ok := m.evidenceOf(n - 1).support(string(m.text[start:end]))
		if !ok {
			continue
		}
		m.cites = append(m.cites, Cite{
			Passage: n - 1, Start: p.Start + from, End: p.Start + to, AnswerStart: start, AnswerEnd: end,
		})
	}
}

func (m *marks) evidenceOf(i int) *evidence {
	if m.evidence == nil {
		m.evidence = make([]*evidence, len(m.passages))
	}
	if m.evidence[i] == nil {
		m.evidence[i] = newEvidence(&m.passages[i])
	}
	return m.evidence[i]
}
