package retrieval

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func newPassage(id, heading, text string) parley.Passage {
	return parley.Passage{ID: parley.PassageID("p-" + id), SourceID: parley.SourceID(id), Heading: heading, Text: text}
}

func newHelpIndex() *Index {
	x := NewIndex()
	x.Put(
		newPassage("export", "Export › Desktop",
			"Open the settings and choose a folder. The app copies every photo into it."),
		newPassage("refund", "Billing › Refunds", "We return the money within fourteen days after you cancel the plan."),
		newPassage("share", "Albums › Share",
			"Send a link to people who have no account. They can view the album in a browser."),
		newPassage("de", "Rechnung", "Die Rechnung finden Sie unter Einstellungen. Kündigungen sind jederzeit möglich."),
		newPassage("zh", "", "您可以在设置中导出所有照片。家庭计划最多支持五名成员。"),
	)
	return x
}

func hitIDs(hits []Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, string(h.Passage.SourceID))
	}
	return ids
}

func TestNearestFinds(t *testing.T) {
	x := newHelpIndex()
	for question, want := range map[string]string{
		"How can I export my photos?":       "export",
		"exprot desktopp":                   "export", // typing errors
		"When do I get my MONEY back?":      "refund",
		"sharing albums without an account": "share",
		"Wo finde ich meine Rechnungen?":    "de",
		"Kann ich kundigen":                 "de", // no umlaut
		"家庭计划支持多少成员？":                       "zh",
		"how to delete a picture":           "export", // another word for it
	} {
		hits := x.Nearest(Query{Text: question})
		if len(hits) == 0 || hitIDs(hits)[0] != want {
			t.Errorf("%q: %v, want %s first", question, hitIDs(hits), want)
		}
		for _, h := range hits {
			if h.Score < 0 || h.Score > 1 {
				t.Errorf("%q: score %v", question, h.Score)
			}
		}
	}
}

func TestNearestUnderstandsAFollowUp(t *testing.T) {
	x := newHelpIndex()
	q := Query{Text: "And how long does it take?", Earlier: []string{"Hello", "Can I have a refund?"}}
	if got := hitIDs(x.Nearest(q)); len(got) == 0 || got[0] != "refund" {
		t.Errorf("%v", got)
	}
}

func TestNothingInCommon(t *testing.T) {
	if hits := newHelpIndex().Nearest(Query{Text: "xylophone"}); len(hits) > 0 && hits[0].Signs.Words > 0 {
		t.Errorf("%+v", hits)
	}
	if hits := NewIndex().Nearest(Query{Text: "anything"}); hits != nil {
		t.Errorf("%+v", hits)
	}
	if hits := newHelpIndex().Nearest(Query{Text: " ?! "}); len(hits) != 0 {
		t.Errorf("%+v", hits)
	}
}

// The way an index came to hold what it holds must not show in its answers.
func TestAnswersDependOnContentOnly(t *testing.T) {
	all := randomPassages(60, 1)
	straight := NewIndex()
	straight.Put(all[:40]...)
	winding := NewIndex()
	winding.Put(all[20:]...)
	for _, p := range all[40:] {
		winding.Remove(p.ID)
	}
	for i := 19; i >= 0; i-- {
		winding.Put(all[i])
	}
	for _, p := range all[:10] {
		q := Query{Text: p.Text[:60], Limit: 40}
		if diff := cmp.Diff(straight.Nearest(q), winding.Nearest(q)); diff != "" {
			t.Fatal(diff)
		}
	}
	if straight.Len() != winding.Len() {
		t.Errorf("%d and %d passages", straight.Len(), winding.Len())
	}
}

func TestRemovedPassagesAreNotFound(t *testing.T) {
	x := newHelpIndex()
	x.Remove("p-refund", "p-unknown")
	for _, h := range x.Nearest(Query{Text: "refund money plan"}) {
		if h.Passage.SourceID == "refund" {
			t.Error("still there")
		}
	}
}

