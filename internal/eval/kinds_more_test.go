package eval_test

import (
	"strings"
	"testing"

	"parley/internal/eval"
)

var toolShop = map[string]string{
	"Drills": "| Drill | Part number | Power | Price | Weight |\n|---|---|---|---|---|\n" +
		"| Delta | DR-40 | 400 W | €79.00 | 1.4 kg |\n| Delta Plus | DR-400 | 700 W | €129.00 | 2.1 kg |\n" +
		"| Delta Plus S | DR-400S | 750 W | €149.00 | 2.2 kg |\n| Gamma | DR-4000 | 1200 W | €390.00 | 6 kg |\n",
	"Parts": "The chuck C-21 fits the DR-40 and costs 7 euros.\n\nThe chuck C-22 fits the DR-400 and the DR-400S and " +
		"costs 11 euros. It weighs 90 grams.",
}

var lodging = map[string]string{
	"Stay": "Guests can check in from 15:00. Check-out is until 10:30.\n\nThe boat picks up guests at noon. Drop-off is " +
		"at 18:00.\n\nYou can sign up at the desk until Friday. The sign-out sheet lies in the hall until Sunday.",
	"Prices": "Members pay 6 euros for a swim. Guests who are not members pay 11 euros.\n\nWith a voucher you enter at " +
		"9:00. Without a voucher you enter at 11:00.",
}

var planShop = map[string]string{
	"Watches": "A strap for the Orbit M5 costs 12 euros.\n\nA strap for the Orbit M5+ costs 18 euros.",
	"Plans":   "The plan Home costs 5 euros.\n\nThe plan Home+ costs 8 euros.\n\nDisney+ is part of every plan.",
}

