package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"parley"
)

// newTextIndex returns an index of one passage for each text; its source is its number.
func newTextIndex(list ...string) *Index {
	x := NewIndex()
	for i, text := range list {
		x.Put(newPassage(fmt.Sprint(i), "", text))
	}
	return x
}

func firstHit(t *testing.T, x *Index, q Query) string {
	t.Helper()
	hits := x.Nearest(q)
	if len(hits) == 0 {
		return "nothing"
	}
	return string(hits[0].Passage.SourceID)
}

// In each case passage 0 is the right one.
func TestFinding(t *testing.T) {
	for _, c := range []struct {
		name, question string
		texts          []string
	}{
		{"code, other separators", "What does ERR-4012 mean?",
			[]string{"The printer shows ERR 4012 when the tray is open.",
				"ERR-4013 and ERR-4021: the printer has no paper. 4012 sheets fit into the tray, ERR."}},
		{"code, written as one", "what is error err4012",
			[]string{"ERR-4012: the tray is open.", "ERR-4021: an error of the error log, which errs."}},
		{"code as one in the text", "X-200 battery", []string{"The X200 has a battery for ten hours.",
			"Battery of the X-300: 200 minutes. X marks the battery."}},
		{"standard", "Are you ISO 27001 certified?", []string{"Our data centres hold ISO-27001 papers.",
			"We are certified by ISO 9001; certified partners are listed in 27002."}},
		{"version", "what changed in v2.3.1",
			[]string{"v2.3.1: exports are faster.", "v2.3.2: what changed in imports, and what changed in menus."}},
		{"quotation", `where is "save as draft"`,
			[]string{"The menu has save as draft below send.", "As you save, the menu keeps a draft below send."}},
		{"set up and setup", "setup of the router",
			[]string{"To set up the router, plug it in.", "The router has two lights for its state."}},
		{"two words for one", "my e mail does not arrive", []string{"Email that does not arrive is in the spam folder.",
			"My parcel does not arrive: ask the courier."}},
		{"compound", "Wo steht das Donaudampfschiff?",
			[]string{"Unser Dampfschiff auf der Donau fährt täglich.", "Wo das Haus steht, sagt die Karte."}},
		{"transposed letters", "Who was Ghandi?",
			[]string{"Gandhi led the movement.", "Who leads the team was not said by Hanna."}},
		{"letter missing", "how to chnge my adress",
			[]string{"You change your address in the profile.", "How to make my bed, and my chess board."}},
		{"typo in Arabic", "كيف الغي اشتراكي في الخدة",
			[]string{"يمكن إلغاء الخدمة من صفحة الحساب.", "كيف في الصور والألبومات."}},
		{"accents and ß", "strasse fur lieferung",
			[]string{"Die Straße für die Lieferung steht im Konto.", "Die Zahlung steht im Konto."}},
		{"accents in Spanish", "cuando llega el envio a Malaga",
			[]string{"El envío a Málaga llega en dos días.", "El pago llega cuando vence."}},
		{"full width", "ＡＰＩキー の 作成", []string{"APIキーは設定で作成します。", "写真は設定で見ます。"}},
		{"single character", "税", []string{"含税价格在发票上。", "照片在相册里。"}},
		{"Arabic article and marks", "فاتورة", []string{"تجد الفَاتُـورة في الإعدادات.", "تجد الصور في الألبوم."}},
		{"number asked for", "How many seats does the Pro plan have?", []string{"The Pro plan has 25 seats.",
			"The Pro plan has seats for teams. How seats are given is up to the owner of the Pro plan."}},
		{"time asked for", "When does the Pro sale end?",
			[]string{"The Pro sale does end in March.", "The Pro sale does end once stocks are gone."}},
	} {
		if got := firstHit(t, newTextIndex(c.texts...), Query{Text: c.question}); got != "0" {
			t.Errorf("%s: %q finds %s", c.name, c.question, got)
		}
	}
}

