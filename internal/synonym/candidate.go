package synonym

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// maxReadPassages is how many passages are read for words that may stand for the unknown one.
const maxReadPassages = 8

// candidate is a word of the sources that may mean the same as an unknown one.
type candidate struct {
	stem  string
	forms map[string]int // as they are written, with how often each was seen
	score float64

	likeness  float64 // how much of its spelling is that of the unknown word
	isInPlace bool    // it has been seen beside a word that the unknown one is beside in a question
}

// minLikeness is how much of its spelling a word shares with one that is written like it.
const minLikeness = 0.25

// spelling returns the form that is seen most.
func (c *candidate) spelling() string {
	return slices.MinFunc(slices.Sorted(maps.Keys(c.forms)), func(a, b string) int {
		return cmp.Compare(c.forms[b], c.forms[a])
	})
}

// findCandidates returns words of the sentences that hold other words of the questions, in the passages found by those
// alone, the likeliest first. A word needs a sign that it means the same: it is beside the same word, is spelled
// alike, or comes with the same other words in questions that were answered. Words that are rare elsewhere go first.
func (p *proposer) findCandidates(ctx context.Context, w *unknownWord) ([]*candidate, error) {
	byStem := map[string]*candidate{}
	for _, q := range w.questions {
		hits, err := p.Indexes.Nearest(ctx, p.agent.ID, p.agent.PassageVersion, retrieval.Query{
			Text: q.without(w.stem), Limit: maxReadPassages, Synonyms: p.agent.Synonyms,
		})
		if err != nil {
			return nil, err
		}
		for rank, h := range hits {
			q.addCandidates(byStem, &h.Passage, q.neighbors(w.stem), 1/float64(1+rank))
		}
	}
	stems := slices.Sorted(maps.Keys(byStem))
	counts, all, err := p.countPassages(ctx, stems)
	if err != nil {
		return nil, err
	}
	list := make([]*candidate, 0, len(stems))
	for _, stem := range stems {
		c := byStem[stem]
		c.likeness = gramLikeness(w.stem, stem)
		share := p.answeredShare(w, stem)
		hasSign := c.isInPlace || c.likeness >= minLikeness || share > 0
		if !hasSign || counts[stem] == 0 { // 0 is a word of another language, whose stem is another
			continue
		}
		if c.isInPlace {
			c.score *= 2
		}
		c.score *= math.Log(1+float64(all)/float64(counts[stem])) * (1 + c.likeness) * (1 + share)
		c.score = math.Round(c.score*1e9) / 1e9
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return list[:min(maxCandidateWords, len(list))], nil
}

// addCandidates adds the words of the passage's heading and sentences that hold known words of the question.
func (q *question) addCandidates(byStem map[string]*candidate, passage *parley.Passage, neighbors map[string]bool,
	weight float64) {
	read := func(text string) {
		terms := contentTerms(text, q.lang)
		seen := map[string]bool{}
		for _, t := range terms {
			if q.known[t.stem] {
				seen[t.stem] = true
			}
		}
		share := float64(len(seen)) / float64(len(q.known))
		if share == 0 {
			return
		}
		for i, t := range terms {
			if q.hasStem(t.stem) {
				continue
			}
			c := byStem[t.stem]
			if c == nil {
				c = &candidate{stem: t.stem, forms: map[string]int{}}
				byStem[t.stem] = c
			}
			c.isInPlace = c.isInPlace || i > 0 && neighbors[terms[i-1].stem] ||
				i+1 < len(terms) && neighbors[terms[i+1].stem]
			c.forms[t.spelling]++
			if !seen[t.stem] {
				seen[t.stem] = true
				c.score += weight * share
			}
		}
	}
	read(passage.Heading)
	for s := range prose.EachSentence(passage.Text, 0, len(passage.Text)) {
		read(passage.Text[s.Start:s.End])
	}
}

// answeredShare returns how much of the answered questions that share words with the unanswered ones has the word.
func (p *proposer) answeredShare(w *unknownWord, stem string) float64 {
	with, all := 0.0, 0.0
	for _, stems := range p.answered {
		for _, q := range w.questions {
			shared := 0.0
			for known := range q.known {
				if stems[known] {
					shared++
				}
			}
			shared /= float64(len(q.known))
			if all += shared; stems[stem] {
				with += shared
			}
		}
	}
	return with / max(all, 1e-9)
}

// gramLikeness returns how much of their stretches of four characters two words share, 0 to 1.
func gramLikeness(a, b string) float64 {
	first, second := words.Grams(nil, a), words.Grams(nil, b)
	shared := 0
	for _, g := range first {
		if slices.Contains(second, g) {
			shared++
		}
	}
	return 2 * float64(shared) / float64(max(1, len(first)+len(second)))
}
