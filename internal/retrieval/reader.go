package retrieval

import (
	"math/bits"
	"slices"

	"parley/internal/text/words"
)

// closeness is how close a passage is to the question. All figures are 0 to 1, shares of the weight of the question's
// content words.
type closeness struct {
	allWords      float64 // of the question's words, those of earlier messages with them, that are in the passage
	bestSentences float64 // in its best two neighbouring sentences
	titleWords    float64 // in its first sentence, the heading where there is one
	focus         float64 // share of the first sentence's content words that the question asks for
	// how far one of the questions that head it is the question: its words in that one, and that one's in it
	askedQuestion float64
	phrase        float64 // what the question's codes and quotations that are in it as such are worth
	kind          float64 // the question's words near something of the kind that it asks for
	inPrevious    float64 // those that only the passage before has
	likeness      float64 // what its headings are worth, by how far they are the question, word for word
	title         float64 // how far the nearest of them is
}

// subject is a content word of the question that passages are read for.
type subject struct {
	stem         uint32
	alternatives []alternative
	isIndexed    bool
	weight       float64
}

// spelling is what the spelling of other words is compared with.
type spelling struct {
	subjectIndex, gramCount int
	sketch                  uint64
	minBits                 [maxOutlineGrams]uint8 // in common with a word of so many grams
}

// maxOutlineGrams bounds the words whose grams are counted beforehand.
const maxOutlineGrams = 24

func newSpelling(subject int, a *queryWord) spelling {
	o := spelling{subjectIndex: subject, gramCount: a.gramCount, sketch: sketch(a.grams)}
	lowest := uint8(0)
	for size := range o.minBits {
		for lowest <= 64 && !o.isLike(size, int(lowest)) {
			lowest++
		}
		o.minBits[size] = lowest
	}
	return o
}

// isLike reports whether a word of so many grams, with so many bits in common, may be taken for the spelling's.
func (o *spelling) isLike(gramCount, commonBits int) bool {
	return float64(2*commonBits) >= defaultWeights.minGramOverlap*float64(gramCount+o.gramCount)
}

// maxSubjects bounds how many words of a long message are read for: one bit each.
const maxSubjects = 64

// reader reads passages for a question. It caches what each word has to do with the question.
type reader struct {
	x             *Index
	totalWeight   float64 // of all weights
	stemBits      uint64  // a bit for each stem of the subjects and of their kin
	wantedKind    words.Kind
	phrases       []subjectPhrase // of the question
	phraseEndBits uint64          // a bit for each word that ends one
	nameWorths    []float64       // what codes and quotations are worth
	*readerScratch
}

// readerScratch holds the buffers of a reader. Later searches use it again; it is clean in between.
type readerScratch struct {
	gramSubjects []uint64 // by gram: the subjects that have it, one bit each
	// by word: 0 is new, 1 has nothing to do with the question, others are 2 more than their place in likes
	wordStates    []uint8
	matches       []wordMatch
	outlines      []spelling
	touched       []uint32 // words seen
	sequence      []uint32 // of the passage being read
	spots         []spot   // in it
	kindPositions []int    // places in it of what the question asks for
	subjects      []subject
	wordSubjects  []int // by word of the question; -1 for none
	main, above   passageRead
	strengths     []docStrengths // of the passages read
	hasDropped    bool           // more words matched than are told apart: they count once only
	titles        titleMatcher
}

// docStrengths is which subjects a document holds.
type docStrengths struct {
	doc uint32
	matchStrengths
}

func (n *readerScratch) reset(q *question) {
	for _, a := range q.words {
		for _, g := range a.grams {
			n.gramSubjects[g] = 0
		}
	}
	clear(n.subjects)
	n.subjects, n.strengths, n.hasDropped = n.subjects[:0], n.strengths[:0], false
	n.main.reader, n.above.reader = nil, nil
	for _, w := range n.touched {
		n.wordStates[w] = 0
	}
	n.matches, n.outlines, n.touched = n.matches[:0], n.outlines[:0], n.touched[:0]
	n.titles.reset()
}

// maxWordMatches is how many different words that have to do with a question are told apart.
const maxWordMatches = 253

// resize returns the list with at least n elements, the new ones zero.
func resize[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, n+n/8)
	}
	return list[:n]
}

// wordMatch is the subject that a word stands for, and how surely it does.
type wordMatch struct {
	subject  uint8
	strength float32
}

