package quote

import (
	"parley/internal/model"
	"strings"
	"testing"

	"parley"
)

// manifest is the middle and the end of an example, as it stands in a passage that was cut out of it.
const manifest = `sources:
  - key: opening-hours
    name: Opening hours
    content: |
      # Opening hours

      The shop is open from Monday to Friday, from 9 to 17.
  - key: returns
    file: returns.md
`

// Code answers those who ask about code, wherever a passage was cut; to a customer's question it is no answer.
func TestCodeIsQuotedToThoseWhoAskForIt(t *testing.T) {
	passages := map[string]string{
		"the end of code":    manifest + "```\n\nThe manifest is a file of YAML.\n",
		"the middle of code": manifest,
		"code":               "```yaml\n" + manifest + "```\n",
		"code below a line":  "This is a manifest:\n\n```yaml\n" + manifest + "```\n",
	}
	for name, text := range passages {
		ask := func(question string) reply {
			return answerRequest(t.Context(), model.Request{Messages: userMessages(question), Passages: []model.Passage{
				{Passage: parley.Passage{SourceName: "Agents as code", Heading: "A manifest", Text: text, End: len(text)}, Score: 0.9, TermWeights: map[string]float64{}}}})
		}
		for _, question := range []string{"What are your opening hours?", "Is the shop open on Friday?", "When is the shop open?"} {
			if r := ask(question); strings.Contains(r.text, "key:") || !r.isRefusal {
				t.Errorf("%s: %q is answered %q", name, question, r.text)
			}
		}
		for _, question := range []string{"Show me an example of a manifest with opening hours", "How do I write the opening hours into a manifest?"} {
			if r := ask(question); !strings.Contains(r.text, "key: opening-hours") {
				t.Errorf("%s: %q is answered %q", name, question, r.text)
			}
		}
	}
}

// What stands behind the end of code is prose, though the code's beginning is in another passage.
func TestProseBehindCode(t *testing.T) {
	text := manifest + "```\n\nReturns are free within 30 days.\n"
	r := answerRequest(t.Context(), model.Request{Messages: userMessages("Are returns free?"), Passages: []model.Passage{{Passage: parley.Passage{Text: text, End: len(text)}, Score: 0.9}}})
	if r.text != "Returns are free within 30 days." {
		t.Errorf("the answer is %q", r.text)
	}
	for _, plain := range []string{"Note: this is it.\nWe open at nine.\n", "1. Open it\n   and wait.\n2. Close it.\n", "a\n\n```\ncode\n```\n\nb", "", "- one\n- two\n  - three\n- four\n"} {
		if end := leadingCodeEnd(plain); end != 0 {
			t.Errorf("%q begins in code up to %d", plain, end)
		}
	}
}
