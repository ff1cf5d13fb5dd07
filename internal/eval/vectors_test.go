package eval_test

import (
	"context"
	"os"
	"testing"
	"time"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/testkit/provider"
)

// meaningEmbedder embeds by what texts have taught it.
type meaningEmbedder struct{ *provider.EmbeddingModel }

func (m meaningEmbedder) Name() string { return "stand-in" }

func (m meaningEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		list[i] = m.Vector(text)
	}
	return list, nil
}

// learnEmbedder returns an embedder that has read documents, and nothing of any question. Further sets tell the same
// document for document in other languages.
func learnEmbedder(set eval.Set, others ...eval.Set) meaningEmbedder {
	var texts []string
	for i, d := range set.Docs {
		text := retrieval.Embeddable(d.Title, d.Text)
		for _, o := range others {
			text += "\n" + o.Docs[i].Text
		}
		texts = append(texts, text)
	}
	return meaningEmbedder{provider.TrainEmbeddingModel(384, texts)}
}

// threeFigures is a figure by words, by vectors, and by both.
type threeFigures [3]float64

func (f *threeFigures) add(of threeFigures) {
	for i, v := range of {
		f[i] += v
	}
}

// measureSearches measures a set each way; nothing answers.
func measureSearches(t *testing.T, set eval.Set, e model.Embedder) (r1, r5, ap threeFigures) {
	t.Helper()
	for i, by := range []eval.SearchMode{eval.SearchWords, eval.SearchVectors, eval.SearchBoth} {
		r := eval.Runner{Backend: model.Backend{Model: silentModel{}, Label: "mute"}, Embedder: e, Search: by,
			Now: func() time.Time { return time.UnixMilli(0) }}
		done, err := r.Run(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		r1[i], r5[i], ap[i] = floatOrNaN(done.R1), floatOrNaN(done.R5), floatOrNaN(done.MAP)
	}
	t.Logf("| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |", set.Name, r1[0], r1[1], r1[2],
		r5[0], r5[1], r5[2], ap[0], ap[1], ap[2])
	return r1, r5, ap
}

// With a stand-in that knows little that the words do not tell, both together are as good as the better one alone. It
// prints the first table of docs/quality.md, "With an embedding provider"; the whole of it where PARLEY_LONG is set.
func TestVectorsDoNoHarm(t *testing.T) {
	names := []string{"xquad", "clapnq", "ente-help"}
	whole := os.Getenv("PARLEY_LONG") != ""
	if whole {
		names = append(names, "stackfaq", "mtrag-un")
	}
	var sum threeFigures
	n := 0.0
	for _, name := range names {
		for _, set := range readSets(t, name) {
			if name == "xquad" && set.Name != "xquad.en" && !whole {
				continue
			}
			_, _, ap := measureSearches(t, set, learnEmbedder(set))
			sum.add(ap)
			n++
		}
	}
	if sum[2] < max(sum[0], sum[1])-.005*n {
		t.Errorf("MAP together %.3f, words alone %.3f, vectors alone %.3f", sum[2]/n, sum[0]/n, sum[1]/n)
	}
}

// Where the vectors know what the words cannot, questions in another language than the sources, both together are
// better than either alone. The stand-in has read the paragraphs in both languages side by side. It prints the second
// table.
func TestVectorsHelpAcrossLanguages(t *testing.T) {
	sets := map[string]eval.Set{}
	for _, set := range readSets(t, "xquad") {
		sets[set.Name] = set
	}
	sources, ok := sets["xquad.en"]
	if !ok {
		t.Skip("SKIPPED: no English set")
	}
	var sum threeFigures
	for _, name := range []string{"xquad.de", "xquad.es"} {
		set := sets[name]
		_, _, ap := measureSearches(t, eval.Set{Name: name + " asked of English", Docs: sources.Docs,
			Questions: set.Questions}, learnEmbedder(sources, set))
		sum.add(ap)
	}
	if sum[2] <= max(sum[0], sum[1]) {
		t.Errorf("MAP together %.3f, words alone %.3f, vectors alone %.3f", sum[2]/2, sum[0]/2, sum[1]/2)
	}
}
