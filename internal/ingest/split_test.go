package ingest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func pieceTexts(text string) []string {
	var all []string
	for _, p := range Split(text) {
		all = append(all, p.Heading+"|"+text[p.Start:p.End])
	}
	return all
}

func TestSplitFollowsHeadings(t *testing.T) {
	text := "---\ntitle: x\n---\n\n# Export\n\nAll about it.\n\n## Desktop {#d}\n\n1. Open\n2. Click\n\nSetext\n" +
		"------\nLast.\n\n## Empty\n\n# Other\n```\n# not a heading\n```\n\n# Last\n"
	want := []string{
		"Export|All about it.",
		"Export › Desktop|1. Open\n2. Click",
		"Export › Setext|Last.",
		"Other|## Empty\n\n# Other\n```\n# not a heading\n```",
		"Last|# Last",
	}
	if diff := cmp.Diff(want, pieceTexts(text)); diff != "" {
		t.Error(diff)
	}
}

func TestSplitRepeatsASentenceAtACut(t *testing.T) {
	text := strings.Repeat("This sentence is here to fill the paragraph with words. ", 60)
	all := Split(text)
	if len(all) < 3 {
		t.Fatalf("%d pieces", len(all))
	}
	for i, p := range all {
		if p.End-p.Start > maxPieceBytes+overlapBytes || !strings.HasPrefix(text[p.Start:], "This") {
			t.Errorf("piece %d: %q", i, text[p.Start:p.End])
		}
		if i > 0 && p.Start >= all[i-1].End {
			t.Errorf("piece %d does not overlap", i)
		}
	}
}

func TestSplitKeepsAnIntroductionWithItsList(t *testing.T) {
	text := strings.Repeat("Some words that fill. ", 40) + "\n\nTo export:\n\n" +
		strings.Repeat("- a step that takes many words to tell\n", 25)
	for _, p := range pieceTexts(text) {
		if strings.HasSuffix(p, "To export:") {
			t.Errorf("cut off: %q", p)
		}
	}
}

// The bounds that hold for any text, as otherwise one request could take gigabytes.
func wantBounded(t *testing.T, text string, pieces []Piece) {
	t.Helper()
	taken, stored := 0, 0
	for _, p := range pieces {
		taken, stored = taken+p.StoredBytes(), stored+len(p.Heading)+p.End-p.Start
	}
	if limit := 4*len(text) + sizeSlack + rowOverheadBytes + maxPieceBytes; taken > limit ||
		stored > limit-rowOverheadBytes*len(pieces) {
		t.Errorf("%d bytes become %d pieces of %d bytes, which take %d", len(text), len(pieces), stored, taken)
	}
}

func TestSplitIsBoundedByTheText(t *testing.T) {
	deep, long := "", strings.Repeat("long title ", 20)
	for level := range 6 {
		deep += strings.Repeat("#", level+1) + " " + long + "\n"
	}
	for name, text := range map[string]string{
		"bare headings":             strings.Repeat("# a\n", 50_000),
		"bare headings of levels":   strings.Repeat("# a\n## b\n### c\n", 20_000),
		"tiny sections":             strings.Repeat("# a\nb\n", 30_000),
		"tiny sections with a rule": strings.Repeat("# a\n---\nb\n", 30_000),
		"tiny sections, far down":   deep + strings.Repeat("###### a\nb\n", 20_000),
		"underlined":                strings.Repeat("ab\n--\nc\n", 30_000),
		"long path above words":     deep + strings.Repeat("Words that say little. ", 10_000),
		"long paths":                strings.Repeat(deep+"x\n", 500),
		"one long heading":          "# " + strings.Repeat("word ", 50_000),
		"long headings":             strings.Repeat("# "+strings.Repeat("word ", 300)+"\n", 200),
		"long lines among short":    strings.Repeat("x\n\n"+strings.Repeat("y", 1201)+"\n\n", 300),
	} {
		t.Run(name, func(t *testing.T) {
			pieces := Split(text)
			wantBounded(t, text, pieces)
			found := strings.Builder{}
			for _, p := range pieces {
				found.WriteString(text[p.Start:p.End])
			}
			if len(pieces) == 0 || !strings.Contains(found.String(), text[len(text)-2:len(text)-1]) {
				t.Error("its end is lost")
			}
		})
	}
}

