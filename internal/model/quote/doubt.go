package quote

import (
	"context"
	"math"
	"strings"
	"unicode"

	"parley/internal/model"
	"parley/internal/text/words"
)

// minAnswerConfidence is the confidence under which the model says that it does not know: on public sets of questions whose answer the
// sources hold or merely touch, one answerable question in seven falls below it (TestRefusal in eval).
const minAnswerConfidence = 0.555

// confidenceFeatures are the signs that the confidence is made of, in the order of featureWeights.
type confidenceFeatures [10]float64

// featureWeights are those of a logistic regression over the signs. PARLEY_LEARN_DOUBT=DIR go test ./internal/eval -run
// TestLearnDoubt fits them anew on the sets of questions in the folder, and prints how they do on questions that they were not
// fitted on. Names of the question that the passage lacks, a person or a place beside the matched words, a lead over the next
// source and the rarest word told nothing beyond these.
var featureWeights = confidenceFeatures{2.35, 7.51, 1.32, 2.25, 1.70, 0.24, 0.97, 1.29, -1.87, -0.72}

const featureBias = -5.03

// confidence tells how likely the unit answers the question, 0 to 1.
func (t *parsedQuestion) confidence(passages []model.Passage, p *passageLayout, best quotableUnit) float64 {
	z := featureBias
	for i, d := range t.features(passages, p, best) {
		z += featureWeights[i] * d
	}
	z -= missingAmountLoss * boolToFloat(t.lacksAmount(mergeMatches(p.passageMatch, best.ownMatch)) || !best.isTableRow && t.contentWordCount() == 1 && t.lacksCount(passages[best.passageIndex].Text))
	return 1 / (1 + math.Exp(-z))
}

const maxCountedWords = 6 // content words of a question

func (t *parsedQuestion) features(passages []model.Passage, p *passageLayout, best quotableUnit) confidenceFeatures {
	passage := passages[best.passageIndex]
	first, plain := effectiveSignals(&passages[0]), t.shareOutsideCode(passages[0])
	return confidenceFeatures{
		plain * first.Words,
		plain * first.Letters,
		plain * first.Stretch,
		t.matchedShare(best.ownMatch, t.isSingleWord),
		t.matchedShare(t.matchText(p.scoredText), func(i int) bool { return t.isSingleWord(i) && p.titleMatch[i] < relatedStrength }), // what the title leaves to be said
		float64(min(t.contentWordCount(), maxCountedWords)),                                                                           // of many words some are missing always
		boolToFloat(t.isFollowUp),   // it names less of what it is about
		boolToFloat(t.isUnspaced()), // Words says nothing
		boolToFloat(!best.isTableRow && t.lacksCount(passage.Text)),
		boolToFloat(t.wantsNumber && !t.hasNewNumber(passage.Text)),
	}
}

// effectiveSignals returns those of the passage, or what its score alone lets guess.
func effectiveSignals(p *model.Passage) model.MatchSignals {
	if p.Signals == (model.MatchSignals{}) {
		return model.MatchSignals{Letters: 0.3 * p.Score, Words: 0.4 * p.Score, Stretch: p.Score}
	}
	return p.Signals
}

func boolToFloat(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// matchedShare is the weight of those of the message's words that were found, 0 to 1; half where there are none such.
func (t *parsedQuestion) matchedShare(found []float64, of func(i int) bool) float64 {
	matched, all := 0.0, 0.0
	for i, s := range t.terms {
		if s.fromLastMessage && of(i) {
			matched += s.weight * found[i]
			all += s.weight
		}
	}
	if all == 0 {
		return 0.5
	}
	return matched / all
}

func (t *parsedQuestion) isSingleWord(i int) bool { return !t.terms[i].isPair }

// contentWordCount counts the content words of the message itself.
func (t *parsedQuestion) contentWordCount() (n int) {
	for _, s := range t.terms {
		if s.fromLastMessage && !s.isPair {
			n++
		}
	}
	return n
}

// isUnspaced reports that no word of the message is set apart from the others.
func (t *parsedQuestion) isUnspaced() bool {
	for _, s := range t.terms {
		if s.fromLastMessage && !s.isPair && !words.IsUnspaced(s.word) {
			return false
		}
	}
	return len(t.terms) > 0
}

// hasNewNumber reports a number in the text that the question does not name itself.
func (t *parsedQuestion) hasNewNumber(text string) bool {
	for token := range words.Tokens(text) {
		if isNumber(token.Word) && !strings.Contains(t.foldedText, token.Word) {
			return true
		}
	}
	return false
}

// countWordReach is how many words after a number the thing stands that it counts.
const countWordReach = 4

// lacksCount reports that the question asks how many there are of something, and that the text has no number before that word.
func (t *parsedQuestion) lacksCount(text string) bool {
	if t.countedStem == "" {
		return false
	}
	left, last := 0, 0
	for token := range words.Tokens(text) {
		left--
		if strings.Contains(text[min(last, token.Start):token.Start], ". ") {
			left = 0 // another sentence
		}
		last = token.End
		if isNumber(token.Word) {
			left = countWordReach
		} else if left >= 0 && t.lang.Stem(token.Word) == t.countedStem {
			return false
		}
	}
	return true
}

// isNumber tells numbers, written in digits or out.
func isNumber(word string) bool {
	return words.KindOf(word)&words.Number != 0 || numeralWords[word] || strings.IndexFunc(word, unicode.IsDigit) == 0
}

// numeralWords are those that words.KindOf leaves out: in the languages that it knows they mean something else as well.
var numeralWords = newWordSet(`one due tre quattro cinque sei sette otto nove dieci dois duas quatro sete oito dez twee drie vijf zes zeven negen tien
	два три четыре пять шесть семь восемь девять десять`)

// ConfidenceFeatures returns the signs that the confidence in the answer to the request is made of, nil where nothing is there to be quoted: what
// the weights are fitted on.
func ConfidenceFeatures(req model.Request) []float64 {
	userQuestions := sourceQuestions(shortenMessages(req.Messages))
	if len(userQuestions) == 0 {
		return nil
	}
	t := parseQuestion(userQuestions, req.Passages)
	pages := t.layOutPassages(context.Background(), req.Passages)
	best := bestUnit(pages)
	if best.score == 0 {
		return nil
	}
	signs := t.features(req.Passages, &pages[best.passageIndex], best)
	return signs[:]
}
