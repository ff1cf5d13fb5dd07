package retrieval

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/testkit/check"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// What a search finds, in which order and with which scores, is the same to the last bit however the index goes about
// it. The goldens hold one line a search: its first hit, and a hash of all that it found.

func TestGoldenSearchesOfManual(t *testing.T) {
	var all []parley.Passage
	readTestJSON(t, "testdata/manual.json", &all)
	var queries []Query
	readTestJSON(t, "testdata/manual-queries.json", &queries)
	for _, q := range slices.Clone(queries) {
		q.Limit = 30
		queries = append(queries, q)
	}
	x := NewIndex()
	x.Put(all...)
	got := describeSearches(x, append(queries, randomQueries(all, 200, 5)...))
	for i, p := range all { // and when a part of it is there no more
		if i%3 == 0 {
			x.Remove(p.ID)
		}
	}
	got += describeSearches(x, queries)
	for i := range all {
		x.Put(all[len(all)-1-i])
	}
	checkGolden(t, "testdata/manual.golden", got+describeSearches(x, queries))
}

func TestGoldenSearchesOfMany(t *testing.T) {
	for _, n := range []int{60, 1990, 3000, 20_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 5000 && testing.Short() {
				t.Skip("takes seconds")
			}
			all := withCodes(randomPassages(n, uint64(n)))
			x := NewIndex()
			x.Put(all[:n-n/10]...)
			queries := randomQueries(all, 150, 6)
			got := describeSearches(x, queries)
			x.Put(all[n-n/10:]...)
			got += describeSearches(x, queries)
			for i := 0; i < n; i += 5 {
				x.Remove(all[i].ID)
			}
			checkGolden(t, fmt.Sprintf("testdata/random-%d.golden", n), got+describeSearches(x, queries))
		})
	}
}

// Texts in five languages, those without spaces among them.
func TestGoldenSearchesOfLanguages(t *testing.T) {
	var all []parley.Passage
	for _, lang := range []string{"ar", "de", "en", "es", "zh"} {
		all = append(all, readArticles(t, lang)...)
	}
	x := NewIndex()
	x.Put(all...)
	checkGolden(t, "testdata/languages.golden", describeSearches(x, randomQueries(all, 400, 8)))
}

// readArticles returns paragraphs of XQuAD, from the folder of public question sets.
func readArticles(t *testing.T, lang string) (all []parley.Passage) {
	t.Helper()
	folder := os.Getenv("PARLEY_DATA_SETS")
	if folder == "" {
		folder = filepath.Dir(check.SharedDir(t, "xquad"))
	}
	var set struct {
		Data []struct {
			Paragraphs []struct {
				Context string `json:"context"`
			} `json:"paragraphs"`
		} `json:"data"`
	}
	readTestJSON(t, filepath.Join(folder, "xquad", "xquad."+lang+".json"), &set)
	for i, article := range set.Data {
		for j, p := range article.Paragraphs {
			id := fmt.Sprintf("%s-%d", lang, i)
			all = append(all, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s-%d", id, j)), Ordinal: j,
				SourceID: parley.SourceID(id), VersionID: "1", Text: p.Context})
		}
	}
	return all
}

// withCodes groups passages into sources and adds codes, questions as headings, steps and links to some of them.
func withCodes(all []parley.Passage) []parley.Passage {
	for i := range all {
		p := &all[i]
		p.SourceID, p.VersionID, p.Ordinal = parley.SourceID(fmt.Sprintf("s%04d", i/7)), "1", i%7
		switch i % 11 {
		case 1:
			p.Text = fmt.Sprintf("%sERR-%d is %s. It costs %d dollars since 19%02d.", p.Text, i%97, p.Heading, i, i%100)
		case 3:
			p.Heading = p.Heading + "? › " + firstWords(p.Text, 3) + "? › How do I " + firstWords(p.Text, 2) + "?"
		case 5:
			p.Text = "1. " + firstWords(p.Text, 20) + "\n2. " + p.Text
		case 7:
			p.Text = "[" + firstWords(p.Text, 9) + "](https://example.com/a) " + p.Text
		}
	}
	return all
}

func firstWords(text string, n int) string {
	fields := strings.Fields(text)
	return strings.Join(fields[:min(n, len(fields))], " ")
}

// randomQueries returns queries of every kind about the passages.
func randomQueries(all []parley.Passage, n int, seed uint64) (queries []Query) {
	r := rand.New(rand.NewPCG(seed, uint64(len(all))))
	words := func(limit int) []string {
		fields := strings.Fields(all[r.IntN(len(all))].Text)
		from := r.IntN(len(fields))
		return fields[from:min(len(fields), from+1+r.IntN(limit))]
	}
	some := func(limit int) string { return strings.Join(words(limit), " ") }
	for i := range n {
		q := Query{Text: some(14), Limit: []int{0, 1, 8, 12, 40}[i%5]}
		switch i % 10 {
		case 1:
			q.Text = misspell(r, some(3)) + " " + some(4)
		case 2:
			q.Text += ` "` + some(4) + `" ` + some(2)
		case 3:
			q.Text = fmt.Sprintf("what is ERR-%d or err%d v%d.1", r.IntN(97), r.IntN(97), r.IntN(9))
		case 4:
			q.Text = "and how does it " + some(2) + "?"
			q.Earlier, q.Answer = []string{some(5), some(9)}, some(60)
		case 5:
			q.Text, q.Earlier = "How do I "+some(6)+"?", []string{some(9), some(9), some(9)}
		case 6:
			w := words(1)[0]
			q.Synonyms = [][]string{{w, some(1), some(3)}, {some(1), w + " " + some(1)}}
			q.Text = w + " " + q.Text
		case 7:
			q.Text = strings.Join(words(2), "") + " how many " + some(5) + " are there?"
		case 8:
			w := words(1)[0]
			q.Text = w[:len(w)/2] + " " + w[len(w)/2:] + " when was " + some(5)
		case 9:
			q.Text = some(60) + ". " + some(40) + " " + misspell(r, some(2))
		}
		queries = append(queries, q)
	}
	return queries
}

// misspell sets two letters in each other's place.
func misspell(r *rand.Rand, text string) string {
	letters := []rune(text)
	if len(letters) > 2 {
		at := r.IntN(len(letters) - 1)
		letters[at], letters[at+1] = letters[at+1], letters[at]
	}
	return string(letters)
}

// describeSearches returns a line for each search.
func describeSearches(x *Index, queries []Query) string {
	var b strings.Builder
	for _, q := range queries {
		hash := fnv.New64a()
		hits := x.Nearest(q)
		for _, h := range hits {
			fmt.Fprintf(hash, "%s %x %x %x %x %x ", h.Passage.ID, math.Float64bits(h.Rank), math.Float64bits(h.Score),
				math.Float64bits(h.Signs.Letters), math.Float64bits(h.Signs.Words), math.Float64bits(h.Signs.Stretch))
			for _, word := range slices.Sorted(maps.Keys(h.Terms)) {
				fmt.Fprintf(hash, "%s %x ", word, math.Float64bits(h.Terms[word]))
			}
		}
		fmt.Fprintf(&b, "%d %016x", len(hits), hash.Sum64())
		if len(hits) > 0 {
			fmt.Fprintf(&b, " %s %x", hits[0].Passage.ID, math.Float64bits(hits[0].Rank))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func readTestJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may add and multiply in one step, which rounds otherwise")
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}
