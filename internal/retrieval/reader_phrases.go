package retrieval

import "slices"

// subjectPhrase is a phrase with the subjects that it stands for.
type subjectPhrase struct {
	words    [][]uint32
	subjects []uint8
	name     uint8
}

// preparePhrases makes ready to look for the phrases; subjects holds one for each word of the question, or -1.
func (r *reader) preparePhrases(phrases []phrase, subjects []int) {
	for _, p := range phrases {
		s := subjectPhrase{words: p.words, name: p.name}
		for _, w := range p.wordIndexes {
			if subjects[w] >= 0 {
				s.subjects = append(s.subjects, uint8(subjects[w]))
			}
		}
		for _, id := range p.words[len(p.words)-1] {
			r.phraseEndBits |= stemBit(id)
		}
		r.phrases = append(r.phrases, s)
	}
}

// spot is a place in a passage where a subject was found.
type spot struct {
	position int
	subject  uint8
	strength float64
}

// matchPhrases finds the phrases that end at a place.
func (p *passageRead) matchPhrases(at int) {
	for _, s := range p.phrases {
		if !s.endsWith(p.sequence[:at+1]) {
			continue
		}
		for _, subject := range s.subjects {
			p.recordMatch(at, wordMatch{subject: subject, strength: 1})
		}
		if s.name > 0 {
			p.foundNames |= 1 << s.name
		}
	}
}

// nameScore returns the mean of what the codes and quotations that were found are worth, with nothing for the others.
func (p *passageRead) nameScore() (sum float64) {
	for i, worth := range p.nameWorths {
		if p.foundNames>>(i+1)&1 == 1 {
			sum += worth / float64(len(p.nameWorths))
		}
	}
	return sum
}

// endsWith reports whether the words end with the phrase.
func (s *subjectPhrase) endsWith(list []uint32) bool {
	if len(list) < len(s.words) {
		return false
	}
	for i, w := range list[len(list)-len(s.words):] {
		if !slices.Contains(s.words[i], w) {
			return false
		}
	}
	return true
}

// nearWindow is how many words around something are taken to tell what it is about.
const nearWindow = 20

// kindScore returns the largest share of the question's words around something of the kind that it asks for.
func (p *passageRead) kindScore() (best float64) {
	for _, at := range p.kindPositions {
		var met matchStrengths
		sum := 0.0
		for _, s := range p.spots {
			if s.position >= at-nearWindow && s.position <= at+nearWindow && s.strength > met[s.subject] {
				sum += p.subjects[s.subject].weight * (s.strength - met[s.subject])
				met[s.subject] = s.strength
			}
		}
		best = max(best, sum/p.totalWeight)
	}
	return best
}
