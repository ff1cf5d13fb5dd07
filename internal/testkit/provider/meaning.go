package provider

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"

	"parley/internal/text/words"
)

// EmbeddingModel replaces an embedding model in tests. It learns from texts alone which words occur together: each text
// gets a random direction, a word the sum of the directions of the texts that contain it, and a text the sum of its
// words', with the spelling of the words added. Its quality is between plain words and a small embedding model.
type EmbeddingModel struct {
	dims           int
	rarity         map[string]float64
	contextVectors map[string][]float64
	commonVector   []float64 // the common part of all texts
	unseenRarity   float64   // weight of a word that is in no text
}

// TrainEmbeddingModel returns a model trained on the texts.
func TrainEmbeddingModel(dims int, texts []string) *EmbeddingModel {
	m := &EmbeddingModel{dims: dims, rarity: map[string]float64{}, contextVectors: map[string][]float64{},
		commonVector: make([]float64, dims)}
	in := make([][]string, len(texts))
	for i, text := range texts {
		in[i] = distinctWords(text)
		for _, w := range in[i] {
			m.rarity[w]++
		}
	}
	m.unseenRarity = math.Log(2 + float64(len(texts)))
	for w, n := range m.rarity {
		m.rarity[w] = math.Log(1 + float64(len(texts))/n)
	}
	for i, text := range in {
		by := randomVector("text "+texts[i], dims)
		length := math.Sqrt(float64(len(text) + 1))
		for _, w := range text {
			addScaled(m.wordVector(w), by, m.rarity[w]/length)
		}
	}
	for _, text := range texts {
		addScaled(m.commonVector, m.rawVector(text), 1/float64(len(texts)))
	}
	return m
}

func (m *EmbeddingModel) wordVector(word string) []float64 {
	v, ok := m.contextVectors[word]
	if !ok {
		v = make([]float64, m.dims)
		m.contextVectors[word] = v
	}
	return v
}

// Vector returns the direction of a text, of length 1.
func (m *EmbeddingModel) Vector(text string) []float32 {
	v := m.rawVector(text)
	addScaled(v, m.commonVector, -.7)
	length := norm(v)
	out := make([]float32, m.dims)
	for i, x := range v {
		out[i] = float32(x / length)
	}
	if length == 0 {
		out = make([]float32, m.dims)
		out[0] = 1
	}
	return out
}

// rawVector blends co-occurrence and spelling, each of length 1.
func (m *EmbeddingModel) rawVector(text string) []float64 {
	company, spelling := make([]float64, m.dims), make([]float64, m.dims)
	for _, w := range distinctWords(text) {
		rare, ok := m.rarity[w]
		if !ok {
			rare = m.unseenRarity
		}
		if v := m.contextVectors[w]; v != nil {
			addScaled(company, v, rare/(norm(v)+1e-9))
		}
		grams := words.Grams(nil, w)
		for _, g := range grams {
			addScaled(spelling, randomVector(strconv.FormatUint(g, 36), m.dims), rare/math.Sqrt(float64(len(grams))))
		}
	}
	out := make([]float64, m.dims)
	addScaled(out, company, 1/(norm(company)+1e-9))
	addScaled(out, spelling, 1/(norm(spelling)+1e-9))
	return out
}

func distinctWords(text string) (list []string) {
	seen := map[string]bool{}
	for _, t := range words.AppendTokens(nil, text) {
		if !seen[t.Word] {
			seen[t.Word] = true
			list = append(list, t.Word)
		}
	}
	return list
}

// randomVector returns a direction that depends only on the name: few dimensions, each plus or minus one.
func randomVector(name string, dims int) []float64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name)) // never fails
	h := sum.Sum64()
	r := rand.New(rand.NewPCG(h, h>>7))
	v := make([]float64, dims)
	for range 12 {
		v[r.IntN(dims)] += float64(2*r.IntN(2) - 1)
	}
	return v
}

func addScaled(to, v []float64, weight float64) {
	for i, x := range v {
		to[i] += weight * x
	}
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}
