package retrieval

import (
	"slices"

	"parley/internal/text/words"
)

// alternative is a word that may stand for one of the question's.
type alternative struct {
	stem   uint32
	weight float32 // how far it may
}

// queryMessage is one message whose words are looked for.
type queryMessage struct {
	*Index
	out       *question
	words     []queryWord
	tokens    []words.Token
	firstWord int // of its words in the question
	text      string
	lang      words.Language
	weight    float64
}

// findVariants looks for what the words mean together, and for other words that may stand for them.
func (m *queryMessage) findVariants(synonyms [][]string) {
	m.findCodes()
	m.findQuotes()
	m.findJoinedWords()
	m.findSplitWords()
	m.findTypos()
	m.addSynonyms(synonyms)
}

// addAlternative lets the word, where passages have it, stand for those from one to another.
func (m *queryMessage) addAlternative(word string, from, to int, strength float32) {
	stem := m.lang.Stem(word)
	id, ok := m.stems.ids.find(words.Hash(stem))
	if !ok || m.stems.docCount(id) == 0 {
		return
	}
	for i := from; i < to; i++ {
		if w := &m.words[i]; !w.isStop && !slices.Contains(w.alternatives, alternative{id, strength}) {
			w.alternatives = append(w.alternatives, alternative{id, strength})
		}
	}
	m.addAlternativeTerms(m.out, stem, id, m.weight*float64(strength), m.weight*float64(strength))
}

// wordIDs returns the ids of a word in whatever languages passages have it; nil where none has.
func (x *Index) wordIDs(word string) (ids []uint32) {
	for lang := range words.Language(words.LanguageCount) {
		if id, ok := x.vocabulary.ids.find(words.Hash(word) + uint64(lang)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// gapBefore is what stands between a token and the one before; tokens of scripts without spaces overlap.
func (m *queryMessage) gapBefore(i int) string {
	return m.text[min(m.tokens[i-1].End, m.tokens[i].Start):m.tokens[i].Start]
}

func (m *queryMessage) tokenWords(from, to int) (list []string) {
	for _, t := range m.tokens[from:to] {
		list = append(list, t.Word)
	}
	return list
}
