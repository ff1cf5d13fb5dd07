package voice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// splitPieces returns the pieces of a text that arrives in steps of a number of bytes.
func splitPieces(text string, step int) (all []string) {
	from := 0
	for at := 0; ; at = min(at+step, len(text)) {
		for {
			end, ok := nextPieceEnd(text[:at], from, at == len(text))
			if !ok {
				break
			}
			all = append(all, text[from:end])
			from = end
		}
		if at == len(text) {
			return all
		}
	}
}

func TestPieces(t *testing.T) {
	for text, want := range map[string][]string{
		"Yes. You can return it within 30 days. Anything else?": {"Yes. ", "You can return it within 30 days. ",
			"Anything else?"},
		"If you are not happy with it, send it back. Done.": {"If you are not happy with it, ", "send it back. ",
			"Done."},
		"Run this:\n```sh\nls. la\n```\nThen wait.": {"Run this:\n", "```sh\nls. la\n```\n", "Then wait."},
		"It costs 3.50 at Dr. Miller's. ":           {"It costs 3.50 at Dr. Miller's. "},
		"- one\n- two\n":                            {"- one\n", "- two\n"},
		" \n":                                       {" \n"},
		"":                                          nil,
	} {
		if diff := cmp.Diff(want, splitPieces(text, 1<<20)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		for _, step := range []int{1, 3, 7} {
			if got := strings.Join(splitPieces(text, step), ""); got != text {
				t.Errorf("%q in steps of %d: %q", text, step, got)
			}
		}
	}
}

func TestLongPiecesAreCut(t *testing.T) {
	text := strings.Repeat("word ", 200) + "end."
	all := splitPieces(text, 1<<20)
	if strings.Join(all, "") != text || len(all) < 4 {
		t.Errorf("%d pieces", len(all))
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("# a\n\n- b, c; d\n```\ne\n~~~\n", 3)
	f.Fuzz(func(t *testing.T, text string, step int) {
		if step < 1 || len(text) > 4096 {
			return
		}
		if got := strings.Join(splitPieces(text, step), ""); got != text {
			t.Errorf("%q in steps of %d: %q", text, step, got)
		}
		_ = speakableText(text)
	})
}

func TestSpeakableText(t *testing.T) {
	for text, want := range map[string]string{
		"**Yes**, you _can_ do `that`.":                           "Yes, you can do that.",
		"See [our guide](https://example.com/a_(b)?c=1) for more": "See our guide for more.",
		"Go to https://www.example.com/returns/now.":              "Go to example.com.",
		"Write to a_b@example.com 😀👍🏽":                            "Write to a_b@example.com.",
		"# Returns\n\n1. Pack it\n2. Send it!":                    "Returns. Pack it. Send it!",
		"| Size | Price |\n|---|---|\n| S | 3 € |":                "Size, Price. S, 3 €.",
		"```sh\nrm -rf\n```":                                      "",
		"![a cat](cat.png) <b>Bold</b>":                           "a cat Bold.",
		"> quoted\n> twice":                                       "quoted twice.",
		"   ":                                                     "",
	} {
		if got := speakableText(text); got != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
}
