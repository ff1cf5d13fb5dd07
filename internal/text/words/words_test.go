package words

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tokenList(text string) (all []string) {
	for t := range Tokens(text) {
		all = append(all, t.Word)
	}
	return all
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"Don't STOP, it's 6.15.0!":                 {"don", "t", "stop", "it", "s", "6.15.0"},
		"1,000 km² at 12.":                         {"1000", "km", "at", "12"},
		"Kündigung, café, Straße, Ångström":        {"kundigung", "cafe", "strasse", "angstrom"},
		"cafe\u0301 \uff21\uff22":                  {"cafe", "ab"},
		"see [the guide](https://x.example/a) now": {"see", "the", "guide", "now"},
		"导出照片 ok":                                  {"导出", "出照", "照片", "片", "ok"},
		"إلى الأَمام":                              {"الي", "الامام"},
		"\xff\xfe":                                 nil,
	} {
		if diff := cmp.Diff(want, tokenList(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestTokensHaveTheirOffsets(t *testing.T) {
	text := "Grüße, 世界"
	var got []string
	for token := range Tokens(text) {
		got = append(got, text[token.Start:token.End])
	}
	if diff := cmp.Diff([]string{"Grüße", "世界", "界"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestGuess(t *testing.T) {
	for text, want := range map[string]Language{
		"How do I export my photos?":            English,
		"Wie kann ich meine Fotos exportieren?": German,
		"¿Cómo puedo exportar mis fotos?":       Spanish,
		"Comment puis-je exporter mes photos ?": French,
		"Как экспортировать фотографии?":        Russian,
		"كيف يمكنني تصدير الصور؟":               Arabic,
		"如何导出照片？":                               Chinese,
		"写真をエクスポートするには":                         Japanese,
	} {
		if got, _ := GuessLanguage(slices.Collect(Tokens(text))); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if _, isSure := GuessLanguage(slices.Collect(Tokens("MKSYSB"))); isSure {
		t.Error("sure about a name")
	}
}

func TestGrams(t *testing.T) {
	if n := len(Grams(nil, "export")); n != 5 { // _exp expo xpor port ort_
		t.Error(n)
	}
	if n := len(Grams(nil, "a")); n != 1 {
		t.Error(n)
	}
	if a, b := Grams(nil, "照片"), Grams(nil, "照"); len(a) != 2 || len(b) != 1 || a[0] != b[0] {
		t.Error(a, b)
	}
}

func TestStemsAndSynonyms(t *testing.T) {
	if a, b := English.Stem("exporting"), English.Stem("exports"); a != b {
		t.Error(a, b)
	}
	if !slices.Contains(English.Synonyms(English.Stem("pictures")), English.Stem("photos")) {
		t.Error("a picture is a photo")
	}
	if !English.IsStopWord("the") || English.IsStopWord("export") || !Chinese.IsStopWord("什么") ||
		Chinese.IsStopWord("照片") {
		t.Error("function words")
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("a](b)c 1,2.3 家庭\xff")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for token := range Tokens(text) {
			if token.Word == "" || token.Start >= token.End || token.End > len(text) || token.End < end {
				t.Fatalf("%+v", token)
			}
			end = token.End
			Grams(nil, token.Word)
			for l := range Language(LanguageCount) {
				l.Stem(token.Word)
			}
		}
	})
}
