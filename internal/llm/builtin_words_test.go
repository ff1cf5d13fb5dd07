package llm

import (
	"testing"

	"parley/internal/words"
)

// What is looked for in folded text must be folded itself, or it is never found.
func TestWordListsAreFolded(t *testing.T) {
	for _, list := range [][]string{stepWords, oftenWords, personWords, placeWords, costWords, aboutWords, whatWords, mayWords, muchWords, whenWords, politeDenials, past, changes, refusals} {
		for _, phrase := range list {
			if folded := words.Fold(phrase); folded != phrase {
				t.Errorf("%q is folded %q", phrase, folded)
			}
		}
	}
	for _, set := range []map[string]bool{counting, negations, instructing, frameWords, numerals, leaning, speaksTo, persons, agents, speaksOnly, rude, rudeAlong, yeses, noes,
		hating, loathing, denials, polite, ignorable, greetings, contrasts, wishing, own, asksHow, asksWhat, asksWhich, givingUp, couldBe, allowing, fillers, ones, spans,
		telephones, payments, openFor, listVerbs, auxiliaries, subjects, obligations} {
		for word := range set {
			if tokens := words.Cut(nil, word); len(tokens) != 1 || tokens[0].Word != word {
				t.Errorf("%q is cut into %+v", word, tokens)
			}
		}
	}
}
