package quote

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
)

// What is in a text for its editors, for a browser or for a mail program reaches no customer; what is left is cited.
func TestNothingButTextIsQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"The kettle is delivered to Graz.[citation needed]": "The kettle is delivered to Graz.",
		"The kettle is perhaps the first modern[vague] one in Graz.": "The kettle is perhaps the first " +
			"modern one in Graz.",
		"The kettle is delivered to Graz.[12][3] It is black.[4]": "The kettle is delivered to Graz. It is black.",
		"The kettle is delivered to Graz.<br><br>Kettles are black.": "The kettle is delivered to Graz.\n\n" +
			"Kettles are black.",
		"The kettle in Graz makes H\n2 and O\n2 out of water.": "The kettle in Graz makes H2 and O2 out of water.",
		"The kettle is in [our shop](/graz) in Graz.":          "The kettle is in [our shop](/graz) in Graz.",
		"For the kettle in Graz type `list[1]` or `<br>`.":     "For the kettle in Graz type `list[1]` or `<br>`.",
		`The ""kettle"" is in Graz, for ""real."" It is ""not"".`: `The "kettle" is in Graz, for "real." ` +
			`It is "not".`,
		`Write {"kettle": ""} for Graz.`: `Write {"kettle": ""} for Graz.`,
		"The kettle ( 45 ° 36 ′ 14 '' N 68 ° 31 ′ 52 '' W / 45.604 ; - 68.531 ( Graz ) ) is hot (90 °C).": "The kettle is " +
			"hot (90 °C).",
		"Do this.   Open the lid    Fill in water  Close it": "Do this.\n\nOpen the lid\n\nFill in water\n\nClose it",
		"As a search:  kettle Graz  tea.  And so on.":        "As a search:\n\nkettle Graz  tea.  And so on.",
		"It pulls   data from the   Kettle sheet, which   is ours.": "It pulls   data from the   Kettle sheet, which   " +
			"is ours.",
		"1.   Open it.\n-   Close it.   \n    Tea   Cup":                  "1.   Open it.\n-   Close it.   \n    Tea   Cup",
		"We asked.   From: Ann (Shop) Subject: Kettle  It is not in Graz": "We asked.\n\nIt is not in Graz",
	} {
		parts := readableParts(text)
		got := ""
		for _, p := range parts {
			got += p.separator + text[p.start:p.end]
		}
		if got != want {
			t.Errorf("%q is quoted %q", text, got)
		}
	}
	s := askHelpPages(t, scoredPassages(helpPage("", "Our kettle[update] is delivered to Graz.")),
		userMessage("Is the kettle delivered to Graz?"))
	if s.text != "Our kettle is delivered to Graz." || len(s.citations) != 2 {
		t.Errorf("%q with %d citations", s.text, len(s.citations))
	}
}

// Each language names the remarks of editors.
func TestEditorialNotesOfEachLanguage(t *testing.T) {
	for _, l := range language.All() {
		for note := range l.Sources.EditorialNotes.All() {
			if parts := readableParts("a. [" + note + "]"); len(parts) != 1 || parts[0].end != 2 {
				t.Errorf("%s: %q is quoted", l.Tag, note)
			}
		}
	}
}

// "He also sells tea" says nothing to those who do not know who he is.
func TestQuotesSayWhomTheySpeakOf(t *testing.T) {
	far := "Anton Maier opened a shop in Graz. " + strings.Repeat("He sold kettles which he had bought from far away. ",
		18) +
		"He also distilled the water of the sea."
	for text, c := range map[string]struct{ question, first, last string }{
		"Anton Maier opened a shop in Graz. He sold kettles. He also distilled the water of the sea.": {
			"Who distilled the water of the sea?", "Anton Maier", "of the sea."},
		far: {"Who distilled the water of the sea?", "Anton Maier", "of the sea."},
		"Photos stay on the phone after a backup.\n\nThis is by design for two reasons:\n\n- Backups must be safe.\n" +
			"- Phones forbid it.\n": {"What are the two reasons by design?", "Photos stay", "forbid it."},
		"Anton Maier eröffnete 1900 einen Laden in Graz. Er verkaufte Kessel. Er destillierte auch das Wasser des Meeres.": {
			"Wer destillierte das Wasser des Meeres?", "Anton Maier", "des Meeres."},
		"Antonio abrió una tienda en Graz. Sin embargo, también destilaba el agua del mar en su propia casa.": {
			"¿Quién destilaba el agua del mar en su casa?", "Antonio", "propia casa."},
	} {
		s := askHelpPages(t, scoredPassages(helpPage("", text)), userMessage(c.question))
		if !strings.Contains(s.text, c.first) || !strings.HasSuffix(s.text, c.last) || refersBack(s.text) {
			t.Errorf("%q: %q", c.question, s.text)
		}
		if len(s.text) > 1100 {
			t.Errorf("%d bytes: %q", len(s.text), s.text)
		}
	}
}

