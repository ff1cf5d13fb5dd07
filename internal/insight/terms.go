package insight

import (
	"math"
	"strings"

	"parley/internal/store"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

const (
	maxTokens  = 80 // of a text that is compared
	pairWeight = 0.6
)

// termsOf returns the words of a text by which it is compared with others: the stems of its content words, each with
// the word as it was written behind a bar, and pairs of neighbours. Numbers say nothing about what a text is about.
func termsOf(text string) map[string]float64 {
	tokens := words.AppendTokens(nil, text)
	lang, _ := words.GuessLanguage(tokens)
	terms, last := map[string]float64{}, ""
	for _, t := range tokens[:min(len(tokens), maxTokens)] {
		if lang.IsStopWord(t.Word) || fillerWords()[t.Word] || words.KindOf(t.Word) == words.Number || len(t.Word) < 2 {
			continue
		}
		stem := lang.Stem(t.Word)
		terms[stem+"|"+t.Word] = 1
		if last != "" && last != stem {
			terms[last+" "+stem] = pairWeight
		}
		last = stem
	}
	return terms
}

// fillerWords are words that fill questions and say nothing about what they are about.
var fillerWords = words.Set(func(l *language.Language) language.Words { return l.Insight.FillerWords })

// vector is a text as it is compared: its stems and pairs with their weights, of length 1.
type vector map[string]float64

// stemOf cuts the written word off a term.
func stemOf(term string) string {
	stem, _, _ := strings.Cut(term, "|")
	return stem
}

// weightedVector makes the vector of terms: what few questions hold weighs more.
func weightedVector(terms map[string]float64, v *store.Vocabulary) vector {
	out := vector{}
	for term, w := range terms {
		stem := stemOf(term)
		out[stem] = w * rarity(v, stem)
	}
	return out.normalized()
}

func rarity(v *store.Vocabulary, stem string) float64 {
	if v.Questions == 0 {
		return 1
	}
	return math.Log(1 + float64(v.Questions)/(1+float64(v.QuestionsByWord[stem])))
}

// normalized returns the vector with the length 1. The sums of floats depend on their order, so it is always the same.
func (v vector) normalized() vector {
	var sum float64
	for _, k := range sortedKeys(v) {
		sum += v[k] * v[k]
	}
	if sum == 0 {
		return v
	}
	length := math.Sqrt(sum)
	for k := range v {
		v[k] /= length
	}
	return v
}

// similarity is the cosine of two vectors, rounded so that the order of its sum does not show.
func similarity(a, b vector) float64 {
	if len(b) < len(a) {
		a, b = b, a
	}
	var sum float64
	for k, x := range a {
		sum += x * b[k]
	}
	return roundNine(sum)
}

func roundNine(x float64) float64 { return math.Round(x*1e9) / 1e9 }
