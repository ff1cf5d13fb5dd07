package llm

import (
	"slices"
	"unicode/utf8"
)

// marks takes the markers [1], [1][2] and [1, 2] out of an answer and turns each into evidence for the sentence it
// follows. It holds back only what may still become a marker. Code is left alone, and so is a Markdown link [1](…).
type marks struct {
	passages []Passage
	text     []byte // the answer as handed on; kept only where there are passages
	lead     []byte // spaces before the first marker of a group
	gap      []byte // spaces held back
	mark     []byte // a marker that is not whole yet, or is whole and waits for what follows it
	whole    bool
	open     bool  // there is a group of markers that waits for what follows it
	cited    []int // numbers of the passages it names
	cites    []Cite
	count    int
	code     code
}

const (
	longestMark = 32
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
	case m.whole && c == '(':
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
	case c == '[' && !m.code.inside():
		m.mark = append(m.mark, '[')
	case c == ' ' && len(m.gap) < longestGap && !m.code.inside():
		m.gap = append(m.gap, ' ')
	default:
		m.plain(c)
	}
}

// grow adds c to the marker; false when it cannot be one.
func (m *marks) grow(c rune) bool {
	switch {
	case len(m.mark) == longestMark:
		return false
	case c == ']':
		m.mark = append(m.mark, ']')
		m.whole = numbers(m.mark) != nil
		if !m.whole {
			m.mark = m.mark[:len(m.mark)-1]
		}
		return m.whole
	case '0' <= c && c <= '9', c == ',', c == ';', c == ' ':
		m.mark = append(m.mark, byte(c))
		return true
	}
	return false
}

// accept takes the whole marker out of the text.
func (m *marks) accept() {
	if !m.open {
		m.lead = append(m.lead[:0], m.gap...)
	}
	for _, n := range numbers(m.mark) {
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
		from, to := locate(p.Text, string(m.text[start:end]))
		m.cites = append(m.cites, Cite{
			Passage: n - 1, Start: p.Start + from, End: p.Start + to, AnswerStart: start, AnswerEnd: end,
		})
	}
}

// numbers reads a whole marker; nil when it is none. Numbers are from 1 to 99: longer ones are years and the like.
func numbers(mark []byte) []int {
	var list []int
	n, digits := 0, 0
	for _, c := range mark[1:] {
		switch {
		case '0' <= c && c <= '9':
			n, digits = n*10+int(c-'0'), digits+1
		case c == ' ':
			continue
		case n == 0 || digits > 2:
			return nil
		default:
			list = append(list, n)
			n, digits = 0, 0
		}
	}
	return list
}
