package retrieval

import (
	"slices"

	"parley/internal/words"
)

// kin is a word that may stand for one of the question's.
type kin struct {
	stem     uint32
	strength float32 // how far it may
}

// message is one message whose words are looked for.
type message struct {
	*Index
	out    *question
	words  []asked
	tokens []words.Token
	first  int // of its words in the question
	text   string
	lang   words.Language
	weight float64
}

// look looks for what the words mean together, and for other words that may stand for them.
func (m *message) look(synonyms [][]string) {
	m.codes()
	m.quotes()
	m.joins()
	m.splits()
	m.typos()
	m.synonyms(synonyms)
}

// stand lets the word, where passages have it, stand for those from one to another.
func (m *message) stand(word string, from, to int, strength float32) {
	stem := m.lang.Stem(word)
	id, ok := m.stems.ids.find(words.Hash(stem))
	if !ok || m.stems.held(id) == 0 {
		return
	}
	for i := from; i < to; i++ {
		if w := &m.words[i]; !w.stop && !slices.Contains(w.kin, kin{id, strength}) {
			w.kin = append(w.kin, kin{id, strength})
		}
	}
	m.wantKin(m.out, stem, id, m.weight*float64(strength), m.weight*float64(strength))
}

// forms gives the ids of a word in whatever languages passages have it; nil where none has.
func (x *Index) forms(word string) (ids []uint32) {
	for lang := range words.Language(words.Count) {
		if id, ok := x.vocabulary.ids.find(words.Hash(word) + uint64(lang)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// gap is what stands between a token and the one before; tokens of scripts without spaces overlap.
func (m *message) gap(i int) string {
	return m.text[min(m.tokens[i-1].End, m.tokens[i].Start):m.tokens[i].Start]
}

func (m *message) list(from, to int) (list []string) {
	for _, t := range m.tokens[from:to] {
		list = append(list, t.Word)
	}
	return list
}
