package speech

import "testing"

func TestSpellOut(t *testing.T) {
	for text, want := range map[string]string{
		"Write to a_b@example.com.":                     "Write to a underscore b at example dot com.",
		"See help.example.co.uk or example.org, please": "See help dot example dot co dot uk or example dot org, please",
		"Node.js 18 costs nothing.":                     "Node.js 18 costs nothing.",
		"It is $5.99, or 3 € a day.":                    "It is 5 dollars and 99 cents, or 3 euros a day.",
		"$1, €1,200, £0.50, 12.00 EUR, USD 7":           "1 dollar, 1200 euros, 50 pence, 12 euros, 7 dollars",
		"$1.2 million in 2026":                          "1.2 million dollars in 2026",
		"over 12,500 people":                            "over 12500 people",
		"on 2026-03-05.":                                "on March 5, 2026.",
		"Mon–Fri, 9am-5pm":                              "Monday to Friday, 9 a m to 5 p m",
		"It takes 3-5 days (2-3 in Norway).":            "It takes 3 to 5 days (2 to 3 in Norway).",
		"open 9:00–17:30, at 8 p.m. too":                "open 9:00 to 17:30, at 8 p m. too",
		"2024-2026":                                     "2024 to 2026",
		"Fruit, e.g. apples, i.e., food, etc. It is ok": "Fruit, for example, apples, that is, food, et cetera. It is ok",
		"cats, dogs, etc.":                              "cats, dogs, et cetera.",
		"Call +1 (555) 010-9999 now":                    "Call 1, 5 5 5, 0 1 0, 9 9 9 9 now",
		"Order 12345678 or #42":                         "Order 1 2 3, 4 5 6, 7 8 or number 42",
		"call 555-1234":                                 "call 5 5 5, 1 2 3 4",
		"Open Settings > Billing → Plans.":              "Open Settings, Billing, Plans.",
		"10% of 5 GB, 20°C, 3kg":                        "10 percent of 5 gigabytes, 20 degrees Celsius, 3 kilograms",
		"item(s), yes/no, 24/7, v2.1":                   "items, yes or no, 24 hours a day, 7 days a week, version 2.1",
		"in 2026 there were 1 000 000 of them":          "in 2026 there were 1 000 000 of them",
		"rooms 101 102 103 104":                         "rooms 101 102 103 104",
		"plain words, as they are.":                     "plain words, as they are.",
		"":                                              "",
	} {
		if got := spellOut(text, "en-US"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"Es kostet 3,50 € bis 05.03.2026, z. B. 12.000 km.": "Es kostet 3,50 € bis 05.03.2026, z. B. 12.000 km.",
		"Von 2024-2026, am 2026-03-05":                      "Von 2024-2026, am 2026-03-05",
		"Rufen Sie 030 1234567 an":                          "Rufen Sie 0 3 0, 1 2 3, 4 5 6 7 an",
		"Einstellungen > Konto":                             "Einstellungen, Konto",
	} {
		if got := spellOut(text, "de"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("$1 a@b.c 3-5 Mon-Fri +49 30 123456789", "en")
	f.Fuzz(func(t *testing.T, text, language string) {
		if got := spellOut(text, language); len(got) > 40*len(text)+40 {
			t.Errorf("%q grows to %d bytes", text, len(got))
		}
	})
}
