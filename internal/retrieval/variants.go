package retrieval

import (
	"slices"
	"strings"

	"parley/internal/text/words"
)

// findJoinedWords finds words that passages write as one: "git hub" and "e-mail" where they have "github" and "email".
func (m *queryMessage) findJoinedWords() {
	for i := 1; i < len(m.tokens); i++ {
		a, b := m.tokens[i-1], m.tokens[i]
		if gap := m.gapBefore(i); a.Unspaced || b.Unspaced || gap != " " && gap != "-" ||
			len(a.Word)+len(b.Word) < minJoinedBytes {
			continue
		}
		if word := a.Word + b.Word; m.hasWord(word) {
			m.addAlternative(word, i-1, i+1, 1)
		}
	}
}

// Bytes of the words that are put together or apart.
const (
	minJoinedBytes   = 5 // a whole word
	maxSplitBytes    = 200
	minPartBytes     = 2 // a part that is looked for beside the other only
	minLonePartBytes = 4 // a part that is looked for alone
)

// findSplitWords finds a word that passages write as two, "setup" as "set up"; the parts of a compound that no passage
// has are looked for by themselves, "Donaudampfer" as "Donau" and "Dampfer".
func (m *queryMessage) findSplitWords() {
	for i, t := range m.tokens {
		a := &m.words[i]
		if t.Unspaced || a.isStop || len(t.Word) < minJoinedBytes || len(t.Word) > maxSplitBytes || hasDigit(t.Word) {
			continue
		}
		for at := minPartBytes; at <= len(t.Word)-minPartBytes; at++ {
			first, second := t.Word[:at], t.Word[at:]
			if !m.hasWord(first) {
				continue
			}
			if m.hasWord(second) {
				m.addPhrase([]string{first, second}, i, i+1, 0)
			}
			if !m.isIndexed(i) && at >= minLonePartBytes {
				m.addCompoundParts(i, first, second)
			}
		}
	}
}

// isIndexed reports whether passages have the word itself, in some form.
func (m *queryMessage) isIndexed(i int) bool {
	return m.words[i].isIndexed && m.stems.docCount(m.words[i].stem) > 0
}

// addCompoundParts looks for the parts, be they joined by letters that belong to neither (German -s-, -n-, -en-, -es-).
func (m *queryMessage) addCompoundParts(i int, first, second string) {
	for _, joint := range []string{"", "s", "n", "en", "es", "er"} {
		rest, ok := strings.CutPrefix(second, joint)
		if !ok || len(rest) < minLonePartBytes || !m.hasWord(rest) || m.lang.IsStopWord(first) {
			continue
		}
		m.addAlternative(first, i, i+1, float32(defaultWeights.partStrength))
		m.addAlternative(rest, i, i+1, float32(defaultWeights.partStrength))
		return
	}
}

// addSynonyms looks for what the operator says is the same as something in the message. A group counts once for each
// place where one of its members is.
func (m *queryMessage) addSynonyms(groups [][]string) {
	if len(groups) == 0 {
		return
	}
	folded := words.Fold(m.text)
	for _, group := range groups {
		for i, member := range group {
			if slices.Contains(group[:i], member) || !mayContain(folded, member) {
				continue
			}
			for from, to := range m.findMember(member) {
				for j, other := range group {
					if other != member && !slices.Contains(group[:j], other) {
						m.addSynonym(other, from, to)
					}
				}
			}
		}
	}
}

// mayContain sorts out most members without cutting them into words: their first letters, which no ending changes, are
// not there.
func mayContain(folded, member string) bool {
	const letters = 3
	runes := []rune(words.Fold(strings.TrimSpace(member)))
	return len(runes) > 0 && strings.Contains(folded, string(runes[:min(letters, len(runes))]))
}

// findMember finds the member in the message, in whatever forms of its words.
func (m *queryMessage) findMember(member string) func(yield func(from, to int) bool) {
	var stems []string
	for t := range words.Tokens(member) {
		stems = append(stems, m.lang.Stem(t.Word))
	}
	return func(yield func(from, to int) bool) {
		for from := 0; len(stems) > 0 && from+len(stems) <= len(m.tokens); from++ {
			if m.matchesAt(stems, from) && !yield(from, from+len(stems)) {
				return
			}
		}
	}
}

func (m *queryMessage) matchesAt(stems []string, from int) bool {
	for i, stem := range stems {
		if m.lang.Stem(m.tokens[from+i].Word) != stem {
			return false
		}
	}
	return true
}

// addSynonym lets the other member stand for the words of the message: one word in whatever form, several side by side.
func (m *queryMessage) addSynonym(other string, from, to int) {
	var list []string
	for t := range words.Tokens(other) {
		list = append(list, t.Word)
	}
	switch {
	case len(list) == 1:
		m.addAlternative(list[0], from, to, 1)
	case len(list) > 1 && m.addPhrase(list, from, to, 0):
		for _, word := range list {
			m.addWord(word)
		}
	}
}

// addWord looks for passages with the word, which counts only beside others when they are read.
func (m *queryMessage) addWord(word string) {
	stem := m.lang.Stem(word)
	if id, ok := m.stems.ids.find(words.Hash(stem)); ok && !m.lang.IsStopWord(word) {
		m.addAlternativeTerms(m.out, stem, id, m.weight, m.weight)
	}
}
