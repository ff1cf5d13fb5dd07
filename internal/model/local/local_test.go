package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/model/local"
	"parley/internal/model/safetensors"
	"parley/internal/testkit/tinymodel"
)

// variants are the kinds of models, each with something that the others do not have.
var variants = map[string]tinymodel.Transformer{
	"bert": {Type: "bert", Hidden: 32, Layers: 2, Heads: 4, Intermediate: 48, Positions: 64, Activation: "gelu",
		Pooling: "mean"},
	"bert, first piece": {Type: "bert", Hidden: 24, Layers: 3, Heads: 2, Intermediate: 70, Positions: 40,
		Activation: "gelu_new", Pooling: "cls", Prefix: "bert."},
	"xlm-roberta": {Type: "xlm-roberta", Hidden: 64, Layers: 1, Heads: 2, Intermediate: 33, Positions: 66,
		Activation: "gelu", Pooling: "mean", Prefix: "roberta."},
	"distilbert": {Type: "distilbert", Hidden: 20, Layers: 2, Heads: 4, Intermediate: 40, Positions: 32,
		Activation: "relu", Pooling: "max", Prefix: "distilbert."},
}

var texts = []string{
	"When are you open?",
	"Renew the key.",
	"a",
	"",
	"The parcel is delivered between eight and ten in the morning, and the driver rings twice - or 3 times.",
	strings.Repeat("long texts are cut where the model ends ", 40),
}

func newModel(t testing.TB, m tinymodel.Transformer) (folder string, model *tinymodel.Transformer) {
	t.Helper()
	m.Vocabulary = tinymodel.Vocabulary("the", "key", "open", "re", "##new", "parcel", "##s", "when", "##ing")
	m.Fill(5)
	folder = t.TempDir()
	m.Write(t, folder)
	return folder, &m
}

