package eval_test

import (
	"encoding/json"
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
	"parley/internal/text/dictionary"
)

// trainingExample is a question with the signs that its best answer shows, and whether it is one.
type trainingExample struct {
	Set, Group string // questions of one group are never on both sides of a test
	Features   []float64
	IsQnA      bool
	Translated bool    // the question is in another language than what answers it
	IsRight    float64 // the answer is from what holds the answer
	Answerable bool    // the sources hold it
	Weight     float64
}

// learningSets are what the weights are fitted on, with what a question of each weighs. Of a set whose questions all
// have an answer each question is asked a second time, while what answers it is not there.
var learningSets = []struct {
	folder        string
	weight        float64
	isLeftOut     bool
	everyQuestion int // of so many one is asked
}{
	{"clapnq", 1, false, 1}, {"mtrag-un", 1, false, 1}, {"xquad", 0.15, true, 3}, {"ente-help", 0.6, false, 1},
	{"stackfaq", 0.5, true, 1}, {"clinc150", 0.2, true, 2}, {"banking77", 0.4, true, 1}, {"manual-questions", 2, true, 1},
}

// TestLearnDoubt fits the weights of the built-in model's confidence on the sets below the folder that
// PARLEY_LEARN_DOUBT names: one model for what answers a question that is its heading, and one for all else. It prints
// the weights as they are in weights.yaml, and how well they tell right answers from others when fitted on other
// questions. PARLEY_LEARN_CACHE names a file that keeps what was asked for the next run.
func TestLearnDoubt(t *testing.T) {
	dir := os.Getenv("PARLEY_LEARN_DOUBT")
	if dir == "" {
		t.Skip("PARLEY_LEARN_DOUBT is not set")
	}
	all := readExamples(t, dir)
	for _, kind := range []struct{ isQnA, isTranslated bool }{{false, false}, {true, false}, {false, true}} {
		of := filterExamples(all, func(l trainingExample) bool {
			return l.IsQnA == kind.isQnA && l.Translated == kind.isTranslated
		})
		if len(of) == 0 {
			continue
		}
		t.Logf("Q&A %v, translated %v: %d examples", kind.isQnA, kind.isTranslated, len(of))
		crossed := crossValidate(of)
		for _, name := range setNames(of) {
			some, scores := selectScores(of, crossed, func(l trainingExample) bool { return l.Set == name })
			t.Logf("%-24s %s", name, describeSeparation(some, scores))
		}
		t.Log("all", describeSeparation(of, crossed))
		w := fitWeights(of)
		t.Logf("    base: %.2f", w[0])
		for i, name := range quote.ConfidenceSignNames() {
			t.Logf("    %s: %.2f", name, w[i+1])
		}
	}
}

// crossValidate returns the scores of the examples, each by weights that were fitted on other groups.
func crossValidate(all []trainingExample) []float64 {
	const folds = 5
	scores := make([]float64, len(all))
	for k := range folds {
		in := func(l trainingExample) bool { return hashGroup(l.Group)%folds == k }
		w := fitWeights(filterExamples(all, func(l trainingExample) bool { return !in(l) }))
		for i, l := range all {
			if in(l) {
				scores[i] = w.score(l)
			}
		}
	}
	return scores
}

func readExamples(t *testing.T, dir string) (all []trainingExample) {
	if text, err := os.ReadFile(os.Getenv("PARLEY_LEARN_CACHE")); err == nil {
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, from := range learningSets {
		sets, err := eval.ReadSets(os.DirFS(filepath.Join(dir, from.folder)), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			if s.Name == "stackfaq" {
				continue // its passages are bare questions
			}
			list := trainingExamples(s, from.isLeftOut, from.everyQuestion, nil)
			if from.folder == "xquad" || from.folder == "clapnq" || from.folder == "mtrag-un" {
				list = append(list, smallAgentExamples(s, from.everyQuestion)...)
			}
			for i := range list {
				list[i].Weight *= from.weight
			}
			all = append(all, list...)
		}
	}
	all = append(all, translatedExamples(t, dir)...)
	if name := os.Getenv("PARLEY_LEARN_CACHE"); name != "" {
		text, _ := json.Marshal(all)
		_ = os.WriteFile(name, text, 0o600)
	}
	return all
}

// translatedExamples asks questions in other languages than that of the documents, where PARLEY_DICTIONARIES names
// folders of dictionaries.
func translatedExamples(t *testing.T, dir string) (all []trainingExample) {
	folders := os.Getenv("PARLEY_DICTIONARIES")
	if folders == "" {
		return nil
	}
	sets, err := eval.ReadSets(os.DirFS(filepath.Join(dir, "xquad")), "")
	if err != nil {
		t.Fatal(err)
	}
	if sets, err = eval.AcrossLanguages(sets, []string{"de-en", "es-en", "ar-en"}); err != nil {
		t.Fatal(err)
	}
	dictionaries, err := dictionary.Open(strings.Split(folders, ","), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		for _, l := range trainingExamples(s, true, 1, dictionaries) {
			l.Group = s.Name[:strings.LastIndexByte(s.Name, '.')] + strings.TrimPrefix(l.Group, s.Name)
			l.Translated = true
			all = append(all, l)
		}
	}
	return all
}

func setNames(all []trainingExample) (names []string) {
	for _, l := range all {
		if !slices.Contains(names, l.Set) {
			names = append(names, l.Set)
		}
	}
	return names
}

func filterExamples(all []trainingExample, keep func(trainingExample) bool) (some []trainingExample) {
	for _, l := range all {
		if keep(l) {
			some = append(some, l)
		}
	}
	return some
}

func selectScores(all []trainingExample, scores []float64, keep func(trainingExample) bool) (some []trainingExample,
	of []float64) {
	for i, l := range all {
		if keep(l) {
			some, of = append(some, l), append(of, scores[i])
		}
	}
	return some, of
}

func hashGroup(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() >> 8)
}