func TestOperatorsSynonyms(t *testing.T) {
	x := newTextIndex("Paid time off is asked for in the portal.", "The annual review is asked for by the manager.",
		"Holidays of the office are on the wall.")
	for question, group := range map[string][]string{
		"PTO":                    {"PTO", "paid time off"},        // one word for several
		"Urlaub":                 {"paid time off", "Urlaub"},     // in another language
		"who grants a free day?": {"free days", "paid  time off"}, // several for several, in another form
	} {
		if got := firstHit(t, x, Query{Text: question}); got == "0" {
			t.Errorf("%q is found without a synonym", question)
		}
		if got := firstHit(t, x, Query{Text: question, Synonyms: [][]string{{"car", "auto"}, group}}); got != "0" {
			t.Errorf("%q with %v finds %s", question, group, got)
		}
	}
	y := newTextIndex("A Zwiebelkuchen costs four euros.", "Bread costs two euros.", "Cake is sold at noon.")
	if got := firstHit(t, y, Query{Text: "what is the price of an onion pie",
		Synonyms: [][]string{{"onion pie", "Zwiebelkuchen"}}}); got != "0" {
		t.Errorf("one word for two: %s", got)
	}
}

func TestBestQuestionOfMany(t *testing.T) {
	x := NewIndex()
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("How do I use function %c%c?", 'a'+i, 'b'+i))
	}
	many[11] = "How do I close my account?"
	x.Put(newPassage("many", strings.Join(many, headingSeparator), "Ask the desk."),
		newPassage("one", "How do I open my account?", "Ask the bank to open my account."),
		newPassage("other", "Accounts › Close", "Close friends share accounts."))
	if got := firstHit(t, x, Query{Text: "How do I close my account?"}); got != "many" {
		t.Errorf("%s", got)
	}
	for heading, want := range map[string]int{"": 1, "Guide › Photos › Export": 1, "How? › Why?": 2,
		"a › b › c › d › e": 5} {
		if got := titleCount(parley.Passage{Heading: heading}); got != want {
			t.Errorf("%q: %d titles, want %d", heading, got, want)
		}
	}
}

func TestPassageBeforeHelps(t *testing.T) {
	x := NewIndex()
	put := func(source string, ordinal int, text string) {
		x.Put(parley.Passage{ID: parley.PassageID(fmt.Sprint(source, ordinal)), SourceID: parley.SourceID(source),
			Ordinal: ordinal, Text: text})
	}
	put("a", 0, "The Falcon scooter is for the city.")
	put("a", 1, "It has a warranty of two years.")
	put("b", 0, "The Heron bicycle is for the woods.")
	put("b", 1, "It has a warranty of two years.")
	hits := x.Nearest(Query{Text: "warranty of the Heron"})
	for _, h := range hits {
		if h.Passage.Ordinal == 1 {
			if h.Passage.SourceID != "b" {
				t.Errorf("the warranty of %s comes first", h.Passage.SourceID)
			}
			break
		}
	}
}

func TestFollowUpUsesTheAnswer(t *testing.T) {
	x := newTextIndex("Parcels to Norway take nine days.", "The Comet lamp uses four watts.",
		"The Meteor lamp uses nine watts.")
	q := Query{Text: "How many watts does it use?", Earlier: []string{"Which lamp is for a desk?"},
		Answer: "The Meteor is made for desks."}
	if got := firstHit(t, x, q); got != "2" {
		t.Errorf("with the answer: %s", got)
	}
	q = Query{Text: "How many days do parcels to Norway take?", Earlier: q.Earlier, Answer: q.Answer}
	if got := firstHit(t, x, q); got != "0" {
		t.Errorf("after the subject has changed: %s", got)
	}
}

func TestWordsOneEditAway(t *testing.T) {
	got := map[string]bool{}
	eachEdit([]rune("form"), func(word string) { got[word] = true })
	for _, want := range []string{"from", "for", "forms", "norm", "fork", "fform"} {
		if !got[want] {
			t.Errorf("%s is not among them", want)
		}
	}
	if got["form"] || got["firms"] {
		t.Error("no slip, or two")
	}
}

