package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var redactionCases = map[string]string{
	// addresses
	"ann@example.com": "[email]",
	"Write to Ann.Lee+shop@mail.example.co.uk.":   "Write to [email].",
	"<ann@example.com>, 'bob@example.com'":        "<[email]>, '[email]'",
	"mailto:ann@example.com?subject=x":            "mailto:[email]?subject=x",
	"**ann@example.com**":                         "**[email]**",
	"jürgen@müller.de":                            "[email]",
	"JÜRGEN@EXAMPLE.DE":                           "[email]",
	"иван@пример.рф":                              "[email]",
	"邮箱ann@example.com谢谢":                         "邮箱[email]谢谢",
	"ann＠example．com":                             "[email]",
	"ann@exam\u200bple.com":                       "[email]",
	"a@b.co@c.de":                                 "[email]@c.de",
	"o'brien@example.org wrote":                   "[email] wrote",
	"user@163.com, user@mail.example-shop.museum": "[email], [email]",
	"@handle and ann@localhost and x @ y.com":     "@handle and ann@localhost and x @ y.com",
	"npm i react@19.0.1":                          "npm i react@19.0.1",
	"ann at example dot com":                      "ann at example dot com",

	// addresses in links
	"https://shop.example/prices?q=zoe8%40example.com":      "https://shop.example/prices?q=[email]",
	"https://shop.example/?a=1&q=zoe%2Btag%40example.com&b": "https://shop.example/?a=1&q=[email]&b",
	"https://shop.example/?q=ask%20zoe8%40example%2Ecom%20": "https://shop.example/?q=ask%20[email]%20",
	"https://shop.example/?q=zoe8@example.com&p=2":          "https://shop.example/?q=[email]&p=2",
	"next=%2Fprices%3Fq%3Dzoe8%2540example.com":             "next=%2Fprices%3Fq%3D[email]",
	"mailto:zoe%40example.com":                              "mailto:[email]",
	"j%C3%BCrgen%40m%c3%bcller.de":                          "[email]",
	"bounce+zoe=example.org@lists.example.com":              "[email]",
	"50%40 off, 100%, %4, 5% @ x.de":                        "50%40 off, 100%, %4, 5% @ x.de",

	// telephone numbers
	"+49 170 1234567":                           "[phone]",
	"Call +1 (555) 123-4567 now":                "Call [phone] now",
	"+491701234567":                             "[phone]",
	"(+49) 30 1234567":                          "[phone]",
	"+49 (0)30 / 123 45-67":                     "[phone]",
	"tel:+33123456789":                          "tel:[phone]",
	"0049 170 1234567 and 00491701234567":       "[phone] and [phone]",
	"555-123-4567":                              "[phone]",
	"(555) 123-4567":                            "[phone]",
	"555.123.4567":                              "[phone]",
	"1-800-555-0199":                            "[phone]",
	"555-123-4567 ext. 89":                      "[phone]",
	"555-123-4567x89":                           "[phone]",
	"555-1234":                                  "[phone]",
	"030 1234567":                               "[phone]",
	"0170/1234567, 0170-1234567, 089 / 123 456": "[phone], [phone], [phone]",
	"01 23 45 67 89":                            "[phone]",
	"06.12.34.56.78":                            "[phone]",
	"020 7946 0958":                             "[phone]",
	"0412 345 678":                              "[phone]",
	"03-1234-5678":                              "[phone]",
	"612 34 56 78 o 912 345 678":                "[phone] o [phone]",
	"138 1234 5678":                             "[phone]",
	"8 (800) 555-35-35":                         "[phone]",
	"98765 43210":                               "[phone]",
	"(11) 91234-5678":                           "[phone]",
	"my phone is 01701234567":                   "my phone is [phone]",
	"Tel. 1234567":                              "Tel. [phone]",
	"Telefonnummer: 12345678":                   "Telefonnummer: [phone]",
	"mi teléfono es 612345678":                  "mi teléfono es [phone]",
	"我的电话是13812345678":                          "我的电话是[phone]",
	"WhatsApp 98765432":                         "WhatsApp [phone]",
	"٠١٢ ٣٤٥ ٦٧٨٩":                              "[phone]",
	"＋４９　１７０　１２３４５６７":                         "[phone]",
	"+49\u00a0170\u2011123\u20114567":         "[phone]",
	"555-123-4567, 555-765-4321":              "[phone], [phone]",
	"on 2026-11-21 call 030 1234567 at 14:00": "on 2026-11-21 call [phone] at 14:00",
	"Order by phone 12345678":                 "Order by phone [phone]",

	"https://shop.example/?phone=%2B49%20170%201234567":      "https://shop.example/?phone=[phone]",
	"https://shop.example/?phone=%2B491701234567&x=1":        "https://shop.example/?phone=[phone]&x=1",
	"https://shop.example/?phone=+49+170+1234567&x=1":        "https://shop.example/?phone=[phone]&x=1",
	"https://shop.example/?phone=01701234567":                "https://shop.example/?phone=[phone]",
	"https://shop.example/?tel=%28555%29%20123-4567":         "https://shop.example/?tel=[phone]",
	"https://shop.example/?q=call+030+1234567":               "https://shop.example/?q=call[phone]",
	"https://shop.example/?t=1763733600000&order=4711222333": "https://shop.example/?t=1763733600000&order=4711222333",

	// cards
	"https://shop.example/?card=4111111111111111&cvv=1":       "https://shop.example/?card=[card]&cvv=1",
	"https://shop.example/?card=4111+1111+1111+1111":          "https://shop.example/?card=[card]",
	"https://shop.example/?card=4111%201111%201111%201111":    "https://shop.example/?card=[card]",
	"https://shop.example/?iban=DE89+3704+0044+0532+0130+00&": "https://shop.example/?iban=[id]&",
	"4111+1111+1111+1111":                                     "4111+1111+1111+1111",
	"4111 1111 1111 1111":                                     "[card]",
	"4111-1111-1111-1111":                                     "[card]",
	"4111111111111111":                                        "[card]",
	"3782 822463 10005":                                       "[card]",
	"30569309025904":                                          "[card]",
	"card 5555555555554444 exp 12/28 cvv 123":                 "card [card] exp 12/28 cvv 123",
	"6011111111111117, 3530111333300000":                      "[card], [card]",
	"４１１１　１１１１　１１１１　１１１１":                                     "[card]",
	"4111 1111 1111 1112":                                     "4111 1111 1111 1112",
	"1763733600000":                                           "1763733600000",
	"0000 0000 0000 0000":                                     "0000 0000 0000 0000",

	// identity numbers
	"SSN 123-45-6789":                     "SSN [id]",
	"123 45 6789":                         "[id]",
	"my ssn is 123456789":                 "my ssn is [id]",
	"DE89 3704 0044 0532 0130 00":         "[id]",
	"IBAN DE89370400440532013000 please":  "IBAN [id] please",
	"gb29 nwbk 6016 1331 9268 19, thanks": "[id], thanks",
	"Steuer-ID 86095742719":               "Steuer-ID [id]",
	"86 095 742 719":                      "[id]",
	"DNI 12345678Z, NIE X1234567L":        "DNI [id], NIE [id]",
	"12345678-Z":                          "[id]",
	"RSSMRA85T10A562S":                    "[id]",
	"2 55 08 14 168 025 38":               "[id]",
	"529.982.247-25":                      "[id]",
	"11010519491231002X":                  "[id]",
	"passport number C01X00T47":           "passport number [id]",
	"护照E12345678":                         "护照[id]",
	"护照号 12345678":                        "护照号 [id]",
	"666-45-6789":                         "666-45-6789",
	"DE88370400440532013000":              "DE88370400440532013000",
	"12345678A":                           "12345678A",
	"C01X00T47":                           "C01X00T47",

	// no personal data
	"2026-11-21":                               "2026-11-21",
	"21.11.2026 and 11/21/2026 and 21.11.26":   "21.11.2026 and 11/21/2026 and 21.11.26",
	"2026-11-21T14:00:05.123456Z":              "2026-11-21T14:00:05.123456Z",
	"2026-11-21 14:00:05":                      "2026-11-21 14:00:05",
	"14:00-15:30":                              "14:00-15:30",
	"1,234,567.89":                             "1,234,567.89",
	"1.234.567,89 €":                           "1.234.567,89 €",
	"1 234 567":                                "1 234 567",
	"$ 555 123 4567":                           "$ 555 123 4567",
	"912 345 678 €":                            "912 345 678 €",
	"0.1234567 and 3.14159265":                 "0.1234567 and 3.14159265",
	"550e8400-e29b-41d4-a716-446655440000":     "550e8400-e29b-41d4-a716-446655440000",
	"da39a3ee5e6b4b0d3255bfef95601890afd80709": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"order #12345678":                          "order #12345678",
	"Order 123-4567, invoice 555-123-4567":     "Order 123-4567, invoice 555-123-4567",
	"ticket 123456789012":                      "ticket 123456789012",
	"123456789":                                "123456789",
	"01701234567":                              "01701234567",
	"INV-2024-00123-4567":                      "INV-2024-00123-4567",
	"https://shop.example/orders/555-123-4567": "https://shop.example/orders/555-123-4567",
	"192.168.100.200":                          "192.168.100.200",
	"version 10.20.3045.1":                     "version 10.20.3045.1",
	"v1.2.3":                                   "v1.2.3",
	"2019-2024":                                "2019-2024",
	"5000-6000 users":                          "5000-6000 users",
	"10 20 30 40":                              "10 20 30 40",
	"ISBN 978-3-16-148410-0":                   "ISBN 978-3-16-148410-0",
	"12 eggs, 3 of 4":                          "12 eggs, 3 of 4",
	"[email] [phone] 12345678":                 "[email] [phone] 12345678",
	"":                                         "",
	"\xff@\xfe 12345":                          "\xff@\xfe 12345",
}

