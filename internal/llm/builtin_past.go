package llm

import (
	"slices"
	"strings"
)

// recounts reports that the sentence tells of something that was done or said, that the speaker would hate to do, or that they
// take back at once, rather than to ask for it.
func (s *told) recounts(t *trigger, m match) bool {
	first, last := m.at[0], m.at[len(m.at)-1]
	if s.tokens[first].Dense || s.tokens[last].Dense {
		return s.recountsDense(t, first, last)
	}
	from := s.clauseOf(first)
	for i := from; i < first; i++ {
		if (s.happened(i, first) || s.hates(i, first) || s.reports(i, m.at)) && !s.wishes(i, first) {
			return true
		}
	}
	return s.quotes(m.at) || s.hatesBefore(from) && !s.wishes(from, first) || s.letDo(from, last) || s.retracts(last)
}

// wishes reports a word between the two that asks for something after all.
func (s *told) wishes(i, first int) bool {
	return slices.ContainsFunc(s.tokens[min(i+1, first):first], func(h heard) bool { return wishing[h.Word] })
}

var wishing = wordSet(`want wanna please pls let lets gimme connect transfer bitte will mochte wurde konnen quiero quisiera veux voudrais vorrei voglio quero`)

// happened reports words that put what follows into the past or into somebody's mouth: "was told to", "j'ai fait".
func (s *told) happened(i, first int) bool {
	var b strings.Builder
	for _, h := range s.tokens[i:min(first, i+3)] {
		b.WriteString(h.Word + " ")
	}
	return slices.ContainsFunc(past, func(p string) bool { return strings.HasPrefix(b.String(), p+" ") })
}

var past = func() (all []string) {
	for be := range strings.FieldsSeq("was were been got being") {
		for done := range strings.FieldsSeq("told asked advised instructed forced supposed going about planning made") {
			all = append(all, be+" "+done+" to")
		}
	}
	return append(all, "had to", "used to", "ai fait", "as fait", "a fait", "avons fait", "avez fait", "ont fait", "viens de", "viens d", "vient de", "vient d",
		"ho fatto", "ha fatto", "abbiamo fatto", "hanno fatto", "ho appena", "he hecho", "ha hecho", "hemos hecho", "han hecho", "acabo de", "acaba de", "acabei de",
		"mandei", "لقد", "قد", "سبق")
}()

// hates reports that the speaker would rather not do what follows.
func (s *told) hates(i, first int) bool {
	switch w := s.tokens[i].Word; {
	case hating[w]:
		return true
	case !within("hate hates hated dislike loathe detest despise dread", w):
		return false
	case i+1 == first:
		return true
	default:
		next := s.tokens[i+1].Word
		return within("to having being when that it", next) || strings.HasSuffix(next, "ing")
	}
}

// hatesBefore reports that the clause before ends in such a verb: "Ich hasse es, …".
func (s *told) hatesBefore(from int) bool {
	end := from - 1
	if end > 0 && s.tokens[end].Word == "es" {
		end--
	}
	return end >= 0 && hating[s.tokens[end].Word] && s.tokens[end].clause == s.tokens[from].clause-1
}

var hating = wordSet(`hasse hassen odio detesto odiaria detestaria deteste detestons odeio haat اكره`)

// letDo reports a German past with the infinitive: "hat … stornieren lassen".
func (s *told) letDo(from, last int) bool {
	if last+1 >= len(s.tokens) || !within("lassen wollen sollen mussen konnen durfen", s.tokens[last+1].Word) {
		return false
	}
	for i := from; i < last; i++ {
		if within("habe hab hat haben hast habt hatte hatten", s.raw(i)) && !s.wishes(i, last) {
			return true
		}
	}
	return false
}

// retracts reports that the sentence goes on to take the wish back: "… but I changed my mind".
func (s *told) retracts(last int) bool {
	for i := last + 1; i < len(s.tokens); i++ {
		if !contrasts[s.tokens[i].Word] {
			continue
		}
		rest := " " + strings.Join(spoken(s.text[s.tokens[i].End:s.end]), " ") + " "
		if givesUp(rest) || slices.ContainsFunc(changes, func(p string) bool { return strings.Contains(rest, " "+p+" ") }) {
			return true
		}
	}
	return false
}

var changes = []string{"changed my mind", "changed our mind", "changed our minds", "anders uberlegt", "cambiado de opinion", "cambiado de idea", "change d avis",
	"cambiato idea", "mudei de ideia", "bedacht"}
