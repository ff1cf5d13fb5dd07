package retrieval

// matchStrengths says for each subject how surely it was met.
type matchStrengths [maxSubjects]float64

// read reads one passage. all says which subjects it holds.
func (r *reader) read(doc uint32) (c closeness, all matchStrengths) {
	if r.totalWeight == 0 {
		return c, all
	}
	p := passageRead{reader: r, closeness: &c, titleCount: titleCount(r.x.docs[doc].passage.Heading)}
	r.sequence, r.spots, r.kindPositions = r.x.sequence(doc, r.sequence), r.spots[:0], r.kindPositions[:0]
	for at, w := range r.sequence {
		if w == sentenceBreak {
			p.endSentence()
			continue
		}
		p.readWord(at, w)
	}
	p.endSentence()
	r.sumMatched(&c, &p.passageStrengths)
	c.phrase, c.kind = p.nameScore(), p.kindScore()
	return c, p.passageStrengths
}

// passageRead is how far a passage has been read.
type passageRead struct {
	*reader
	closeness                                    *closeness
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
	if p.sentences < p.titleCount && v.stems[w] != noStem {
		p.content++
	}
}

// isAsked reports that the question itself has the word: it is not what it asks for.
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
	p.sentences++
	p.matchedWords, p.content = 0, 0
	p.hasMatch, p.previousHasMatch = false, p.hasMatch
}

func (p *passageRead) scoreSentence() {
	n := len(p.subjects)
	var two, one float64
	for i, s := range p.subjects {
		two += s.weight * max(p.lastSentence[i], p.thisSentence[i])
		one += s.weight * p.thisSentence[i]
		p.passageStrengths[i] = max(p.passageStrengths[i], p.thisSentence[i])
	}
	p.closeness.bestSentences = max(p.closeness.bestSentences, two/p.totalWeight)
	if p.sentences < p.titleCount { // of several questions above an answer the best counts
		focus := min(1, p.matchedWords/max(float64(p.content), 1))
		p.closeness.titleWords, p.closeness.focus = max(p.closeness.titleWords, one/p.totalWeight), max(p.closeness.focus, focus)
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