func TestSearchWhileItChanges(t *testing.T) {
	x, all := NewIndex(), randomPassages(200, 2)
	var group sync.WaitGroup
	group.Go(func() {
		for _, p := range all {
			x.Put(p)
		}
		for _, p := range all[:100] {
			x.Remove(p.ID)
		}
	})
	for range 4 {
		group.Go(func() {
			for i := range 100 {
				x.Nearest(Query{Text: all[i].Text[:50], Earlier: []string{all[i+1].Text[:50]}})
			}
		})
	}
	group.Wait()
	if x.Len() != 100 {
		t.Errorf("%d passages", x.Len())
	}
}

func FuzzNearest(f *testing.F) {
	x := newHelpIndex()
	f.Add("how do I export?", "photos")
	f.Add("\xff\xfe ]( ](x", "家庭a\u0300")
	f.Fuzz(func(t *testing.T, text, earlier string) {
		x.Nearest(Query{Text: text, Earlier: []string{earlier}})
		y := NewIndex()
		y.Put(newPassage("a", earlier, text))
		y.Nearest(Query{Text: text})
		y.Remove("p-a")
		if y.grams.liveEntries != 0 || y.stems.liveEntries != 0 || y.gramTotal != 0 || y.bytes != 0 {
			t.Fatalf("not forgotten: %d %d %d", y.grams.liveEntries, y.gramTotal, y.bytes)
		}
	})
}

// randomPassages returns passages of invented words whose frequencies fall off as those of a language do.
func randomPassages(n int, seed uint64) []parley.Passage {
	r := rand.New(rand.NewPCG(seed, 7))
	zipf := rand.NewZipf(r, 1.1, 3, 20000)
	word := func() string {
		letters := rand.New(rand.NewPCG(zipf.Uint64(), 11))
		b := make([]byte, 3+letters.IntN(7))
		for i := range b {
			b[i] = "etaoinshrdlucmfgypbwvk"[min(letters.IntN(22), letters.IntN(22))]
		}
		return string(b)
	}
	all := make([]parley.Passage, n)
	for i := range all {
		var b strings.Builder
		for j := range 150 {
			b.WriteString(word())
			if j%12 == 11 {
				b.WriteString(". ")
			} else {
				b.WriteByte(' ')
			}
		}
		all[i] = newPassage(fmt.Sprintf("%06d", i), word()+" "+word(), b.String())
	}
	return all
}

func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{300, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, all := NewIndex(), randomPassages(n, 3)
			x.Put(all...)
			questions := make([]string, 50)
			for i := range questions {
				questions[i] = strings.Join(strings.Fields(all[i*n/50].Text)[20:28], " ")
			}
			i := 0
			for b.Loop() {
				x.Nearest(Query{Text: questions[i%len(questions)]})
				i++
			}
			b.ReportMetric(float64(x.Bytes())/(1<<20), "MiB")
		})
	}
}

func BenchmarkPut(b *testing.B) {
	all := randomPassages(500, 4)
	for _, p := range all {
		b.SetBytes(int64(len(p.Text) * len(all)))
	}
	for b.Loop() {
		NewIndex().Put(all...)
	}
}

// A message of one endless word is answered as soon as any other: what is tried for a word must not grow faster than
// the word.
func TestNearestReadsEndlessWords(t *testing.T) {
	x := newHelpIndex()
	for name, word := range map[string]string{"one letter": "a", "a word again and again": "settings", "no Latin": "б",
		"many letters": "qwrtpsdfgh"} {
		t.Run(name, func(t *testing.T) {
			x.Nearest(Query{Text: strings.Repeat(word, (1<<20)/len(word)) + " photos"})
		})
	}
	if hits := x.Nearest(Query{Text: "Where are the " + strings.Repeat("a", 1<<16) + " settings?"}); len(hits) == 0 {
		t.Error("nothing is found beside an endless word")
	}
}
