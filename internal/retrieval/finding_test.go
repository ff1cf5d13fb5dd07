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