func TestCutCode(t *testing.T) {
	for word, want := range map[string]string{"err4012": "err 4012", "x200b": "x 200 b", "v2.3.1": "v 2.3.1",
		"4012": "", "error": ""} {
		if got := strings.Join(cutCode(word), " "); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// However often groups repeat a word, it stands for a word of the question once.
func TestRepeatedSynonymsCountOnce(t *testing.T) {
	x := newHelpIndex()
	groups := make([][]string, 200)
	for i := range groups {
		groups[i] = []string{"invoice", "money", "money", "invoice", "money", "invoice", "money", "money", "money", "plan"}
	}
	q := &question{}
	x.fillQuestion(q, Query{Text: strings.Repeat("invoice ", 300), Synonyms: groups})
	if len(q.words) != maxQueryWords {
		t.Fatal(len(q.words))
	}
	for _, w := range q.words {
		if len(w.alternatives) > 4 { // the two, and what the language itself knows
			t.Fatalf("%d words stand for %q", len(w.alternatives), w.word)
		}
	}
	if got := hitIDs(x.Nearest(Query{Text: "invoice", Synonyms: groups})); len(got) == 0 || got[0] != "refund" {
		t.Error(got)
	}
}

// A question is read in the words that the passages have for it.
func TestReading(t *testing.T) {
	for _, c := range []struct{ typed, want, source string }{
		{"does iphone 15 fit", "does iphone15 fit", "The case fits the iPhone15."},
		{"does iPhone15 fit", "does iphone 15 fit", "The case fits the iPhone 15."},
		{"zk 100 pump", "zk100 pump", "Filter ZK100 fits the pump."},
		{"ZK100 pump", "zk 100 pump", "Filter ZK-100 fits the pump."},
		{"ZK-100 pump", "zk100 pump", "Filter ZK100 fits the pump."},
		{"ZK-100 pump", "ZK-100 pump", "Filter ZK-1000 fits the pump."},
		{"ZK100 pump", "ZK100 pump", "Filter ZK1000 or ZK-100B fits the pump."},
		{"is re-entry free", "is reentry free", "Reentry is free."},
		{"is reentry free", "is re-entry free", "The re-entry is free."},
		{"how do I rueckerstattung", "how do I ruckerstattung", "Die Rückerstattung dauert, how do I know."},
		{"Rückerstattung", "rueckerstattung", "Die Rueckerstattung dauert."},
		{"what costs 1299", "what costs 1.299", "Das kostet 1.299 Euro, what costs less?"},
		{"what costs 1.299", "what costs 1299", "This costs 1299, what costs less?"},
		{"call +491705550134", "call +49 170 5550134", "Call +49 170 5550134."},
		{"call +49 170 5550134", "call +491705550134", "Call +491705550134."},
		{"DE89370400440532013000", "de89 3704 0044 0532 0130 00", "IBAN DE89 3704 0044 0532 0130 00."},
		{"DE89 3704 0044 0532 0130 00", "de89370400440532013000", "IBAN DE89370400440532013000."},
		{"who is O'Brien", "who is O'Brien", "Ask Obrien who is there."},
		{"what is on December 12th", "what is on 12 december", "The fair is on 12 December 2026."},
		{"what is on 12 Dec", "what is on 12 december", "The fair is on 12 December 2026."},
		{"what is on 12.12.2026", "what is on 12 december 2026", "The fair is on 12 December 2026."},
		{"what is on 12.12.", "what is on 12 december.", "The fair is on 12 December 2026."},
		{"what is on 12 December", "what is on 12 December", "The fair is on 12 December 2026."},
		{"what is on 13 December", "what is on 13 December", "The fair is on 12 December 2026."},
		{"what is on 12.12.2027", "what is on 12 december 2027", "The fair is on 12 December 2026."},
		{"what starts at 7 pm", "what starts at 19:00", "The walk starts at 19:00."},
		{"what starts at 19:00", "what starts at 7 pm", "The walk starts at 7 pm."},
		{"geschlossen am 4. Januar", "geschlossen am 04.01", "Am 04.01. ist geschlossen."},
	} {
		x := newTextIndex(c.source, "Other passages speak of the garden and its trees.")
		if got, _ := x.readMessage(c.typed, nil, nil); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.typed, c.source, got, c.want)
		}
	}
}

