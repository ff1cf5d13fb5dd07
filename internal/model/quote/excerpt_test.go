package quote

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
)

// scoredPassages offers passages with equal scores, so that only the model chooses.
func scoredPassages(passages ...parley.Passage) (all []model.Passage) {
	for _, p := range passages {
		p.End = len(p.Text)
		all = append(all, model.Passage{Passage: p, Score: 0.9})
	}
	return all
}

func TestBuiltinChooses(t *testing.T) {
	steps := parley.Passage{Heading: "Albums › Archive an album",
		Text: "Archived albums leave the timeline.\n\n- Open the album\n- Select **Archive**"}
	links := parley.Passage{Heading: "Albums › Related FAQs",
		Text: "- [How do I archive an album?](/faq#archive)\n- [Can I archive a shared album?](/faq#shared)"}
	login := parley.Passage{Heading: "Account › Logging in",
		Text: "1. Open the app\n2. If you have two-factor authentication enabled, enter the code"}
	factor := parley.Passage{Heading: "Account › Two-factor authentication",
		Text: "Enable it in the security settings. It protects the account."}
	users := parley.Passage{Heading: "Share", Text: "If a friend has an Acme account, share the album by email."}
	public := parley.Passage{Heading: "Share by link",
		Text: "Anyone can open the link of an album without an Acme account."}
	for question, c := range map[string]struct {
		offered []model.Passage
		want    string
	}{
		"How do I archive an album?": {scoredPassages(links, steps),
			"- Open the album\n- Select **Archive**"},
		"How do I enable two-factor authentication?": {scoredPassages(factor, login),
			"Enable it in the security settings."},
		"How can I share an album with people who do not have Acme?": {scoredPassages(users, public),
			"without an Acme account"},
	} {
		req := model.Request{Messages: userMessages(question), Passages: c.offered}
		s := streamReply(t, req)
		if !strings.Contains(s.text, c.want) {
			t.Errorf("%q: %q, want %q", question, s.text, c.want)
		}
		checkAllQuoted(t, req, s)
	}
}

func TestBuiltinQuotesOnceWhereOnceIsEnough(t *testing.T) {
	one := parley.Passage{Heading: "Refunds", Text: "We refund a yearly plan within 14 days of the payment."}
	two := parley.Passage{Heading: "Plans",
		Text: "Ask for the refund of a yearly plan by email; we answer within two days."}
	if s := streamReply(t, model.Request{Messages: userMessages("Do you refund a yearly plan?"),
		Passages: scoredPassages(one, two)}); len(s.citations) != 1 {
		t.Errorf("%q", s.text)
	}
}

func TestLongStepsAreNeverCut(t *testing.T) {
	text := "To export the photos:\n\n"
	for i := range 9 {
		text += string(rune('1'+i)) + ". Choose the photos, " +
			strings.Repeat("then wait until the window says that it is ready, ", 3) + "and go on.\n"
	}
	s := streamReply(t, model.Request{Messages: userMessages("How do I export the photos?"),
		Passages: scoredPassages(parley.Passage{Heading: "Export photos", Text: text})})
	if !strings.HasPrefix(s.text, "To export the photos:\n\n1. ") || !strings.Contains(s.text, "\n9. ") ||
		!strings.HasSuffix(s.text, "and go on.") {
		t.Errorf("%q", s.text)
	}
}

// A quote that does not say what it is about is below the heading above it, which is not cited.
func TestDanglingQuotesStandBelowTheirHeading(t *testing.T) {
	for question, c := range map[string]struct{ heading, text, want string }{
		"Which opening hours has the Graz branch on Sundays?": {"Opening hours of the Graz branch", "Sundays: 10 to 12",
			"Opening hours of the Graz branch:\n\nSundays: 10 to 12"},
		"When was Novabrew started?": {"Novabrew",
			"Novabrew was started in 2016 in a small roastery.", "Novabrew was started in 2016 in a small roastery."},
	} {
		req := model.Request{Messages: userMessages(question),
			Passages: scoredPassages(parley.Passage{Heading: c.heading, Text: c.text})}
		s := streamReply(t, req)
		if s.text != c.want {
			t.Errorf("%q: %q, want %q", question, s.text, c.want)
		}
		checkAllQuoted(t, req, s)
	}
}

func TestOptionsAreListedAsTheLanguageDoes(t *testing.T) {
	pages := shopPages("المطحنة › السعر", "السعر هو تسعة وأربعون يورو.", "الغلاية › السعر",
		"السعر هو تسعة وثلاثون يورو.", "الميزان › السعر", "السعر هو تسعة وعشرون يورو.")
	s := askHelpPages(t, pages, userMessage("السعر؟"))
	if want := "أيها تقصد: المطحنة، الغلاية أو الميزان؟"; s.text != want {
		t.Errorf("%q, want %q", s.text, want)
	}
}
