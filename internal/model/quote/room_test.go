package quote

import (
	"parley/internal/model"
	"testing"

	"parley"
)

// A quote that does not say what it is about stands below the heading above it, which is not cited.
func TestDanglingQuotesStandBelowTheirHeading(t *testing.T) {
	for question, c := range map[string]struct{ heading, text, want string }{
		"Which opening hours has the Graz branch on Sundays?": {"Opening hours of the Graz branch", "Sundays: 10 to 12", "Opening hours of the Graz branch:\n\nSundays: 10 to 12"},
		"When was Novabrew started?":                          {"Novabrew", "Novabrew was started in 2016 in a small roastery.", "Novabrew was started in 2016 in a small roastery."},
	} {
		req := model.Request{Messages: userMessages(question), Passages: scoredPassages(parley.Passage{Heading: c.heading, Text: c.text})}
		s := streamReply(t, req)
		if s.text != c.want {
			t.Errorf("%q: %q, want %q", question, s.text, c.want)
		}
		checkAllQuoted(t, req, s)
	}
}

func TestOptionsAreListedAsTheLanguageDoes(t *testing.T) {
	pages := shopPages("المطحنة › السعر", "السعر هو تسعة وأربعون يورو.", "الغلاية › السعر", "السعر هو تسعة وثلاثون يورو.", "الميزان › السعر", "السعر هو تسعة وعشرون يورو.")
	s := askHelpPages(t, pages, userMessage("السعر؟"))
	if want := "أيها تقصد: المطحنة، الغلاية أو الميزان؟"; s.text != want {
		t.Errorf("%q, want %q", s.text, want)
	}
}