// No quote ends inside what somebody says, or with half a sentence.
func TestQuotesEndWithSentences(t *testing.T) {
	quotation := "The kettle is delivered to Graz on Monday. The owner says, \"It is black. It is also heavy.\" " +
		"Nobody knows why."
	if s := askHelpPages(t, scoredPassages(helpPage("", quotation)),
		userMessage("Is the kettle delivered to Graz?")); strings.
		Count(s.text, "\"")%2 != 0 {
		t.Errorf("%q", s.text)
	}
	cut := "The kettle is delivered to Graz on Monday. On Tuesday it is taken to the"
	if s := askHelpPages(t, scoredPassages(helpPage("", cut)),
		userMessage("Is the kettle delivered to Graz?")); s.text != "The kettle is delivered to Graz on Monday." {
		t.Errorf("%q", s.text)
	}
	for text, want := range map[string]bool{`He said "yes`: true, `He said "yes"`: false, "„So ist es“, sagt er": false,
		"„So ist es": true, "“No": true, "他说：“是的": true, "no marks": false, `5" wide`: false, "«Sí. ": true} {
		if endsInQuotation(text) != want {
			t.Errorf("%q ends inside what is said: %v", text, !want)
		}
	}
}

// Thanks are answered with a friendly word in every language of the built-in model.
func TestThanksInOtherWords(t *testing.T) {
	pages := shopPages("Help", "We help with kettles, and the answer is helpful.")
	for tag, messages := range map[string][]string{
		"en": {"that helps", "you have my sincere gratitude", "I really appreciate your help",
			"Great, that worked, thank you!",
			"ok that was very helpful", "thanks so much for taking the time"},
		"de": {"Das hat mir sehr geholfen", "super, danke", "das hilft mir weiter",
			"Ich danke Ihnen für die schnelle Antwort"},
		"es": {"muchas gracias por tu respuesta", "te lo agradezco mucho"}, "fr": {"je vous remercie", "merci infiniment"},
		"it": {"ti ringrazio", "grazie mille della risposta"}, "nl": {"dat helpt", "hartelijk bedankt voor het antwoord"},
		"pt": {"isso ajudou muito", "muito obrigado pela resposta"}, "ru": {"это очень помогло", "огромное спасибо"},
		"ar": {"شكرا جزيلا على المساعدة", "اشكرك"}, "zh": {"非常感谢", "很有帮助"}, "ja": {"助かりました", "ありがとうございました"},
	} {
		want := ""
		for _, l := range language.All() {
			if l.Tag == tag {
				want = l.Texts.Thanks
			}
		}
		for _, message := range messages {
			if s := askHelpPages(t, pages, userMessage(message)); s.text != want {
				t.Errorf("%q: %q", message, s.text)
			}
		}
	}
	for _, message := range []string{"help", "Hilfe", "ayuda", "that was not helpful", "is that helpful?", "no me ayudó",
		"das hat nicht geholfen", "thanks, but how do I descale it?"} {
		if s := askHelpPages(t, pages, userMessage(message)); strings.Contains(s.text, "welcome") ||
			strings.Contains(s.text, "Gern") || strings.Contains(s.text, "De nada") {
			t.Errorf("%q: %q", message, s.text)
		}
	}
}

