package quote

import (
	"testing"

	"parley/internal/text/words"
)

// What is looked for in folded text must be folded itself, or it is never found.
func TestWordListsAreFolded(t *testing.T) {
	for _, list := range [][]string{stepPhrases, oftenPhrases, personPhrases, placePhrases, costPhrases,
		overviewPhrases, definitionPhrases, permissionPhrases, howMuchPhrases, whenPhrases, politeDenialPhrases,
		pastPhrases, changedMindPhrases} {
		for _, phrase := range list {
			if folded := words.Fold(phrase); folded != phrase {
				t.Errorf("%q is folded %q", phrase, folded)
			}
		}
	}
	for _, set := range []map[string]bool{countingWords, negationWords, instructionVerbs, questionFrameWords,
		numeralWords, backReferenceWords, contactVerbs, personNouns, agentNouns, talkVerbs, rudeWords, rudeFillerWords,
		affirmativeWords, negativeWords, dislikeVerbs, dislikeWords, denialWords, politeWords, ignorableWords,
		greetingWords, contrastWords, wishWords, possessiveWords, howQuestionWords, whatQuestionWords, whichQuestionWords,
		cancelWords, possibilityWords, permissionWords, measureFillerWords, countingArticles, timeUnitWords,
		telephoneWords, paymentVerbs, openingHoursWords, listVerbs, auxiliaryVerbs, subjectPronouns, obligationVerbs} {
		for word := range set {
			if tokens := words.AppendTokens(nil, word); len(tokens) != 1 || tokens[0].Word != word {
				t.Errorf("%q is cut into %+v", word, tokens)
			}
		}
	}
}
