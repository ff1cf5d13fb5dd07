package retrieval

import "strings"

// findJoinedWords lets words that passages write as one be met so: "git hub" and "e-mail" where they have "github" and "email".
func (m *queryMessage) findJoinedWords() {
	for i := 1; i < len(m.tokens); i++ {
		a, b := m.tokens[i-1], m.tokens[i]
		if gap := m.gapBefore(i); a.Unspaced || b.Unspaced || gap != " " && gap != "-" || len(a.Word)+len(b.Word) < minJoinedBytes {
			continue
		}
		if word := a.Word + b.Word; m.wordIDs(word) != nil {
			m.addAlternative(word, i-1, i+1, 1)
		}
	}
}

// Bytes of the words that are put together or apart.
const (
	minJoinedBytes   = 5 // a whole word
	maxSplitBytes    = 200
	minPartBytes     = 2 // a part that must stand beside the other
	minLonePartBytes = 4 // a part that is looked for alone
)

// findSplitWords lets a word that passages write apart be met so, "setup" as "set up"; the parts of a compound that no passage has are
// looked for by themselves, "Donaudampfer" as "Donau" and "Dampfer".
func (m *queryMessage) findSplitWords() {
	for i, t := range m.tokens {
		a := &m.words[i]
		if t.Unspaced || a.isStop || len(t.Word) < minJoinedBytes || len(t.Word) > maxSplitBytes || hasDigit(t.Word) {
			continue
		}
		for at := minPartBytes; at <= len(t.Word)-minPartBytes; at++ {
			first, second := t.Word[:at], t.Word[at:]
			if m.wordIDs(first) == nil {
				continue
			}
			if m.wordIDs(second) != nil {
				m.addPhrase([]string{first, second}, i, i+1, 0)
			}
			if !m.isIndexed(i) && at >= minLonePartBytes {
				m.addCompoundParts(i, first, second)
			}
		}
	}
}

// isIndexed reports that passages have the word itself, in some form.
func (m *queryMessage) isIndexed(i int) bool {
	return m.words[i].isIndexed && m.stems.docCount(m.words[i].stem) > 0
}

// addCompoundParts looks for the parts, be they joined by letters that belong to neither (German -s-, -n-, -en-, -es-).
func (m *queryMessage) addCompoundParts(i int, first, second string) {
	for _, joint := range []string{"", "s", "n", "en", "es", "er"} {
		rest, ok := strings.CutPrefix(second, joint)
		if !ok || len(rest) < minLonePartBytes || m.wordIDs(rest) == nil || m.lang.IsStopWord(first) {
			continue
		}
		m.addAlternative(first, i, i+1, float32(defaultWeights.partStrength))
		m.addAlternative(rest, i, i+1, float32(defaultWeights.partStrength))
		return
	}
}