// An answer in doubt adds a second quote only where that is about as much of the question as the first.
func TestASecondQuoteInDoubtIsOfTheSubject(t *testing.T) {
	first := helpPage("Kettles", "A kettle for the office is sold by the shop in Graz.")
	other := helpPage("Parking", "The shop has places for cars.")
	pages := scoredPassages(first, other)
	for i := range pages {
		pages[i].Score = 0.5
	}
	s := askHelpPages(t, pages, userMessage("Which kettle is sold for the office of a dentist in the shop?"))
	if strings.Contains(s.text, "cars") || !strings.Contains(s.text, "Graz") {
		t.Errorf("%q", s.text)
	}
}

// Under the very question there is no doubt, however little the search makes of it.
func TestWhatIsAskedAboveIsSure(t *testing.T) {
	for heading, c := range map[string]struct {
		question string
		certain  bool
	}{
		"How do I back up Novabrew?":      {"How do I back up everything on the server?", false},
		"How do I cancel a subscription?": {"How can I cancel my subscription?", true},
		"Cancel a subscription":           {"cancel subscription", true},
		"Wie kündige ich das Abonnement?": {"Wie kann ich mein Abonnement kündigen?", true},
	} {
		page := helpPage(heading, "Open the settings of your account, and choose the last line.")
		page.SourceID = "s"
		pages := scoredPassages(page)
		pages[0].Score = 0.35
		if s := askHelpPages(t, pages, userMessage(c.question)); (s.finish.IsRefusal || s.finish.IsUnsure) == c.certain {
			t.Errorf("%q under %q: unsure %v, refused %v", c.question, heading, s.finish.IsUnsure, s.finish.IsRefusal)
		}
	}
}

// A row of names that was a table, and headlines that lead to other pages, are no answers.
func TestWhatWasATableIsNotQuoted(t *testing.T) {
	row := "Friday Saturday Sunday Graz Linz Kettles The Grinders Black Kettle Trio Grinder Festival Band Steam " +
		"Boys Tea " +
		"Graz Linz Friday Night Kettles Saturday"
	s := askHelpPages(t, scoredPassages(helpPage("Kettle Festival", row)),
		userMessage("When is the Kettle Festival in Graz?"))
	if strings.Contains(s.text, "Steam Boys") {
		t.Errorf("%q", s.text)
	}
	box := "The Kettle of Graz DVD cover Directed by Robert Maier Produced by Anna Berg Written by Thomas Winter " +
		"Starring Ann " +
		"Lee Tim Stack Music by Alex Janko Distributed by Kettle Home Video Country Austria Language German"
	s = askHelpPages(t, scoredPassages(helpPage("", box)), userMessage("Who is the Kettle of Graz directed by?"))
	if strings.Contains(s.text, "Thomas Winter") {
		t.Errorf("%q", s.text)
	}
	races := "Kettle Race of Graz Maier , Anton Anton Maier Berg , Anna Anna Berg Winter , Tom Tom Winter 12 ! 12 Lee"
	if s := askHelpPages(t, scoredPassages(helpPage("", races)),
		userMessage("Is this the last kettle race of Graz?")); strings.Contains(s.text, "Maier") {
		t.Errorf("%q", s.text)
	}
	lines := "Kettle mission to Graz takes off\n\nA poem for the kettle mission\n\nThe kettle mission carries " +
		"tea to Graz, as " +
		"the shop said today.\n\nHow to see the kettle mission\n"
	if s := askHelpPages(t, scoredPassages(helpPage("", lines)), userMessage("kettle mission")); strings.Contains(s.text,
		"poem") {
		t.Errorf("%q", s.text)
	}
}

// The long answer of a Q&A is quoted from its beginning.
func TestLongAnswersAreQuotedFromTheirBeginning(t *testing.T) {
	page := helpPage("How do I descale the kettle?",
		"Take vinegar, and fill it to the line. And if the kettle is descaled "+
			"often, use less of it. "+strings.Repeat("Something else is said here about other things. ", 30))
	page.IsQnA = true
	s := askHelpPages(t, scoredPassages(page), userMessage("How often is the kettle descaled?"))
	if !strings.Contains(s.text, "Take vinegar") || len(s.text) > maxAnswerBeginning+200 || !endsAsSentence(s.text) {
		t.Errorf("%q", s.text)
	}
}

