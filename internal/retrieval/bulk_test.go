package retrieval

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// An index that was loaded finds the same, to the last bit, as one that the passages were put into one after another,
// and goes on to do so when it changes.
func TestLoadedIndexIsTheSame(t *testing.T) {
	sizes := []int{1, 500, 3000}
	if !testing.Short() {
		sizes = append(sizes, 20_000) // several logs
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			compareLoaded(t, withCodes(randomPassages(n, uint64(n))))
		})
	}
	t.Run("words over and over", func(t *testing.T) {
		compareLoaded(t, append(repeatedPassages(2), withQuestionHeadings(inventedPassages(300, 400, 50))...))
	})
	t.Run("languages", func(t *testing.T) {
		var all []parley.Passage
		for _, lang := range []string{"ar", "de", "zh"} {
			all = append(all, readArticles(t, lang)...)
		}
		compareLoaded(t, all)
	})
}

func compareLoaded(t *testing.T, all []parley.Passage) {
	t.Helper()
	queries := randomQueries(all, 60, 9)
	put, loaded := NewIndex(), loadIndex(t, all, len(all)/2)
	put.Put(all...)
	if diff := cmp.Diff(describeSearches(put, queries), describeSearches(loaded, queries)); diff != "" {
		t.Fatal(diff)
	}
	for _, x := range []*Index{put, loaded} {
		for i := 0; i < len(all); i += 3 {
			x.Remove(all[i].ID)
		}
		x.Put(all[:len(all)/2]...)
	}
	if diff := cmp.Diff(describeSearches(put, queries), describeSearches(loaded, queries)); diff != "" {
		t.Error("after a change:", diff)
	}
	if put.grams.liveEntries != loaded.grams.liveEntries || put.stems.liveEntries != loaded.stems.liveEntries ||
		put.gramTotal != loaded.gramTotal || put.stemTotal != loaded.stemTotal {
		t.Error("the numbers of terms differ")
	}
}

// loadIndex loads the passages as those of a database are, of which so many are said to have been read at first.
func loadIndex(t *testing.T, all []parley.Passage, share int) *Index {
	t.Helper()
	x := NewIndex()
	x.beginBulk()
	x.bulk.setShare(float64(share) / float64(len(all)))
	err := putStream(x, func(yield func(parley.Passage)) error {
		for _, p := range all {
			yield(clonePassage(p))
		}
		return errors.ErrUnsupported
	})
	x.endBulk()
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal("the error of reading is lost:", err)
	}
	return x
}

// What a loaded index counts is what the runtime counts.
func TestLoadedBytesAreHonest(t *testing.T) {
	for name, all := range map[string][]parley.Passage{
		"prose": randomPassages(4000, 9),
		"tiny":  withSources(inventedPassages(30_000, 1, 200), 30_000, "Tiny", 8),
		"codes": withSources(inventedPassages(1500, 150, 1<<40), 40, "Codes", 40),
	} {
		t.Run(name, func(t *testing.T) {
			before := heapNow()
			x := loadIndex(t, all, len(all)/2)
			used, counted := heapNow()-before, x.Bytes()
			if ratio := float64(counted) / float64(used); ratio < 0.85 || ratio > 1.2 {
				t.Errorf("%d passages: %d bytes counted, %d held: %.2f", len(all), counted, used, ratio)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	all := randomPassages(5000, 4)
	for _, p := range all {
		b.SetBytes(int64(len(p.Text) * len(all)))
		break
	}
	for b.Loop() {
		x := NewIndex()
		x.beginBulk()
		_ = putStream(x, func(yield func(parley.Passage)) error {
			for _, p := range all {
				yield(p)
			}
			return nil
		})
		x.endBulk()
	}
}
