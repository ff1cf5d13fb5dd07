package cite

import (
	"fmt"
	"parley/internal/model"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
)

func passageFrom(name, text string, start int) model.Passage {
	return model.Passage{Passage: parley.Passage{SourceName: name, Text: text, Start: start, End: start + len(text)}}
}

// readThrough passes an answer through the filter in pieces and returns the result.
func readThrough(passages []model.Passage, pieces ...string) (text string, citations []model.Citation) {
	m := NewFilter(passages)
	for _, p := range pieces {
		more, found := m.Feed([]byte(p))
		text, citations = text+more, append(citations, found...)
	}
	more, found := m.Finish(nil)
	return text + more, append(citations, found...)
}

var manualPassages = []model.Passage{
	passageFrom("Export", "Open the menu. Choose “Export”, then wait.", 100),
	passageFrom("Prices", "The plan costs 5 € a month.", 0),
	passageFrom("Notes", "Nothing to see.", 50),
}

// Each case: what the model writes → what the user reads; then per citation: the sentence, the passage, the quoted
// bytes.
func TestMarksBecomeCitations(t *testing.T) {
	for _, c := range []struct {
		writes, reads string
		cites         []string
	}{
		{"Hello there.", "Hello there.", nil},
		{"Open the menu [1]. Bye.", "Open the menu. Bye.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu. [1] Bye.", "Open the menu. Bye.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu.[1]\nBye.", "Open the menu.\nBye.", []string{"Open the menu.|1|100-114"}},
		{"First do this. It costs money [1][2].", "First do this. It costs money.",
			[]string{"It costs money.|2|0-29"}},
		{"Export costs money [1, 2] or so", "Export costs money or so",
			[]string{"Export costs money|1|115-146", "Export costs money|2|0-29"}},
		{"- **choose \"export\"**, then wait [1]", "- **choose \"export\"**, then wait",
			[]string{"**choose \"export\"**, then wait|1|115-146"}},
		{"The plan costs 5 € a month [2].", "The plan costs 5 € a month.", []string{"The plan costs 5 € a month.|2|0-29"}},
		{"这很好。[2]再见。", "这很好。再见。", []string{"这很好。|2|0-29"}},
		{"See [9] and [2024] and [x] and [].", "See and [2024] and [x] and [].", nil},
		{"Use `a[1]` or ```\nb[2]\n``` or [1](http://x).", "Use `a[1]` or ```\nb[2]\n``` or [1](http://x).", nil},
		{"Run `plan` [2].", "Run `plan`.", []string{"Run `plan`.|2|0-29"}},
		{"The menu [1][1].", "The menu.", []string{"The menu.|1|100-114"}},
		{"Cows fly [1].", "Cows fly.", nil},
		{"Yes [2].", "Yes.", []string{"Yes.|2|0-29"}},
		{"Der Plan ist nicht teuer [2].", "Der Plan ist nicht teuer.", []string{"Der Plan ist nicht teuer.|2|0-29"}},
		{"Open the menu 【1】.", "Open the menu.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu【1†Manual.pdf】.", "Open the menu.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu [^1].", "Open the menu.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu [source 1].", "Open the menu.", []string{"Open the menu.|1|100-114"}},
		{"Open the menu [Passage 1, 9].", "Open the menu.", []string{"Open the menu.|1|100-114"}},
		{"The plan and the menu [1-2].", "The plan and the menu.",
			[]string{"The plan and the menu.|1|100-114", "The plan and the menu.|2|0-29"}},
		{"The plan and the menu [1] [2].", "The plan and the menu.",
			[]string{"The plan and the menu.|1|100-114", "The plan and the menu.|2|0-29"}},
		{"Open the menu (1).", "Open the menu (1).", nil},
		{"[1]: https://a.example\n[x] done, [ ] open, [sour", "[1]: https://a.example\n[x] done, [ ] open, [sour", nil},
		{"See [the menu](https://a.example/[1]) [1].", "See [the menu](https://a.example/[1]).",
			[]string{"See [the menu](https://a.example/[1]).|1|100-114"}},
		{"Noted in 1998⟦3⟧ and 〖1〗 and ⟦x⟧.", "Noted in 1998[3] and 【1】 and ⟦x⟧.", nil},
		{"Cut off [1", "Cut off [1", nil},
		{"Spaces   stay  ", "Spaces   stay  ", nil},
		{"[1]", "", nil},
	} {
		for _, size := range []int{1, 2, 7, 1000} {
			text, citations := readThrough(manualPassages, splitRunes(c.writes, size)...)
			if text != c.reads {
				t.Errorf("%q in pieces of %d: reads %q; want %q", c.writes, size, text, c.reads)
				continue
			}
			var cites []string
			for _, q := range citations {
				cites = append(cites, fmt.Sprintf("%s|%d|%d-%d", text[q.AnswerStart:q.AnswerEnd], q.PassageIndex+1, q.Start, q.End))
			}
			if strings.Join(cites, "\n") != strings.Join(c.cites, "\n") {
				t.Errorf("%q in pieces of %d: cites %q, want %q", c.writes, size, cites, c.cites)
			}
		}
	}
}

