package retrieval

// exact scores documents from their words. It remembers which words hold a term of the question.
type exact struct {
	grams, stems demand
	words        []uint8 // by word: unmet, foreign to the question or wanted by it
	met          []uint32
	sequence     []uint32
}

// both is a document's score by grams and by stems.
type both struct{ grams, stems float64 }

// demand is the terms of one kind that are asked for.
type demand struct {
	terms []term
	slots []uint32 // by term: its place in terms, and one; 0 is none
	times []uint8  // of each of terms, in the document at hand
}

const (
	unmet = iota
	foreign
	wantedWord
)

func (d *demand) ask(t *table, terms []term) {
	d.terms, d.slots = terms, fit(d.slots, t.size())
	d.times = fit(d.times, len(terms))
	for i, term := range terms {
		d.slots[term.id] = uint32(i + 1)
	}
}

func (d *demand) clean() {
	for _, term := range d.terms {
		d.slots[term.id] = 0
	}
}

func (d *demand) count(id uint32) {
	if slot := d.slots[id]; slot > 0 && d.times[slot-1] < mostTimes {
		d.times[slot-1]++
	}
}

// ask begins with a question.
func (e *exact) ask(x *Index, grams, stems []term) {
	e.grams.ask(&x.grams, grams)
	e.stems.ask(&x.stems, stems)
	e.words = fit(e.words, len(x.vocabulary.words))
	e.words[pause] = foreign
}

func (e *exact) clean() {
	e.grams.clean()
	e.stems.clean()
	for _, w := range e.met {
		e.words[w] = unmet
	}
	e.met = e.met[:0]
}

// all scores the documents by these terms. It uses into.
func (e *exact) all(x *Index, docs []uint32, grams, stems []term, into []both) []both {
	e.ask(x, grams, stems)
	into = into[:0]
	perGram, perStem := x.perUnit(x.gramTotal), x.perUnit(x.stemTotal)
	for _, doc := range docs {
		e.count(x, doc)
		l := x.lengths[doc]
		into = append(into, both{e.grams.score(perGram, l.grams), e.stems.score(perStem, l.stems)})
	}
	e.clean()
	return into
}

func (d *demand) score(perUnit float64, length int32) (score float64) {
	for i, times := range d.times {
		if times > 0 {
			score += d.terms[i].worth(times, perUnit, length)
		}
	}
	return score
}

// count counts the question's terms in a document.
func (e *exact) count(x *Index, doc uint32) {
	clear(e.grams.times)
	clear(e.stems.times)
	e.sequence = x.sequence(doc, e.sequence)
	for _, w := range e.sequence {
		if e.words[w] == unmet {
			e.words[w] = e.look(&x.vocabulary, w)
			e.met = append(e.met, w)
		}
		if e.words[w] == wantedWord {
			for _, g := range x.vocabulary.grams(w) {
				e.grams.count(g)
			}
			if stem := x.vocabulary.stems[w]; stem != none {
				e.stems.count(stem)
			}
		}
	}
}

func (e *exact) look(v *vocabulary, w uint32) uint8 {
	if stem := v.stems[w]; stem != none && e.stems.slots[stem] > 0 {
		return wantedWord
	}
	for _, g := range v.grams(w) {
		if e.grams.slots[g] > 0 {
			return wantedWord
		}
	}
	return foreign
}
