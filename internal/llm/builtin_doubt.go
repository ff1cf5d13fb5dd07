package llm

import (
	"math"
	"strings"
)

// refuseBelow is the confidence under which the model says that it does not know. On public sets of questions whose answer
// the sources hold or merely touch, it is where one answerable question in seven is refused (TestRefusal in retrieval).
const refuseBelow = 0.42

// Weights of a logistic regression, fitted on one half of those sets and checked on the other. Names and numbers of the
// question that the passage lacks, a lead over the next source and the rarest word told nothing beyond these.
const (
	doubtBase     = -5.38
	doubtScore    = 5.9  // what retrieval says of the best passage
	doubtOwn      = 2.1  // share of the question that the quoted unit itself holds
	doubtWords    = 0.19 // for each content word of the question: of many some are missing always
	doubtFollow   = 1.1  // the question follows others: it names less of what it is about
	doubtNoNumber = -0.75
	mostCounted   = 6
)

// confidence tells how likely the unit answers the question, 0 to 1.
func (t *topic) confidence(passages []Passage, best unit) float64 {
	p := passages[best.passage]
	z := doubtBase + doubtScore*passages[0].Score + doubtOwn*t.cover(best.own) + doubtWords*float64(min(t.asked(), mostCounted))
	if t.followUp {
		z += doubtFollow
	}
	if t.number && !strings.ContainsAny(p.Text[best.start:best.end], "0123456789") {
		z += doubtNoNumber
	}
	return 1 / (1 + math.Exp(-z))
}

// asked counts the content words of the message itself.
func (t *topic) asked() (n int) {
	for _, s := range t.items {
		if s.own && !s.pair {
			n++
		}
	}
	return n
}
