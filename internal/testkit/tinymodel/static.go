package tinymodel

import (
	"maps"
	"slices"
	"testing"
)

// WriteStatic writes a model of model2vec, in which each word has a vector, into a folder. Other words are unknown.
func WriteStatic(t testing.TB, folder string, vectors map[string][]float64) {
	t.Helper()
	words := slices.Sorted(maps.Keys(vectors))
	vocabulary := append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, words...)
	size := len(vectors[words[0]])
	rows := make([][]float64, 4, len(vocabulary))
	for i := range rows {
		rows[i] = make([]float64, size)
		rows[i][i%size] = 1 // counts for nothing, wherever it is left out
	}
	for _, word := range words {
		rows = append(rows, vectors[word])
	}
	writeTensors(t, folder, "", map[string]matrix{"embeddings": {[]int{len(rows), size}, rows}})
	WriteJSON(t, folder, "config.json", map[string]any{"model_type": "model2vec",
		"architectures": []string{"StaticModel"}, "normalize": true})
	WriteJSON(t, folder, "tokenizer.json", TokenizerJSON(vocabulary))
}
