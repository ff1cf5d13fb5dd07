package eval_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/eval"
	"parley/internal/ingest"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/retrieval"
)

// trainingExample is a question with the signs that its best answer shows, and whether it is one.
type trainingExample struct {
	set, group   string // questions of one group are never on both sides of a test
	features     []float64
	isAnswerable float64
	weight       float64
}

// TestLearnDoubt fits the weights of the built-in model's confidence on the sets below the folder that
// PARLEY_LEARN_DOUBT names: clapnq and mtrag-un as they are, xquad and ente-help, xquad with half of its documents
// taken away, which leaves questions open, and small agents. The latter count little: most of what they ask is
// answered, or far from it. It prints the weights, and how well they tell answerable questions from others when fitted
// on other questions, and on the other set.
func TestLearnDoubt(t *testing.T) {
	dir := os.Getenv("PARLEY_LEARN_DOUBT")
	if dir == "" {
		t.Skip("PARLEY_LEARN_DOUBT is not set")
	}
	var whole, halved []trainingExample
	for _, name := range []string{"clapnq", "mtrag-un", "xquad", "ente-help"} {
		sets, err := eval.ReadSets(os.DirFS(filepath.Join(dir, name)), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			switch name {
			case "clapnq", "mtrag-un":
				whole = append(whole, trainingExamples(s, func(int) bool { return true }, 1)...)
				halved = append(halved, smallAgentExamples(s, 0.4)...)
			case "xquad":
				halved = append(halved, trainingExamples(s, func(int) bool { return true }, 0.06)...)
				halved = append(halved, trainingExamples(s, func(i int) bool { return i%2 == 1 }, 0.06)...)
				halved = append(halved, smallAgentExamples(s, 0.04)...)
			default:
				halved = append(halved, trainingExamples(s, func(int) bool { return true }, 0.6)...)
			}
		}
	}
	clap, mtrag := filterExamples(whole, func(l trainingExample) bool {
		return l.set == "clapnq"
	}), filterExamples(whole, func(l trainingExample) bool { return l.set != "clapnq" })
	var crossed []trainingExample
	var scores []float64
	const folds = 8
	for k := range folds {
		in := func(l trainingExample) bool { return hashGroup(l.group)%folds == k }
		w := fitWeights(filterExamples(slices.Concat(whole, halved), func(l trainingExample) bool { return !in(l) }))
		for _, l := range filterExamples(whole, in) {
			crossed, scores = append(crossed, l), append(scores, w.score(l))
		}
	}
	t.Log("cross-validated", describeSeparation(crossed, scores))
	for _, c := range []struct{ one, other []trainingExample }{{clap, mtrag}, {mtrag, clap}} {
		w := fitWeights(slices.Concat(c.one, halved))
		t.Log(c.one[0].set, "→", c.other[0].set, describeSeparation(c.other, w.scores(c.other)))
	}
	w := fitWeights(slices.Concat(whole, halved))
	t.Log("all", describeSeparation(whole, w.scores(whole)))
	t.Logf("base %.2f, weights %.2f", w[0], w[1:])
	answerable := filterExamples(whole, func(l trainingExample) bool { return l.isAnswerable == 1 })
	for _, falsely := range []float64{.1, .12, .14, .15} {
		t.Logf("refuses %.2f of the answerable below %.3f", falsely, quantile(w.scores(answerable), falsely))
	}
	for _, set := range []string{"clapnq", "mtrag-un", "xquad.en", "xquad.es", "xquad.de", "xquad.ar", "xquad.zh",
		"ente-help", "clapnq small", "mtrag-un small", "xquad.en small", "xquad.de small", "xquad.zh small"} {
		of := filterExamples(slices.Concat(whole, halved), func(l trainingExample) bool { return l.set == set })
		n := [2]float64{}
		all := [2]float64{}
		for _, l := range of {
			all[int(l.isAnswerable)]++
			if w.score(l) < quantile(w.scores(answerable), .14) {
				n[int(l.isAnswerable)]++
			}
		}
		t.Logf("%s: refuses %.2f of %v answerable, %.2f of %v others", set, n[1]/all[1], all[1], n[0]/all[0], all[0])
	}
}

func filterExamples(all []trainingExample, keep func(trainingExample) bool) (some []trainingExample) {
	for _, l := range all {
		if keep(l) {
			some = append(some, l)
		}
	}
	return some
}

func hashGroup(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() >> 8)
}

// trainingExamples asks the questions of the set while only some of its documents are there. Questions whose documents
// are taken away are open then; of the others only those count that had lost nothing to begin with.
func trainingExamples(s eval.Set, contains func(int) bool, weight float64) (all []trainingExample) {
	x, isMissing := retrieval.NewIndex(), map[string]bool{}
	for i, d := range s.Docs {
		if isMissing[d.ID] = !contains(i); !isMissing[d.ID] {
			x.Put(passagesOf(d)...)
		}
	}
	for _, q := range s.Questions {
		if q.Answerable == nil {
			continue
		}
		lost := slices.ContainsFunc(q.Relevant, func(id string) bool { return isMissing[id] })
		if !lost && !contains(0) { // asked already, with all documents there
			continue
		}
		draft := chat.StandaloneTurn{Agent: &parley.Agent{}, Backend: model.Backend{Model: quote.Model{},
			Label: model.BuiltinName}, Question: q.Text, History: q.History}
		l := trainingExample{set: s.Name, group: s.Name + strings.Split(q.ID, "<::>")[0],
			features: quote.ConfidenceFeatures(draft.Prompt(x.Nearest(draft.Query()))), weight: weight}
		if *q.Answerable && !lost {
			l.isAnswerable = 1
		}
		if strings.HasPrefix(s.Name, "xquad") {
			l.group = q.Relevant[0]
		}
		all = append(all, l)
	}
	return all
}

// smallAgentExamples asks the questions of agents that have read a dozen documents, about these.
func smallAgentExamples(s eval.Set, weight float64) (all []trainingExample) {
	n := len(s.Docs)/12 + 1
	for k := range n {
		part := eval.Set{Name: s.Name, Questions: nil}
		docs := map[string]bool{}
		for i, d := range s.Docs {
			if i%n == k {
				part.Docs, docs[d.ID] = append(part.Docs, d), true
			}
		}
		for _, q := range s.Questions {
			if docs[q.ID] || len(q.Relevant) > 0 && !slices.ContainsFunc(q.Relevant, func(id string) bool { return !docs[id] }) {
				part.Questions = append(part.Questions, q)
			}
		}
		for _, l := range trainingExamples(part, func(int) bool { return true }, weight) {
			l.set += " small"
			all = append(all, l)
		}
	}
	return all
}

func passagesOf(d eval.Doc) (list []parley.Passage) {
	id, text := parley.SourceID(d.ID), d.Text
	if d.IsPassage {
		return []parley.Passage{{ID: parley.PassageID(d.ID), SourceID: id, SourceName: d.SourceName, Heading: d.Title,
			End: len(text), Text: text}}
	}
	if d.Title != "" {
		text = "# " + d.Title + "\n\n" + text
	}
	for i, p := range ingest.Split(text) {
		list = append(list, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s#%d", d.ID, i)), SourceID: id,
			SourceName: d.SourceName, Ordinal: i,
			Heading: p.Heading, Start: p.Start, End: p.End, Text: text[p.Start:p.End]})
	}
	return list
}
