package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/testkit/check"
)

// readSets returns the development sets of a folder in PARLEY_DATA_SETS, or in ../shared/data beside the repository. A
// measurement is skipped without them, and where it would take too long.
func readSets(t *testing.T, folder string) []eval.Set {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("a measurement")
	}
	sets, err := eval.ReadSets(os.DirFS(filepath.Join(dataSetsDir(t), folder)), "")
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func dataSetsDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("PARLEY_DATA_SETS"); dir != "" {
		return dir
	}
	return filepath.Dir(check.SharedDir(t, "xquad"))
}

// silentModel answers nothing: finding is measured without waiting for answers.
type silentModel struct{}

func (silentModel) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(func(model.Chunk, error) bool) {}
}

func measureSet(t *testing.T, m model.Model, set eval.Set) eval.Figures {
	t.Helper()
	r := eval.Runner{Backend: model.Backend{Model: m, Label: model.BuiltinName}, Now: time.Now}
	result, err := r.Run(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	return result.Figures
}

// The minimums lie a hair below what was measured when the weights were last chosen: no step may cost anything.
func TestQuality(t *testing.T) {
	const tolerance = 0.002
	sets := append(readSets(t, "xquad"), readSets(t, "stackfaq")...)
	sets = append(append(sets, stackFAQPairs(t, false), stackFAQPairs(t, true)), readSets(t, "clapnq")...)
	sets = append(append(sets, readSets(t, "mtrag-un")...), readSets(t, "ente-help")...)
	minimums := map[string]struct{ r1, r5, ap float64 }{
		"xquad.en": {r1: .949}, "xquad.de": {r1: .928}, "xquad.es": {r1: .940}, "xquad.ar": {r1: .917},
		"xquad.zh": {r1: .938},
		"stackfaq": {ap: .861}, "stackfaq-qna": {ap: .869}, "stackfaq pairs": {ap: .833}, "stackfaq answers": {ap: .792},
		"clapnq": {r1: .953}, "mtrag-un": {r5: .895}, "ente-help": {r1: .617, r5: .947},
	}
	for _, set := range sets {
		f, minimum := measureSet(t, silentModel{}, set), minimums[set.Name]
		t.Logf("%-18s %4d questions  R@1 %.3f  R@5 %.3f  MAP %.3f", set.Name, len(set.Questions), *f.R1, *f.R5, *f.MAP)
		if *f.R1 < minimum.r1-tolerance || *f.R5 < minimum.r5-tolerance || *f.MAP < minimum.ap-tolerance {
			t.Errorf("%s is below its minimum %+v", set.Name, minimum)
		}
	}
}

// stackFAQPairs returns StackFAQ with a passage for each answer of a thread: the thread's question alone, or with the
// answer below it.
func stackFAQPairs(t *testing.T, answers bool) eval.Set {
	set := readSets(t, "stackfaq")[0]
	set.Name = map[bool]string{false: "stackfaq pairs", true: "stackfaq answers"}[answers]
	set.Docs = nil
	of := map[string][]string{}
	for _, th := range readThreads(t) {
		for i, a := range th.Answers {
			d := eval.Doc{ID: fmt.Sprintf("%s-%03d", th.ID, i), Text: th.Question, IsPassage: true}
			if answers {
				d.Title, d.Text = th.Question, a
			}
			set.Docs, of[th.ID] = append(set.Docs, d), append(of[th.ID], d.ID)
		}
	}
	for i, q := range set.Questions {
		set.Questions[i].Relevant = of[q.Relevant[0]]
	}
	return set
}

type faqThread struct {
	ID, Question string
	Answers      []string
}

func readThreads(t *testing.T) (all []faqThread) {
	text, err := os.ReadFile(filepath.Join(dataSetsDir(t), "stackfaq", "bank.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var th faqThread
		if err := json.Unmarshal([]byte(line), &th); err != nil {
			t.Fatal(err)
		}
		all = append(all, th)
	}
	return all
}
