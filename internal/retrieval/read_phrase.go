package retrieval

import "slices"

// sought is a phrase with the subjects that it stands for.
type sought struct {
	words    [][]uint32
	subjects []uint8
	name     uint8
}

// seek makes ready to look for the phrases; subjects holds one for each word of the question, or -1.
func (r *reader) seek(phrases []phrase, subjects []int) {
	for _, p := range phrases {
		s := sought{words: p.words, name: p.name}
		for _, w := range p.means {
			if subjects[w] >= 0 {
				s.subjects = append(s.subjects, uint8(subjects[w]))
			}
		}
		for _, id := range p.words[len(p.words)-1] {
			r.ends |= bit(id)
		}
		r.phrases = append(r.phrases, s)
	}
}

// spot is a place in a passage where a subject was met.
type spot struct {
	at       int
	subject  uint8
	strength float64
}

// phrase meets the phrases that end at the place.
func (p *progress) phrase(at int) {
	for _, s := range p.phrases {
		if !s.ends(p.sequence[:at+1]) {
			continue
		}
		for _, subject := range s.subjects {
			p.meet(at, likeness{subject: subject, strength: 1})
		}
		if s.name > 0 {
			p.found |= 1 << s.name
		}
	}
}

// worth gives the mean of what the codes and quotations that were found are worth, with nothing for the others.
func (p *progress) worth() (sum float64) {
	for i, worth := range p.names {
		if p.found>>(i+1)&1 == 1 {
			sum += worth / float64(len(p.names))
		}
	}
	return sum
}

// ends reports that the words end with the phrase.
func (s *sought) ends(list []uint32) bool {
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

// near is how many words around something are taken to tell what it is about.
const near = 20

// kind gives the most of the question's words that stand around something of the kind that it asks for.
func (p *progress) kind() (most float64) {
	for _, at := range p.kinds {
		var met strengths
		sum := 0.0
		for _, s := range p.spots {
			if s.at >= at-near && s.at <= at+near && s.strength > met[s.subject] {
				sum += p.subjects[s.subject].weight * (s.strength - met[s.subject])
				met[s.subject] = s.strength
			}
		}
		most = max(most, sum/p.whole)
	}
	return most
}
