package draft_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
)

// In the texts ^{ and _{ begin what is raised and lowered, *{ a mark that is known to be of a note.
func TestRaisedText(t *testing.T) {
	marks := strings.NewReplacer("^{", "\x0e", "_{", "\x10", "*{", "\x12", "}", "\x0f")
	for text, want := range map[string]string{
		"It costs 49^{1} euros.\n\n^{1} without VAT":            "It costs 49 euros [1].\n\n[1] without VAT",
		"It costs 49^{1} euros":                                 "It costs 49 euros [1]",
		"It costs 49*{3} euros, or 50. More":                    "It costs 49 euros, or 50 [3]. More",
		"It costs 49^{*} euros":                                 "It costs 49* euros",
		"It costs 49^{1,2} euros. Go":                           "It costs 49 euros [1,2]. Go",
		"It costs 49^{a)} euros.\n\n^{a)} from May on":          "It costs 49 euros [a].\n\n[a] from May on",
		"| 49^{1} | 50^{2} |":                                   "| 49 [1] | 50² |",
		"10^{5} pascal":                                         "10⁵ pascal",
		"3 × 10^{-3} m":                                         "3 × 10⁻³ m",
		"6.02 · 10^{23} atoms":                                  "6.02 · 10²³ atoms",
		"2^{10} bytes":                                          "2¹⁰ bytes",
		"2^{n+1} ways":                                          "2ⁿ⁺¹ ways",
		"an area of 20 m^{2} and 5 cm^{3}":                      "an area of 20 m² and 5 cm³",
		"9.81 m/s^{2}":                                          "9.81 m/s²",
		"E = mc^{2}":                                            "E = mc²",
		"at 9^{30}.":                                            "at 9:30.",
		"von 10^{15} Uhr bis 12^{00} Uhr":                       "von 10:15 Uhr bis 12:00 Uhr",
		"1.299^{00} euros":                                      "1.299,00 euros",
		"$12^{99}":                                              "$12.99",
		"12^{99} €":                                             "12.99 €",
		"1,299^{50}":                                            "1,299.50",
		"the 1^{st} of May, 2^{nd}":                             "the 1st of May, 2nd",
		"le 1^{er} mai, n^{o} 5, M^{me}":                        "le 1er mai, no 5, Mme",
		"95 ^{o}C and 95^{o} C":                                 "95 oC and 95° C",
		"Kettle^{TM} and Cup^{®}":                               "KettleTM and Cup®",
		"2^{1}/_{2} cups and ^{1}/_{4} spoon":                   "2 1/2 cups and 1/4 spoon",
		"H_{2}O and CO_{2}":                                     "H2O and CO2",
		"1010_{2} and log_{2}8":                                 "1010_2 and log2 8",
		"The kettle^{2} boils. It is red.\n\n^{2} of steel":     "The kettle boils [2]. It is red.\n\n[2] of steel",
		"The kettle[^{4}] boils":                                "The kettle[4] boils",
		"a year 2024^{[3]} of":                                  "a year 2024 [3] of",
		"stray \x0e sign":                                       "stray  sign",
		"ends with a mark\x0f and\x10 another":                  "ends with a mark and another",
		"10^{1} euros.\n\n^{1} without VAT":                     "10 euros [1].\n\n[1] without VAT",
		"seen by 1000^{2} people":                               "seen by 1000 people [2]",
		"A shake is 3.^{80} euros and 4,^{20} €":                "A shake is 3.80 euros and 4,20 €",
		"$2.^{75} or 1^{,60} or 2^{.45} or 5,^{–}":              "$2.75 or 1,60 or 2.45 or 5,–",
		"| 12.^{50} | 8,^{-} |":                                 "| 12.50 | 8,- |",
		"It is 35.^{2} Come in":                                 "It is 35. Come in [2]",
		"since 2019.^{12} Then":                                 "since 2019. Then [12]",
		"A month is 35^{2} euros. Go":                           "A month is 35 euros [2]. Go",
		"A month is €35^{3}. A year is 350^{4} EUR":             "A month is €35 [3]. A year is 350 EUR [4]",
		"It takes 24^{3} hours, 5^{2} kg and 90^{4} %":          "It takes 24 hours, 5 kg and 90 % [3] [2] [4]",
		"Preis: 75 €^{3)} und 80 EUR^{2}":                       "Preis: 75 € und 80 EUR [3] [2]",
		"für 14^{2} Tage, seit 2021^{5}":                        "für 14 Tage, seit 2021 [2] [5]",
		"| 3.80^{2} |":                                          "| 3.80 [2] |",
		"3^{2} + 4^{2} = 5^{2} and 7^{2} is 49":                 "3² + 4² = 5² and 7² is 49",
		"2 × 10^{6} euros, 10^{2} kg":                           "2 × 10⁶ euros, 10² kg",
		"a floor of 20^{2} cm":                                  "a floor of 20² cm",
		"420 m^{2}, 3 km^{2}, 12 EUR/m^{2}":                     "420 m², 3 km², 12 EUR/m²",
		"open 8^{00}–17^{30}":                                   "open 8:00–17:30",
		"Sizes^{1} and prices^{2} vary; ask.\n^{1} x\n^{2} y\n": "Sizes and prices vary [1] [2]; ask.\n[1] x\n[2] y",
	} {
		if got := draft.NormalizeText(marks.Replace(text)); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
