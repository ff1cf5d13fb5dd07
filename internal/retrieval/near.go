package retrieval

// nearCandidates is how many of the best passages are looked at for pairs.
const nearCandidates = 32

// nearScratch holds the buffers of addNearScores.
type nearScratch struct {
	pairs    []heldPair
	sequence []uint32
	times    []float64
	scores   []float64
	firsts   map[uint32]uint32 // of the stems that stand for one word, by each of the others
}

// heldPair is a pair whose stems both occur in some passage, not necessarily the same.
type heldPair struct {
	pair
	slots [2]uint64 // the bits of its stems in gramStemScore.stemSlots
	lists [2]*postings
	score float64 // what it is worth to a passage; 0 is not known yet
}

// addNearScores adds to the best documents so far a score of the pairs of content words that are close together in
// them as in the question, divided by its maximum.
func (x *Index) addNearScores(s *searchScratch, pairs []pair, best []scoredDoc) {
	n := &s.near
	if n.setPairs(s.stemTerms, pairs); len(n.pairs) == 0 {
		return
	}
	n.scores = resize(n.scores, len(best))
	clear(n.scores)
	perUnit := x.normPerUnit(x.stemTotal)
	top := 0.0
	for i := range best {
		doc := best[i].doc
		if !n.mayHoldPair(s.score(x, doc).stemSlots) {
			continue
		}
		n.countNeighbours(x, doc)
		for j, times := range n.times {
			if times > 0 {
				p := &n.pairs[j]
				if p.score == 0 { // only for pairs that are met: it takes a walk over documents or lists
					p.score = p.weight * x.idf(x.cooccurrences(s, p))
				}
				n.scores[i] += p.score * times / (times + defaultWeights.k1*(1-defaultWeights.b) +
					perUnit*float64(x.lengths[doc].stems))
			}
		}
		top = max(top, n.scores[i])
	}
	for i, score := range n.scores {
		if score > 0 {
			best[i].score += defaultWeights.pairs * score / top
		}
	}
}

// setPairs keeps the pairs whose stems both occur in some passage.
func (n *nearScratch) setPairs(stems []term, pairs []pair) {
	n.pairs = n.pairs[:0]
	for _, p := range pairs {
		h := heldPair{pair: p}
		for i, t := range stems {
			switch t.id {
			case p.a:
				h.slots[0], h.lists[0] = stemSlot(i), t.list
			case p.b:
				h.slots[1], h.lists[1] = stemSlot(i), t.list
			}
		}
		if h.slots[0] != 0 && h.slots[1] != 0 {
			n.pairs = append(n.pairs, h)
		}
	}
	n.times = resize(n.times, len(n.pairs))
	n.firsts = nil
	for _, t := range stems {
		for _, other := range t.others {
			if n.firsts == nil {
				n.firsts = map[uint32]uint32{}
			}
			n.firsts[other] = t.id
		}
	}
}

// mayHoldPair reports whether a document with these stems may hold both of some pair.
func (n *nearScratch) mayHoldPair(slots uint64) bool {
	for i := range n.pairs {
		if both := n.pairs[i].slots[0] | n.pairs[i].slots[1]; slots&both == both {
			return true
		}
	}
	return false
}

// countNeighbours counts how often the two words of each pair occur within a window of three in a document.
func (n *nearScratch) countNeighbours(x *Index, doc uint32) {
	clear(n.times)
	var bits uint64 // of the stems: most words of a passage are told apart from them by one look
	for i := range n.pairs {
		bits |= stemBit(n.pairs[i].a) | stemBit(n.pairs[i].b)
	}
	n.sequence = x.sequence(doc, n.sequence)
	for stem := range n.firsts {
		bits |= stemBit(stem)
	}
	one, two := uint32(noStem), uint32(noStem)
	stems := x.vocabulary.stems
	for _, w := range n.sequence {
		stem := stems[w]
		if stem == noStem {
			continue
		}
		if bits&stemBit(stem) == 0 {
			one, two = noStem, one
			continue
		}
		if first, ok := n.firsts[stem]; ok {
			stem = first
		}
		if one != noStem || two != noStem {
			for i := range n.pairs {
				p := &n.pairs[i]
				if stem == p.a && (one == p.b || two == p.b) || stem == p.b && (one == p.a || two == p.a) {
					n.times[i]++
				}
			}
		}
		one, two = stem, one
	}
}

func stemBit(stem uint32) uint64 { return 1 << (stem * 0x9E3779B1 >> 26) }

// cooccurrences counts the documents that hold both words of the pair.
func (x *Index) cooccurrences(s *searchScratch, p *heldPair) (n int) {
	both := p.slots[0] | p.slots[1]
	if len(s.scores) == len(x.docs) && both>>lastStemSlot == 0 { // all documents have been scored
		for d := range s.scores {
			if s.scores[d].stemSlots&both == both && x.lengths[d].stems > 0 {
				n++
			}
		}
		return n
	}
	first := make([]uint64, len(x.docs)/64+1)
	p.lists[0].forEach(func(doc uint32, _ uint8) { first[doc/64] |= 1 << (doc % 64) })
	p.lists[1].forEach(func(doc uint32, _ uint8) {
		if first[doc/64]>>(doc%64)&1 != 0 && x.lengths[doc].stems > 0 {
			n++
		}
	})
	return n
}

// readWithPrevious reads a passage, and the one before it for what it may rest on: what a passage speaks of was often
// named above.
func (r *reader) readWithPrevious(doc uint32) closeness {
	c, all := r.read(doc)
	before, ok := r.x.previousPassage(doc)
	if !ok || c.allWords >= 1 {
		return c
	}
	above := r.readStrengths(before)
	for i := range r.subjects {
		c.inPrevious += r.subjects[i].weight * max(0, above[i]-all[i])
	}
	c.inPrevious /= max(r.totalWeight, 1e-9)
	return c
}

// previousPassage returns the passage before in the same version of a source.
func (x *Index) previousPassage(doc uint32) (before uint32, ok bool) {
	if doc == 0 {
		return 0, false
	}
	p, q := &x.docs[doc].passage, &x.docs[doc-1].passage
	return doc - 1, p.SourceID == q.SourceID && p.VersionID == q.VersionID && p.Ordinal == q.Ordinal+1
}
