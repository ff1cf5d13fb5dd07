package retrieval

import (
	"strings"
	"unicode"
)

// findCodes looks for error codes, versions, model and standard numbers: "ERR-4012", "X-200", "ISO 27001", "err4012".
func (m *queryMessage) findCodes() {
	for i := 0; i < len(m.tokens); {
		end, word := m.codeEnd(i), m.tokens[i].Word
		if list := m.tokenWords(i, end); len(list) > 1 {
			whole := strings.Join(list, "")
			m.addName(defaultWeights.code, i, end, list, []string{whole})
			m.addAlternative(whole, i, end, 1)
		} else if parts := cutCode(word); parts != nil {
			m.addName(defaultWeights.code, i, end, parts, list)
		}
		i = end
	}
}

// codeEnd returns where the code that begins with token i ends; i+1 where none begins.
func (m *queryMessage) codeEnd(i int) int {
	end, digits := i+1, hasDigit(m.tokens[i].Word)
	letters := hasLetter(m.tokens[i].Word)
	for end < len(m.tokens) && !m.tokens[end].Unspaced {
		gap := m.gapBefore(end)
		bound := len(gap) == 1 && strings.Contains("-_/.#:", gap)
		named := gap == " " && end == i+1 && isNumber(m.tokens[end].Word) && isUpper(m.text[m.tokens[i].Start:m.tokens[i].End])
		if !bound && !named {
			break
		}
		digits = digits || hasDigit(m.tokens[end].Word)
		letters = letters || hasLetter(m.tokens[end].Word)
		end++
	}
	if !digits || !letters || m.tokens[i].Unspaced {
		return i + 1
	}
	return end
}

// cutCode parts letters from digits; nil where a word has but one of them.
func cutCode(word string) (parts []string) {
	if !hasDigit(word) || !hasLetter(word) {
		return nil
	}
	from := 0
	for i := 1; i <= len(word); i++ {
		if i == len(word) || digit(word[i]) != digit(word[i-1]) && word[i] != '.' && word[i-1] != '.' {
			parts, from = append(parts, word[from:i]), i
		}
	}
	return parts
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// hasLetter reports a Latin letter: codes have those, whatever language the text around is in.
func hasLetter(word string) bool { return strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz") }

func isNumber(word string) bool { return strings.Trim(word, "0123456789.") == "" }

// isUpper reports an abbreviation: letters, all of them large.
func isUpper(s string) bool {
	for _, r := range s {
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}
