package model

import (
	"strings"
	"testing"

	"parley"
)

// BenchmarkEvidence is what a model's citations cost that cites as much as it can, without ever ending a sentence.
func BenchmarkEvidence(b *testing.B) {
	text := strings.Repeat("Open the menu of the yearly plan, and choose the export that costs 5 €. ", 28)
	passages := make([]Passage, 8)
	for i := range passages {
		passages[i].Passage = parley.Passage{Text: text, End: len(text)}
	}
	for name, unit := range map[string]string{"sentences": "The yearly plan costs 5 € a month, tax included [1][3]. ", "endless": "so the menu and then something else [2] and "} {
		b.Run(name, func(b *testing.B) {
			piece := []byte(strings.Repeat(unit, 64<<10/len(unit)))
			b.SetBytes(int64(len(piece)))
			for b.Loop() {
				m := markerFilter{passages: passages}
				m.feed(piece)
				m.finish(nil)
			}
		})
	}
}

// BenchmarkPrompt is what the prompt of a turn costs: eight passages of common size.
func BenchmarkPrompt(b *testing.B) {
	text := strings.Repeat("Open the menu of the yearly plan [see below], and choose the export that costs 5 €. ", 18)
	req := Request{System: "You are Ada.", Passages: make([]Passage, 8)}
	for i := range req.Passages {
		req.Passages[i].Passage = parley.Passage{SourceName: "Manual", Heading: "Export", Text: text, End: len(text)}
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = systemPrompt(req)
	}
}