func TestSplitJoinsBareHeadings(t *testing.T) {
	for text, want := range map[string][]string{
		"# a":                 {"a|# a"},
		"# a\n# b\n## c\n# d": {"|# a\n# b\n## c\n# d"},
		// the title of a page, often added to a text that has its own
		"# a\n\n# b\n\ntext\n\n# c\nt":                    {"a › b|text", "c|t"},
		"# a\n\n# a\n\ntext":                              {"a|text"},
		"# a\ni\n## b\n# c\n## d\nt":                      {"a|i", "c › d|## b\n# c\n## d\nt"},
		"# a\ntext\n## b\n## c":                           {"a|text", "a|## b\n## c"},
		"# a\n## b\n# c\ntext":                            {"c|# a\n## b\n# c\ntext"},
		"# a\n<br/>\n# b\n\n# c\nt\n# d":                  {"c|# a\n<br/>\n# b\n\n# c\nt", "d|# d"},
		"# a\n" + strings.Repeat("<b>\n", 400) + "# b\nt": {"a|# a", "b|t"},
	} {
		if diff := cmp.Diff(want, pieceTexts(text)); diff != "" {
			t.Errorf("%.40q: %s", text, diff)
		}
	}
}

// Many short sections are joined with their headings, so that each is found by its own words.
func TestSplitJoinsTinySections(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "## Term %d\n\nMeaning %d.\n\n", i, i)
	}
	text := b.String()
	all := Split(text)
	if first := all[0]; first.Heading != "Term 0" || text[first.Start:first.End] != "Meaning 0." {
		t.Errorf("%+v", first)
	}
	last := all[len(all)-1]
	if pieceText := text[last.Start:last.End]; !strings.HasPrefix(pieceText, "## Term ") ||
		!strings.HasSuffix(pieceText, "Meaning 1999.") || len(pieceText) > maxPieceBytes {
		t.Errorf("%q", pieceText)
	}
	for i := range 2000 {
		want := fmt.Sprintf("Meaning %d.", i)
		if !slices.ContainsFunc(all, func(p Piece) bool {
			pieceText := text[p.Start:p.End]
			return strings.Contains(pieceText, want) && strings.Contains(p.Heading+"\n"+pieceText, fmt.Sprintf("Term %d\n", i))
		}) {
			t.Fatalf("%d is not found with its heading", i)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "# a\n\nb", "---\n---\n", "```\nx", "<!-- a\nb --> c", "| a |\n| b |", "。。\xff\xfe",
		"a\n===\nb\n---\n", "[a]: b\n:::\n> q"} {
		f.Add(s, 1)
	}
	f.Add("长文字。", 900)
	f.Add("x", 5000)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, min(max(times, 1), 4096)%4096)
		if len(text) > 1<<18 {
			return
		}
		end, valid := 0, utf8.ValidString(text)
		all := Split(text)
		wantBounded(t, text, all)
		for _, p := range all {
			if p.Start < 0 || p.End > len(text) || p.Start >= p.End || p.End < end || p.End-p.Start > 3*maxPieceBytes {
				t.Fatalf("bad span %+v of %d", p, len(text))
			}
			if valid && (!utf8.ValidString(text[p.Start:p.End]) || !utf8.ValidString(p.Heading)) {
				t.Fatalf("span %+v cuts a code point", p)
			}
			end = p.End
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("# A heading\n\nA paragraph with a few words. And another sentence, e.g. this one.\n\n"+
		"- an item\n- another item\n\n", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Split(text)
	}
}

// A text is split while it is read: what is held is a small part of it, in the best of three runs. As its name has it,
// it runs without the race detector and what else runs with it.
func TestMemoryIsBounded(t *testing.T) {
	for name, line := range map[string]string{"bare headings": "# a\n", "tiny sections": "# a\nb\n", "items": "- a\n",
		"sentences": "A. ", "one word": "a"} {
		text := strings.Repeat(line, (8<<20)/len(line))
		n, peak := measureSplit(text)
		for tries := 1; tries < 3 && peak > int64(len(text)/8); tries++ {
			n, peak = measureSplit(text)
		}
		if n < 2000 || peak > int64(len(text)/8) {
			t.Errorf("%s: %d bytes are held while %d pieces are cut", name, peak, n)
		}
	}
}

// measureSplit splits a text and returns the number of pieces, and the most bytes that are held beside the text.
func measureSplit(text string) (n int, peak int64) {
	before := heapLive()
	for range EachPiece(text) {
		if n++; n%2000 == 0 {
			peak = max(peak, heapLive()-before)
		}
	}
	runtime.KeepAlive(text)
	return n, peak
}

func heapLive() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