// trainingExamples asks the questions of the set, and where it says so each again while what answers it is not there.
func trainingExamples(s eval.Set, isLeftOut bool, every int, d *dictionary.Set) (all []trainingExample) {
	x, passages := retrieval.NewIndex(), map[string][]parley.Passage{}
	for _, doc := range s.Docs {
		list := passagesOf(doc)
		x.Put(list...)
		for _, p := range list {
			passages[doc.ID] = append(passages[doc.ID], p)
			passages[string(p.ID)] = []parley.Passage{p}
		}
	}
	for i, q := range s.Questions {
		if q.Answerable == nil || i%every > 0 {
			continue
		}
		all = append(all, askExample(x, s, q, d)...)
		if !isLeftOut || !*q.Answerable {
			continue
		}
		var removed []parley.Passage
		for _, id := range q.Relevant {
			removed = append(removed, passages[id]...)
		}
		for _, p := range removed {
			x.Remove(p.ID)
		}
		without := askExample(x, s, eval.Question{ID: q.ID, Text: q.Text, Relevant: q.Relevant}, d)
		x.Put(removed...)
		for i := range without {
			without[i].Set += " without"
		}
		all = append(all, without...)
	}
	return all
}

// askExample asks one question; without anything to be quoted there is no example.
func askExample(x *retrieval.Index, s eval.Set, q eval.Question, d *dictionary.Set) []trainingExample {
	draft := chat.StandaloneTurn{Agent: &parley.Agent{}, Backend: model.Backend{Model: quote.Model{},
		Label: model.BuiltinName}, Question: q.Text, History: q.History}
	ask := draft.Query()
	ask.Dictionaries = d
	req := draft.Prompt(x.Nearest(ask))
	e := quote.ReadEvidence(req)
	if e == nil {
		return nil
	}
	l := trainingExample{Set: s.Name, Group: s.Name + strings.Split(q.ID, "<::>")[0], Features: e.Features,
		IsQnA: e.IsQnA, Weight: 1, Answerable: q.Answerable != nil && *q.Answerable}
	if len(q.Relevant) > 0 && s.Name != "mtrag-un" {
		l.Group = s.Name + q.Relevant[0]
	}
	if p := req.Passages[e.Passage]; slices.Contains(q.Relevant, string(p.SourceID)) ||
		slices.Contains(q.Relevant, string(p.ID)) {
		l.IsRight = 1
	}
	if q.Answerable != nil && !*q.Answerable {
		l.IsRight = 0
	}
	return []trainingExample{l}
}

// smallAgentExamples asks the questions of agents that have read a dozen documents, about these. They count little:
// most of what they ask is answered, or far from it.
func smallAgentExamples(s eval.Set, every int) (all []trainingExample) {
	n := len(s.Docs)/12 + 1
	for k := range n {
		part := eval.Set{Name: s.Name, Questions: nil}
		docs := map[string]bool{}
		for i, d := range s.Docs {
			if i%n == k {
				part.Docs, docs[d.ID] = append(part.Docs, d), true
			}
		}
		for i, q := range s.Questions {
			if i%every == 0 && (docs[q.ID] ||
				len(q.Relevant) > 0 && !slices.ContainsFunc(q.Relevant, func(id string) bool { return !docs[id] })) {
				part.Questions = append(part.Questions, q)
			}
		}
		for _, l := range trainingExamples(part, false, 1, nil) {
			l.Set, l.Weight = l.Set+" small", 0.4
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
	pieces := ingest.Split(text)
	if len(d.Questions) > 0 {
		text, pieces = ingest.SplitQnA(d.Questions, d.Text)
	}
	for i, p := range pieces {
		list = append(list, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s#%d", d.ID, i)), SourceID: id,
			SourceName: d.SourceName, Ordinal: i, Heading: p.Heading, Start: p.Start, End: p.End,
			Text: text[p.Start:p.End], IsQnA: len(d.Questions) > 0})
	}
	return list
}
