package retrieval

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/report"
	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
)

// MeasureAnswers measures, in this process, how long the built-in model takes to answer questions to the manual, the
// search and the quotes together. The baseline is plain BM25 over the same passages, which answers nothing; they take
// turns.
func MeasureAnswers(ctx context.Context, opt harness.Options, log io.Writer) (*report.Report, error) {
	set, err := manualQuestions()
	if err != nil {
		return nil, err
	}
	builtin := eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}, Now: time.Now}
	plain := eval.Runner{Baseline: true, Now: time.Now}
	var plainTimes, search, whole []time.Duration
	passages := 0
	for round := range opt.Rounds {
		fmt.Fprintf(log, "asking %d questions, round %d …\n", len(set.Questions), round+1)
		ground, err := plain.Run(ctx, set)
		if err != nil {
			return nil, err
		}
		answered, err := builtin.Run(ctx, set)
		if err != nil {
			return nil, err
		}
		passages = answered.Passages
		for i, t := range answered.Trials {
			plainTimes = append(plainTimes, fromMillis(ground.Trials[i].FindMS))
			search, whole = append(search, fromMillis(t.FindMS)), append(whole, fromMillis(t.FindMS+t.AnswerMS))
		}
	}
	rep := &report.Report{Machine: report.DescribeMachine(os.TempDir()), Command: "go run ./bench " + opt.Args}
	rep.Add("answers", answerRows(fmt.Sprintf("**the manual**, %d passages, %d questions", passages, len(set.Questions)),
		plainTimes, search, whole))
	return rep, nil
}

// manualQuestions returns the set of questions to the manual, where it is beside the checkout, together with the
// questions that the manual's headings are.
func manualQuestions() (eval.Set, error) {
	questions := corpus.Questions
	dir := filepath.Join(corpus.DataSetsDir(), "manual-questions")
	if sets, err := eval.ReadSets(os.DirFS(dir), ""); err == nil {
		questions = nil
		for _, q := range sets[0].Questions {
			questions = append(questions, q.Text)
		}
	}
	return eval.ManualSet(questions...)
}

func answerRows(name string, plainTimes, search, whole []time.Duration) (rows []report.Row) {
	slices.Sort(plainTimes)
	slices.Sort(search)
	slices.Sort(whole)
	at := func(times []time.Duration, q float64) float64 { return report.Milliseconds(report.Quantile(times, q)) }
	fast := report.EitherOf(report.AtMostTimes(2), report.AtMost(12, "ms"))
	return []report.Row{
		report.ComparedRow(name+": answer, search and quotes together (beside plain BM25), p50", "ms", at(plainTimes, .5),
			at(whole, .5), nil),
		report.ComparedRow("… p99", "ms", at(plainTimes, .99), at(whole, .99), &fast),
		report.SingleRow("… of it the search, p50", "ms", at(search, .5), nil),
		report.SingleRow("… p99", "ms", at(search, .99), nil),
	}
}

func fromMillis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
