package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var kindNames = map[Kind]string{Paragraph: "paragraph", Heading: "heading", Item: "item", Table: "table", Code: "code",
	Markup: "markup"}

func TestBlocks(t *testing.T) {
	text := strings.Join([]string{
		"---", "title: x", "---", "# One #", "Two lines", "of text.", "", "- a", "  more", "- b", "", "1. c", "",
		"   inside", "| x |", "|---|", "```go", "# no heading", "```", "<!-- a", "b -->", "Under", "=====", "***",
		"> [!NOTE]", "> quoted", ":::tip", "[a]: http://x", "last",
	}, "\n")
	want := []string{
		"markup ---\ntitle: x\n---", "heading # One", "paragraph Two lines\nof text.", "item - a\n  more", "item - b",
		"item 1. c", "paragraph inside", "table | x |\n|---|", "code ```go\n# no heading\n```", "markup <!-- a\nb -->",
		"heading Under", "markup ***", "markup [!NOTE]", "paragraph quoted", "markup :::tip", "markup [a]: http://x",
		"paragraph last",
	}
	var got []string
	for _, b := range Blocks(text) {
		got = append(got, kindNames[b.Kind]+" "+text[b.Start:b.End])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("# a\n\n- b\n  c\n| d\n```\ne\n<!-- \n---\n> f. G\xff")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, b := range Blocks(text) {
			if b.Start < end || b.End < b.Start || b.End > len(text) ||
				utf8.ValidString(text) && !utf8.ValidString(text[b.Start:b.End]) {
				t.Fatalf("%+v after %d of %d", b, end, len(text))
			}
			end = b.End
		}
	})
}
