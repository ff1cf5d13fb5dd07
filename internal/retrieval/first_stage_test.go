package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// exhaustiveSearch scores every document by the book: what first must give, whatever it leaves out on the way.
func (x *Index) exhaustiveSearch(q *question, limit int) (places []scoredDoc, letters float64) {
	grams, stems := make([]float64, len(x.docs)), make([]float64, len(x.docs))
	x.referenceScores(grams, &x.grams, q.grams, x.gramTotal, func(d int) (terms []uint32) {
		for _, w := range x.sequence(uint32(d), nil) {
			terms = append(terms, x.vocabulary.grams(w)...)
		}
		return terms
	})
	x.referenceScores(stems, &x.stems, q.stems, x.stemTotal, func(d int) []uint32 {
		return x.contentStems(uint32(d), nil)
	})
	for d := range x.docs {
		sum := 0.0
		if grams[d] > 0 {
			sum = defaultWeights.grams * grams[d] / slices.Max(grams)
		}
		if stems[d] > 0 {
			sum += defaultWeights.stems * stems[d] / slices.Max(stems)
		}
		if sum > 0 {
			places = append(places, scoredDoc{uint32(d), sum})
		}
	}
	slices.SortFunc(places, x.comparePlaces)
	return places[:min(limit, len(places))], slices.Max(grams) / x.maxScore(q)
}

func (x *Index) referenceScores(into []float64, t *termTable, terms []weightedTerm, total int64,
	of func(int) []uint32) {
	for d := range into {
		times, all := map[uint32]int{}, of(d)
		for _, id := range all {
			times[id]++
		}
		for _, w := range terms {
			if n := float64(min(times[w.id], maxTimes)); n > 0 {
				into[d] += w.weight * x.idf(t.docCount(w.id)) * (defaultWeights.k1 + 1) * n / (n +
					defaultWeights.k1*(1-defaultWeights.b) + x.normPerUnit(total)*float64(len(all)))
			}
		}
	}
}

// contentStems returns the stems of those words of a document that carry a meaning, in order. It may use into.
func (x *Index) contentStems(doc uint32, into []uint32) []uint32 {
	into = x.sequence(doc, into)
	n := 0
	for _, w := range into {
		if stem := x.vocabulary.stems[w]; stem != noStem {
			into[n] = stem
			n++
		}
	}
	return into[:n]
}

// The first stage may skip what it likes, as long as it returns the same passages with the same scores to the last bit.
func TestFirstIsExact(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			all := unevenPassages(rng, 100+rng.IntN(600), seed)
			x := NewIndex()
			x.Put(all...)
			early := 0
			for range 12 {
				for range rng.IntN(40) {
					if p := all[rng.IntN(len(all))]; rng.IntN(2) == 0 {
						x.Remove(p.ID)
					} else {
						x.Put(p)
					}
				}
				q := Query{Text: randomWords(rng, all[rng.IntN(len(all))].Text)}
				for range rng.IntN(3) {
					q.Earlier = append(q.Earlier, randomWords(rng, all[rng.IntN(len(all))].Text))
				}
				early += compareWithExhaustive(t, x, q, 1+rng.IntN(64))
			}
			if early == 0 {
				t.Error("nothing was ever left out")
			}
		})
	}
}

// compareWithExhaustive looks for the question as a search does, and with a look after each list. It tells whether that
// left out any.
func compareWithExhaustive(t *testing.T, x *Index, q Query, limit int) (early int) {
	t.Helper()
	ask := &question{}
	x.fillQuestion(ask, q)
	want, letters := x.exhaustiveSearch(ask, limit)
	got, much := x.firstStage(x.takeScratch(), ask, limit)
	slices.SortFunc(got, x.comparePlaces)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scoredDoc{})); diff != "" || letters != much {
		t.Fatalf("%+v, best %d: %s\nletters %v, want %v", q, limit, diff, much, letters)
	}
	s := &searchScratch{grams: make([]float32, roundUpToRange(len(x.docs))),
		stems: make([]float32, roundUpToRange(len(x.docs))), stemsWeight: ask.stemsWeight}
	grams, stems := x.terms(&x.grams, ask.grams, nil), x.terms(&x.stems, ask.stems, nil)
	var e exactScorer
	v := x.newFilter(s, grams, stems, limit)
	for range max(0, len(v.terms)-3) { // so that the lists run out before nothing is left to leave out
		v.addNextList()
		v.collectCandidates(len(x.docs))
		got, _ = x.best(s.candidates, e.scoreDocs(x, s.candidates, grams, stems, nil), defaultWeights.stems, limit, nil)
		slices.SortFunc(got, x.comparePlaces)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(scoredDoc{})); diff != "" {
			t.Fatalf("%+v, best %d, with %d lists to go: %s", q, limit, len(v.terms), diff)
		}
		if len(s.candidates) < len(want)+len(x.docs)/4 {
			early = 1
		}
	}
	return early
}

// unevenPassages returns passages of all lengths, some repeating a word more often than is counted.
func unevenPassages(rng *rand.Rand, n int, seed uint64) []parley.Passage {
	all := randomPassages(n, seed)
	for i := range all {
		fields := strings.Fields(all[i].Text)
		all[i].Text = strings.Join(fields[:1+rng.IntN(len(fields))], " ")
		if rng.IntN(50) == 0 {
			all[i].Text = strings.Repeat(fields[0]+" ", 10+rng.IntN(600))
		}
	}
	return all
}

func randomWords(rng *rand.Rand, text string) string {
	fields := strings.Fields(text)
	from := rng.IntN(len(fields))
	return strings.Join(fields[from:min(len(fields), from+1+rng.IntN(30))], " ")
}

// Lists of a term go over ranges and over numbers that do not fit into a unit.
func TestPostings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		var p postings
		var docs []uint32
		want := make([]float32, 20*rangeSize)
		norm := slices.Repeat([]float32{1}, len(want))
		for doc := rng.IntN(9000); doc < len(want); doc += 1 + rng.IntN(1+rng.IntN(20000)) {
			times := uint8(1 + rng.IntN(1+rng.IntN(maxTimes)))
			p.add(uint32(doc), times)
			docs = append(docs, uint32(doc))
			want[doc] = float32(times) / (float32(times) + 1)
		}
		var got []uint32
		p.forEach(func(doc uint32, _ uint8) { got = append(got, doc) })
		if diff := cmp.Diff(docs, got); diff != "" || int(p.liveDocs) != len(docs) {
			t.Fatal(diff, p.liveDocs)
		}
		into := make([]float32, len(want))
		p.addScores(into, norm, 1)
		if diff := cmp.Diff(want, into); diff != "" {
			t.Fatal(diff)
		}
	}
	var far postings
	far.add(rangeSize*9000+5, 1)
	far.forEach(func(doc uint32, _ uint8) {
		if doc != rangeSize*9000+5 {
			t.Error(doc)
		}
	})
}
