package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func pieces(text string) []string {
	var all []string
	for _, p := range Split(text) {
		all = append(all, p.Heading+"|"+text[p.Start:p.End])
	}
	return all
}

func TestSplitFollowsHeadings(t *testing.T) {
	text := "---\ntitle: x\n---\n\n# Export\n\nAll about it.\n\n## Desktop {#d}\n\n1. Open\n2. Click\n\nSetext\n------\nLast.\n\n## Empty\n\n# Other\n```\n# not a heading\n```\n"
	want := []string{
		"Export|All about it.",
		"Export › Desktop|1. Open\n2. Click",
		"Export › Setext|Last.",
		"Export › Empty|## Empty",
		"Other|```\n# not a heading\n```",
	}
	if diff := cmp.Diff(want, pieces(text)); diff != "" {
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
		if p.End-p.Start > mostBytes+overlap || !strings.HasPrefix(text[p.Start:], "This") {
			t.Errorf("piece %d: %q", i, text[p.Start:p.End])
		}
		if i > 0 && p.Start >= all[i-1].End {
			t.Errorf("piece %d does not overlap", i)
		}
	}
}

func TestSplitKeepsAnIntroductionWithItsList(t *testing.T) {
	text := strings.Repeat("Some words that fill. ", 40) + "\n\nTo export:\n\n" + strings.Repeat("- a step that takes many words to tell\n", 25)
	for _, p := range pieces(text) {
		if strings.HasSuffix(p, "To export:") {
			t.Errorf("cut off: %q", p)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "# a\n\nb", "---\n---\n", "```\nx", "<!-- a\nb --> c", "| a |\n| b |", "。。\xff\xfe", "a\n===\nb\n---\n", "[a]: b\n:::\n> q"} {
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
		for _, p := range Split(text) {
			if p.Start < 0 || p.End > len(text) || p.Start >= p.End || p.End < end || p.End-p.Start > 3*mostBytes {
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
	text := strings.Repeat("# A heading\n\nA paragraph with a few words. And another sentence, e.g. this one.\n\n- an item\n- another item\n\n", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Split(text)
	}
}
