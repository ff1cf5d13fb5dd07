package eval_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
)

// kindOfQuestion is a kind of question with small sources, as many shops and manuals have them, and what the replies
// hold and do not.
type kindOfQuestion struct {
	name    string
	sources map[string]string // by title
	cases   []kindCase
}

// kindCase is a question. A reply holds each of the texts and none of the others; both are separated by "|". The state
// is "sure" if it is empty; "not sure" is refused or unsure.
type kindCase struct{ question, holds, missing, state string }

var filterShop = map[string]string{
	"Filters": "The filter ZK-100 fits the pump Aral. The filter ZK-1000 fits the pump Boral.\n\nThe filter " +
		"ZK-100B fits " +
		"the pump Coral and is washed once a month.\n\nCases for phones are made of leather.",
	"Delivery": "We deliver to Austria and Germany within three days.\n\nWe ship to Switzerland for 9 euros. " +
		"Customs are paid by the customer.\n\nGift cards are sent by mail and never expire.",
	"Returns": "You can return goods within 30 days if you have an account. Without an account the limit is 14 days. " +
		"Underwear cannot be returned. The parcel is picked up at your door. Our shop in Graz takes goods back as " +
		"well. Refunds are paid within a week.",
	"Opening hours": "On weekdays the shop is open from 9 to 18. On Saturday it closes at noon. In August the shop is " +
		"closed on Mondays. The workshop behind it has hours of its own.",
	"Membership": "The membership costs 24 euros a year. But students pay only 12 euros.\n\n- A member gets a card.\n" +
		"- A member parks for free.\n- A member may bring one guest.\n",
}