func TestRedact(t *testing.T) {
	for text, want := range redactionCases {
		got := Text(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("%q: %q again becomes %q", text, got, again)
		}
	}
}

// Numbers are found inside sentences as well.
func TestRedactInSentences(t *testing.T) {
	for text, want := range redactionCases {
		if !utf8.ValidString(text) || text == "" {
			continue
		}
		if got := Text("Look, here it stands: " + text + "\nAnd so on."); got != "Look, here it stands: "+want+
			"\nAnd so on." {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestRedactSpans(t *testing.T) {
	text := "Ü: 030 1234567, ann@example.com"
	all := Spans(text)
	if len(all) != 2 || all[0].Kind != "phone" || text[all[0].Start:all[0].End] != "030 1234567" ||
		text[all[1].Start:all[1].End] != "ann@example.com" {
		t.Errorf("%+v", all)
	}
}

// Long texts of parts of numbers must be read in linear time, as otherwise they would take minutes.
func TestRedactLongTexts(t *testing.T) {
	for _, piece := range []string{"1", "1 ", "a@", "a.", "+1-", "4111 ", "01.", "de89", "555-123-4567 ", "[phone]",
		"12-", "x1", "@", "tel ", "%25", "%40", "a%40", "?a=1+", "a=%40a&", "%C3", "%F0%9F"} {
		text := strings.Repeat(piece, 200_000/len(piece))
		got := Text(text)
		if len(piece) > 8 && got == text && !strings.HasPrefix(piece, "[") {
			t.Errorf("%q remains", piece)
		}
	}
}

func TestRedactJSON(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":"ann@example.com", "b" : [1, "030 1234567"], "ann@example.com": true}`: `{"a":"[email]", "b" : [1, ` +
			`"[phone]"], "[email]": true}`,
		`{"ann@example.com":1,"bob@example.com" : {"+49 170 1234567":12345678}}`: `{"[email]":1,"[email]" : ` +
			`{"[phone]":12345678}}`,
		`{"ann\u0040example.com":{"phone ann@example.com":"01701234567"}}`: `{"[email]":{"phone [email]":"[phone]"}}`,
		`{"q":"?q=zoe8%40example.com"}`:                                    `{"q":"?q=[email]"}`,
		`{"phone": 491701234567, "id": 491701234567, "phoneNumber":"01701234567"}`: `{"phone": "[phone]", ` +
			`"id": 491701234567, "phoneNumber":"[phone]"}`,
		`{"card":4111111111111111,"n":1.5e3,"m":-12345678,"t":1763733600000}`: `{"card":"[card]",` +
			`"n":1.5e3,"m":-12345678,"t":1763733600000}`,
		`{"phones":["01701234567","x"],"z":"01701234567"}`: `{"phones":["[phone]","x"],"z":"01701234567"}`,
		`"ann\u0040example.com <b>"`:                       `"[email] <b>"`,
		`"caf\u00e9"`:                                      `"caf\u00e9"`,
		`{"a":{"b":null,"c":[]}}`:                          `{"a":{"b":null,"c":[]}}`,
		`null`:                                             `null`,
		` 5 `:                                              ` 5 `,
		`{broken ann@example.com`:                          `"{broken [email]"`,
	} {
		got := JSON(json.RawMessage(raw))
		if string(got) != want || !json.Valid(got) {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if again := JSON(got); string(again) != string(got) {
			t.Errorf("%s again becomes %s", got, again)
		}
	}
	if JSON(nil) != nil {
		t.Error("nothing becomes something")
	}
}

func FuzzRedact(f *testing.F) {
	for text := range redactionCases {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if again := Text(got); again != got {
			t.Errorf("%q: %q again becomes %q", text, got, again)
		}
		last := 0
		for _, p := range Spans(text) {
			if p.Start < last || p.End <= p.Start || p.End > len(text) {
				t.Errorf("%+v", p)
			}
			last = p.End
		}
		raw, err := json.Marshal(map[string]any{"phone": text, "list": []any{text, 1}, text: 12345678})
		if err != nil {
			t.Fatal(err)
		}
		if got := JSON(raw); !json.Valid(got) {
			t.Errorf("%s", got)
		}
		JSON(json.RawMessage(text))
	})
}
