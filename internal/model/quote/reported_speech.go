package quote

import (
	"slices"
	"strings"

	"parley/internal/text/words"
)

// isReportedSpeech reports whether the sentence has a verb of speech whose subject is somebody else: "he said".
func (s *parsedSentence) isReportedSpeech(i int, at []int) bool {
	w := s.tokens[i].Word
	if !quotingVerbs[w] || slices.Contains(at, i) || w == "dit" && s.lang != words.French || w == "dice" &&
		s.lang == words.English {
		return false
	}
	near := func(j int) bool { return j >= 0 && j < len(s.tokens) && !slices.Contains(at, j) }
	if near(i+1) && listContains("ich i we wir yo je", s.tokens[i+1].Word) && s.lang != words.English {
		return false // "sagte ich"
	}
	if !near(i - 1) {
		return near(i+1) && listContains("he she they er sie", s.tokens[i+1].Word) || listContains("dijo dice diz disse", w)
	}
	return speechVerbs[w] && !speakerWords[s.tokens[i-1].Word]
}

var (
	speechVerbs      = words.NewSet(`said says told wrote sagte sagt meinte schrieb dijo dice dit disse detto zei zegt`)
	quotingVerbs     = unionSets(speechVerbs, words.NewSet(`asked asks called shouted typed gesagt`))
	firstPersonWords = words.NewSet(`i we ve d ll ich wir yo je j io eu ik already just also ho ai have had`)
	speakerWords     = unionSets(firstPersonWords,
		words.NewSet(`you was were been am are is got being u your vous tu usted sie du`))
)

// isQuotation reports whether the match is what somebody else is quoted with.
func (s *parsedSentence) isQuotation(at []int) bool {
	if !s.isInsideQuotes(at[0]) {
		return false
	}
	for i := range s.tokens {
		if !slices.Contains(at, i) && quotingVerbs[s.tokens[i].Word] &&
			!(i > 0 && firstPersonWords[s.tokens[i-1].Word]) && s.hasSpeaker(i, at) {
			return true
		}
	}
	return false
}

// hasSpeaker reports whether a verb of speech has a subject beside it, or is one that needs none.
func (s *parsedSentence) hasSpeaker(i int, at []int) bool {
	if i > 0 && !slices.Contains(at, i-1) {
		return true
	}
	return s.isReportedSpeech(i, at)
}

// isInsideQuotes reports whether there is an open quotation mark before the word.
func (s *parsedSentence) isInsideQuotes(i int) bool {
	before := s.text[s.start:s.tokens[i].Start]
	if strings.Count(before, `"`)%2 == 1 {
		return true
	}
	return strings.LastIndexAny(before, "“„«‚") > strings.LastIndexAny(before, "”»’") &&
		strings.ContainsAny(before, "“„«‚")
}
