package retrieval

// exactScorer scores documents from their words. It caches which words hold a term of the question.
type exactScorer struct {
	grams, stems termCounter
	wordClasses  []uint8 // by word: unmet, foreign to the question or wanted by it
	touched      []uint32
	sequence     []uint32
}

// gramStemScore is a document's score by grams and by stems.
type gramStemScore struct {
	grams, stems float64
	stemSlots    uint64 // of the stems that it holds
}

// stemSlot returns the bit of a stem by its place among the question's; those after the first ones share one.
func stemSlot(place int) uint64 { return 1 << min(place, lastStemSlot) }

const lastStemSlot = 63

// termCounter is the terms of one kind that are asked for.
type termCounter struct {
	terms []term
	slots []uint32 // by term: its place in terms, and one; 0 is none
	times []uint8  // of each of terms, in the document at hand
}

const (
	wordUnseen = iota
	wordIrrelevant
	wordRelevant
)

func (d *termCounter) begin(t *termTable, terms []term) {
	d.terms, d.slots = terms, resize(d.slots, t.size())
	d.times = resize(d.times, len(terms))
	for i, term := range terms {
		d.slots[term.id] = uint32(i + 1)
		for _, id := range term.others {
			d.slots[id] = uint32(i + 1)
		}
	}
}

func (d *termCounter) reset() {
	for _, term := range d.terms {
		d.slots[term.id] = 0
		for _, id := range term.others {
			d.slots[id] = 0
		}
	}
}

func (d *termCounter) count(id uint32) {
	if slot := d.slots[id]; slot > 0 && d.times[slot-1] < maxTimes {
		d.times[slot-1]++
	}
}

// begin begins with a question.
func (e *exactScorer) begin(x *Index, grams, stems []term) {
	e.grams.begin(&x.grams, grams)
	e.stems.begin(&x.stems, stems)
	e.wordClasses = resize(e.wordClasses, len(x.vocabulary.words))
	e.wordClasses[sentenceBreak] = wordIrrelevant
}

func (e *exactScorer) reset() {
	e.grams.reset()
	e.stems.reset()
	for _, w := range e.touched {
		e.wordClasses[w] = wordUnseen
	}
	e.touched = e.touched[:0]
}

// scoreDocs scores the documents by these terms. It uses into.
func (e *exactScorer) scoreDocs(x *Index, docs []uint32, grams, stems []term, into []gramStemScore) []gramStemScore {
	e.begin(x, grams, stems)
	into = into[:0]
	perGram, perStem := x.normPerUnit(x.gramTotal), x.normPerUnit(x.stemTotal)
	for _, doc := range docs {
		e.countTerms(x, doc)
		l := x.lengths[doc]
		into = append(into, gramStemScore{e.grams.score(perGram, l.grams), e.stems.score(perStem, l.stems),
			e.stems.slotsMet()})
	}
	e.reset()
	return into
}

func (d *termCounter) score(perUnit float64, length int32) (score float64) {
	for i, times := range d.times {
		if times > 0 {
			score += d.terms[i].score(times, perUnit, length)
		}
	}
	return score
}

// slotsMet returns the bits of the terms that the document at hand holds.
func (d *termCounter) slotsMet() (bits uint64) {
	for i, times := range d.times {
		if times > 0 {
			bits |= stemSlot(i)
		}
	}
	return bits
}

// countTerms counts the question's terms in a document.
func (e *exactScorer) countTerms(x *Index, doc uint32) {
	clear(e.grams.times)
	clear(e.stems.times)
	e.sequence = x.sequence(doc, e.sequence)
	for _, w := range e.sequence {
		if e.wordClasses[w] == wordUnseen {
			e.wordClasses[w] = e.classify(&x.vocabulary, w)
			e.touched = append(e.touched, w)
		}
		if e.wordClasses[w] == wordRelevant {
			for _, g := range x.vocabulary.grams(w) {
				e.grams.count(g)
			}
			if stem := x.vocabulary.stems[w]; stem != noStem {
				e.stems.count(stem)
			}
		}
	}
}

func (e *exactScorer) classify(v *vocabulary, w uint32) uint8 {
	if stem := v.stems[w]; stem != noStem && e.stems.slots[stem] > 0 {
		return wordRelevant
	}
	for _, g := range v.grams(w) {
		if e.grams.slots[g] > 0 {
			return wordRelevant
		}
	}
	return wordIrrelevant
}
