package llm

import (
	"regexp"
	"strings"
)

// codeForm finds codes: letters with digits behind them, "ND-2007", "err4012", "ISO 27001".
var codeForm = regexp.MustCompile(`\b[A-Za-z]{1,8}[-_/.#]?\d{2,}[A-Za-z0-9-]*\b|\b[A-Z]{2,8} \d{2,}\b`)

// sureOfCode is the confidence in a passage that is about the code that the question names.
const sureOfCode = 0.8

// coded reports that the question names a code, and that the unit or the heading above it does so too. What else the question names must
// for the better part stand there as well.
func (t *topic) coded(passage Passage, p *page, best unit) bool {
	near, all := codesIn(passage.Heading+"\n"+p.text[best.start:best.end]), ""
	for c := range codesIn(t.asking) {
		if !near[c] {
			return false
		}
		all += c
	}
	if all == "" {
		return false
	}
	return t.share(p.whole, func(i int) bool {
		return t.single(i) && !framed(t.items[i].word) && !strings.Contains(all, t.items[i].word)
	}) >= 0.5
}

// codesIn gives the codes of a text, without case and without what separates their parts.
func codesIn(text string) map[string]bool {
	all := map[string]bool{}
	for _, c := range codeForm.FindAllString(text, -1) {
		all[strings.ToLower(separators.Replace(c))] = true
	}
	return all
}

var separators = strings.NewReplacer("-", "", "_", "", "/", "", ".", "", "#", "", " ", "")
