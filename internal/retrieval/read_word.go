package retrieval

import "math/bits"

// like tells what the word has to do with the question.
func (r *reader) like(w uint32) likeness {
	switch seen := r.seen[w]; seen {
	case 0:
		return r.meet(w)
	case 1:
		return likeness{}
	default:
		return r.likes[seen-2]
	}
}

func (r *reader) meet(w uint32) likeness {
	l := r.compare(w)
	r.seen[w] = 1
	if l.strength > 0 && len(r.likes) < mostLikes {
		r.seen[w] = uint8(len(r.likes) + 2)
		r.likes = append(r.likes, l)
	}
	r.touched = append(r.touched, w)
	return l
}

func (r *reader) compare(w uint32) (best likeness) {
	stem := r.x.vocabulary.stems[w]
	if stem == none {
		return best
	}
	if r.stems&bit(stem) != 0 {
		if best = r.stands(stem); best.strength == 1 {
			return best
		}
	}
	v := &r.x.vocabulary.words[w]
	size := int(v.last - v.first)
	for _, o := range r.outlines {
		if float64(2*bits.OnesCount64(o.sketch&v.sketch)) >= tune.alike*float64(size+o.spelt) {
			if alike := r.alike(r.x.vocabulary.grams(w), o); alike > best.strength {
				best = likeness{subject: uint8(o.subject), strength: alike}
			}
		}
	}
	return best
}

// stands looks for the subject of the stem, or one that it may stand for.
func (r *reader) stands(stem uint32) (best likeness) {
	for i := range r.subjects {
		switch s := &r.subjects[i]; {
		case s.known && s.stem == stem:
			return likeness{subject: uint8(i), strength: 1}
		default:
			for _, k := range s.kin {
				if k.stem == stem && k.strength > best.strength {
					best = likeness{subject: uint8(i), strength: k.strength}
				}
			}
		}
	}
	return best
}

// alike is the share of common grams, where it is large enough to be no accident.
func (r *reader) alike(grams []uint32, o outline) float32 {
	common := 0
	for _, g := range grams {
		common += int(r.marks[g] >> o.subject & 1)
	}
	share := 2 * float32(common) / float32(len(grams)+o.spelt)
	if share < float32(tune.alike) {
		return 0
	}
	return share
}
