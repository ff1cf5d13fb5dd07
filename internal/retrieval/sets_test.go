package retrieval_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/internal/retrieval"
)

// sets finds the public development sets: PARLEY_DATA_SETS, or ../shared/data beside the repository. A measurement is skipped
// without them, and where it would take too long.
func sets(t testing.TB) string {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("a measurement")
	}
	dir := os.Getenv("PARLEY_DATA_SETS")
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "xquad")); err != nil {
		t.Skip("no development sets: set PARLEY_DATA_SETS")
	}
	return dir
}

func decodeLines[T any](t testing.TB, path ...string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// xquad: each paragraph is a passage.
func xquad(t testing.TB, dir, lang string) *collection {
	type file struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				Qas     []struct{ Question string }
			}
		}
	}
	c := newCollection()
	for _, article := range decodeLines[file](t, dir, "xquad", "xquad."+lang+".json")[0].Data {
		for _, p := range article.Paragraphs {
			id := fmt.Sprint(c.index.Len())
			c.add(id, "", p.Context)
			for _, q := range p.Qas {
				c.ask(retrieval.Query{Text: q.Question}, id)
			}
		}
	}
	return c
}

// What a passage of stackfaq is: the question of a thread, the question once for each of its answers, or each answer with the
// question above it.
const (
	threads = iota
	pairs
	answers
)

func stackfaq(t testing.TB, dir string, kind int) *collection {
	type thread struct {
		ID, Question string
		Answers      []string
	}
	type paraphrase struct{ Thread, Query string }
	c := newCollection()
	right := map[string][]string{}
	for _, th := range decodeLines[thread](t, dir, "stackfaq", "bank.jsonl") {
		if kind == threads {
			c.add(th.ID, "", th.Question)
			right[th.ID] = []string{th.ID}
			continue
		}
		for i, a := range th.Answers {
			id := fmt.Sprintf("%s-%03d", th.ID, i)
			right[th.ID] = append(right[th.ID], id)
			if kind == pairs {
				c.add(id, "", th.Question)
			} else {
				c.add(id, th.Question, a)
			}
		}
	}
	for _, p := range decodeLines[paraphrase](t, dir, "stackfaq", "queries.jsonl") {
		c.ask(retrieval.Query{Text: p.Query}, right[p.Thread]...)
	}
	return c
}

// clapnq: passages with a title; half of the questions are left open by theirs.
func clapnq(t testing.TB, dir string) *collection {
	type row struct {
		ID, Input string
		Passages  []struct{ Title, Text string }
	}
	c := newCollection()
	for _, r := range decodeLines[row](t, dir, "clapnq", "dev_answerable.jsonl") {
		c.page(r.ID, "", titled(r.Passages[0].Title, r.Passages[0].Text))
		c.ask(retrieval.Query{Text: r.Input}, r.ID)
	}
	for _, r := range decodeLines[row](t, dir, "clapnq", "dev_unanswerable.jsonl") {
		c.page(r.ID, "", titled(r.Passages[0].Title, r.Passages[0].Text))
		c.ask(retrieval.Query{Text: r.Input})
	}
	return c
}

// mtrag: conversations; the passages of all of them are pooled. Those that are answered in part, or whose question is
// unclear, are left out when refusals are counted.
func mtrag(t testing.TB, dir string, clear bool) *collection {
	type row struct {
		Answerability []string
		Contexts      []struct {
			ID    string `json:"document_id"`
			Text  string
			Title string
		}
		Input []struct{ Speaker, Text string }
	}
	c := newCollection()
	for _, r := range decodeLines[row](t, dir, "mtrag-un", "reference.jsonl") {
		var right, said []string
		for _, p := range r.Contexts {
			right = append(right, p.ID)
			c.page(p.ID, "", titled(p.Title, p.Text))
		}
		for _, m := range r.Input {
			if m.Speaker == "user" {
				said = append(said, m.Text)
			}
		}
		if !clear || slices.Equal(r.Answerability, []string{"ANSWERABLE"}) || slices.Equal(r.Answerability, []string{"UNANSWERABLE"}) {
			last := len(said) - 1
			c.ask(retrieval.Query{Text: said[last], Earlier: said[max(0, last-3):last]}, right...)
		}
	}
	return c
}

// enteHelp: a product's help pages and its own frequent questions, those that link to a page.
func enteHelp(t testing.TB, dir string) *collection {
	type row struct {
		Question string
		Linked   []string `json:"linked_pages"`
	}
	c := newCollection()
	pages := os.DirFS(filepath.Join(dir, "ente-help", "pages"))
	err := fs.WalkDir(pages, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		b, err := fs.ReadFile(pages, path)
		c.page(path, path, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range decodeLines[row](t, dir, "ente-help", "faq.jsonl") {
		if len(r.Linked) > 0 {
			c.ask(retrieval.Query{Text: r.Question}, r.Linked...)
		}
	}
	return c
}
