package quote

import (
	"parley/internal/model"
	"regexp"
	"strings"
)

// codePattern finds codes: letters with digits behind them, "ND-2007", "err4012", "ISO 27001".
var codePattern = regexp.MustCompile(`\b[A-Za-z]{1,8}[-_/.#]?\d{2,}[A-Za-z0-9-]*\b|\b[A-Z]{2,8} \d{2,}\b`)

// codeConfidence is the confidence in a passage that is about the code that the question names.
const codeConfidence = 0.8

// matchesCode reports that the question names a code, and that the unit or the heading above it does so too. What else the question names must
// for the better part stand there as well.
func (t *parsedQuestion) matchesCode(passage model.Passage, p *passageLayout, best quotableUnit) bool {
	near, all := findCodes(passage.Heading+"\n"+p.text[best.start:best.end]), ""
	for c := range findCodes(t.originalText) {
		if !near[c] {
			return false
		}
		all += c
	}
	if all == "" {
		return false
	}
	return t.matchedShare(p.passageMatch, func(i int) bool {
		return t.isSingleWord(i) && !isFrameWord(t.terms[i].word) && !strings.Contains(all, t.terms[i].word)
	}) >= 0.5
}

// findCodes returns the codes of a text, without case and without what separates their parts.
func findCodes(text string) map[string]bool {
	all := map[string]bool{}
	for _, c := range codePattern.FindAllString(text, -1) {
		all[strings.ToLower(codeSeparators.Replace(c))] = true
	}
	return all
}

var codeSeparators = strings.NewReplacer("-", "", "_", "", "/", "", ".", "", "#", "", " ", "")
