package llm

import (
	"slices"
	"strings"

	"parley/internal/words"
)

// reports reports a verb of speech whose subject is somebody else: "he said".
func (s *told) reports(i int, at []int) bool {
	w := s.tokens[i].Word
	if !quoting[w] || slices.Contains(at, i) || w == "dit" && s.lang != words.French || w == "dice" && s.lang == words.English {
		return false
	}
	near := func(j int) bool { return j >= 0 && j < len(s.tokens) && !slices.Contains(at, j) }
	if near(i+1) && within("ich i we wir yo je", s.tokens[i+1].Word) && s.lang != words.English {
		return false // "sagte ich"
	}
	if !near(i - 1) {
		return near(i+1) && within("he she they er sie", s.tokens[i+1].Word) || within("dijo dice diz disse", w)
	}
	return speaking[w] && !speakers[s.tokens[i-1].Word]
}

var (
	speaking = wordSet(`said says told wrote sagte sagt meinte schrieb dijo dice dit disse detto zei zegt`)
	quoting  = joined(speaking, wordSet(`asked asks called shouted typed gesagt`))
	oneself  = wordSet(`i we ve d ll ich wir yo je j io eu ik already just also ho ai have had`)
	speakers = joined(oneself, wordSet(`you was were been am are is got being u your vous tu usted sie du`))
)

// quotes reports that the match is what somebody else is quoted with.
func (s *told) quotes(at []int) bool {
	if !s.quoted(at[0]) {
		return false
	}
	for i := range s.tokens {
		if !slices.Contains(at, i) && quoting[s.tokens[i].Word] && !(i > 0 && oneself[s.tokens[i-1].Word]) && s.speaks(i, at) {
			return true
		}
	}
	return false
}

// speaks reports that a verb of speech has a subject beside it, or is one that needs none.
func (s *told) speaks(i int, at []int) bool {
	if i > 0 && !slices.Contains(at, i-1) {
		return true
	}
	return s.reports(i, at)
}

// quoted reports an open quotation mark before the word.
func (s *told) quoted(i int) bool {
	before := s.text[s.start:s.tokens[i].Start]
	if strings.Count(before, `"`)%2 == 1 {
		return true
	}
	return strings.LastIndexAny(before, "“„«‚") > strings.LastIndexAny(before, "”»’") && strings.ContainsAny(before, "“„«‚")
}
