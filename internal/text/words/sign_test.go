package words

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Signs that make another thing of a word are kept, all others part words.
func TestSignsOfWords(t *testing.T) {
	for text, want := range map[string][]string{
		"C, C++, C# and .NET":          {"c", "c++", "c#", "and", ".net"},
		"C++17, C++-Library":           {"c++", "17", "c++", "library"},
		"F# g++ A+ A+++ (C#)":          {"f#", "g++", "a+", "a+++", "c#"},
		"a+b, 2+2, x++y, i#2, No#5":    {"a", "b", "2", "2", "x", "y", "i", "2", "no", "5"},
		"Disney+ or Notepad++":         {"disney", "or", "notepad"},
		"ASP.NET, vb.net, example.net": {"asp", ".net", "vb", ".net", "example", "net"},
		"The net price. Net of tax":    {"the", "net", "price", "net", "of", "tax"},
		"a .network and ...net":        {"a", "network", "and", "net"},
		"AT&T at R&D, q&a":             {"at&t", "at", "r&d", "q&a"},
		"?a=1&b=2 x&lt; salt&pepper":   {"a", "1", "b", "2", "x", "lt", "salt", "pepper"},
		"/p?id&ref&x=1":                {"p", "id", "ref", "x", "1"},
		"O'Brien, o’hara, O`Neill":     {"obrien", "ohara", "oneill"},
		"don't, l'acqua, rock 'o' n":   {"don", "t", "l", "acqua", "rock", "o", "n"},
		"$5, 5$, 5 € and € 5":          {"dollar", "5", "5", "dollar", "5", "euro", "and", "euro", "5"},
		"£1,000 R$ 50 US$5 $HOME":      {"pound", "1000", "r", "50", "us", "5", "home"},
	} {
		if diff := cmp.Diff(want, tokenList(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// What is written as several characters, or with characters that nobody sees, is the same word.
func TestWordsAreTheSameInAllFormsOfUnicode(t *testing.T) {
	for _, row := range [][2]string{
		{"환불은 언제까지",
			"\u1112\u116a\u11ab\u1107\u116e\u11af\u110b\u1173\u11ab \u110b\u1165\u11ab\u110c\u1166\u1101\u1161\u110c\u1175"},
		{"가각", "\u1100\u1161\uac00\u11a8"},
		{"ガギグパ", "ｶﾞｷﾞｸﾞﾊﾟ"},
		{"がぎぱ", "か\u3099き\u3099は\u309a"},
		{"ガイド", "カ\u3099イト\u3099"},
		{"café Müller", "cafe\u0301 Mu\u0308ller"},
		{"мой й", "мои\u0306 и\u0306"},
		{"Donaudampfschiff", "Donau\u00addampf\u00adschiff"},
		{"refund", "re\u200bfund"},
		{"C++", "\ufeffC++"},
		{"ａｂｃ１２", "abc12"},
	} {
		if diff := cmp.Diff(tokenList(row[0]), tokenList(row[1])); diff != "" {
			t.Errorf("%q, %+q: %s", row[0], row[1], diff)
		}
		if a, b := Fold(row[0]), Fold(row[1]); a != b && row[0] != "C++" {
			t.Errorf("%q: folded to %q and %q", row[0], a, b)
		}
	}
}

// An index cuts words as everybody else does.
func TestScannerCutsTheSameWords(t *testing.T) {
	for _, text := range []string{"C, C++, C#, .NET and ASP.NET at AT&T for $5, 5 €, 1,000", "O'Brien don't Q&A a+b x.net",
		"환불 \u1112\u116a\u11ab ｶﾞ か\u3099 мои\u0306",
		"soft\u00adhyphen re\u200bfund \u00ad- end\u00ad", "c+\u0301 o’hara €5£6"} {
		var s Scanner
		s.Scan(text)
		tokens := slices.Collect(Tokens(text))
		if len(tokens) != len(s.Tokens) {
			t.Errorf("%q: %d words, want %d", text, len(s.Tokens), len(tokens))
			continue
		}
		for i, h := range s.Tokens {
			if want := tokens[i]; h.Hash != Hash(want.Word) || h.Word(text) != want.Word || int(h.Start) != want.Start ||
				int(h.End) != want.End {
				t.Errorf("%q: word %d is %q at %d to %d, want %+v", text, i, h.Word(text), h.Start, h.End, want)
			}
		}
	}
}
