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
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// lesson is a question with the signs that its best answer shows, and whether it is one.
type lesson struct {
	set, group string // questions of one group are never on both sides of a test
	signs      []float64
	answered   float64
	weight     float64
}

// TestLearnDoubt fits the weights of the built-in model's confidence on the sets below the folder that PARLEY_LEARN_DOUBT names:
// clapnq and mtrag-un as they are, xquad and ente-help, xquad with half of its documents taken away, which leaves questions open, and small agents.
// The latter count little: most of what they ask is answered, or far from it. It prints the weights, and how well they tell
// answerable questions from others when fitted on other questions, and on the other set.
func TestLearnDoubt(t *testing.T) {
	dir := os.Getenv("PARLEY_LEARN_DOUBT")
	if dir == "" {
		t.Skip("PARLEY_LEARN_DOUBT is not set")
	}
	var whole, halved []lesson
	for _, name := range []string{"clapnq", "mtrag-un", "xquad", "ente-help"} {
		sets, err := eval.Read(os.DirFS(filepath.Join(dir, name)), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			switch name {
			case "clapnq", "mtrag-un":
				whole = append(whole, lessons(s, func(int) bool { return true }, 1)...)
				halved = append(halved, small(s, 0.4)...)
			case "xquad":
				halved = append(halved, lessons(s, func(int) bool { return true }, 0.06)...)
				halved = append(halved, lessons(s, func(i int) bool { return i%2 == 1 }, 0.06)...)
				halved = append(halved, small(s, 0.04)...)
			default:
				halved = append(halved, lessons(s, func(int) bool { return true }, 0.6)...)
			}
		}
	}
	clap, mtrag := part(whole, func(l lesson) bool { return l.set == "clapnq" }), part(whole, func(l lesson) bool { return l.set != "clapnq" })
	var crossed []lesson
	var scores []float64
	const folds = 8
	for k := range folds {
		in := func(l lesson) bool { return fold(l.group)%folds == k }
		w := fit(part(slices.Concat(whole, halved), func(l lesson) bool { return !in(l) }))
		for _, l := range part(whole, in) {
			crossed, scores = append(crossed, l), append(scores, w.score(l))
		}
	}
	t.Log("cross-validated", verdict(crossed, scores))
	for _, c := range []struct{ one, other []lesson }{{clap, mtrag}, {mtrag, clap}} {
		w := fit(slices.Concat(c.one, halved))
		t.Log(c.one[0].set, "→", c.other[0].set, verdict(c.other, w.scores(c.other)))
	}
	w := fit(slices.Concat(whole, halved))
	t.Log("all", verdict(whole, w.scores(whole)))
	t.Logf("base %.2f, weights %.2f", w[0], w[1:])
	held := part(whole, func(l lesson) bool { return l.answered == 1 })
	for _, falsely := range []float64{.1, .12, .14, .15} {
		t.Logf("refuses %.2f of the answerable below %.3f", falsely, quantile(w.scores(held), falsely))
	}
	for _, set := range []string{"clapnq", "mtrag-un", "xquad.en", "xquad.es", "xquad.de", "xquad.ar", "xquad.zh", "ente-help", "clapnq small", "mtrag-un small", "xquad.en small", "xquad.de small", "xquad.zh small"} {
		of := part(slices.Concat(whole, halved), func(l lesson) bool { return l.set == set })
		n := [2]float64{}
		all := [2]float64{}
		for _, l := range of {
			all[int(l.answered)]++
			if w.score(l) < quantile(w.scores(held), .14) {
				n[int(l.answered)]++
			}
		}
		t.Logf("%s: refuses %.2f of %v answerable, %.2f of %v others", set, n[1]/all[1], all[1], n[0]/all[0], all[0])
	}
}

func part(all []lesson, is func(lesson) bool) (some []lesson) {
	for _, l := range all {
		if is(l) {
			some = append(some, l)
		}
	}
	return some
}

func fold(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() >> 8)
}

// lessons asks the questions of the set while only some of its documents are there. Questions whose documents are taken away are
// open then; of the others only those count that had lost nothing to begin with.
func lessons(s eval.Set, there func(int) bool, weight float64) (all []lesson) {
	x, gone := retrieval.NewIndex(), map[string]bool{}
	for i, d := range s.Docs {
		if gone[d.ID] = !there(i); !gone[d.ID] {
			x.Put(passages(d)...)
		}
	}
	for _, q := range s.Questions {
		if q.Answerable == nil {
			continue
		}
		lost := slices.ContainsFunc(q.Relevant, func(id string) bool { return gone[id] })
		if !lost && !there(0) { // asked already, with all documents there
			continue
		}
		draft := chat.Draft{Agent: &parley.Agent{}, Back: llm.Backend{Model: llm.Builtin{}, Label: llm.BuiltinName}, Question: q.Text, History: q.History}
		l := lesson{set: s.Name, group: s.Name + strings.Split(q.ID, "<::>")[0], signs: llm.Doubts(draft.Prompt(x.Nearest(draft.Query()))), weight: weight}
		if *q.Answerable && !lost {
			l.answered = 1
		}
		if strings.HasPrefix(s.Name, "xquad") {
			l.group = q.Relevant[0]
		}
		all = append(all, l)
	}
	return all
}

// small asks the questions of agents that have read a dozen documents, about these.
func small(s eval.Set, weight float64) (all []lesson) {
	n := len(s.Docs)/12 + 1
	for k := range n {
		part := eval.Set{Name: s.Name, Questions: nil}
		here := map[string]bool{}
		for i, d := range s.Docs {
			if i%n == k {
				part.Docs, here[d.ID] = append(part.Docs, d), true
			}
		}
		for _, q := range s.Questions {
			if here[q.ID] || len(q.Relevant) > 0 && !slices.ContainsFunc(q.Relevant, func(id string) bool { return !here[id] }) {
				part.Questions = append(part.Questions, q)
			}
		}
		for _, l := range lessons(part, func(int) bool { return true }, weight) {
			l.set += " small"
			all = append(all, l)
		}
	}
	return all
}

func passages(d eval.Doc) (list []parley.Passage) {
	id, text := parley.SourceID(d.ID), d.Text
	if d.Whole {
		return []parley.Passage{{ID: parley.PassageID(d.ID), SourceID: id, SourceName: d.Name, Heading: d.Title, End: len(text), Text: text}}
	}
	if d.Title != "" {
		text = "# " + d.Title + "\n\n" + text
	}
	for i, p := range ingest.Split(text) {
		list = append(list, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s#%d", d.ID, i)), SourceID: id, SourceName: d.Name, Ordinal: i,
			Heading: p.Heading, Start: p.Start, End: p.End, Text: text[p.Start:p.End]})
	}
	return list
}