var moreKinds = []kindOfQuestion{
	{"of another thing", toolShop, []kindCase{
		{"What does the DR-400 cost?", "129", "11 euros|149|390|79", ""},
		{"how much is the DR-40?", "79", "7 euros|129", ""},
		{"How heavy is the DR-4000?", "6 kg", "90 grams|2.1", ""},
		{"What does the DR-400S cost?", "149", "11 euros|129", ""},
		{"What does the Delta Plus cost?", "129", "149|11 euros", ""},
		{"What does the chuck C-22 cost?", "11 euros", "129|7 euros", ""},
		{"Was kostet der DR-400?", "129", "149|11 euros", ""},
	}},
	{"compounds", lodging, []kindCase{
		{"When is check-in?", "15:00", "10:30", ""},
		{"When is check-out?", "10:30", "15:00", ""},
		{"When can I check in?", "15:00", "10:30", ""},
		{"When do I have to check out?", "10:30", "15:00", ""},
		{"When is the drop-off?", "18:00", "noon", ""},
	}},
	{"who is none", lodging, []kindCase{
		{"I am not a member. What do I pay for a swim?", "11 euros", "6 euros", ""},
		{"I don't have a membership, how much is a swim?", "11 euros", "6 euros", ""},
		{"What do non-members pay?", "11 euros", "6 euros", ""},
		{"I am a member. What do I pay for a swim?", "6 euros", "11 euros", ""},
		{"I have no voucher. When can I enter?", "11:00", "9:00", ""},
	}},
	{"plus at the end", planShop, []kindCase{
		{"How much is a strap for the Orbit M5+?", "18", "12", ""},
		{"How much is a strap for the Orbit M5?", "12", "18", ""},
		{"What does Home+ cost?", "8 euros", "5 euros", ""},
		{"What does the plan Home cost?", "5 euros", "8 euros", ""},
	}},
	{"compared in prose, lists and tables", map[string]string{
		"Trucks": "The truck Kilo carries 800 kg.\n\nThe truck Lima carries 1,200 kg.\n\nThe truck Mike carries 600 kg.",
		"Walks":  "- Walk North: 7 km, 2 hours\n- Walk South: 11 km, 3 hours\n- Walk East: 15 km, 5 hours\n",
		"Herde": "| Herd | Preis | Leistung |\n|---|---|---|\n| H3 | 399 € | 3 kW |\n| H5 | 549 € | 5 kW |\n" +
			"| H8 | 799 € | 8 kW |\n",
	}, []kindCase{
		{"Which carries more, the Kilo or the Lima?", "800|1,200", "600", ""},
		{"Does the Kilo or the Mike carry more?", "800|600", "1,200", ""},
		{"Which truck can carry more: Lima or Mike?", "1,200|600", "800", ""},
		{"Is Walk North longer than Walk South?", "7 km|11 km", "15 km", ""},
		{"Was ist günstiger, der H3 oder der H8?", "399|799", "549", ""},
		{"Welcher ist teurer, H3 oder H5?", "399|549", "799", ""},
	}},
	{"one line of a list", map[string]string{
		"Abos": "# Plans\n\n- Mini: 2 euros a month, one device.\n- Family: 7 euros a month, six devices.\n" +
			"- Club: 15 euros a month.\n",
		"Truck": "# Where the book truck stops\n\n- Harbour: Monday\n- Castle: Wednesday and Friday\n- Station: Sunday\n",
	}, []kindCase{
		{"How much is the Family plan?", "7 euros", "2 euros|15 euros", ""},
		{"What does the Club plan cost?", "15 euros", "2 euros|7 euros", ""},
		{"On which day does the book truck stop at the castle?", "Wednesday and Friday", "Monday|Sunday", ""},
		{"When does the book truck stop at the station?", "Sunday", "Monday|Friday", ""},
	}},
	{"deutsche Formen", map[string]string{
		"Verleih": "Fahrräder können drei Tage ausgeliehen werden.\n\nZelte können zwei Wochen ausgeliehen werden.\n\n" +
			"Termine können bis Mittwoch verschoben werden.\n\nBuchungen können bis zum Vortag geändert werden.\n\n" +
			"Mit Beleg erhalten Sie Ihr Geld zurück.\n\nOhne Beleg erhalten Sie eine Gutschrift.\n\n" +
			"Parkplätze gibt es neben der Halle.",
	}, []kindCase{
		{"Wie lange kann ich Zelte ausleihen?", "zwei Wochen", "drei Tage", ""},
		{"Bis wann kann ich Buchungen ändern?", "Vortag", "Mittwoch", ""},
		{"Was bekomme ich ohne Beleg?", "Gutschrift", "Geld", ""},
		{"Wo kann ich parken?", "neben der Halle", "Zelte", ""},
	}},
	{"halves", map[string]string{
		"Club": "Our shuttle runs to Graz, Linz and Wels. A ride takes twenty minutes; to Wels it takes forty.\n\nRides " +
			"after 22:00 are booked by phone. We do not carry bicycles.\n\nH1 means that the lamp is hot. Turn it off " +
			"and wait.\n\nH2 means that the battery is empty.\n\nTowels are free for members.",
	}, []kindCase{
		{"Where does the shuttle run and how long does it take to Wels?", "Graz, Linz|forty", "22:00|bicycles", ""},
		{"What does H1 mean and what do I do?", "lamp is hot|Turn it off", "battery", ""},
		{"Are towels free for members and do you sell umbrellas?", "Towels are free", "bicycles|lamp", "part"},
		{"Do you sell umbrellas? Are towels free for members?", "Towels are free", "bicycles|lamp", "part"},
		{"Where does the shuttle run?", "Graz, Linz", "22:00|bicycles", ""},
	}},
	{"struck out and quoted", map[string]string{
		"Tour":  "The walk starts at ~~8:00~~ 8:40.\n\nThe entry is ~~15~~ 12 euros.",
		"Mail":  "A copy of a receipt can be made in your account under Bills.\n\nParcels leave our store at noon.",
		"Visit": "The castle ~~opens at 10~~ opens at 11 on Sundays.",
	}, []kindCase{
		{"When does the walk start?", "8:40", "8:00|~~", ""},
		{"How much is the entry?", "12 euros", "15|~~", ""},
		{"When does the castle open on Sundays?", "at 11", "at 10|~~", ""},
		{"> On Friday you wrote:\n> Your parcel has left our store.\n\nHow do I make a copy of a receipt?", "under Bills",
			"noon", ""},
	}},
}

// TestMoreKindsOfQuestions asks what is easily answered by a neighbour: another part, another word, one half of two.
func TestMoreKindsOfQuestions(t *testing.T) {
	for _, kind := range moreKinds {
		t.Run(kind.name, func(t *testing.T) {
			answers := askSources(t, kind)
			for _, c := range kind.cases {
				checkMoreCase(t, c, answers[c.question])
			}
		})
	}
}

// checkMoreCase checks a case; one in part is in doubt, and holds what is known all the same.
func checkMoreCase(t *testing.T, c kindCase, a eval.Trial) {
	t.Helper()
	if c.state != "part" {
		checkKindCase(t, c, a)
		return
	}
	if !a.Unsure || !strings.Contains(a.Answer, c.holds) {
		t.Errorf("%q: refused %v, unsure %v: %q", c.question, a.Refused, a.Unsure, a.Answer)
	}
}
