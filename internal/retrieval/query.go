package retrieval

import (
	"slices"

	"parley/internal/words"
)

// Query is what to look for.
type Query struct {
	Text    string
	Earlier []string // earlier messages of the user, newest last: they tell what a follow-up is about
	Limit   int      // at most so many hits; 0 is 12
}

// question is a query in the index's terms.
type question struct {
	words []asked
	grams []wanted
	stems []wanted
	pairs []pair
	how   bool // it asks how to do something
}

// asked is a word of the question.
type asked struct {
	word        string
	stem        uint32
	known       bool     // the stem has been in some passage
	grams       []uint32 // known ones
	spelt       int      // how many grams it has, known or not
	kin         []uint32 // stems of words that may stand for it
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
	x.ask(&out, q.Text, 1)
	out.how = words.AsksHow(q.Text)
	weight := tune.earlier
	for i := len(q.Earlier) - 1; i >= 0 && weight > 0.02; i-- {
		x.ask(&out, q.Earlier[i], weight)
		weight *= tune.fade
	}
	return out
}

func (x *Index) ask(out *question, text string, weight float64) {
	r := read(nil, text, x.language())
	first := len(out.words)
	for _, t := range r.tokens[:min(len(r.tokens), mostAsked)] {
		out.words = append(out.words, x.word(out, t, r.lang, weight))
	}
	out.pair(out.words[first:], weight)
}

func (x *Index) word(out *question, t words.Token, lang words.Language, weight float64) asked {
	stem := lang.Stem(t.Word)
	a := asked{word: t.Word, stop: lang.IsStop(t.Word), dense: t.Dense, weight: weight}
	a.stem, a.known = x.stems.ids.find(words.Hash(stem))
	a.rarity = x.idf(0)
	if a.known {
		a.rarity = x.idf(len(x.stems.lists[a.stem]))
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
		if id, ok := x.stems.ids.find(words.Hash(k)); ok && len(x.stems.lists[id]) > 0 {
			a.kin = append(a.kin, id)
			x.wantKin(out, k, id, weight)
		}
	}
	return a
}

func (x *Index) wantKin(out *question, stem string, id uint32, weight float64) {
	out.stems = want(out.stems, id, weight*tune.kin)
	var buf [64]uint64
	for _, g := range words.Grams(buf[:0], stem) {
		if id, ok := x.grams.ids.find(g); ok {
			out.grams = want(out.grams, id, weight*tune.kinGrams)
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
