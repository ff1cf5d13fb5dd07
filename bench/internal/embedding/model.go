package embedding

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/bench/internal/corpus"
	"parley/internal/model/safetensors"
)

// The sizes of all-MiniLM-L6-v2, which has 22.7 million numbers.
const (
	pieceCount   = 30522
	hidden       = 384
	layers       = 6
	heads        = 12
	intermediate = 1536
	positions    = 512
	maxTokens    = 256

	staticSize = 256 // of a vector of potion-base-8M
)

// writeTransformer writes a model of these sizes with random weights into a folder.
func writeTransformer(folder string) error {
	rng := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // no secret
	var tensors []safetensors.Floats
	add := func(name string, mean float64, shape ...int) {
		n := shape[0]
		if len(shape) > 1 {
			n *= shape[1]
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(mean + .05*rng.NormFloat64())
		}
		tensors = append(tensors, safetensors.Floats{Name: name, Shape: shape, Values: values})
	}
	addNorm := func(name string) {
		add(name+".weight", 1, hidden)
		add(name+".bias", 0, hidden)
	}
	addLinear := func(name string, rows, columns int) {
		add(name+".weight", 0, rows, columns)
		add(name+".bias", 0, rows)
	}
	add("embeddings.word_embeddings.weight", 0, pieceCount, hidden)
	add("embeddings.position_embeddings.weight", 0, positions, hidden)
	add("embeddings.token_type_embeddings.weight", 0, 2, hidden)
	addNorm("embeddings.LayerNorm")
	for i := range layers {
		layer := fmt.Sprintf("encoder.layer.%d.", i)
		for _, name := range []string{"attention.self.query", "attention.self.key", "attention.self.value",
			"attention.output.dense"} {
			addLinear(layer+name, hidden, hidden)
		}
		addNorm(layer + "attention.output.LayerNorm")
		addLinear(layer+"intermediate.dense", intermediate, hidden)
		addLinear(layer+"output.dense", hidden, intermediate)
		addNorm(layer + "output.LayerNorm")
	}
	return writeFolder(folder, tensors, map[string]any{"model_type": "bert", "hidden_size": hidden,
		"num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": intermediate,
		"max_position_embeddings": positions, "vocab_size": pieceCount, "hidden_act": "gelu", "layer_norm_eps": 1e-12})
}

// writeStatic writes a static model with random vectors into a folder.
func writeStatic(folder string) error {
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	values := make([]float32, pieceCount*staticSize)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	return writeFolder(folder, []safetensors.Floats{{Name: "embeddings", Shape: []int{pieceCount, staticSize},
		Values: values}}, map[string]any{"model_type": "model2vec", "normalize": true})
}

func writeFolder(folder string, tensors []safetensors.Floats, config map[string]any) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return err
	}
	if err := safetensors.Write(file, tensors); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	for name, content := range map[string]any{"config.json": config,
		"sentence_bert_config.json": map[string]int{"max_seq_length": maxTokens}} {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "vocab.txt"), []byte(strings.Join(vocabulary(), "\n")+"\n"), 0o600)
}

// vocabulary returns as many pieces as the model has: special ones, letters, the words of the manual, and names that no
// text has.
func vocabulary() []string {
	list := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for c := '!'; c <= '~'; c++ {
		list = append(list, string(c), "##"+string(c))
	}
	counts := map[string]int{}
	for _, word := range strings.FieldsFunc(strings.ToLower(corpus.ManualText()), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(word) > 1 {
			counts[word]++
		}
	}
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if counts[word] > 1 && len(list) < pieceCount {
			list = append(list, word)
		}
	}
	for len(list) < pieceCount {
		list = append(list, fmt.Sprintf("##unused%d", len(list)))
	}
	return list
}
