package llm

import (
	"slices"

	"parley/internal/words"
)

// match tells for each subject how surely the text names it: 1 for the word or its stem, less for another word for it and for
// a similar spelling.
func (t *topic) match(text string) []float64 {
	found := make([]float64, len(t.items))
	var last []likeness
	for token := range words.Tokens(text) {
		if t.lang.IsStop(token.Word) {
			continue
		}
		like := t.like(token.Word)
		for _, l := range like {
			found[l.subject] = max(found[l.subject], l.strength)
		}
		if len(like) > 0 && len(last) > 0 {
			t.matchPairs(found, last, like)
		}
		last = like
	}
	t.measured(found, text)
	return found
}

// lacksName reports that a name of the message is not among what was found.
func (t *topic) lacksName(found []float64) bool {
	return slices.ContainsFunc(t.items, func(s subject) bool { return s.named && found[t.index(s.word)] == 0 })
}

func (t *topic) matchPairs(found []float64, one, two []likeness) {
	for i, s := range t.items {
		if s.pair {
			found[i] = max(found[i], min(strength(one, s.a), strength(two, s.b)))
			if !s.name {
				found[i] = max(found[i], turned*min(strength(one, s.b), strength(two, s.a)))
			}
		}
	}
}

func strength(all []likeness, subject int) float64 {
	for _, l := range all {
		if l.subject == subject {
			return l.strength
		}
	}
	return 0
}

// like tells what the word has to do with the question.
func (t *topic) like(word string) []likeness {
	all, ok := t.known[word]
	if !ok {
		all = t.compare(word)
		t.known[word] = all
	}
	return all
}

func (t *topic) compare(word string) (all []likeness) {
	var buf [64]uint64
	grams, stem := words.Grams(buf[:0], word), t.lang.Stem(word)
	for i, s := range t.items {
		if s.pair {
			continue
		}
		strength := s.alike(grams)
		if t.lang == words.English && s.word[0] != word[0] {
			strength = 0 // "count" is no misspelt "account"
		}
		switch {
		case s.word == word || s.stem == stem:
			strength = 1
		case slices.Contains(s.kin, stem):
			strength = max(strength, kinStrength)
		}
		if strength > 0 {
			all = append(all, likeness{i, strength})
		}
	}
	return all
}

const alikeEnough = 0.45

// alike is the share of common grams, where it is large enough to be no accident.
func (s *subject) alike(grams []uint64) float64 {
	common := 0
	for _, g := range grams {
		if s.grams[g] {
			common++
		}
	}
	share := 2 * float64(common) / float64(len(grams)+len(s.grams))
	if share < alikeEnough {
		return 0
	}
	return share
}
