package retrieval_test

import (
	"slices"
	"testing"
)

// figures of a collection: share of first hits that are right, share of right sources among the first five, mean average
// precision.
type figures struct{ r1, r5, ap float64 }

func (c *collection) measure() (f figures) {
	n := 0.0
	for _, t := range c.trials {
		if len(t.right) == 0 {
			continue
		}
		n++
		t.query.Limit = 60
		var sources []string
		for _, h := range c.index.Nearest(t.query) {
			if id := string(h.Passage.SourceID); !slices.Contains(sources, id) {
				sources = append(sources, id)
			}
		}
		f.count(sources, t.right)
	}
	return figures{f.r1 / n, f.r5 / n, f.ap / n}
}

func (f *figures) count(sources, right []string) {
	found, all := 0.0, float64(len(right))
	for i, id := range sources {
		if !slices.Contains(right, id) {
			continue
		}
		found++
		f.ap += found / float64(i+1) / all
		if i == 0 {
			f.r1++
		}
		if i < 5 {
			f.r5 += 1 / all
		}
	}
}

// The floors are the figures of the plain fusion that the search is built on: no step added to it may cost anything. Where
// that was not measured they are those of plain BM25.
func TestQuality(t *testing.T) {
	dir := sets(t)
	const hair = 0.002
	for _, c := range []struct {
		name  string
		set   *collection
		floor figures
	}{
		{"xquad en", xquad(t, dir, "en"), figures{r1: .944}},
		{"xquad de", xquad(t, dir, "de"), figures{r1: .915}},
		{"xquad es", xquad(t, dir, "es"), figures{r1: .935}},
		{"xquad ar", xquad(t, dir, "ar"), figures{r1: .905}},
		{"xquad zh", xquad(t, dir, "zh"), figures{r1: .931}},
		{"stackfaq questions", stackfaq(t, dir, threads), figures{ap: .837}},
		{"stackfaq pairs", stackfaq(t, dir, pairs), figures{ap: .818}}, // of the plain fusion over the same passages
		{"stackfaq answers", stackfaq(t, dir, answers), figures{ap: .765}},
		{"clapnq", clapnq(t, dir), figures{r1: .947}},
		{"mtrag-un", mtrag(t, dir, false), figures{r5: .802}},
		{"ente-help", enteHelp(t, dir), figures{r5: .904}},
	} {
		f := c.set.measure()
		t.Logf("%-18s %4d questions %5d passages  R@1 %.3f  R@5 %.3f  MAP %.3f", c.name, len(c.set.trials), c.set.index.Len(), f.r1, f.r5, f.ap)
		if f.r1 < c.floor.r1-hair || f.r5 < c.floor.r5-hair || f.ap < c.floor.ap-hair {
			t.Errorf("%s is below its floor %+v", c.name, c.floor)
		}
	}
}
