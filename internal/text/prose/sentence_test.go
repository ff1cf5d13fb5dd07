package prose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/internal/text/markdown"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two! Three? four": {"One.", "Two!", "Three?", "four"},
		"Use e.g. this, i.e. that. It costs 3.50 now.": {"Use e.g. this, i.e. that.",
			"It costs 3.50 now."},
		"Dr. A. Smith said \"no.\" He left.":  {"Dr. A. Smith said \"no.\"", "He left."},
		"version 2.0 of file.txt is here. ok": {"version 2.0 of file.txt is here. ok"},
		"您好。可以！好":                             {"您好。", "可以！", "好"},
		"A wrapped line of some length that goes on and\non to the next one. End": {"A wrapped line of some " +
			"length that goes on and\non to the next one.", "End"},
		"Am 8. Februar im 19. Jahrhundert. Im Jahr 12. Es war 5. Das ist 30 Mio. Euro wert.": {
			"Am 8. Februar im 19. Jahrhundert.", "Im Jahr 12.", "Es war 5.", "Das ist 30 Mio. Euro wert."},
		"Brown v. Board. ميشيل إ. مان": {"Brown v. Board.", "ميشيل إ. مان"},
		"Short line\nAnother line":     {"Short line", "Another line"},
		"A para\n\nB para":             {"A para", "B para"},
		"**Bold.** Next.":              {"**Bold.**", "Next."},
		"Click **Forgot password?** and wait. Or “Go!” to begin.": {"Click **Forgot password?** and wait.",
			"Or “Go!” to begin."},
	} {
		var got []string
		for _, s := range Sentences(text, 0, len(text)) {
			got = append(got, text[s.Start:s.End])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("# a\n\n- b\n  c\n| d\n```\ne\n<!-- \n---\n> f. G\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for b := range markdown.EachBlock(text) {
			last := b.Start
			for _, s := range Sentences(text, b.Start, b.End) {
				if s.Start < last || s.End <= s.Start || s.End > b.End || utf8.ValidString(text) &&
					!utf8.ValidString(text[s.Start:s.End]) {
					t.Fatalf("%+v in %+v", s, b)
				}
				last = s.End
			}
		}
	})
}

// Texts that would take quadratic time, if each line or each full stop were compared with all before, take no longer
// than others; otherwise this test would take hours.
func TestReadingIsLinear(t *testing.T) {
	const limit = 4 << 20
	for _, text := range []string{
		strings.Repeat("a.\r", limit/3),
		strings.Repeat("x", limit/2) + "\n" + strings.Repeat("y\n", limit/8) + strings.Repeat("--\n", limit/12),
	} {
		for b := range markdown.EachBlock(text) {
			for s := range EachSentence(text, b.Start, b.End) {
				if s.End > b.End {
					t.Fatal(s)
				}
			}
		}
	}
}
