package retrieval

// readNear is how many of the best passages are looked at for pairs.
const readNear = 32

// near adds to the best documents so far a score of the pairs of content words that stand close together in them as in the
// question, divided by its maximum.
func (x *Index) near(pairs []pair, best []place) {
	if len(pairs) == 0 {
		return
	}
	var bits uint64 // of the stems: most words of a passage are told apart from them by one look
	weights, times, scores := make([]float64, len(pairs)), make([]float64, len(pairs)), make([]float64, len(best))
	for _, p := range pairs {
		bits |= bit(p.a) | bit(p.b)
	}
	perUnit := x.perUnit(x.stemTotal)
	top := 0.0
	var content []uint32
	for c := range best {
		clear(times)
		doc := best[c].doc
		content = x.content(doc, content)
		neighbours(content, pairs, bits, times)
		for i, n := range times {
			if n > 0 {
				if weights[i] == 0 { // only for pairs that are met: it takes a walk over two lists
					weights[i] = pairs[i].weight * x.idf(x.together(pairs[i]))
				}
				scores[c] += weights[i] * n / (n + tune.k1*(1-tune.b) + perUnit*float64(x.lengths[doc].stems))
			}
		}
		top = max(top, scores[c])
	}
	for c, s := range scores {
		if s > 0 {
			best[c].score += tune.near * s / top
		}
	}
}

func bit(stem uint32) uint64 { return 1 << (stem * 0x9E3779B1 >> 26) }

// neighbours counts how often the two words of each pair stand within a window of three.
func neighbours(content []uint32, pairs []pair, bits uint64, times []float64) {
	one, two := uint32(none), uint32(none)
	for _, stem := range content {
		if bits&bit(stem) == 0 {
			one, two = none, one
			continue
		}
		if one != none || two != none {
			for i, p := range pairs {
				if stem == p.a && (one == p.b || two == p.b) || stem == p.b && (one == p.a || two == p.a) {
					times[i]++
				}
			}
		}
		one, two = stem, one
	}
}
