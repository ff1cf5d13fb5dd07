package eval

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/text/words"
)

// Outcome is what a customer got for a question.
type Outcome string

// The outcomes. An answer is right if it holds one of the references, or, in a set that has none, if it cites what
// holds the answer. A question that the sources do not answer has no right answer.
const (
	OutcomeRight       Outcome = "right"
	OutcomeWrong       Outcome = "wrong"
	OutcomeUnsureRight Outcome = "unsure, right" // it says that it is not sure, and what it quotes is right
	OutcomeUnsureWrong Outcome = "unsure, wrong"
	OutcomeAskedBack   Outcome = "asked back"
	OutcomeRefused     Outcome = "refused"
)

// Outcomes counts what became of questions.
type Outcomes struct {
	Asked       int `json:"asked"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	UnsureRight int `json:"unsure_right"`
	UnsureWrong int `json:"unsure_wrong"`
	AskedBack   int `json:"asked_back"`
	Refused     int `json:"refused"`
}

// Add adds the counts of another set.
func (o *Outcomes) Add(p Outcomes) {
	o.Asked, o.Right, o.Wrong, o.Refused = o.Asked+p.Asked, o.Right+p.Right, o.Wrong+p.Wrong, o.Refused+p.Refused
	o.UnsureRight, o.UnsureWrong, o.AskedBack = o.UnsureRight+p.UnsureRight, o.UnsureWrong+p.UnsureWrong,
		o.AskedBack+p.AskedBack
}

func (o *Outcomes) add(of Outcome) {
	o.Asked++
	switch of {
	case OutcomeRight:
		o.Right++
	case OutcomeWrong:
		o.Wrong++
	case OutcomeUnsureRight:
		o.UnsureRight++
	case OutcomeUnsureWrong:
		o.UnsureWrong++
	case OutcomeAskedBack:
		o.AskedBack++
	case OutcomeRefused:
		o.Refused++
	}
}

func (t *Trial) setOutcome(references []string) {
	if !t.isAnswered() {
		return
	}
	right := t.CitesRelevant
	if len(references) > 0 {
		right = containsReference(t.Answer, references)
	}
	switch {
	case t.Refused:
		t.Outcome = OutcomeRefused
	case t.Citations == 0 && t.Score == nil:
		t.Outcome = OutcomeAskedBack
	case t.Unsure && right:
		t.Outcome = OutcomeUnsureRight
	case t.Unsure:
		t.Outcome = OutcomeUnsureWrong
	case right:
		t.Outcome = OutcomeRight
	default:
		t.Outcome = OutcomeWrong
	}
}

// containsReference reports whether the reply holds one of the references, whatever its spaces, marks and capitals.
func containsReference(reply string, references []string) bool {
	reply = compactText(reply)
	return slices.ContainsFunc(references, func(r string) bool {
		r = compactText(r)
		return r != "" && strings.Contains(reply, r)
	})
}

func compactText(text string) string {
	return strings.Join(strings.Fields(strings.Trim(words.Fold(text), " .,;:。，")), " ")
}

// setOutcomes counts the outcomes of the questions that the set says to be answerable or not.
func (f *Figures) setOutcomes(trials []Trial) {
	for _, t := range trials {
		switch {
		case t.Answerable == nil || t.Outcome == "":
		case *t.Answerable:
			f.Answered.add(t.Outcome)
		default:
			f.Open.add(t.Outcome)
		}
	}
}

// leaveOut asks the questions of each document again while that document is not there. Sets that ask what their
// documents do not answer, or whose questions belong to several documents, are left as they are.
func (r Runner) leaveOut(ctx context.Context, s *corpus, set Set) (sum *Outcomes, err error) {
	index, ok := s.passageFinder.(*retrieval.Index)
	if !ok || !canLeaveOut(set) {
		return nil, nil
	}
	sum = &Outcomes{}
	for from := 0; from < len(s.passages); {
		to := from + 1
		for to < len(s.passages) && s.passages[to].SourceID == s.passages[from].SourceID {
			to++
		}
		if err := r.askWithout(ctx, s, index, set, s.passages[from:to], sum); err != nil {
			return nil, err
		}
		from = to
	}
	return sum, nil
}

func canLeaveOut(set Set) bool {
	return len(set.Docs) > 1 && !slices.ContainsFunc(set.Questions, func(q Question) bool {
		return q.Answerable == nil || len(q.Relevant) > 1 || len(q.History) > 0 || *q.Answerable && len(q.Relevant) == 0 ||
			!*q.Answerable && len(set.Docs[0].Questions) == 0
	})
}

// askWithout takes the passages of one document away, asks its questions, and puts the passages back.
func (r Runner) askWithout(ctx context.Context, s *corpus, index *retrieval.Index, set Set, of []parley.Passage,
	sum *Outcomes) error {
	ids := make([]parley.PassageID, len(of))
	for i, p := range of {
		ids[i] = p.ID
	}
	index.Remove(ids...)
	defer index.Put(of...)
	for _, q := range set.Questions {
		if len(q.Relevant) == 0 || q.Relevant[0] != string(of[0].SourceID) {
			continue
		}
		q.Relevant, q.References, q.Answerable = nil, nil, &isFalse
		t, err := r.runQuestion(ctx, s, q)
		if err != nil {
			return err
		}
		sum.add(t.Outcome)
	}
	return nil
}
