package retrieval

import "math/bits"

// match tells what the word has to do with the question.
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
	if l.strength > 0 && len(r.matches) < maxWordMatches {
		r.wordStates[w] = uint8(len(r.matches) + 2)
		r.matches = append(r.matches, l)
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
	for _, o := range r.outlines {
		if float64(2*bits.OnesCount64(o.sketch&v.sketch)) >= defaultWeights.minGramOverlap*float64(size+o.gramCount) {
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

// gramOverlap is the share of common grams, where it is large enough to be no accident.
func (r *reader) gramOverlap(grams []uint32, o spelling) float32 {
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