var kindsOfQuestions = []kindOfQuestion{
	{"only what is asked", filterShop, []kindCase{
		{"Do you ship to Switzerland?", "Switzerland for 9 euros", "Austria|Gift cards", ""},
		{"Which pump does ZK-100 fit?", "pump Aral", "Boral|Coral|leather", ""},
		{"Which pump does ZK-100B fit?", "Coral", "Aral|Boral|leather", ""},
		{"What are cases for phones made of?", "leather", "pump", ""},
		{"Can underwear be returned?", "Underwear cannot be returned", "Graz|Refunds|30 days", ""},
		{"When does the shop close on Saturday?", "noon", "August|workshop", ""},
		{"What does the membership cost?", "24 euros a year. But students", "guest|card", ""},
		{"When are refunds paid?", "within a week", "Underwear|Graz", ""},
		{"Do gift cards expire?", "never expire", "Switzerland|Austria", ""},
		{"In which month is the shop closed on Mondays?", "August", "workshop|weekdays", ""},
	}},
	{"signs and digits", map[string]string{
		"Languages": "The C++ library is released in May.\n\nThe C# library is released in June.\n\nThe C library is " +
			"released in July.\n\nThe .NET runtime is released in March.",
		"Coupons": "A coupon of $5 is valid until spring. The points of level 5 never end.",
		"Phones":  "The cover L2 fits the iPhone15.\n\nThe cover L3 fits the iPhone 16.",
		"Talks":   "Mr O'Brien speaks on Tuesday. Re-entry is free with a stamp.",
		"Geld":    "Die Rückerstattung dauert fünf Tage.",
	}, []kindCase{
		{"When is the C++ library released?", "May", "June|July", ""},
		{"When is the C# library released?", "June", "May|July", ""},
		{"When is the C library released?", "July", "May|June", ""},
		{"When is the .NET runtime released?", "March", "May|June|July", ""},
		{"Which cover fits the iphone 15?", "L2", "L3", ""},
		{"Which cover fits the iPhone16?", "L3", "L2", ""},
		{"When does obrien speak?", "Tuesday", "", ""},
		{"Is reentry free?", "Re-entry is free", "", ""},
		{"Wie lange dauert die Rueckerstattung?", "fünf Tage", "", ""},
		{"How long is a $5 coupon valid?", "until spring", "never end", ""},
	}},
	{"contrast", map[string]string{
		"Returns": "Customers with an account return goods within 30 days. Customers without an account " +
			"return goods within 14 days.",
		"Shipping": "Orders below 50 euros cost 4 euros of shipping. Orders above 50 euros are shipped for free.",
		"Dogs":     "Dogs are allowed in the garden. Dogs are not allowed in the restaurant.",
		"Rückgabe": "Mit Kundenkonto beträgt die Frist 40 Tage. Ohne Kundenkonto beträgt die Frist 10 Tage.",
		"Tickets":  "Members can cancel tickets until the evening. Tickets cannot be cancelled by guests.",
	}, []kindCase{
		{"How many days do I have to return goods if I have no account?", "14 days", "30 days", ""},
		{"How many days to return goods without an account?", "14 days", "30 days", ""},
		{"How many days to return goods with an account?", "30 days", "14 days", ""},
		{"What does shipping cost for orders below 50 euros?", "4 euros", "free", ""},
		{"What does shipping cost for orders above 50 euros?", "free", "4 euros", ""},
		{"Where are dogs not allowed?", "restaurant", "garden", ""},
		{"Wie lange ist die Frist ohne Kundenkonto?", "10 Tage", "40 Tage", ""},
		{"Wie lange ist die Frist mit Kundenkonto?", "40 Tage", "10 Tage", ""},
		{"What does shipping cost for orders under 50 euros?", "4 euros", "free", ""},
	}},
	{"tables", map[string]string{
		"Umbrellas": "| Article | Price | Size | Colour | Stock |\n|---|---|---|---|---|\n| Umbrella Rain | " +
			"€29.90 | large | blue | 7 |\n" +
			"| Umbrella Storm | €49.90 | medium | red | 0 |\n| Parasol | €19.50 | small | green | 3 |\n",
		"Branches": "| Branch | Phone | Address | Opening hours |\n|---|---|---|---|\n| Linz | 0732 5550 | " +
			"Hafengasse 3 | 9–17 |\n" +
			"| Wels | 07242 5551 | Ringstrasse 8 | 10–18 |\n",
	}, []kindCase{
		{"What does the Umbrella Rain cost?", "€29.90", "49.90|19.50|| |---", ""},
		{"How much is the Parasol?", "€19.50", "29.90|49.90|| |---", ""},
		{"Which size has the Umbrella Storm?", "medium", "large|small|| |---", ""},
		{"Which colour has the Umbrella Rain?", "blue", "red|green|| |---", ""},
		{"What is the phone number of the branch Linz?", "0732 5550", "5551|| |---", ""},
		{"What is the address of the branch Wels?", "Ringstrasse 8", "Hafengasse|| |---", ""},
		{"When is the branch Wels open?", "10–18", "9–17|| |---", ""},
		{"Was kostet der Parasol?", "€19.50", "29.90|49.90|| |---", ""},
	}},
	{"tables in other scripts", map[string]string{
		"우산": "| 품목 | 가격 | 크기 | 재고 |\n|---|---|---|---|\n" +
			"| 파라솔 | 19,500원 | 작음 | 3 |\n| 장우산 | 29,900원 | 큼 | 7 |\n",
		"雨伞": "| 商品 | 价格 | 尺寸 |\n|---|---|---|\n| 遮阳伞 | 195 元 | 小 |\n| 折叠伞 | 299 元 | 大 |\n",
		"傘":  "| 商品名 | 価格 | サイズ |\n|---|---|---|\n| パラソル | 1950 円 | 小 |\n| レインハット | 2990 円 | 大 |\n",
		"Зонты": "| Товар | Цена | Размер |\n|---|---|---|\n" +
			"| Зонт пляжный | 1950 руб. | малый |\n| Зонт складной | 2990 руб. | большой |\n",
		"مظلات": "| المنتج | السعر | الحجم |\n|---|---|---|\n" +
			"| مظلة شمسية | 195 ريال | صغير |\n| مظلة مطر | 299 ريال | كبير |\n",
	}, []kindCase{
		{"파라솔은 얼마예요?", "19,500원", "29,900|| |---", ""},
		{"장우산의 가격이 궁금해요.", "29,900원", "19,500|| |---", ""},
		{"파라솔 가격은?", "19,500원", "29,900|| |---", ""},
		{"遮阳伞多少钱？", "195 元", "299|| |---", ""},
		{"折叠伞的价格是多少？", "299 元", "195|| |---", ""},
		{"パラソルはいくらですか。", "1950 円", "2990|| |---", ""},
		{"レインハットの価格は？", "2990 円", "1950|| |---", ""},
		{"Сколько стоит пляжный зонт?", "1950 руб.", "2990|| |---", ""},
		{"كم سعر مظلة شمسية؟", "195 ريال", "299|| |---", ""},
	}},
	{"typing errors", map[string]string{
		"Shipping": "We ship to Canada for 12 dollars.\n\nThe subscription is cancelled in the settings.",
		"Refunds":  "A refund takes five business days.\n\nThe temperature of the kettle is set with the wheel.",
	}, []kindCase{
		{"do yuo shp to canda", "Canada", "", ""},
		{"how long does a refnud take", "five business days", "", ""},
		{"Where is the subscritpion cancelled?", "settings", "", ""},
		{"How is the temprature of the ketle set?", "wheel", "", ""},
		{"do you ship to Candaa?", "Canada", "", ""},
		{"how long does a reffund take?", "five business days", "", ""},
		{"how is the temperatur set?", "wheel", "", ""},
		{"where do I cancel the subscripton", "settings", "", ""},
	}},
	{"two questions", filterShop, []kindCase{
		{"Do you ship to Switzerland? When are refunds paid?", "Switzerland for 9 euros|within a " +
			"week", "Austria|Underwear", ""},
		{"Do gift cards expire and which pump does ZK-100 fit?", "never expire|Aral", "Boral|Coral", ""},
		{"When does the shop close on Saturday? Can underwear be returned?", "noon|Underwear cannot", "Graz|August", ""},
		{"What does the membership cost? Do gift cards expire?", "24 euros|never expire", "guest|Austria", ""},
		{"Do you ship to Switzerland, and do gift cards expire?", "for 9 euros|never expire", "Austria", ""},
		{"What are cases for phones made of? When are refunds paid?", "leather|within a week", "pump|Graz", ""},
		{"Which pump does ZK-100B fit? What does the membership cost?", "Coral|24 euros", "Boral|guest", ""},
		{"Can underwear be returned? In which month is the shop closed on Mondays?", "Underwear " +
			"cannot|August", "workshop|Graz", ""},
	}},
	{"words around a question", filterShop, []kindCase{
		{"Hi, do you ship to Switzerland? Thanks a lot!", "Switzerland for 9 euros", "Austria", ""},
		{"Good morning,\n\nwhen are refunds paid?\n\nBest regards\nAnna Berg", "within a week", "Graz", ""},
		{"URGENT!!! Can underwear be returned?", "Underwear cannot", "Graz", ""},
		{"Do gift cards expire? I have to know by tomorrow.", "never expire", "Austria", ""},
		{"(order 48213) When are refunds paid?", "within a week", "Graz", ""},
		{"Hello there! I hope you are well. Which pump does ZK-100 fit? Thank you in advance.", "Aral", "Coral", ""},
		{"> We deliver on Monday.\n> Your shop\n\nDo you ship to Switzerland?", "for 9 euros", "Austria", ""},
		{"Hey team, quick question: when does the shop close on Saturday? Cheers, Tom", "noon", "August", ""},
		{"Hi! When are refunds paid? Sent from my phone", "within a week", "Graz", ""},
	}},
	{"no borrowed sentence", map[string]string{
		"Phones": "The phone Aster 5 has a screen of 5.4 inches. It costs 399 euros.\nThe phone Birch 6 has " +
			"a screen of 6.1 " +
			"inches. It costs 549 euros.\nThe phone Cedar 7 has a screen of 6.8 inches. It costs 749 " +
			"euros.\nThe case CS-1 fits " +
			"Aster 5 and Birch 6. It does not fit Cedar 7.\nThe charger CH-2 loads all three phones.",
		"Plans": "The Team plan is for companies. It costs 40 euros a month. The Campus plan is for schools. It is free.",
	}, []kindCase{
		{"How much is the case CS-1?", "", "749|549|399", "not sure"},
		{"How much is the charger CH-2?", "", "749|549|399", "not sure"},
		{"What does the Campus plan cost?", "It is free", "40 euros", ""},
		{"What does the Team plan cost?", "The Team plan|40 euros", "free", ""},
		{"How much is the Aster 5?", "399", "549|749", ""},
		{"How much is the Birch 6?", "549", "399|749", ""},
		{"How much is the Cedar 7?", "749", "399|549", ""},
		{"Does the case CS-1 fit Cedar 7?", "does not fit Cedar 7", "749", ""},
	}},
	{"unknown codes", map[string]string{
		"Filters": "The filter AF-220 costs 14 euros.\nThe filter AF-230 costs 17 euros.",
		"Errors":  "Error E14 means that the door is open. Error E15 means that the tank is empty.",
		"Orders":  "Order 48213 was sent on Monday. Order 48231 waits for payment.",
		"Norms":   "The lamp meets ISO 9001 and IP44.",
		"Modems":  "The modem HT-4500 costs 89 euros. Firmware 2.3 adds a clock.",
	}, []kindCase{
		{"What does error E16 mean?", "", "door|tank", "not sure"},
		{"When was order 48312 sent?", "", "Monday", "not sure"},
		{"Does the lamp meet ISO 9002?", "", "", "not sure"},
		{"What does the modem HT-5500 cost?", "", "89", "not sure"},
		{"What does the filter AF-240 cost?", "", "14|17", "not sure"},
		{"What does firmware 2.4 add?", "", "", "not sure"},
		{"What does error E14 mean?", "door is open", "tank", ""},
		{"When was order 48213 sent?", "Monday", "payment", ""},
		{"What does the filter AF-230 cost?", "17 euros", "14 euros", ""},
		{"Is the lamp IP67?", "", "", "not sure"},
	}},
	{"comparisons", map[string]string{
		"Grinders": "The grinder Mola costs 90 euros.\n\nThe grinder Tera costs 120 euros.\n\nThe grinder " +
			"Vola costs 60 euros.",
		"Boats": "The boat Gull is 4 metres long. The boat Heron is 6 metres long. The boat Ibis is 8 metres long.",
		"Plans": "| Plan | Price | Seats |\n|---|---|---|\n| Basic | 4 EUR | 1 |\n| Pro | 12 EUR | 5 " +
			"|\n| Team | 30 EUR | 20 |\n",
	}, []kindCase{
		{"Which is cheaper, the grinder Mola or the grinder Tera?", "90 euros|120 euros", "Vola", ""},
		{"Is the Mola cheaper than the Vola?", "90 euros|60 euros", "Tera", ""},
		{"Which boat is longer, Gull or Heron?", "4 metres|6 metres", "Ibis", ""},
		{"Is the Ibis longer than the Gull?", "8 metres|4 metres", "Heron", ""},
		{"What is the difference between the Pro and the Team plan?", "Pro|Team", "Basic", ""},
		{"Which plan is cheaper, Basic or Pro?", "4 EUR|12 EUR", "30 EUR", ""},
		{"What costs more, the grinder Tera or the grinder Vola?", "120 euros|60 euros", "Mola", ""},
		{"Heron or Ibis: which boat is longer?", "6 metres|8 metres", "Gull", ""},
	}},
}

