package retrieval

import "strings"

// joins lets words that passages write as one be met so: "git hub" and "e-mail" where they have "github" and "email".
func (m *message) joins() {
	for i := 1; i < len(m.tokens); i++ {
		a, b := m.tokens[i-1], m.tokens[i]
		if gap := m.gap(i); a.Dense || b.Dense || gap != " " && gap != "-" || len(a.Word)+len(b.Word) < shortest {
			continue
		}
		if word := a.Word + b.Word; m.forms(word) != nil {
			m.stand(word, i-1, i+1, 1)
		}
	}
}

// Bytes of the words that are put together or apart.
const (
	shortest = 5 // a whole word
	longest  = 200
	part     = 2 // a part that must stand beside the other
	bigPart  = 4 // a part that is looked for alone
)

// splits lets a word that passages write apart be met so, "setup" as "set up"; the parts of a compound that no passage has are
// looked for by themselves, "Donaudampfer" as "Donau" and "Dampfer".
func (m *message) splits() {
	for i, t := range m.tokens {
		a := &m.words[i]
		if t.Dense || a.stop || len(t.Word) < shortest || len(t.Word) > longest || hasDigit(t.Word) {
			continue
		}
		for at := part; at <= len(t.Word)-part; at++ {
			first, second := t.Word[:at], t.Word[at:]
			if m.forms(first) == nil {
				continue
			}
			if m.forms(second) != nil {
				m.phrase([]string{first, second}, i, i+1, 0)
			}
			if !m.met(i) && at >= bigPart {
				m.compound(i, first, second)
			}
		}
	}
}

// met reports that passages have the word itself, in some form.
func (m *message) met(i int) bool { return m.words[i].known && m.stems.held(m.words[i].stem) > 0 }

// compound looks for the parts, be they joined by letters that belong to neither (German -s-, -n-, -en-, -es-).
func (m *message) compound(i int, first, second string) {
	for _, joint := range []string{"", "s", "n", "en", "es", "er"} {
		rest, ok := strings.CutPrefix(second, joint)
		if !ok || len(rest) < bigPart || m.forms(rest) == nil || m.lang.IsStop(first) {
			continue
		}
		m.stand(first, i, i+1, float32(tune.partLike))
		m.stand(rest, i, i+1, float32(tune.partLike))
		return
	}
}