// A word that no passage has is read as the nearest one of the passages; numbers, codes, addresses, abbreviations and
// words that passages have are what they are.
func TestTypingErrors(t *testing.T) {
	x := newTextIndex("We ship to Canada and to the United States. Shipping takes five business days.",
		"A refund of the subscription is possible within 14 days. The subscription costs 12 euros.",
		"The temperature sensor ZK-100 needs the firmware of August.")
	for typed, want := range map[string]string{
		"do yuo shp to canda":           "do you ship to canada",
		"shiping to Cannada":            "shipping to canada",
		"refnud of my subscription":     "refund of my subscription",
		"cancel my subscritpion":        "cancel my subscription",
		"the temprature senser":         "the temperature sensor",
		"my tempreture":                 "my temperature",
		"is my subcripton paid":         "is my subscription paid",
		"buisness days":                 "business days",
		"do you sihp there":             "do you ship there",
		"ZK-101 and ZK200":              "ZK-101 and ZK200",
		"write to canda@x.example":      "write to canda@x.example",
		"what is a SHPP":                "what is a SHPP",
		"open http://x.example/refnud":  "open http://x.example/refnud",
		"in june":                       "in june",
		"a zebra":                       "a zebra",
		"a sale":                        "a sale",
		"waht is this":                  "what is this",
		"do you ship":                   "do you ship",
		"costs 13 euros, not 12 euros?": "costs 13 euros, not 12 euros?",
	} {
		if got, _ := x.readMessage(typed, nil, nil); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got, _ := x.readMessage("my refnud", [][]string{{"refnud", "refund"}}, nil); got != "my refnud" {
		t.Errorf("a word of the operator's is read as %q", got)
	}
}

// An exact match comes before what a typing error may mean, and a code before those that begin or end like it.
func TestExactFormsComeFirst(t *testing.T) {
	for _, c := range []struct {
		question string
		texts    []string
	}{
		{"C++ library", []string{"The C++ library is free.", "The C# library is free.", "The C library is free."}},
		{"C# library", []string{"The C# library is free.", "The C++ library is free.", "The C library is free."}},
		{".NET price", []string{"The .NET price is low.", "The net price is low."}},
		{"AT&T offer", []string{"An AT&T offer.", "An offer at the T stop."}},
		{"what costs $5", []string{"The soup costs $5.", "What costs 5 points is in list 5."}},
		{"ZK-100 pump", []string{"ZK-100 fits pump A.", "ZK-1000 fits the pump B.", "ZK-100B fits the pump C."}},
		{"zk 100 pump", []string{"ZK100 fits pump A.", "ZK1000 fits the pump B.", "ZK100B fits the pump C."}},
		{"iphone15 case", []string{"The case of the iPhone 15.", "The case of the iPhone 14 and 15 others."}},
		{"case for an iPhone 15", []string{"A case for the iPhone15.", "A case for the iPhone14."}},
		{"re-entry fee", []string{"The reentry fee is small.", "The entry fee is small."}},
		{"mr obrien", []string{"Mr O'Brien is in.", "Mr Brien is in."}},
		{"rueckerstattung wann", []string{"Wann die Rückerstattung kommt.", "Wann die Erstattung kommt."}},
		{"call +491705550134", []string{"Call +49 170 5550134.", "Call +49 170 5550135."}},
		{"what costs 1,299", []string{"The bed costs 1299 euros.", "The chair costs 129 euros."}},
	} {
		if got := firstHit(t, newTextIndex(c.texts...), Query{Text: c.question}); got != "0" {
			t.Errorf("%q: passage %s is first", c.question, got)
		}
	}
}

// The time to read a message is bounded, whatever is in it.
func TestReadingOfLongMessages(t *testing.T) {
	x := newTextIndex(strings.Repeat("1 11 111 a b ab ", 50), strings.Repeat("ab-12 ", 100))
	for _, text := range []string{strings.Repeat("1", 40), strings.Repeat("a1", 20), strings.Repeat("1 ", 5000),
		strings.Repeat("ab-", 5000), strings.Repeat("x", 1<<20)} {
		x.readMessage(text, nil, nil)
	}
}

// What an agent can be asked about is told by the beginnings of its sources.
func TestFirstPassages(t *testing.T) {
	x := newTextIndex("Deliveries take three days.", "Returns are free.", "We are open on Monday.")
	if all, two := x.firstPassages(9), x.firstPassages(2); len(all) != 3 || len(two) != 2 ||
		two[0].Passage.ID != all[0].Passage.ID {
		t.Errorf("%d and %d passages", len(all), len(two))
	}
}
