package retrieval

import (
	"slices"

	"parley/internal/words"
)

// Query is what to look for.
type Query struct {
	Text    string
	Earlier []string // earlier messages of the user, newest last: they tell what a follow-up is about
	Answer  string   // what the last of them was answered with
	Limit   int      // at most so many hits; 0 is 12

	Synonyms [][]string // groups of words or phrases that the operator says mean the same

	Vector       []float32 // of the question, by the model that has made those of the passages; nil for none
	VectorWeight float64   // of the vectors beside the words, up to 1, where the words do not count; 0 goes by how many of them the passages know
}

// question is a query in the index's terms.
type question struct {
	words   []asked
	grams   []wanted
	stems   []wanted
	pairs   []pair
	phrases []phrase
	names   []float64  // what the codes and quotations are worth
	how     bool       // it asks how to do something
	wants   words.Kind // what it asks for, where that shows

	toward *direction // where its vector points; nil without one
}

// asked is a word of the question.
type asked struct {
	word        string
	stem        uint32
	known       bool     // the stem has been in some passage
	grams       []uint32 // known ones
	spelt       int      // how many grams it has, known or not
	kin         []kin    // words that may stand for it
	stop, dense bool
	weight      float64 // 1 in the message itself, less in earlier ones
	rarity      float64 // of the stem among the passages
}

// wanted is a term with its weight.
type wanted struct {
	id     uint32
	weight float64
}

// pair is two content words that stand close together in the question.
type pair struct {
	a, b   uint32
	weight float64
}

// mostAsked bounds how many words of a message are looked for.
const mostAsked = 200

func (x *Index) question(q Query) question {
	var out question
	x.ask(&out, q.Text, 1, q.Synonyms)
	out.how, out.wants = words.AsksHow(q.Text), words.AsksFor(q.Text)
	out.aim(q)
	weight := x.lean(&out, q)
	for i := len(q.Earlier) - 1; i >= 0 && weight > 0.02; i-- {
		x.ask(&out, q.Earlier[i], weight, q.Synonyms)
		weight *= tune.fade
	}
	return out
}

func (x *Index) ask(out *question, text string, weight float64, synonyms [][]string) {
	text = words.Usual(text)
	r := read(nil, text, x.language())
	first := len(out.words)
	for _, t := range r.tokens[:min(len(r.tokens), mostAsked)] {
		out.words = append(out.words, x.word(out, t, r.lang, weight))
	}
	m := message{Index: x, out: out, words: out.words[first:], first: first, tokens: r.tokens[:len(out.words)-first], text: text, lang: r.lang, weight: weight}
	m.look(synonyms)
	out.pair(m.words, weight)
}

func (x *Index) word(out *question, t words.Token, lang words.Language, weight float64) asked {
	stem := lang.Stem(t.Word)
	a := asked{word: t.Word, stop: lang.IsStop(t.Word), dense: t.Dense, weight: weight}
	a.stem, a.known = x.stems.ids.find(words.Hash(stem))
	a.rarity = x.idf(0)
	if a.known {
		a.rarity = x.idf(x.stems.held(a.stem))
	}
	var buf [64]uint64
	for _, g := range words.Grams(buf[:0], t.Word) {
		a.spelt++
		if id, ok := x.grams.ids.find(g); ok {
			a.grams = append(a.grams, id)
			out.grams = want(out.grams, id, weight)
		}
	}
	if a.stop {
		return a
	}
	if a.known && !a.dense { // stretches of two characters are grams too: once is enough
		out.stems = want(out.stems, a.stem, weight)
	}
	for _, k := range lang.Kin(stem) {
		if id, ok := x.stems.ids.find(words.Hash(k)); ok && x.stems.held(id) > 0 {
			a.kin = append(a.kin, kin{id, float32(tune.kinLike)})
			x.wantKin(out, k, id, weight*tune.kin, weight*tune.kinGrams)
		}
	}
	return a
}

// wantKin looks for a word that may stand for one of the question's, by its stem and by its grams.
func (x *Index) wantKin(out *question, stem string, id uint32, weight, ofGrams float64) {
	out.stems = want(out.stems, id, weight)
	var buf [64]uint64
	for _, g := range words.Grams(buf[:0], stem) {
		if id, ok := x.grams.ids.find(g); ok {
			out.grams = want(out.grams, id, ofGrams)
		}
	}
}

func want(list []wanted, id uint32, weight float64) []wanted {
	if i := slices.IndexFunc(list, func(w wanted) bool { return w.id == id }); i >= 0 {
		list[i].weight = max(list[i].weight, weight)
		return list
	}
	return append(list, wanted{id, weight})
}

// pair notes the content words of one message that stand within a window of three. Words of scripts without spaces are
// stretches that overlap: being neighbours says nothing.
func (q *question) pair(message []asked, weight float64) {
	content := make([]uint32, 0, len(message))
	for _, a := range message {
		if !a.stop && a.known && !a.dense {
			content = append(content, a.stem)
		}
	}
	for i, a := range content {
		for _, b := range content[i+1 : min(i+3, len(content))] {
			if a != b {
				q.pairs = append(q.pairs, pair{a, b, weight})
			}
		}
	}
}

// terms gives the content words with their rarity.
func (q *question) terms() map[string]float64 {
	terms := make(map[string]float64, len(q.words))
	for _, a := range q.words {
		if !a.stop {
			terms[a.word] = a.rarity
		}
	}
	return terms
}
