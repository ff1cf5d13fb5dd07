package retrieval_test

import (
	"fmt"
	"io/fs"
	"path"
	"testing"

	"parley"
	"parley/docs"
	"parley/internal/ingest"
	"parley/internal/retrieval"
)

// manualPassages returns the passages of Parley's manual, each page a source.
func manualPassages(tb testing.TB) (all []parley.Passage) {
	tb.Helper()
	pages, err := fs.Glob(docs.Manual, "manual/*.md")
	if err != nil {
		tb.Fatal(err)
	}
	for _, page := range pages {
		text, err := docs.Manual.ReadFile(page)
		if err != nil {
			tb.Fatal(err)
		}
		for i, p := range ingest.Split(string(text)) {
			name := path.Base(page)
			all = append(all, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s-%d", name, i)),
				SourceID: parley.SourceID(name), SourceName: name, VersionID: "1", Ordinal: i, Heading: p.Heading,
				Start: p.Start, End: p.End, Text: string(text[p.Start:p.End])})
		}
	}
	return all
}

// manualQueries are questions as people ask them, alone and after others.
func manualQueries() (all []retrieval.Query) {
	questions := []string{
		"How do I create an account and get an API key?",
		"Where does it keep its data, and how do I back it up?",
		"Can I use my own model server?",
		"What happens when a key is revoked while the server runs?",
		"How many requests may I send in ten seconds?",
		"How do I stream an answer?",
		"Which environment variable sets the address to listen on?",
		"What does it cost when an answer fails?",
		"How do I stop the server without losing answers?",
		"Why does my source stay untrained?",
		"Which plans are there?",
		"Does it work with PostgreSQL?",
		"What is the limit for the length of a text?",
		"How do I see why an agent gave this answer?",
		"What does the agent say when it does not know?",
		"how do i conect a telephon",
	}
	for i, text := range questions {
		q := retrieval.Query{Text: text, Limit: 8}
		all = append(all, q)
		if i%4 == 0 {
			q.Text, q.Earlier = "And how do I change it later?", []string{questions[(i+5)%16], text}
			q.Answer = "Set the variable before you start the server, and restart it."
			all = append(all, q)
		}
	}
	return all
}

// BenchmarkManual searches an agent as most are: a few hundred passages.
func BenchmarkManual(b *testing.B) {
	all := manualPassages(b)
	x := retrieval.NewIndex()
	x.Put(all...)
	queries := manualQueries()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Nearest(queries[i%len(queries)])
	}
	b.ReportMetric(float64(x.Bytes())/1024, "KiB")
	b.ReportMetric(float64(len(all)), "passages")
}
