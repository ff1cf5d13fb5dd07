package retrieval

// nearCandidates is how many of the best passages are looked at for pairs.
const nearCandidates = 32

// addNearScores adds to the best documents so far a score of the pairs of content words that stand close together in
// them as in the question, divided by its maximum.
func (x *Index) addNearScores(pairs []pair, best []scoredDoc) {
	if len(pairs) == 0 {
		return
	}
	var bits uint64 // of the stems: most words of a passage are told apart from them by one look
	weights, times, scores := make([]float64, len(pairs)), make([]float64, len(pairs)), make([]float64, len(best))
	for _, p := range pairs {
		bits |= stemBit(p.a) | stemBit(p.b)
	}
	perUnit := x.normPerUnit(x.stemTotal)
	top := 0.0
	var content []uint32
	for c := range best {
		clear(times)
		doc := best[c].doc
		content = x.contentStems(doc, content)
		countNeighbours(content, pairs, bits, times)
		for i, n := range times {
			if n > 0 {
				if weights[i] == 0 { // only for pairs that are met: it takes a walk over two lists
					weights[i] = pairs[i].weight * x.idf(x.cooccurrences(pairs[i]))
				}
				scores[c] += weights[i] * n / (n + defaultWeights.k1*(1-defaultWeights.b) + perUnit*float64(x.lengths[doc].stems))
			}
		}
		top = max(top, scores[c])
	}
	for c, s := range scores {
		if s > 0 {
			best[c].score += defaultWeights.pairs * s / top
		}
	}
}

func stemBit(stem uint32) uint64 { return 1 << (stem * 0x9E3779B1 >> 26) }

// countNeighbours counts how often the two words of each pair stand within a window of three.
func countNeighbours(content []uint32, pairs []pair, bits uint64, times []float64) {
	one, two := uint32(noStem), uint32(noStem)
	for _, stem := range content {
		if bits&stemBit(stem) == 0 {
			one, two = noStem, one
			continue
		}
		if one != noStem || two != noStem {
			for i, p := range pairs {
				if stem == p.a && (one == p.b || two == p.b) || stem == p.b && (one == p.a || two == p.a) {
					times[i]++
				}
			}
		}
		one, two = stem, one
	}
}

// readWithPrevious reads a passage, and the one before it for what it may rest on: what a passage speaks of was often
// named above.
func (r *reader) readWithPrevious(doc uint32) closeness {
	c, all := r.read(doc)
	before, ok := r.x.previousPassage(doc)
	if !ok || c.allWords >= 1 {
		return c
	}
	_, above := r.read(before)
	for i, s := range r.subjects {
		c.inPrevious += s.weight * max(0, above[i]-all[i])
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
