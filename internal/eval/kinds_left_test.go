package eval_test

import (
	"strings"
	"testing"
)

var gardenShop = map[string]string{
	"Mowers": "| Mower | Part number | Price | Weight |\n|---|---|---|---|\n| Finch | MW-30 | €189.00 | 14 kg |\n" +
		"| Finch Plus | MW-300 | €329.00 | 21 kg |\n| Heron | MW-3000 | €990.00 | 48 kg |\n",
	"Blades": "The blade B-11 fits the MW-30 and costs 8 euros.\n\nThe blade B-12 fits the MW-300 and costs " +
		"13 euros.\n\n" +
		"The blade of the MW-3000 can only be sharpened in our workshop.",
	"Delivery": "We deliver to Portugal, Greece and Malta. Delivery takes four to six days; to islands it takes ten.\n\n" +
		"Orders of the morning leave the same day. We do not deliver to hotels.\n\nHeavy crates are delivered to the " +
		"gate.\n\n" +
		"Our courses take place in Porto and Faro.\n\nThe courses take place when six people have signed up.",
}

// What a stranger found wrong that asked small sources, as kinds.
var kindsLeft = []kindOfQuestion{
	{"where", gardenShop, []kindCase{
		{"Where do you deliver?", "Portugal, Greece and Malta", "crates|hotels|same day", ""},
		{"Where do you deliver to?", "Portugal, Greece and Malta", "crates|hotels", ""},
		{"Where are heavy crates delivered?", "to the gate", "Portugal|hotels", ""},
		{"Where do you deliver and how long does it take to islands?", "Portugal|ten", "crates|hotels", ""},
		{"Where do the courses take place?", "Porto and Faro", "signed up", ""},
	}},
	{"how heavy", gardenShop, []kindCase{
		{"How heavy is the MW-3000?", "48 kg", "workshop|21|990", ""},
		{"How much does the MW-30 weigh?", "14 kg", "48|189", ""},
		{"What is the weight of the Finch Plus?", "21 kg", "14 kg|329", ""},
		{"What does the MW-300 cost and how heavy is it?", "€329.00|21 kg", "189|13 euros", ""},
		{"Which is heavier, MW-30 or MW-300?", "14 kg|21 kg", "48|euros", ""},
	}},
	{"a part of another thing", gardenShop, []kindCase{
		{"How much is the blade for the MW-30?", "8 euros", "13|189", ""},
		{"What does the blade for the MW-300 cost?", "13 euros", "8 euros|329", ""},
		{"What does the MW-300 cost?", "€329.00", "13 euros|189", ""},
	}},
	{"another name", map[string]string{
		"Vases": "The lamp Ilse is hand made. It costs 52 euros.\n\nThe lamp Runa is hand made and comes in green.",
		"Rooms": "The room Fjord costs 88 euros. The room Delta has a balcony.",
	}, []kindCase{
		{"How much is the lamp Ilse?", "52 euros", "Runa", ""},
		{"How much is the lamp Runa?", "", "52", "not sure"},
		{"What does the room Delta cost?", "", "88", "not sure"},
		{"What does the room Fjord cost?", "88 euros", "balcony", ""},
	}},
	{"verbs with a word behind", map[string]string{
		"Hall": "You can log in from 6:00. You have to log out before 23:00.\n\nThe pump is switched on at 5:15.\n\nThe " +
			"pump is switched off at 22:40.",
		"Match": "There were 12 seconds left on the clock when the referee stopped the match.",
	}, []kindCase{
		{"When can I log in?", "6:00", "", ""},
		{"When is the pump switched on?", "5:15", "22:40", ""},
		{"When is the pump switched off?", "22:40", "5:15", ""},
		{"How many seconds were left in the match when the referee stopped it?", "12 seconds", "", ""},
	}},
	{"what is not there", map[string]string{
		"Kasse": "Mit Bon tauschen wir innerhalb von 20 Tagen um.\n\nOhne Bon geben wir eine Gutschrift.",
	}, []kindCase{
		{"Ich habe keinen Bon. Was nun?", "Gutschrift", "20 Tagen", ""},
		{"Was bekomme ich ohne Bon?", "Gutschrift", "20 Tagen", ""},
	}},
	{"struck out in HTML", map[string]string{
		"Desk": "The desk Odin costs <del>90</del> <ins>75</ins> euros.\n\nThe stool Thor costs <s>40</s> 35 euros.",
	}, []kindCase{
		{"What does the desk Odin cost?", "75", "90|del>|ins>", ""},
		{"What does the stool Thor cost?", "35", "40|s>", ""},
	}},
}

// TestKindsLeft asks what was left after the other kinds.
func TestKindsLeft(t *testing.T) {
	for _, kind := range kindsLeft {
		t.Run(kind.name, func(t *testing.T) {
			answers := askSources(t, kind)
			for _, c := range kind.cases {
				checkKindCase(t, c, answers[c.question])
			}
		})
	}
}

// TestLanguageWithoutTexts asks in a language that the model has no texts in: what it says itself is English, in
// every reply.
func TestLanguageWithoutTexts(t *testing.T) {
	kind := kindOfQuestion{sources: map[string]string{
		"Zamek": "Zamek zwiedzamy od 10:00.\n\nBilet rodzinny kosztuje 55 zł.\n\nWieża jest zamknięta zimą.",
	}, cases: []kindCase{
		{question: "Czy jest u was sklep?"}, {question: "Dziękuję bardzo!"}, {question: "Kiedy jest otwarta wieża?"},
	}}
	for question, a := range askSources(t, kind) {
		if !strings.HasPrefix(a.Answer, "I ") {
			t.Errorf("%q: %q", question, a.Answer)
		}
	}
}
