package quote

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
)

const faqPage = "Kettles are not sold on other holidays.\n\n" +
	"Q. Who do I ask about a missed delivery of kettles?\n\n" +
	"A. Ask the shop in Graz before noon, and it comes again.\n\n" +
	"Lower price for pupils\n\nDepending on the school, you may pay less for a kettle.\n\n" +
	"Our news\n\nContact\n\nAbout the shop\n"

// Of pages of websites the marks of headings are often lost: a line is the title of the paragraph behind it.
func TestLinesAreTitlesOfParagraphs(t *testing.T) {
	pages := scoredPassages(helpPage("", faqPage))
	for question, want := range map[string]string{
		"Who do I ask about a missed delivery of kettles?": "Q. Who do I ask about a missed delivery of kettles?\n\n" +
			"A. Ask the shop in Graz before noon, and it comes again.",
		"Is there a lower price for pupils?": "Lower price for pupils\n\n" +
			"Depending on the school, you may pay less for a kettle.",
	} {
		if s := askHelpPages(t, pages, userMessage(question)); s.text != want {
			t.Errorf("%q: %q", question, s.text)
		}
	}
	named := helpPage("", "About the kettle\n\nThe black kettle is delivered to Graz on Monday.\n")
	if s := askHelpPages(t, scoredPassages(named), userMessage("Is the black kettle delivered to Graz?")); s.text !=
		"The black kettle is delivered to Graz on Monday." {
		t.Errorf("%q begins with a line that says no more", s.text)
	}
	for text, want := range map[string]bool{"About the kettle": true, "Who sells it?": true, "It is sold.": false,
		"the rest of it": false, "On the phone:": false, "**Kettles**": false, "tea.pdf": false,
		"[Kettles](/kettles)": false, "": false, strings.Repeat("Kettle ", 40): false} {
		if isTitleLine(text) != want {
			t.Errorf("%q is a title: %v", text, !want)
		}
	}
}

// What leads to a paragraph says what that is for.
func TestParagraphsAreQuotedWithWhatLeadsToThem(t *testing.T) {
	page := helpPage("Kettles › Turning on the steam", "The steam is off by default.\n\n**On the phone:**\n\n"+
		"Open the settings, choose the steam, and turn it on.\n\n**At the kettle:**\n\n"+
		"Press the black button for the steam.\n")
	s := askHelpPages(t, scoredPassages(page), userMessage("How do I turn on the steam?"))
	if !strings.Contains(s.text, "**On the phone:**\n\nOpen") ||
		!strings.Contains(s.text, "**At the kettle:**\n\nPress") {
		t.Errorf("%q", s.text)
	}
}

// "When you turn it on:" tells what comes of it, not how it is done.
func TestConditionsAreNoSteps(t *testing.T) {
	after := helpPage("Steam › How steam works", "When you turn on the steam:\n\n"+
		"1. The water gets hot\n2. A lamp is lit\n")
	steps := helpPage("Steam › Getting steam", "To turn on the steam, press the black button for a second.\n")
	s := askHelpPages(t, scoredPassages(after, steps), userMessage("How do I turn on the steam?"))
	if strings.Contains(s.text, "lamp") || !strings.Contains(s.text, "press the black button") {
		t.Errorf("%q", s.text)
	}
}

// A quote that refers to the list above it begins with that; where what it refers to cannot be quoted, it is left out.
func TestQuotesBeginWithWhatTheyReferTo(t *testing.T) {
	list := "If a kettle is in two rooms:\n\n- **In the shop**: it counts once\n" +
		"- **At home**: it counts in each room\n\n" +
		"This is why the size of your home may be larger than that of the shop.\n"
	s := askHelpPages(t, scoredPassages(helpPage("Kettles", list)),
		userMessage("Why is the size of my home larger than that of the shop?"))
	if !strings.HasPrefix(s.text, "If a kettle is in two rooms:") || !strings.HasSuffix(s.text, "that of the shop.") {
		t.Errorf("%q", s.text)
	}
}

// The lines that a line of a paragraph leads to are quoted, and those far below an item are not of it.
func TestListsOfLinesAreWhole(t *testing.T) {
	lines := "The kettle course is for new sellers. It has these parts:\n" +
		"Water: How water gets hot in a kettle of steel.\n" +
		"Steam: How steam leaves the kettle in time.\nTea: How tea is made of both."
	s := askHelpPages(t, scoredPassages(helpPage("", lines)), userMessage("What is the kettle course for?"))
	if !strings.HasSuffix(s.text, "made of both.") {
		t.Errorf("%q", s.text)
	}
	far := "* The kettle has a price per month of use.\n* The kettle is limited to two litres of water.\n\n\n\n" +
		" Reserved \n\n" +
		"For others it is not."
	s = askHelpPages(t, scoredPassages(helpPage("", far)), userMessage("Is the kettle limited to two litres of water?"))
	if strings.Contains(s.text, "Reserved") || strings.Contains(s.text, "\n\n\n") {
		t.Errorf("%q", s.text)
	}
}

// Where an answer of a Q&A is in doubt, another is offered only if its question is nearer; a much nearer one is first.
func TestOtherAnswersOfQnAAreNearer(t *testing.T) {
	ask := func(one, two float64) string {
		pages := scoredPassages(
			parley.Passage{SourceID: "a", IsQnA: true, Heading: "How do I clean a kettle?", Text: "Use vinegar for the kettle."},
			parley.Passage{SourceID: "b", IsQnA: true, Heading: "How do I paint a kettle?",
				Text: "A brush gives the kettle two layers of colour."})
		for i, share := range []float64{one, two} {
			pages[i].Signals = model.MatchSignals{Letters: 0.3, Words: 0.4, Stretch: 0.6, Title: share, Lead: 0.1}
		}
		return askHelpPages(t, pages, userMessage("Does it hurt a kettle to be put on the stove for years?")).text
	}
	if text := ask(0.3, 0.2); strings.Contains(text, "brush") || !strings.Contains(text, "vinegar") {
		t.Errorf("the farther question too: %q", text)
	}
	text := ask(0.2, 0.4)
	if at := strings.Index(text, "A brush"); at < 0 || at > strings.Index(text, "vinegar") {
		t.Errorf("the nearer question first: %q", text)
	}
}
