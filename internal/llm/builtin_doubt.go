package llm

import (
	"context"
	"math"
	"strings"
	"unicode"

	"parley/internal/words"
)

// refuseBelow is the confidence under which the model says that it does not know: on public sets of questions whose answer the
// sources hold or merely touch, one answerable question in seven falls below it (TestRefusal in eval).
const refuseBelow = 0.555

// doubts are the signs that the confidence is made of, in the order of doubtWeights.
type doubts [10]float64

// doubtWeights are those of a logistic regression over the signs. PARLEY_LEARN_DOUBT=DIR go test ./internal/eval -run
// TestLearnDoubt fits them anew on the sets of questions in the folder, and prints how they do on questions that they were not
// fitted on. Names of the question that the passage lacks, a person or a place beside the matched words, a lead over the next
// source and the rarest word told nothing beyond these.
var doubtWeights = doubts{2.35, 7.51, 1.32, 2.25, 1.70, 0.24, 0.97, 1.29, -1.87, -0.72}

const doubtBase = -5.03

// confidence tells how likely the unit answers the question, 0 to 1.
func (t *topic) confidence(passages []Passage, p *page, best unit) float64 {
	z := doubtBase
	for i, d := range t.doubts(passages, p, best) {
		z += doubtWeights[i] * d
	}
	z -= unmeasuredLoss * bit(t.unmeasured(merge(p.whole, best.own)) || !best.row && t.asked() == 1 && t.uncounted(passages[best.passage].Text))
	return 1 / (1 + math.Exp(-z))
}

const mostCounted = 6 // content words of a question

func (t *topic) doubts(passages []Passage, p *page, best unit) doubts {
	passage := passages[best.passage]
	first, plain := passages[0].signs(), t.outsideCode(passages[0])
	return doubts{
		plain * first.Words,
		plain * first.Letters,
		plain * first.Stretch,
		t.share(best.own, t.single),
		t.share(t.match(p.said), func(i int) bool { return t.single(i) && p.title[i] < kinStrength }), // what the title leaves to be said
		float64(min(t.asked(), mostCounted)), // of many words some are missing always
		bit(t.followUp),                      // it names less of what it is about
		bit(t.dense()),                       // Words says nothing
		bit(!best.row && t.uncounted(passage.Text)),
		bit(t.number && !t.numbers(passage.Text)),
	}
}

// signs gives those of the passage, or what its score alone lets guess.
func (p *Passage) signs() Signs {
	if p.Signs == (Signs{}) {
		return Signs{Letters: 0.3 * p.Score, Words: 0.4 * p.Score, Stretch: p.Score}
	}
	return p.Signs
}

func bit(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// share is the weight of those of the message's words that were found, 0 to 1; half where there are none such.
func (t *topic) share(found []float64, of func(i int) bool) float64 {
	met, all := 0.0, 0.0
	for i, s := range t.items {
		if s.own && of(i) {
			met += s.weight * found[i]
			all += s.weight
		}
	}
	if all == 0 {
		return 0.5
	}
	return met / all
}

func (t *topic) single(i int) bool { return !t.items[i].pair }

// asked counts the content words of the message itself.
func (t *topic) asked() (n int) {
	for _, s := range t.items {
		if s.own && !s.pair {
			n++
		}
	}
	return n
}

// dense reports that no word of the message is set apart from the others.
func (t *topic) dense() bool {
	for _, s := range t.items {
		if s.own && !s.pair && !words.Dense(s.word) {
			return false
		}
	}
	return len(t.items) > 0
}

// numbers reports a number in the text that the question does not name itself.
func (t *topic) numbers(text string) bool {
	for token := range words.Tokens(text) {
		if isNumber(token.Word) && !strings.Contains(t.question, token.Word) {
			return true
		}
	}
	return false
}

// countReach is how many words after a number the thing stands that it counts.
const countReach = 4

// uncounted reports that the question asks how many there are of something, and that the text has no number before that word.
func (t *topic) uncounted(text string) bool {
	if t.counted == "" {
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
			left = countReach
		} else if left >= 0 && t.lang.Stem(token.Word) == t.counted {
			return false
		}
	}
	return true
}

// isNumber tells numbers, written in digits or out.
func isNumber(word string) bool {
	return words.KindOf(word)&words.Number != 0 || numerals[word] || strings.IndexFunc(word, unicode.IsDigit) == 0
}

// numerals are those that words.KindOf leaves out: in the languages that it knows they mean something else as well.
var numerals = wordSet(`one due tre quattro cinque sei sette otto nove dieci dois duas quatro sete oito dez twee drie vijf zes zeven negen tien
	два три четыре пять шесть семь восемь девять десять`)

// Doubts gives the signs that the confidence in the answer to the request is made of, nil where nothing is there to be quoted: what
// the weights are fitted on.
func Doubts(req Request) []float64 {
	said := questions(shortened(req.Messages))
	if len(said) == 0 {
		return nil
	}
	t := newTopic(said, req.Passages)
	pages := t.pages(context.Background(), req.Passages)
	best := strongest(pages)
	if best.score == 0 {
		return nil
	}
	signs := t.doubts(req.Passages, &pages[best.passage], best)
	return signs[:]
}