// TestKindsOfQuestions asks small agents questions of the kinds that people put to shops: each reply holds what is
// asked and not what belongs to a neighbour.
func TestKindsOfQuestions(t *testing.T) {
	for _, kind := range kindsOfQuestions {
		t.Run(kind.name, func(t *testing.T) {
			answers := askSources(t, kind)
			for _, c := range kind.cases {
				checkKindCase(t, c, answers[c.question])
			}
		})
	}
}

func checkKindCase(t *testing.T, c kindCase, a eval.Trial) {
	t.Helper()
	isSure := !a.Refused && !a.Unsure
	if isSure != (c.state == "") {
		t.Errorf("%q: refused %v, unsure %v with %.3f: %q", c.question, a.Refused, a.Unsure, floatOrNaN(a.Score), a.Answer)
		return
	}
	if !isSure {
		return
	}
	for part := range strings.SplitSeq(c.holds, "|") {
		if !strings.Contains(a.Answer, part) {
			t.Errorf("%q lacks %q: %q", c.question, part, a.Answer)
		}
	}
	for part := range strings.SplitSeq(c.missing, "|") {
		if strings.TrimSpace(part) != "" && strings.Contains(a.Answer, part) {
			t.Errorf("%q has %q: %q", c.question, part, a.Answer)
		}
	}
}

