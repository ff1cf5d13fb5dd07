package eval_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/retrieval"
	"parley/internal/text/words"
)

// paragraphExample is a question with the sentences of the paragraph that is quoted, and which of them hold a
// reference.
type paragraphExample struct {
	set, group string
	signs      [][]float64
	sizes      []int
	holds      []bool
}

// TestLearnAnswers fits the weights by which the built-in model chooses the sentences of a paragraph, on the sets below
// the folder that PARLEY_LEARN_ANSWERS names. It prints them as they are in weights.yaml, and for bounds of what a
// further sentence must be worth how many quotes hold the reference and how much of these does, with weights that were
// fitted on other documents.
func TestLearnAnswers(t *testing.T) {
	dir := os.Getenv("PARLEY_LEARN_ANSWERS")
	if dir == "" {
		t.Skip("PARLEY_LEARN_ANSWERS is not set")
	}
	sets, err := eval.ReadSets(os.DirFS(dir), "")
	if err != nil {
		t.Fatal(err)
	}
	all := paragraphExamples(sets)
	shares := crossFitChoice(all)
	for _, set := range append(sets, eval.Set{}) {
		for _, bound := range []float64{9, .5, .4, .3, .25, .2, .15} {
			t.Logf("%-10s further ones from %.2f: %s", set.Name, bound, describeChoice(all, shares, set.Name, bound))
		}
	}
	w := fitChoice(all)
	for i, name := range quote.AnswerSignNames() {
		t.Logf("  %s: %.2f", name, w[i])
	}
}

// crossFitChoice returns the shares of the sentences, each by weights that were fitted on other documents.
func crossFitChoice(all []paragraphExample) [][]float64 {
	const folds = 5
	shares := make([][]float64, len(all))
	for k := range folds {
		in := func(e paragraphExample) bool { return hashGroup(e.group)%folds == k }
		w := fitChoice(slices.DeleteFunc(slices.Clone(all), in))
		for i, e := range all {
			if in(e) {
				shares[i] = choiceShares(e.signs, w)
			}
		}
	}
	return shares
}

// paragraphExamples asks the questions of the sets that have references.
func paragraphExamples(sets []eval.Set) (all []paragraphExample) {
	for _, s := range sets {
		x := retrieval.NewIndex()
		for _, doc := range s.Docs {
			x.Put(passagesOf(doc)...)
		}
		for _, q := range s.Questions {
			if len(q.References) == 0 {
				continue
			}
			draft := chat.StandaloneTurn{Agent: &parley.Agent{}, Question: q.Text, Backend: model.Backend{
				Model: quote.Model{}, Label: model.BuiltinName}}
			e := paragraphExample{set: s.Name, group: q.Relevant[0]}
			for _, sentence := range quote.ReadSentences(draft.Prompt(x.Nearest(draft.Query()))) {
				e.signs = append(e.signs, sentence.Signs)
				e.sizes = append(e.sizes, len(sentence.Text))
				e.holds = append(e.holds, holdsReference(sentence.Text, q.References))
			}
			if len(e.signs) > 0 {
				all = append(all, e)
			}
		}
	}
	return all
}

func holdsReference(text string, references []string) bool {
	compact := func(text string) string {
		return strings.Join(strings.Fields(strings.Trim(words.Fold(text), " .,;:。，")), " ")
	}
	for _, r := range references {
		if strings.Contains(compact(text), compact(r)) {
			return true
		}
	}
	return false
}

func choiceShares(signs [][]float64, w []float64) []float64 {
	shares, sum := make([]float64, len(signs)), 0.0
	for i, s := range signs {
		z := 0.0
		for k, v := range s {
			z += w[k] * v
		}
		shares[i] = math.Exp(z)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// fitChoice finds the weights under which the sentences that hold a reference are most likely, with a little pull
// towards nothing.
func fitChoice(all []paragraphExample) (w []float64) {
	const steps, rate, pull, keep, keepSquare = 400, .05, 1e-3, .9, .999
	n := len(all[0].signs[0])
	w = make([]float64, n)
	mean, square := make([]float64, n), make([]float64, n)
	for step := 1; step <= steps; step++ {
		slope := make([]float64, n)
		for _, e := range all {
			addSlope(slope, e, choiceShares(e.signs, w))
		}
		for k := range w {
			g := slope[k]/float64(len(all)) + pull*w[k]
			mean[k], square[k] = keep*mean[k]+(1-keep)*g, keepSquare*square[k]+(1-keepSquare)*g*g
			m, s := mean[k]/(1-math.Pow(keep, float64(step))), square[k]/(1-math.Pow(keepSquare, float64(step)))
			w[k] -= rate * m / (math.Sqrt(s) + 1e-8)
		}
	}
	return w
}

// addSlope adds how the likelihood of a wrong sentence changes with the weights. A paragraph without a right one tells
// nothing.
func addSlope(slope []float64, e paragraphExample, shares []float64) {
	right := 0.0
	for i, isTrue := range e.holds {
		if isTrue {
			right += shares[i]
		}
	}
	if right == 0 {
		return
	}
	for i, s := range e.signs {
		d := shares[i]
		if e.holds[i] {
			d -= shares[i] / right
		}
		for k, v := range s {
			slope[k] += d * v
		}
	}
}

func describeChoice(all []paragraphExample, shares [][]float64, set string, bound float64) string {
	questions, holds, brevity, quoted := 0, 0, 0.0, 0
	for i, e := range all {
		if set != "" && e.set != set {
			continue
		}
		picked := pickLikely(shares[i], e.sizes, bound)
		some, size := 0, 0
		for _, j := range picked {
			size += e.sizes[j]
			if e.holds[j] {
				some += e.sizes[j]
			}
		}
		questions, quoted = questions+1, quoted+len(picked)
		if some > 0 {
			holds++
			brevity += float64(some) / float64(size)
		}
	}
	return fmt.Sprintf("%.3f hold it, brevity %.2f, %.2f sentences", float64(holds)/float64(max(questions, 1)),
		brevity/float64(max(holds, 1)), float64(quoted)/float64(max(questions, 1)))
}

// pickLikely returns the sentences that are quoted, the likeliest first: three at most, each further one while it is
// worth its place.
func pickLikely(shares []float64, sizes []int, bound float64) (picked []int) {
	const maxSentences = 3
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	size := 0
	for n, i := range order {
		loss := 0.0
		for _, j := range picked {
			loss += shares[j] * float64(sizes[j]) * (1/float64(size) - 1/float64(size+sizes[i]))
		}
		if n == maxSentences || n > 0 && shares[i] < bound*loss {
			break
		}
		picked, size = append(picked, i), size+sizes[i]
	}
	return picked
}
