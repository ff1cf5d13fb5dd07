//go:build unix

package safehtml

import (
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The work to render a message is linear in its size.
func TestWorkOfMarkdown(t *testing.T) {
	hostile.ForEachText(t, func(text string) { ToText(FromMarkdown(text)) })
}

// An address that is written once and referred to often does not make megabytes of HTML.
func TestLinkReferencesDoNotMultiplyText(t *testing.T) {
	for _, n := range []int{100, 1000, 10_000} {
		source := "[a]: http://b.example/" + strings.Repeat("c", n) + "\n\n" + strings.Repeat("[a]\n\n", n)
		if shown := FromMarkdown(source); len(shown) > 2*maxRepeatedBytes+16*len(source) {
			t.Errorf("%d bytes become %d", len(source), len(shown))
		}
	}
}

// Text that is too expensive to render is shown as it is; ordinary text is rendered.
func TestExpensiveMarkdownIsShownAsPlainText(t *testing.T) {
	for name, source := range map[string]string{
		"links that are never closed": strings.Repeat("[a](", 1500), "emphasis": strings.Repeat("a**b_c", 1500),
		"backticks": strings.Repeat("`a``b", 1500),
	} {
		if got, want := FromMarkdown(source), FromText(source); got != want {
			t.Errorf("%s: it becomes %.80q", name, got)
		}
	}
	for name, source := range map[string]string{
		"a long list":           strings.Repeat("- **a** [b](https://c.example) `d`\n", 3000),
		"paragraphs":            strings.Repeat("**a** and [b](https://c.example).\n\n", 3000),
		"a line without an end": "**a** " + strings.Repeat("and so on ", 50_000),
		"references":            "[a]: https://b.example\n\n" + strings.Repeat("**[a]**\n\n", 3000),
	} {
		if got := FromMarkdown(source); !strings.Contains(got, "<strong>") {
			t.Errorf("%s: it becomes %.80q", name, got)
		}
	}
}

// FuzzMarkdownWork checks that no repeated text is expensive to render.
func FuzzMarkdownWork(f *testing.F) {
	for _, s := range []string{"[a](", "a**b_c", "[1]: b\n", "`a", "<a ", "> - ", "|a\n", "![[](", "&#", "www.a.",
		"~~a ~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { ToText(FromMarkdown(text)) })
	})
}