func (x *Index) newReader(q *question, n *readerScratch) *reader {
	n.gramSubjects, n.wordStates = resize(n.gramSubjects, x.grams.size()), resize(n.wordStates, len(x.vocabulary.words))
	r := &reader{x: x, readerScratch: n, wantedKind: q.wantedKind, nameWorths: q.nameWorths}
	n.wordSubjects = resize(n.wordSubjects, len(q.words))
	subjects := n.wordSubjects
	for i := range q.words {
		a := &q.words[i]
		if subjects[i] = r.findSubject(a); subjects[i] >= 0 || a.isStop || len(r.subjects) == maxSubjects {
			continue
		}
		subjects[i] = len(r.subjects)
		for _, g := range a.grams {
			r.gramSubjects[g] |= 1 << len(r.subjects)
		}
		if !a.isDense && !hasDigit(a.word) { // two numbers or codes are the same or not
			r.outlines = append(r.outlines, newSpelling(len(r.subjects), a))
		}
		s := subject{stem: a.stem, alternatives: a.alternatives, isIndexed: a.isIndexed, weight: a.weight * a.rarity}
		if a.isIndexed {
			r.stemBits |= stemBit(a.stem)
		}
		for _, k := range a.alternatives {
			r.stemBits |= stemBit(k.stem)
		}
		r.totalWeight += s.weight
		r.subjects = append(r.subjects, s)
	}
	r.preparePhrases(q.phrases, subjects)
	r.titles.prepare(x, q, r.subjects)
	return r
}

// findSubject finds the subject that the word is already; -1 for none.
func (r *reader) findSubject(a *queryWord) int {
	if a.isStop || !a.isIndexed {
		return -1
	}
	return slices.IndexFunc(r.subjects, func(s subject) bool { return s.isIndexed && s.stem == a.stem })
}

// matchStrengths holds for each subject how surely it was found.
type matchStrengths [maxSubjects]float64

// read reads one passage. all, which is good until the next passage is read, says which subjects it holds.
func (r *reader) read(doc uint32) (c closeness, all *matchStrengths) {
	p := &r.main
	p.begin(r, doc)
	if r.totalWeight == 0 {
		return c, &p.passageStrengths
	}
	states, kinds := r.wordStates, r.x.vocabulary.kinds
	for at, w := range r.sequence {
		switch {
		case w == sentenceBreak:
			p.endSentence()
		case states[w] == 1 && p.sentences >= p.titleCount && r.phraseEndBits&stemBit(w) == 0 && kinds[w]&r.wantedKind == 0:
			// as most words, it has nothing to do with the question
		default:
			p.readWord(at, w)
		}
	}
	p.endSentence()
	r.sumMatched(&p.closeness, &p.passageStrengths)
	p.closeness.phrase, p.closeness.kind = p.nameScore(), p.kindScore()
	p.closeness.likeness, p.closeness.title = p.titles.likeness(), p.titles.bestLikeness()
	r.keepStrengths(doc, &p.passageStrengths)
	return p.closeness, &p.passageStrengths
}

// begin begins with a passage.
func (p *passageRead) begin(r *reader, doc uint32) {
	n := len(r.subjects)
	clear(p.passageStrengths[:n])
	clear(p.lastSentence[:n])
	clear(p.thisSentence[:n])
	p.reader, p.closeness, p.titleCount = r, closeness{}, int(r.x.docs[doc].titleCount)
	p.matchedWords, p.content, p.sentences, p.foundNames = 0, 0, 0, 0
	p.hasMatch, p.previousHasMatch = false, false
	p.titles.best = [maxLikeTitles]float64{}
	r.sequence, r.spots, r.kindPositions = r.x.sequence(doc, r.sequence), r.spots[:0], r.kindPositions[:0]
}

// readStrengths returns which subjects a passage holds.
func (r *reader) readStrengths(doc uint32) *matchStrengths {
	for i := range r.strengths {
		if r.strengths[i].doc == doc {
			return &r.strengths[i].matchStrengths
		}
	}
	p := &r.above
	p.begin(r, doc)
	if r.totalWeight == 0 {
		return &p.thisSentence
	}
	for at, w := range r.sequence {
		switch {
		case w == sentenceBreak:
			continue
		case r.wordStates[w] != 1:
			l := r.match(w)
			p.thisSentence[l.subject] = max(p.thisSentence[l.subject], float64(l.strength))
		}
		if r.phraseEndBits != 0 && r.phraseEndBits&stemBit(w) != 0 {
			p.matchPhrases(at)
		}
	}
	r.keepStrengths(doc, &p.thisSentence)
	return &p.thisSentence
}

// keepStrengths keeps which subjects a document holds, where reading it again would say the same.
func (r *reader) keepStrengths(doc uint32, all *matchStrengths) {
	if !r.hasDropped {
		r.strengths = append(r.strengths, docStrengths{doc, *all})
	}
}

// passageRead is how far a passage has been read.
type passageRead struct {
	*reader
	closeness                                    closeness
	passageStrengths, lastSentence, thisSentence matchStrengths
	matchedWords                                 float64 // of this sentence
	content                                      int     // words of this sentence with a meaning of their own
	sentences                                    int
	titleCount                                   int    // sentences of the title
	hasMatch, previousHasMatch                   bool   // this sentence, or the one before, named anything
	foundNames                                   uint64 // codes and quotations, a bit each
}

