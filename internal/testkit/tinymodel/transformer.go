// Package tinymodel makes embedding models for tests: folders in the usual files, with random weights, and the vectors
// that they stand for, which are computed in the plainest way in floats of 64 bits.
package tinymodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/model/safetensors"
)

// Transformer is a model of the BERT family.
type Transformer struct {
	Type         string // bert, xlm-roberta or distilbert
	Hidden       int
	Layers       int
	Heads        int
	Intermediate int
	Positions    int
	Activation   string
	Pooling      string // mean, cls or max
	Vocabulary   []string
	Prefix       string // of the names of all tensors in the file

	tensors map[string]matrix
}

// matrix has rows of numbers; a vector is one of a single row.
type matrix struct {
	shape []int
	rows  [][]float64
}

// Vocabulary returns special pieces, the words, the letters, and the letters as they go on within a word.
func Vocabulary(words ...string) []string {
	list := append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, words...)
	for c := 'a'; c <= 'z'; c++ {
		list = append(list, string(c), "##"+string(c))
	}
	return append(list, strings.Split(".,?!-0123456789", "")...)
}

// Fill sets random weights. Those of the matrices are such that a byte each holds them without a loss, so that what is
// computed with bytes can be compared closely.
func (m *Transformer) Fill(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // no secret
	m.tensors = map[string]matrix{}
	m.add("embeddings.word_embeddings.weight", byteRows(r, len(m.Vocabulary), m.Hidden, .5))
	m.add("embeddings.position_embeddings.weight", byteRows(r, m.Positions, m.Hidden, .1))
	if m.Type != "distilbert" {
		m.add("embeddings.token_type_embeddings.weight", byteRows(r, 2, m.Hidden, .1))
	}
	m.addNorm(r, "embeddings.LayerNorm")
	n := m.names()
	for i := range m.Layers {
		layer := fmt.Sprintf(n.layer, i)
		for _, name := range []string{n.query, n.key, n.value, n.attention} {
			m.addLinear(r, layer+name, m.Hidden, m.Hidden)
		}
		m.addLinear(r, layer+n.up, m.Intermediate, m.Hidden)
		m.addLinear(r, layer+n.down, m.Hidden, m.Intermediate)
		m.addNorm(r, layer+n.attentionNorm)
		m.addNorm(r, layer+n.outputNorm)
	}
}

// names are those of the tensors in the published models.
type names struct {
	layer, query, key, value, attention, attentionNorm, up, down, outputNorm string
}

func (m *Transformer) names() names {
	if m.Type == "distilbert" {
		return names{"transformer.layer.%d.", "attention.q_lin", "attention.k_lin", "attention.v_lin",
			"attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"}
	}
	return names{"encoder.layer.%d.", "attention.self.query", "attention.self.key", "attention.self.value",
		"attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"}
}

func (m *Transformer) add(name string, rows [][]float64) {
	m.tensors[name] = matrix{[]int{len(rows), len(rows[0])}, rows}
}

func (m *Transformer) addLinear(r *rand.Rand, name string, rows, columns int) {
	m.add(name+".weight", byteRows(r, rows, columns, .4))
	m.tensors[name+".bias"] = matrix{[]int{rows}, [][]float64{randomRow(r, rows, 0, .1)}}
}

func (m *Transformer) addNorm(r *rand.Rand, name string) {
	m.tensors[name+".weight"] = matrix{[]int{m.Hidden}, [][]float64{randomRow(r, m.Hidden, 1, .1)}}
	m.tensors[name+".bias"] = matrix{[]int{m.Hidden}, [][]float64{randomRow(r, m.Hidden, 0, .1)}}
}

func randomRow(r *rand.Rand, n int, mean, spread float64) []float64 {
	row := make([]float64, n)
	for i := range row {
		row[i] = float64(float32(mean + spread*r.NormFloat64()))
	}
	return row
}

