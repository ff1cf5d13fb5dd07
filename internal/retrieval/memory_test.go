package retrieval

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"parley"
)

// What the index counts must be what the runtime counts, or a budget of memory means nothing.
func TestReportedBytesMatchTheMemory(t *testing.T) {
	for name, all := range map[string][]parley.Passage{
		"few, of prose":       randomPassages(500, 9),
		"prose":               randomPassages(4000, 9),
		"one source":          withSources(randomPassages(2000, 9), 2000, "Handbook", 40),
		"tiny":                withSources(inventedPassages(30_000, 1, 200), 30_000, "Tiny", 8),
		"tiny, a source each": withSources(inventedPassages(10_000, 2, 5000), 1, "Tiny", 8),
		"short, under long titles": withSources(inventedPassages(5000, 10, 2000), 500,
			strings.Repeat("A long name of a page ", 20), 700),
		"under the same questions":  withQuestionHeadings(inventedPassages(3000, 100, 3000)),
		"nothing but new words":     withSources(inventedPassages(1500, 150, 1<<40), 40, "Codes", 40),
		"large":                     withSources(inventedPassages(8, 40_000, 20_000), 1, "Large", 40),
		"one word over and over":    withSources(repeatedPassages(2000), 100, "Over", 40),
		"a few pages of many words": withSources(inventedPassages(60, 150, 1<<40), 3, "Few", 40),
	} {
		t.Run(name, func(t *testing.T) {
			var failure string
			for range 3 { // what else the process holds may change meanwhile
				if failure = compareBytes(t, all); failure == "" {
					return
				}
			}
			t.Error(failure)
		})
	}
}

// compareBytes returns what is wrong with the bytes that an index of the passages counts.
func compareBytes(t *testing.T, all []parley.Passage) (failure string) {
	t.Helper()
	before := heapNow()
	x := NewIndex()
	for i := range all {
		x.Put(clonePassage(all[i]))
	}
	used, counted := heapNow()-before, x.Bytes()
	runtime.KeepAlive(all)
	ratio := float64(counted) / float64(used)
	t.Logf("%d passages: %d bytes counted, %d held: %.2f", len(all), counted, used, ratio)
	if ratio < 0.85 || ratio > 1.2 {
		failure = fmt.Sprintf("%d passages: %d bytes counted, %d held: %.2f. ", len(all), counted, used, ratio)
	}
	x.retainVersions(removedSources(all))
	used, counted = heapNow()-before, x.Bytes()
	if ratio := float64(counted) / float64(used); ratio < 0.8 || ratio > 1.25 {
		failure += fmt.Sprintf("When all is forgotten: %d bytes counted, %d held: %.2f", counted, used, ratio)
	}
	runtime.KeepAlive(x)
	return failure
}

// removedSources returns sources that answer no more.
func removedSources(all []parley.Passage) map[parley.SourceID]parley.VersionID {
	sources := map[parley.SourceID]parley.VersionID{}
	for _, p := range all {
		sources[p.SourceID] = "none"
	}
	return sources
}

// inventedPassages returns passages of so many words out of so many.
func inventedPassages(n, words int, of int64) []parley.Passage {
	r := rand.New(rand.NewPCG(uint64(n), uint64(words)))
	all := make([]parley.Passage, n)
	for i := range all {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "%c%s ", 'a'+rune(r.IntN(20)), letterWord(r.Int64N(of)))
		}
		all[i] = newPassage("", "", b.String())
	}
	return all
}

// letterWord writes a number in letters.
func letterWord(n int64) string {
	b := []byte{'a' + byte(n%20)}
	for n /= 20; n > 0; n /= 20 {
		b = append(b, 'a'+byte(n%20))
	}
	return string(b)
}

func repeatedPassages(n int) []parley.Passage {
	all := make([]parley.Passage, n)
	for i := range all {
		all[i] = newPassage("", "", strings.Repeat("# a\n", 300))
	}
	return all
}

// withSources makes passages those of sources as large, each with a title of its own.
func withSources(all []parley.Passage, perSource int, name string, title int) []parley.Passage {
	for i := range all {
		source := fmt.Sprintf("00000000-0000-4000-8000-%012d", i/perSource)
		all[i].ID = parley.PassageID(fmt.Sprintf("00000000-0000-7000-8000-%012d", i))
		all[i].SourceID, all[i].VersionID = parley.SourceID(source), parley.VersionID(strings.Replace(source, "4", "5", 1))
		all[i].SourceName, all[i].SourceURL, all[i].VersionHash = name, "https://example.com/help/"+source,
			strings.Repeat("0123456789abcdef", 4)
		all[i].Ordinal = i % perSource
		all[i].Heading = fmt.Sprint(i/2, " ", strings.Repeat("titles ", title/7))
	}
	return all
}

// withQuestionHeadings sets the same questions above all passages.
func withQuestionHeadings(all []parley.Passage) []parley.Passage {
	withSources(all, len(all), "Questions", 0)
	for i := range all {
		all[i].Heading = strings.Repeat("What do you ask me? › ", 180)
	}
	return all
}

// clonePassage returns the passage texts of its own, as one read from a database has.
func clonePassage(p parley.Passage) parley.Passage {
	p.ID, p.Text = parley.PassageID(strings.Clone(string(p.ID))), strings.Clone(p.Text)
	p.SourceID, p.Heading = parley.SourceID(strings.Clone(string(p.SourceID))), strings.Clone(p.Heading)
	p.SourceName, p.SourceURL = strings.Clone(p.SourceName), strings.Clone(p.SourceURL)
	p.VersionID, p.VersionHash = parley.VersionID(strings.Clone(string(p.VersionID))), strings.Clone(p.VersionHash)
	return p
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