func splitRunes(s string, size int) []string {
	var pieces []string
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(size, len(runes))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}

// The spans of evidence stay inside the answer and the passage, whatever the model writes and however it arrives.
func FuzzMarks(f *testing.F) {
	f.Add("Open [1]. See [2][1, 2] `x[1]` [1](y)\n- [9] ok", 5)
	passages := make([]model.Passage, 2)
	passages[0].Text, passages[0].End = "Open the menu.", 14
	f.Fuzz(func(t *testing.T, text string, at int) {
		text = strings.ToValidUTF8(text, "?")
		at = len(parley.ClipBytes(text, min(max(at, 0), len(text))))
		whole, cites := readThrough(passages, text)
		cutText, cutCitations := readThrough(passages, text[:at], text[at:])
		if whole != cutText || !slices.Equal(cites, cutCitations) || !utf8.ValidString(whole) {
			t.Fatalf("%q cut at %d: %q %v, whole %q %v", text, at, cutText, cutCitations, whole, cites)
		}
		for _, c := range cites {
			p := passages[c.PassageIndex]
			if c.AnswerStart < 0 || c.AnswerEnd > len(whole) || c.AnswerStart >= c.AnswerEnd || c.Start < p.Start ||
				c.End > p.End || c.Start > c.End {
				t.Fatalf("%q: span %+v", text, c)
			}
		}
	})
}

// BenchmarkEvidence measures the cost of citations for a model that cites as much as it can and never ends a sentence.
func BenchmarkEvidence(b *testing.B) {
	text := strings.Repeat("Open the menu of the yearly plan, and choose the export that costs 5 €. ", 28)
	passages := make([]model.Passage, 8)
	for i := range passages {
		passages[i].Passage = parley.Passage{Text: text, End: len(text)}
	}
	for name, unit := range map[string]string{"sentences": "The yearly plan costs 5 € a month, tax included [1][3]. ",
		"endless": "so the menu and then something else [2] and "} {
		b.Run(name, func(b *testing.B) {
			piece := []byte(strings.Repeat(unit, 64<<10/len(unit)))
			b.SetBytes(int64(len(piece)))
			for b.Loop() {
				m := NewFilter(passages)
				m.Feed(piece)
				m.Finish(nil)
			}
		})
	}
}

// BenchmarkMarks measures the cost of a hostile model's markers: its bytes per second should not depend on the size of
// the text.
func BenchmarkMarks(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		for _, unit := range []string{"a[1]", "[1]", "[", "a. [1] ", "`[1]", "  [1][2]  ", ".)[2]", "\n[1]"} {
			b.Run(strings.TrimSpace(unit), func(b *testing.B) {
				piece := []byte(strings.Repeat(unit, 1024/len(unit)))
				b.SetBytes(int64(size))
				for b.Loop() {
					m := NewFilter(make([]model.Passage, 3))
					for range size / len(piece) {
						m.Feed(piece)
					}
					m.Finish(nil)
				}
			})
		}
	}
}