// Of a short question no word may be missing in what is answered without doubt, and what it points at must be there.
func TestShortQuestionsAreAnsweredInFull(t *testing.T) {
	ask := func(text string, messages ...model.Message) streamedReply {
		return askHelpPages(t, scoredPassages(parley.Passage{Text: text}), messages...)
	}
	if s := ask("Hotels in Graz are cheap. The best ones are near the river.",
		userMessage("How do I get to Monte Carlo?"), model.Message{Role: "assistant", Text: "By train."},
		userMessage("Which are its best hotels?")); !s.finish.IsUnsure && !s.finish.IsRefusal {
		t.Errorf("%q", s.text)
	}
	if s := ask("Lending of kettles is free for a month.",
		userMessage("What is peer lending? It does not sound like a free kettle for a month.")); s.finish.DecidedBy !=
		parley.ReasonNotFirm {
		t.Errorf("%q", s.text)
	}
	if s := ask("The kettle film of Graz won a prize at the festival.", userMessage("What is the kettle film of Graz?"),
		model.Message{Role: "assistant", Text: "It won a prize."}, userMessage(
			"Which age rating does the kettle film of Graz have for children under twelve?")); !s.finish.IsUnsure &&
		!s.finish.IsRefusal {
		t.Errorf("%q", s.text)
	}
	if s := ask("Lending of kettles is free for a month.", userMessage("What is kettle lending?")); s.finish.IsUnsure {
		t.Errorf("%q", s.text)
	}
}

// A section answers its heading from its first sentence on, also where a later one has more of the question's words.
func TestAnswersBeginWhereTheirSectionDoes(t *testing.T) {
	text := "Kettles are exported with one command:\n\n```sh\nkettle export all\n```\n\n" +
		"The export holds every setting. A kettle without a name is exported by its number; write a name beside it."
	pages := scoredPassages(helpPage("Kettles › How do I export kettles?", text))
	s := askHelpPages(t, pages, userMessage("How do I export my kettles to a file?"))
	if !strings.HasPrefix(s.text, "Kettles are exported") || !strings.Contains(s.text, "kettle export all") {
		t.Errorf("%q", s.text)
	}
	pages[0].Score = 0.3
	s = askHelpPages(t, pages, userMessage("Where is the setting that exports tea by its number from Graz?"))
	if s.finish.IsUnsure && !strings.Contains(s.text, "?\n\nKettles are exported") {
		t.Errorf("%q", s.text)
	}
	far := "Kettles are sold in Graz. " + strings.Repeat("Tea is sold there as well, in bags of paper. ", 20) +
		"The guarantee of a kettle lasts for two years."
	s = askHelpPages(t, scoredPassages(helpPage("Shop › Where are kettles sold?", far)),
		userMessage("How long does the guarantee of a kettle last?"))
	if !strings.Contains(s.text, "two years") {
		t.Errorf("%q", s.text)
	}
}

// What an answer in doubt quotes from below a question that is near enough needs no second quote.
func TestAnswersInDoubtBelowAQuestion(t *testing.T) {
	pages := scoredPassages(helpPage("Shop › Where is the kettle?", "The kettle is on the stove of the shop in Graz."),
		helpPage("Shop › Mail", "The kettle is sent by mail to Graz, and what the shop sends is paid there."))
	for i := range pages {
		pages[i].Score = 0.25
	}
	if s := askHelpPages(t, pages, userMessage("Where are the kettle and the cups?")); strings.Contains(s.text, "mail") {
		t.Errorf("%q", s.text)
	}
}

// A question that the headings name as a whole is not refused, unless it is for a fact.
func TestWhatHeadingsNameIsNotRefused(t *testing.T) {
	pages := scoredPassages(helpPage("Hosting › Hosting kettles on Linux", "Install the package, and start the service."))
	pages[0].Signals = model.MatchSignals{Stretch: 0.3}
	if s := askHelpPages(t, pages, userMessage("Can I host kettles?")); s.finish.IsRefusal {
		t.Errorf("%q", s.text)
	}
	for _, question := range []string{"How many kettles host?", "Can I host teapots?"} {
		if s := askHelpPages(t, pages, userMessage(question)); !s.finish.IsRefusal {
			t.Errorf("%q: %q", question, s.text)
		}
	}
}