func open(t testing.TB, folder string) *local.Embedder {
	t.Helper()
	e, err := local.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The vectors are those of a computation in floats of 64 bits, but for the rounding of what is multiplied.
func TestVectorsOfTransformers(t *testing.T) {
	for name, variant := range variants {
		t.Run(name, func(t *testing.T) {
			folder, m := newModel(t, variant)
			e := open(t, folder)
			vectors, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			limit := m.Positions
			if m.Type == "xlm-roberta" {
				limit -= 2
			}
			for i, text := range texts {
				want := m.Vector(m.Pieces(text, limit))
				if len(vectors[i]) != m.Hidden || e.Dimensions() != m.Hidden {
					t.Fatalf("%.40q: %d numbers", text, len(vectors[i]))
				}
				if cosine := tinymodel.Cosine(vectors[i], want); cosine < .9999 {
					t.Errorf("%.40q: cosine %.6f to the exact vector", text, cosine)
				}
				for j, x := range vectors[i] {
					if math.Abs(float64(x)-want[j]) > .01 {
						t.Errorf("%.40q: number %d is %.4f, exactly %.4f", text, j, x, want[j])
					}
				}
			}
		})
	}
}

// Questions and passages of a model without prompts have the same vectors, whatever else is embedded meanwhile.
func TestQuestionsAndPassages(t *testing.T) {
	folder, _ := newModel(t, variants["bert"])
	e := open(t, folder)
	passages, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 4 {
		go func() {
			questions, err := e.Questions().Embed(t.Context(), texts)
			for i := range questions {
				if fmt.Sprint(questions[i]) != fmt.Sprint(passages[i]) {
					err = errors.Join(err, fmt.Errorf("%.40q has two vectors", texts[i]))
				}
			}
			done <- err
		}()
		go func() {
			_, err := e.Embed(t.Context(), texts)
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestEmbeddingIsCancelled(t *testing.T) {
	folder, _ := newModel(t, variants["bert"])
	e := open(t, folder)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, embed := range []func(context.Context, []string) ([][]float32, error){e.Embed, e.Questions().Embed} {
		if _, err := embed(ctx, texts); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if list, err := e.Embed(t.Context(), nil); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// The name has a hash of the files: vectors of other weights are not taken for those of these.
func TestNames(t *testing.T) {
	folder, m := newModel(t, variants["bert"])
	first, again := open(t, folder).Name(), open(t, folder).Name()
	if first != again || !strings.HasPrefix(first, filepath.Base(folder)+"@") {
		t.Errorf("%q, %q", first, again)
	}
	m.Fill(6)
	m.Write(t, folder)
	if other := open(t, folder).Name(); other == first {
		t.Errorf("other weights have the name %q", other)
	}
	tinymodel.WriteJSON(t, folder, "config_sentence_transformers.json", map[string]any{
		"prompts": map[string]string{"query": "q: "}})
	if e := open(t, folder); e.Name() == first {
		t.Errorf("another prompt has the name %q", e.Name())
	}
}

// A prompt is put before a text.
func TestPrompts(t *testing.T) {
	for _, c := range []struct {
		name              string
		prompts           any
		folder            string
		question, passage string
	}{
		{"of the files", map[string]any{"prompts": map[string]string{"query": "when ", "document": "open "}}, "m",
			"when ", "open "},
		{"a default", map[string]any{"prompts": map[string]string{"x": "key "}, "default_prompt_name": "x"}, "m",
			"key ", "key "},
		{"of the family E5", nil, "multilingual-e5-small", "query: ", "passage: "},
		{"empty ones of the family E5", map[string]any{"prompts": map[string]string{"query": "", "document": ""}},
			"e5-base", "query: ", "passage: "},
		{"of a model with instructions", nil, "multilingual-e5-large-instruct", "", ""},
		{"of another name", nil, "base5-e55", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := variants["bert"]
			m.Vocabulary = tinymodel.Vocabulary("when", "open", "key", "query", "passage", ":")
			m.Fill(5)
			plain, folder := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), c.folder)
			m.Write(t, plain)
			m.Write(t, folder)
			if c.prompts != nil {
				tinymodel.WriteJSON(t, folder, "config_sentence_transformers.json", c.prompts)
			}
			e := open(t, folder)
			want, err := open(t, plain).Embed(t.Context(), []string{c.question + "a key", c.passage + "a key"})
			if err != nil {
				t.Fatal(err)
			}
			question, err := e.Questions().Embed(t.Context(), []string{"a key"})
			if err != nil || fmt.Sprint(question[0]) != fmt.Sprint(want[0]) {
				t.Errorf("the question has another vector, %v", err)
			}
			passage, err := e.Embed(t.Context(), []string{"a key"})
			if err != nil || fmt.Sprint(passage[0]) != fmt.Sprint(want[1]) {
				t.Errorf("the passage has another vector, %v", err)
			}
		})
	}
}

func TestLengthOfTexts(t *testing.T) {
	folder, m := newModel(t, variants["bert"])
	tinymodel.WriteJSON(t, folder, "sentence_bert_config.json", map[string]any{"max_seq_length": 9})
	vectors, err := open(t, folder).Embed(t.Context(), texts[4:5])
	if err != nil {
		t.Fatal(err)
	}
	if cosine := tinymodel.Cosine(vectors[0], m.Vector(m.Pieces(texts[4], 9))); cosine < .9999 {
		t.Errorf("cosine %.6f", cosine)
	}
}

// A folder with vocab.txt in place of tokenizer.json has the same vectors.
func TestVocabularyFile(t *testing.T) {
	folder, m := newModel(t, variants["bert"])
	want, err := open(t, folder).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	tinymodel.WriteFile(t, folder, "vocab.txt", []byte(strings.Join(m.Vocabulary, "\n")+"\n"))
	got, err := open(t, folder).Embed(t.Context(), texts)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("other vectors, %v", err)
	}
}

func TestStaticModel(t *testing.T) {
	folder := t.TempDir()
	vectors := map[string][]float64{}
	for i, word := range []string{"rotate", "renew", "key", "##s", "the"} {
		vectors[word] = make([]float64, 8)
		vectors[word][i] = 1
		vectors[word][7] = .5
	}
	tinymodel.WriteStatic(t, folder, vectors)
	e := open(t, folder)
	got, err := e.Embed(t.Context(), []string{"Rotate the keys!", "keys keys", "unknown", ""})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{1, 0, 1, 1, 1, 0, 0, 2}, {0, 0, 2, 2, 0, 0, 0, 2}} {
		if cosine := tinymodel.Cosine(got[i], tinymodel.ToLengthOne(want)); cosine < .9999 {
			t.Errorf("text %d: cosine %.6f, %v", i, cosine, got[i])
		}
	}
	if got[2] != nil || got[3] != nil {
		t.Errorf("texts without a known piece have the vectors %v", got[2:])
	}
	if e.Dimensions() != 8 || e.Bytes() == 0 {
		t.Errorf("%d numbers, %d bytes", e.Dimensions(), e.Bytes())
	}
}

// Newer static models have vectors that several pieces share, and a weight of each piece.
func TestStaticModelWithMappingAndWeights(t *testing.T) {
	folder := t.TempDir()
	tinymodel.WriteStatic(t, folder, map[string][]float64{"a": make([]float64, 8), "b": make([]float64, 8),
		"c": make([]float64, 8)}) // of the numbers 4, 5 and 6
	tinymodel.WriteFile(t, folder, "model.safetensors", withMapping(t, []byte{0, 0, 0, 0, 0, 1, 0}))
	got, err := open(t, folder).Embed(t.Context(), []string{"a b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	// a: the first vector, of weight 2; b: the second, of weight 3; c: the first, of weight 4
	for i, want := range [][]float64{{2, 3, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0}} {
		if cosine := tinymodel.Cosine(got[i], tinymodel.ToLengthOne(want)); cosine < .9999 {
			t.Errorf("text %d: cosine %.6f, %v", i, cosine, got[i])
		}
	}
	tinymodel.WriteFile(t, folder, "model.safetensors", withMapping(t, []byte{0, 0, 0, 0, 0, 2, 0}))
	if _, err := local.Open(folder); err == nil || !strings.Contains(err.Error(), "leads to the vector 2 of 2") {
		t.Errorf("%v", err)
	}
}

// withMapping returns a file of two vectors, of the weights of seven pieces, and of which vector each has.
func withMapping(t *testing.T, mapping []byte) []byte {
	t.Helper()
	var data bytes.Buffer
	err := safetensors.Write(&data, []safetensors.Floats{
		{Name: "embeddings", Shape: []int{2, 8}, Values: []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
		{Name: "weights", Shape: []int{7}, Values: []float32{1, 1, 1, 1, 2, 3, 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	numbers := data.Bytes()[data.Len()-4*(16+7):]
	header := `{"embeddings":{"dtype":"F32","shape":[2,8],"data_offsets":[0,64]},` +
		`"weights":{"dtype":"F32","shape":[7],"data_offsets":[64,92]},` +
		`"mapping":{"dtype":"I64","shape":[7],"data_offsets":[92,148]}}`
	file := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header...)
	file = append(file, numbers...)
	for _, row := range mapping {
		file = append(file, row, 0, 0, 0, 0, 0, 0, 0)
	}
	return file
}
