package retrieval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/words"
)

// phrase is words that count as one where they stand side by side in a passage, whatever parts them there: "ERR-4012" is also
// met as "ERR 4012".
type phrase struct {
	words [][]uint32 // for each its ids: a word has one in each language
	means []int      // words of the question that it stands for
	name  uint8      // which of the codes and quotations of the question it is, from 1; 0 for none
}

// Bounds of a question.
const (
	mostPhrases = 64
	mostNames   = 16
)

// phrase notes that the words, side by side, stand for those of the message from one to another, and reports whether passages
// may have them.
func (m *message) phrase(list []string, from, to int, name uint8) bool {
	if len(m.out.phrases) == mostPhrases {
		return false
	}
	p := phrase{name: name}
	for _, w := range list {
		ids := m.forms(w)
		if ids == nil {
			return false
		}
		p.words = append(p.words, ids)
	}
	for i := from; i < to; i++ {
		if !m.words[i].stop {
			p.means = append(p.means, m.first+i)
		}
	}
	m.out.phrases = append(m.out.phrases, p)
	return true
}

// quotes looks for what the message has in quotation marks.
func (m *message) quotes() {
	for at := 0; at < len(m.text); {
		open, n := utf8.DecodeRuneInString(m.text[at:])
		marks := strings.IndexRune(opening, open)
		if marks < 0 {
			at += n
			continue
		}
		length := strings.IndexAny(m.text[at+n:], closing)
		if length < 0 {
			return
		}
		m.quote(at+n, at+n+length)
		at += n + length
		_, n = utf8.DecodeRuneInString(m.text[at:])
		at += n
	}
}

const (
	opening = "\"“„«「『"
	closing = "\"”“»」』"
)

// name notes a code or quotation that stands in the message, in the forms that passages may have it in, and what it is worth.
func (m *message) name(worth float64, from, to int, forms ...[]string) {
	if m.weight < 1 || len(m.out.names) == mostNames {
		return
	}
	met := false
	for _, list := range forms {
		met = m.phrase(list, from, to, uint8(len(m.out.names)+1)) || met
	}
	if met {
		m.out.names = append(m.out.names, worth)
	}
}

func (m *message) quote(start, end int) {
	from := slices.IndexFunc(m.tokens, func(t words.Token) bool { return t.Start >= start })
	if from < 0 {
		return
	}
	to := from
	for to < len(m.tokens) && m.tokens[to].End <= end {
		to++
	}
	if to > from+1 {
		m.name(tune.quote, from, to, m.list(from, to))
	}
}