func TestSentencesThatReferBack(t *testing.T) {
	for text, want := range map[string]bool{
		"While these writers were busy, they slept.": true, "In this town tea is sold.": true, "It is hot.": true,
		"At its opening it was full.": true, "In diesen Fällen ist der Tee kalt.": false,
		"Bei diesem Kessel ist er kalt.": false,
		"Mit dieser Kanne geht es.":      true, "En este caso no hay té.": true, "Durante esta guerra no hay té.": true,
		"Living in the old town, he sold tea.": true, "In Graz, he sold tea.": false,
		"When you open the kettle, it whistles.": false, "Kettles are hot.": false, "The kettle is theirs.": false,
		"I think that tea is hot.": false, "而水壶是热的。": true, "水壶是热的。": false, "例如水壶。": true, "例えばお茶。": true,
	} {
		if refersBack(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// A quote ends with its brackets, also where a full stop in them looks like the end of a sentence.
func TestQuotesCloseTheirBrackets(t *testing.T) {
	pages := scoredPassages(helpPage("", "The kettle was made by Anton Maier of Graz (c. 1455) in a shop of copper."))
	s := askHelpPages(t, pages, userMessage("Who made the kettle?"))
	if !strings.HasSuffix(s.text, "copper.") {
		t.Errorf("%q", s.text)
	}
}

// The title of a page is not quoted where it is the first line of a paragraph.
func TestTitlesAreNoPartOfSentences(t *testing.T) {
	title := "Everything that there is to know of kettles in the shop of Graz"
	pages := scoredPassages(helpPage(title, title+"\nA kettle in the shop costs much more than its tea does."))
	s := askHelpPages(t, pages, userMessage("Does a kettle cost more than tea?"))
	if !strings.HasPrefix(s.text, "A kettle in the shop costs") {
		t.Errorf("%q", s.text)
	}
}

// Where the sources are Q&A, the one whose question the search finds first is quoted, whatever the answers say.
func TestTheQuestionOfAQnADecides(t *testing.T) {
	first := helpPage("How do I descale my kettle?", "Use vinegar, and wait for an hour.")
	second := helpPage("How do I sell a grinder?",
		"Those who descale a kettle sell a grinder too: descale it, then sell it.")
	first.IsQnA, second.IsQnA = true, true
	s := askHelpPages(t, scoredPassages(first, second), userMessage("How to descale a kettle?"))
	if quoted, more, _ := strings.Cut(s.text, "vinegar"); more == "" || strings.Contains(quoted, "sell it") {
		t.Errorf("%q", s.text)
	}
}

// The bounds of an answer say what it is held against: of many questions of a Q&A one is like the one asked by chance.
func TestBoundsByTheKindOfPassage(t *testing.T) {
	var q parsedQuestion
	for heading, want := range map[string]confidenceBounds{"Where is tea?": singleQuestionBounds,
		"Where is tea? › Is there tea?": qnaBounds} {
		if got := q.boundsFor(model.Passage{Passage: parley.Passage{IsQnA: true, Heading: heading}}); got != want {
			t.Errorf("%q: %v", heading, got)
		}
	}
}

// A remark behind a heading is no part of it.
func TestHeadingsWithoutRemarks(t *testing.T) {
	for heading, want := range map[string]string{"What can I not find? [closed]": "What can I not find?",
		"Kettles [on hold]": "Kettles", "[closed]": "[closed]", "list[1]": "list[1]"} {
		if got := headingPath(model.Passage{Passage: parley.Passage{Heading: heading}}); len(got) != 1 || got[0] != want {
			t.Errorf("%q", got)
		}
	}
}

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
	s := askHelpPages(t, scoredPassages(helpPage("", lines)), userMessage("Which parts does the kettle course have?"))
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

// Each sign has a weight, and each weight is of a sign: a name that is misspelt would count nothing.
func TestWeightsAreOfSigns(t *testing.T) {
	check := func(kind string, weights map[string]float64, names []string) {
		for _, name := range names {
			if _, ok := weights[name]; !ok {
				t.Errorf("%s: %q has no weight", kind, name)
			}
		}
		for name := range weights {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %q is no sign", kind, name)
			}
		}
	}
	check("answering", readWeights().Answering, AnswerSignNames())
	for kind, weights := range readWeights().Confidence {
		check(kind, weights, append([]string{"base"}, ConfidenceSignNames()...))
	}
}
