package retrieval

// Signs tell how far a passage goes to answer a question, by what stands in it; each is 0 to 1 and grows with the evidence.
type Signs struct {
	Letters float64 // how much of the question's letters the best passage of all holds
	Words   float64 // how much of the question's content words the best of the hits holds, rare ones and repeated ones more
	Stretch float64 // how much of the question stands in this passage's best two neighbouring sentences
}

// likelihood tells how likely the passage answers the question, 0 to 1: by how much of the question stands in its best two
// neighbouring sentences, and by how much of the question's letters the best passage of all holds.
func (c *closeness) likelihood(letters float64) float64 {
	return min(1, 0.75*c.bestSentences+1.5*letters)
}

// letterSign measures a share of the question's letters by what they score where one passage holds them, rather than none: among a handful of
// passages the two are far apart.
func (x *Index) letterSign(share float64) float64 { return min(1, share*x.idf(0)/x.idf(1)) }

// wordSign is the highest score of the passages by the question's stems, as a share of what its words could score if no other
// passage held them. Words of scripts without spaces are left out, as they are in the search.
func (x *Index) wordSign(q question, best []candidate) (top float64) {
	asked := 0.0
	for _, a := range q.words {
		if !a.isStop && !a.isDense {
			asked += a.weight
		}
	}
	if asked == 0 {
		return 0
	}
	s := x.takeScratch()
	docs := make([]uint32, len(best))
	for i, c := range best {
		docs[i] = c.doc
	}
	for _, score := range s.exactScorer.scoreDocs(x, docs, nil, x.terms(&x.stems, q.stems), nil) {
		top = max(top, score.stems)
	}
	x.scratch.Put(s)
	return min(1, top/(max(asked, 1)*x.idf(1)*(defaultWeights.k1+1)))
}
