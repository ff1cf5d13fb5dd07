package retrieval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/words"
)

// phrase is words that count as one where they stand side by side in a passage, whatever parts them there: "ERR-4012" is also
// met as "ERR 4012".
type phrase struct {
	words       [][]uint32 // for each its ids: a word has one in each language
	wordIndexes []int      // words of the question that it stands for
	name        uint8      // which of the codes and quotations of the question it is, from 1; 0 for none
}

// Bounds of a question.
const (
	maxPhrases = 64
	maxNames   = 16
)

// addPhrase notes that the words, side by side, stand for those of the message from one to another, and reports whether passages
// may have them.
func (m *queryMessage) addPhrase(list []string, from, to int, name uint8) bool {
	if len(m.out.phrases) == maxPhrases {
		return false
	}
	p := phrase{name: name}
	for _, w := range list {
		ids := m.wordIDs(w)
		if ids == nil {
			return false
		}
		p.words = append(p.words, ids)
	}
	for i := from; i < to; i++ {
		if !m.words[i].isStop {
			p.wordIndexes = append(p.wordIndexes, m.firstWord+i)
		}
	}
	m.out.phrases = append(m.out.phrases, p)
	return true
}

// findQuotes looks for what the message has in quotation marks.
func (m *queryMessage) findQuotes() {
	for at := 0; at < len(m.text); {
		open, n := utf8.DecodeRuneInString(m.text[at:])
		marks := strings.IndexRune(openingQuotes, open)
		if marks < 0 {
			at += n
			continue
		}
		length := strings.IndexAny(m.text[at+n:], closingQuotes)
		if length < 0 {
			return
		}
		m.addQuote(at+n, at+n+length)
		at += n + length
		_, n = utf8.DecodeRuneInString(m.text[at:])
		at += n
	}
}

const (
	openingQuotes = "\"“„«「『"
	closingQuotes = "\"”“»」』"
)

// addName notes a code or quotation that stands in the message, in the forms that passages may have it in, and what it is worth.
func (m *queryMessage) addName(worth float64, from, to int, forms ...[]string) {
	if m.weight < 1 || len(m.out.nameWorths) == maxNames {
		return
	}
	met := false
	for _, list := range forms {
		met = m.addPhrase(list, from, to, uint8(len(m.out.nameWorths)+1)) || met
	}
	if met {
		m.out.nameWorths = append(m.out.nameWorths, worth)
	}
}

func (m *queryMessage) addQuote(start, end int) {
	from := slices.IndexFunc(m.tokens, func(t words.Token) bool { return t.Start >= start })
	if from < 0 {
		return
	}
	to := from
	for to < len(m.tokens) && m.tokens[to].End <= end {
		to++
	}
	if to > from+1 {
		m.addName(defaultWeights.quote, from, to, m.tokenWords(from, to))
	}
}
