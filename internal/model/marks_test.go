package model_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/model"
	"parley/internal/testkit/provider"
)

var manualPassages = []model.Passage{
	newPassage("Export", "Open the menu. Choose “Export”, then wait.", 100),
	newPassage("Prices", "The plan costs 5 € a month.", 0),
	newPassage("Notes", "Nothing to see.", 50),
}

// Each case: what the model writes → what the user reads; then per citation: the sentence, the passage, the quoted bytes.
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
		{"Export costs money [1, 2] or so", "Export costs money or so", []string{"Export costs money|1|115-146", "Export costs money|2|0-29"}},
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
		{"The plan and the menu [1-2].", "The plan and the menu.", []string{"The plan and the menu.|1|100-114", "The plan and the menu.|2|0-29"}},
		{"The plan and the menu [1] [2].", "The plan and the menu.", []string{"The plan and the menu.|1|100-114", "The plan and the menu.|2|0-29"}},
		{"Open the menu (1).", "Open the menu (1).", nil},
		{"[1]: https://a.example\n[x] done, [ ] open, [sour", "[1]: https://a.example\n[x] done, [ ] open, [sour", nil},
		{"See [the menu](https://a.example/[1]) [1].", "See [the menu](https://a.example/[1]).", []string{"See [the menu](https://a.example/[1]).|1|100-114"}},
		{"Noted in 1998⟦3⟧ and 〖1〗 and ⟦x⟧.", "Noted in 1998[3] and 【1】 and ⟦x⟧.", nil},
		{"Cut off [1", "Cut off [1", nil},
		{"Spaces   stay  ", "Spaces   stay  ", nil},
		{"[1]", "", nil},
	} {
		for _, size := range []int{1, 2, 7, 1000} {
			m := newOpenAI(t, provider.Start(t, provider.AnswerText(splitRunes(c.writes, size)...)))
			got := streamAnswer(t, m, model.Request{Messages: howRequest.Messages, Passages: manualPassages})
			if got.Text != c.reads || got.Err != nil {
				t.Errorf("%q in pieces of %d: reads %q, %v; want %q", c.writes, size, got.Text, got.Err, c.reads)
				continue
			}
			var cites []string
			for _, q := range got.Citations {
				cites = append(cites, fmt.Sprintf("%s|%d|%d-%d", got.Text[q.AnswerStart:q.AnswerEnd], q.PassageIndex+1, q.Start, q.End))
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