func (p *passageRead) readWord(at int, w uint32) {
	v := &p.x.vocabulary
	if p.wordStates[w] != 1 {
		p.recordMatch(at, p.match(w))
	}
	if p.phraseEndBits&stemBit(w) != 0 {
		p.matchPhrases(at)
	}
	if p.wantedKind != 0 && v.kinds[w]&p.wantedKind != 0 && !p.isAsked(w) {
		p.kindPositions = append(p.kindPositions, at)
	}
	if p.sentences < p.titleCount {
		p.addTitleWord(w)
		if v.stems[w] != noStem {
			p.content++
		}
	}
}

// isAsked reports whether the question itself has the word, which then is not what the question asks for.
func (p *passageRead) isAsked(w uint32) bool { return p.match(w).strength == 1 }

func (p *passageRead) recordMatch(at int, l wordMatch) {
	if l.strength > 0 {
		p.thisSentence[l.subject] = max(p.thisSentence[l.subject], float64(l.strength))
		p.hasMatch = true
		p.matchedWords += float64(l.strength)
		p.spots = append(p.spots, spot{at, l.subject, float64(l.strength)})
	}
}

// endSentence ends a sentence.
func (p *passageRead) endSentence() {
	if p.hasMatch || p.previousHasMatch {
		p.scoreSentence()
	}
	if p.sentences < p.titleCount {
		p.titles.endTitle()
	}
	p.sentences++
	p.matchedWords, p.content = 0, 0
	p.hasMatch, p.previousHasMatch = false, p.hasMatch
}

func (p *passageRead) scoreSentence() {
	n := len(p.subjects)
	var two, one float64
	for i := range p.subjects {
		s := &p.subjects[i]
		two += s.weight * max(p.lastSentence[i], p.thisSentence[i])
		one += s.weight * p.thisSentence[i]
		p.passageStrengths[i] = max(p.passageStrengths[i], p.thisSentence[i])
	}
	p.closeness.bestSentences = max(p.closeness.bestSentences, two/p.totalWeight)
	if p.sentences < p.titleCount { // of several questions above an answer the best counts
		focus := min(1, p.matchedWords/max(float64(p.content), 1))
		p.closeness.titleWords, p.closeness.focus = max(p.closeness.titleWords, one/p.totalWeight),
			max(p.closeness.focus, focus)
		p.closeness.askedQuestion = max(p.closeness.askedQuestion, focus*one/p.totalWeight)
	}
	copy(p.lastSentence[:n], p.thisSentence[:n])
	clear(p.thisSentence[:n])
}

func (r *reader) sumMatched(c *closeness, all *matchStrengths) {
	for i, s := range r.subjects {
		c.allWords += s.weight * all[i] / r.totalWeight
	}
}

// match returns what the word has to do with the question.
func (r *reader) match(w uint32) wordMatch {
	switch seen := r.wordStates[w]; seen {
	case 0:
		return r.compareNew(w)
	case 1:
		return wordMatch{}
	default:
		return r.matches[seen-2]
	}
}

func (r *reader) compareNew(w uint32) wordMatch {
	l := r.compare(w)
	r.wordStates[w] = 1
	switch {
	case l.strength <= 0:
	case len(r.matches) < maxWordMatches:
		r.wordStates[w] = uint8(len(r.matches) + 2)
		r.matches = append(r.matches, l)
	default:
		r.hasDropped = true
	}
	r.touched = append(r.touched, w)
	return l
}

func (r *reader) compare(w uint32) (best wordMatch) {
	stem := r.x.vocabulary.stems[w]
	if stem == noStem {
		return best
	}
	if r.stemBits&stemBit(stem) != 0 {
		if best = r.matchStem(stem); best.strength == 1 {
			return best
		}
	}
	v := &r.x.vocabulary.words[w]
	size := int(v.last - v.first)
	for i := range r.outlines {
		o := &r.outlines[i]
		common := bits.OnesCount64(o.sketch & v.sketch)
		if size < maxOutlineGrams && common >= int(o.minBits[size]) || size >= maxOutlineGrams && o.isLike(size, common) {
			if alike := r.gramOverlap(r.x.vocabulary.grams(w), o); alike > best.strength {
				best = wordMatch{subject: uint8(o.subjectIndex), strength: alike}
			}
		}
	}
	return best
}

// matchStem looks for the subject of the stem, or one that it may stand for.
func (r *reader) matchStem(stem uint32) (best wordMatch) {
	for i := range r.subjects {
		switch s := &r.subjects[i]; {
		case s.isIndexed && s.stem == stem:
			return wordMatch{subject: uint8(i), strength: 1}
		default:
			for _, k := range s.alternatives {
				if k.stem == stem && k.weight > best.strength {
					best = wordMatch{subject: uint8(i), strength: k.weight}
				}
			}
		}
	}
	return best
}

// gramOverlap returns the share of common grams, where it is large enough to be no accident.
func (r *reader) gramOverlap(grams []uint32, o *spelling) float32 {
	common := 0
	for _, g := range grams {
		common += int(r.gramSubjects[g] >> o.subjectIndex & 1)
	}
	share := 2 * float32(common) / float32(len(grams)+o.gramCount)
	if share < float32(defaultWeights.minGramOverlap) {
		return 0
	}
	return share
}
