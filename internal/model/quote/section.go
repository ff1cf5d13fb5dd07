package quote

import "parley/internal/text/prose"

// maxSectionBytes is how much is quoted of what stands under a heading, in bytes.
const maxSectionBytes = 700

// sectionExcerpt returns the beginning of what stands under a heading, with the table right below it, where the question is for all of it: where
// its words are those of the heading, and no sentence holds one that the heading lacks.
func (t *parsedQuestion) sectionExcerpt(p *passageLayout, u quotableUnit) (excerpt, bool) {
	if t.wantsSteps || t.asksWhoMay || t.wantsFact && !t.isBareSubject() || t.wantsList && !p.isAboveTable(u) || len(t.negatedTerms) > 0 || !t.wantsList && !t.isCoveredByTitle(p) {
		return excerpt{}, false
	}
	s := excerpt{passageIndex: u.passageIndex}
	for _, v := range p.units {
		switch {
		case v.firstBlock > u.lastBlock && v.kind == prose.Table && !v.isTableRow && v.end-s.start <= maxUnitBytes, v.kind == prose.Paragraph && (s.end == 0 || v.end-s.start <= maxSectionBytes):
			if s.end == 0 {
				s.start = v.start
			}
			s.end = v.end
		default:
			return s, s.start <= u.start && s.end >= u.end
		}
		if v.kind == prose.Table {
			break
		}
	}
	return s, s.start <= u.start && s.end >= u.end
}

// isBareSubject reports a message that is hardly more than the name of its subject: "price?".
func (t *parsedQuestion) isBareSubject() bool {
	return t.contentWordCount() <= 1 && len(splitWords(t.foldedText)) <= maxBareWords
}

// isCoveredByTitle reports that the passage's title names all of the question, and that the passage is one section: no heading stands in it.
func (t *parsedQuestion) isCoveredByTitle(p *passageLayout) bool {
	for _, b := range p.blocks {
		if b.Kind == prose.Heading && b.Start > 0 {
			return false
		}
	}
	for i, s := range t.terms {
		if s.fromLastMessage && !s.isPair && !isFrameWord(s.word) && p.titleMatch[i] < relatedStrength {
			return false
		}
	}
	return t.contentWordCount() > 0
}