// askSources asks all questions of a kind of an agent that has read its sources.
func askSources(t *testing.T, kind kindOfQuestion) map[string]eval.Trial {
	t.Helper()
	var set strings.Builder
	line := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		set.Write(append(text, '\n'))
	}
	for _, title := range slices.Sorted(maps.Keys(kind.sources)) {
		line(map[string]string{"id": title, "title": title, "text": kind.sources[title]})
	}
	for _, c := range kind.cases {
		line(map[string]string{"id": c.question, "question": c.question})
	}
	report := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, set.String())
	answers := map[string]eval.Trial{}
	for _, s := range report.Sets {
		for _, q := range s.Trials {
			answers[q.Question] = q
		}
	}
	return answers
}

// TestQuestionsToTheManual asks what operators ask of Parley's own manual.
func TestQuestionsToTheManual(t *testing.T) {
	holds := map[string]string{
		"how to change the greeting":                 "greetings of the chat",
		"limit on upload size?":                      "20 MB",
		"can customers send pictures":                "Customers can send pictures",
		"how do I delete all data of one person":     "parley person erase",
		"I forgot my api key":                        "cannot be shown again",
		"which port does it listen on":               "8080",
		"what does it cost":                          "costs nothing",
		"Hi, which database does Parley use? Thanks": "SQLite",
		"URGENT!!! Which database does Parley use?":  "SQLite",
	}
	set, err := eval.ManualSet()
	if err != nil {
		t.Fatal(err)
	}
	set.Questions = nil
	unknown := []string{"Which phone number can I call?", "What is the telephone of the office?"}
	for _, text := range append(unknown, slices.Sorted(maps.Keys(holds))...) {
		set.Questions = append(set.Questions, eval.Question{ID: text, Text: text})
	}
	runner := eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}, Now: time.Now}
	result, err := runner.Run(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range result.Trials {
		isSure := !a.Refused && !a.Unsure
		if isSure == slices.Contains(unknown, a.Question) || !strings.Contains(a.Answer, holds[a.Question]) {
			t.Errorf("%q: refused %v, unsure %v: %q", a.Question, a.Refused, a.Unsure, a.Answer)
		}
	}
}
