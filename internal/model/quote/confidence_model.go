package quote

import (
	"context"
	_ "embed" // the weights
	"math"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"parley"
	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// confidenceFeatures are the signs that the confidence is made of, in the order of a model's weights.
type confidenceFeatures [13]float64

// confidenceModel is a logistic regression over the signs.
type confidenceModel struct {
	bias    float64
	weights confidenceFeatures
}

// What answers a question above it, as in a Q&A, is told by other signs than other text: by how far that question is
// the one asked, and how far the best source is before the next. Questions in another language than the passages have
// weights of their own. Names of the question that the passage lacks, what the passages of other sources hold on
// average, how much of the question no passage knows and the rank of what is quoted added nothing.
var (
	proseConfidence      = sync.OnceValue(func() *confidenceModel { return readConfidence("prose") })
	qnaConfidence        = sync.OnceValue(func() *confidenceModel { return readConfidence("qna") })
	translatedConfidence = sync.OnceValue(func() *confidenceModel { return readConfidence("translated") })
)

// confidenceSignNames are the names of the signs, in their order.
var confidenceSignNames = []string{"words", "letters", "stretch", "named by the quote", "named beyond the title",
	"words of the question", "follow-up", "no spaces between words", "no count", "no number", "title", "lead", "asked"}

// ConfidenceSignNames returns the names of the signs of the confidence, in their order.
func ConfidenceSignNames() []string { return confidenceSignNames }

func readConfidence(kind string) *confidenceModel {
	weights := readWeights().Confidence[kind]
	m := &confidenceModel{bias: weights["base"]}
	copy(m.weights[:], orderWeights(weights, confidenceSignNames))
	return m
}

// weights.yaml holds what is fitted, by the names of the signs.
//
//go:embed weights.yaml
var weightsText []byte

type fittedWeights struct {
	Answering  map[string]float64            `yaml:"answering"`
	Confidence map[string]map[string]float64 `yaml:"confidence"`
}

// readWeights reads the file once; a fault in it is one of the program.
var readWeights = sync.OnceValue(func() (w fittedWeights) {
	if err := yaml.Unmarshal(weightsText, &w); err != nil {
		panic(err)
	}
	return w
})

// orderWeights returns the weights of the signs in their order.
func orderWeights(weights map[string]float64, names []string) (ordered []float64) {
	for _, name := range names {
		ordered = append(ordered, weights[name])
	}
	return ordered
}

// of returns the confidence by the signs, less a loss in the exponent.
func (m *confidenceModel) of(signs confidenceFeatures, loss float64) float64 {
	z := m.bias - loss
	for i, d := range signs {
		z += m.weights[i] * d
	}
	return 1 / (1 + math.Exp(-z))
}

// confidenceBounds are the confidences from which on an answer is given, and given as one that is not sure.
type confidenceBounds struct{ answer, unsure float64 }

var (
	proseBounds    = confidenceBounds{0.48, 0.2}
	qnaBounds      = confidenceBounds{0.66, 0.09}
	questionBounds = confidenceBounds{0.43, 0.09}
	// of a Q&A with one question: that has to be like the one asked, where of many one is by chance
	singleQuestionBounds = confidenceBounds{0.55, 0.09}

	translatedBounds = confidenceBounds{0.68, 0.33}
)

func (q *parsedQuestion) boundsFor(p model.Passage) confidenceBounds {
	switch {
	case q.isTranslated():
		return translatedBounds
	case p.IsQnA && !strings.Contains(p.Heading, headingSeparator):
		return singleQuestionBounds
	case p.IsQnA:
		return qnaBounds
	case isUnderQuestion(p):
		return questionBounds
	}
	return proseBounds
}

// A doubtful answer is for questions that the sources touch: the best two sentences of the best passage hold some of
// the question, the passage that is quoted holds with its headings most of a question of two words, and where an amount
// is asked for there is one. In scripts without spaces two sentences hold some of any question.
const (
	minTopicShare      = 0.25
	minShortTopicShare = 0.6
	// of a longer question that is named where no amount is: "how long" may be answered by "to the end of the century"
	minShareWithoutAmount = 0.6
	maxShortTopicWords    = 2
)

// reasonAgainst returns why the question gets no doubtful answer from the passage; empty if it may have one.
func (q *parsedQuestion) reasonAgainst(passages []model.Passage, p *passageLayout,
	best quotableUnit) parley.AnswerReason {
	isShort := q.contentWordCount() <= maxShortTopicWords
	switch {
	case q.lacksWhatIsAsked(p, best) && (isShort || q.namedShare(p, best) < minShareWithoutAmount):
		return parley.ReasonNoAmount
	case isShort && q.matchedShare(p.passageMatch, q.isSingleWord) < minShortTopicShare,
		!q.isUnspaced() && effectiveSignals(&passages[0]).Stretch < minTopicShare:
		return parley.ReasonOffTopic
	}
	return ""
}

// An answer without doubt names more than half of a short question and half of a longer one that follows another, or is
// under a heading that the question names; and where the question points at what was said before and the passage is not
// about that, it names most of more words. Longer questions by themselves need not be named by half: where the sources
// answer them, the doubt would hit about five right answers for each wrong one.
const (
	maxFirmWords          = 3
	minFirmShare          = 0.5
	maxMissedSubject      = 0.9 // of the message before
	minFirmShareOfPointer = 0.75
	minFirmShareOfLong    = 0.5  // of a question that follows another
	minFirmScore          = 0.82 // from here on a question that follows another needs less, unless it is short
	minFirmShareOfSure    = 0.45
)

// isFirm reports whether a sure answer may be given as one. A page that is quoted for a line of its menu is none.
func (q *parsedQuestion) isFirm(passages []model.Passage, p *passageLayout, best quotableUnit, score float64) bool {
	passage := passages[best.passageIndex]
	if passage.IsQnA || q.isTranslated() || q.isUnspaced() || best.isTableRow || best.isCompared ||
		q.statesWithout(p, best) || q.statesAllowed(p, best) {
		return true
	}
	text := p.surroundings(best)
	if best.kind == markdown.Paragraph && !holdsSentence(text) && text != strings.TrimSpace(p.text) {
		return false
	}
	found := mergeMatches(mergeMatches(p.titleMatch, best.meantMatch), q.matchText(text))
	if before, ok := q.contrastedUnit(p, best); ok {
		found = mergeMatches(found, before.ownMatch)
	}
	share, n := q.matchedShare(found, q.isSingleWord), q.contentWordCount()
	isBeyondDoubt := score >= minFirmScore && n > maxShortTopicWords && share >= minFirmShareOfSure
	if q.missingSubject(p.passageMatch) >= maxMissedSubject && !isBeyondDoubt &&
		(share < minFirmShareOfPointer || n <= maxShortTopicWords) {
		return false
	}
	heading := innermostHeading(passage)
	namesEnough := !q.isFollowUp || isBeyondDoubt || n <= maxFirmWords || share >= minFirmShareOfLong ||
		isUnderQuestion(passage)
	return q.headingFocus(heading) >= minAskingShare || namesEnough && q.namesShortQuestions(found)
}

// namesShortQuestions reports whether what was found is more than half of each short question of the message.
func (q *parsedQuestion) namesShortQuestions(found []float64) bool {
	for _, s := range prose.Sentences(q.originalText, 0, len(q.originalText)) {
		text, isIn := q.originalText[s.Start:s.End], map[string]bool{}
		if s.End < len(q.originalText) && !strings.HasSuffix(text, "?") {
			continue // what leads to the question
		}
		for token := range words.Tokens(text) {
			isIn[token.Word] = true
		}
		n := 0
		share := q.matchedShare(found, func(i int) bool {
			if q.terms[i].isPair || !isIn[q.terms[i].word] {
				return false
			}
			n++
			return true
		})
		if 0 < n && n <= maxFirmWords && share <= minFirmShare {
			return false
		}
	}
	return true
}

// holdsSentence reports whether a line of the text ends as a sentence does.
func holdsSentence(text string) bool {
	for line := range strings.Lines(text) {
		if endsAsSentence(line) || endsWithColon(line) {
			return true
		}
	}
	return len(text) > maxLineBytes
}

// isNamedAbove reports whether the headings above the passage name all of a question that is not for a fact: to say
// that nothing is known, and that the sources speak of the very thing, would help nobody.
func (q *parsedQuestion) isNamedAbove(passage model.Passage, p *passageLayout) bool {
	return !passage.IsQnA && !q.wantsFact && !q.isFollowUp && !q.isTranslated() &&
		q.contentWordCount() >= minAskedWords && q.isNamedBy(p.titleMatch, isFrameWord)
}

// verdict is the confidence in what could be quoted, what to do with it, and what decided on that.
type verdict struct {
	score  float64
	state  parley.AnswerState
	reason parley.AnswerReason
}

// judge returns the verdict on the best unit.
func (q *parsedQuestion) judge(passages []model.Passage, pages []passageLayout, best quotableUnit) verdict {
	if best.score == 0 {
		return verdict{0, parley.AnswerRefused, parley.ReasonNothingFound}
	}
	passage, p := passages[best.passageIndex], &pages[best.passageIndex]
	score, bounds := max(q.confidence(passages, pages, best), q.minConfidence(passage, p, best)), q.boundsFor(passage)
	missing := q.codesNowhere(passages)
	switch {
	case len(missing) > 0:
		return verdict{score, parley.AnswerRefused, parley.ReasonOffTopic}
	case score >= bounds.answer && q.isBesideThePoint(p, passage, best):
		if reason := q.reasonAgainst(passages, p, best); reason != "" {
			return verdict{score, parley.AnswerRefused, reason}
		}
		return verdict{score, parley.AnswerUnsure, parley.ReasonNotFirm}
	case score >= bounds.answer:
		return verdict{score, parley.AnswerSure, parley.ReasonScore}
	case score >= bounds.unsure:
		if reason := q.reasonAgainst(passages, p, best); reason != "" {
			return verdict{score, parley.AnswerRefused, reason}
		}
		return verdict{score, parley.AnswerUnsure, parley.ReasonScore}
	case q.isNamedAbove(passage, p) && q.reasonAgainst(passages, p, best) == "":
		return verdict{score, parley.AnswerUnsure, parley.ReasonNamed}
	}
	return verdict{score, parley.AnswerRefused, parley.ReasonScore}
}

// isBesideThePoint reports whether what would be quoted lacks a code of the question, or the price or the number that
// it asks for, or speaks of the other side of what it is about.
func (q *parsedQuestion) isBesideThePoint(p *passageLayout, passage model.Passage, best quotableUnit) bool {
	if passage.IsQnA {
		return false
	}
	text := q.quotedText(p, best)
	return len(q.missingCodes(append(headingPath(passage), text)...)) > 0 || q.contradicts(text) ||
		!best.isTableRow && q.lacksPrice(text)
}

// quotedText returns what is quoted around the unit; of a row all of its table.
func (q *parsedQuestion) quotedText(p *passageLayout, u quotableUnit) string {
	if u.isTableRow {
		return p.text[p.blocks[u.firstBlock].Start:p.blocks[u.lastBlock].End]
	}
	s := q.excerptAround(p, u)
	text := ""
	for _, span := range s.spans() {
		text += "\n" + p.text[span.Start:span.End]
	}
	return text
}

// maxPriceWords is how many words with a meaning a question has that asks for a price by naming it. A longer one may
// speak of a price as of any other thing.
const maxPriceWords = 4

// lacksPrice reports whether the question asks for a price or a telephone number that the text does not tell.
func (q *parsedQuestion) lacksPrice(text string) bool {
	if q.compares || !q.wantsFact && q.contentWordCount() > maxPriceWords {
		return false
	}
	return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.fromLastMessage && (s.measure == measurePrice || s.measure == measurePhoneNumber) &&
			!q.answersMeasure(s.measure, text)
	})
}

// Evidence is what the confidence in an answer is made of: what the weights are fitted on.
type Evidence struct {
	Features []float64
	Passage  int  // which is quoted
	IsQnA    bool // it answers a question that is its heading
}

// ReadEvidence returns the evidence for the answer to the request, nil if nothing is there to be quoted.
func ReadEvidence(req model.Request) *Evidence {
	userQuestions := sourceQuestions(shortenMessages(req.Messages))
	if len(userQuestions) == 0 {
		return nil
	}
	t := parseQuestion(userQuestions, req.Passages)
	pages := t.layOutPassages(context.Background(), req.Passages)
	best := firstOfQnA(req.Passages, pages, bestUnit(pages))
	if best.score == 0 {
		return nil
	}
	signs, p := t.features(req.Passages, pages, best), req.Passages[best.passageIndex]
	return &Evidence{signs[:], best.passageIndex, isUnderQuestion(p) || p.IsQnA}
}