// byteRows returns rows of numbers that are 127 steps from zero to the largest one.
func byteRows(r *rand.Rand, rows, columns int, size float64) [][]float64 {
	list := make([][]float64, rows)
	for i := range list {
		step := size / 127 * (.5 + r.Float64())
		list[i] = make([]float64, columns)
		for j := range list[i] {
			list[i][j] = float64(float32(step * float64(r.IntN(255)-127)))
		}
		list[i][r.IntN(columns)] = float64(float32(step * 127))
	}
	return list
}

// Write writes the model's files into a folder.
func (m *Transformer) Write(t testing.TB, folder string) {
	t.Helper()
	writeTensors(t, folder, m.Prefix, m.tensors)
	WriteJSON(t, folder, "config.json", m.config())
	WriteJSON(t, folder, "tokenizer.json", TokenizerJSON(m.Vocabulary))
	WriteJSON(t, folder, "modules.json", []any{
		map[string]any{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
		map[string]any{"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
		map[string]any{"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
	})
	WriteJSON(t, folder, "1_Pooling/config.json", map[string]any{
		"word_embedding_dimension": m.Hidden, "pooling_mode_cls_token": m.Pooling == "cls",
		"pooling_mode_mean_tokens": m.Pooling == "mean", "pooling_mode_max_tokens": m.Pooling == "max",
		"pooling_mode_mean_sqrt_len_tokens": false})
}

func (m *Transformer) config() map[string]any {
	c := map[string]any{"model_type": m.Type, "max_position_embeddings": m.Positions, "vocab_size": len(m.Vocabulary),
		"pad_token_id": 0}
	if m.Type == "xlm-roberta" {
		c["pad_token_id"] = 1
	}
	if m.Type == "distilbert" {
		c["dim"], c["n_layers"], c["n_heads"], c["hidden_dim"] = m.Hidden, m.Layers, m.Heads, m.Intermediate
		c["activation"] = m.Activation
		return c
	}
	c["hidden_size"], c["num_hidden_layers"], c["num_attention_heads"] = m.Hidden, m.Layers, m.Heads
	c["intermediate_size"], c["hidden_act"], c["layer_norm_eps"] = m.Intermediate, m.Activation, 1e-12
	return c
}

// TokenizerJSON returns the tokenizer.json of a WordPiece vocabulary in lower case.
func TokenizerJSON(vocabulary []string) map[string]any {
	ids := map[string]int{}
	for id, text := range vocabulary {
		ids[text] = id
	}
	special := func(name string) map[string]any {
		return map[string]any{"id": name, "ids": []int{ids[name]}, "tokens": []string{name}}
	}
	part := func(kind, id string) map[string]any {
		return map[string]any{kind: map[string]any{"id": id, "type_id": 0}}
	}
	return map[string]any{
		"version": "1.0",
		"normalizer": map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
			"strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing",
			"single":         []any{part("SpecialToken", "[CLS]"), part("Sequence", "A"), part("SpecialToken", "[SEP]")},
			"special_tokens": map[string]any{"[CLS]": special("[CLS]"), "[SEP]": special("[SEP]")}},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": ids},
	}
}

// WriteJSON writes a file of a folder.
func WriteJSON(t testing.TB, folder, name string, content any) {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	WriteFile(t, folder, name, text)
}

// WriteFile writes a file of a folder.
func WriteFile(t testing.TB, folder, name string, content []byte) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeTensors(t testing.TB, folder, prefix string, tensors map[string]matrix) {
	t.Helper()
	var list []safetensors.Floats
	for name, m := range tensors {
		floats := safetensors.Floats{Name: prefix + name, Shape: m.shape}
		for _, row := range m.rows {
			for _, v := range row {
				floats.Values = append(floats.Values, float32(v))
			}
		}
		list = append(list, floats)
	}
	var file bytes.Buffer
	if err := safetensors.Write(&file, list); err != nil {
		t.Fatal(err)
	}
	WriteFile(t, folder, "model.safetensors", file.Bytes())
}
