package words

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPresentationFormsAreNormalized(t *testing.T) {
	for drawn, want := range map[string]string{
		"ﺳﺎﻋﺎت اﻟﻌﻤﻞ":          "ساعات العمل",
		"ﻻ إﻟﻪ إﻻ ﷲ ﹰ":         "لا إله إلا الله \u064b",
		"\ufb2a\ufb35\ufb4b":   "\u05e9\u05c1\u05d5\u05bc\u05d5\u05b9",
		"oﬃce, ﬁle, ﬂy, aﬀord": "office, file, fly, afford",
		"ＰＡＲＬＥＹ １２３":           "PARLEY 123",
		"ＥＲＲ－４０１２ ｈｅｌｐ＠ａ．ｃｏｍ":  "ERR-4012 help@a.com",
		"１２：３０、１，０００円、５０％":     "12:30、1,000円、50%",
		"你好，世界！（营业时间：９点）":      "你好，世界！（营业时间：9点）",
		"ｶﾒﾗ":                  "カメラ",
		"⽤⽕":                   "用火",
		"𝐁𝐨𝐥𝐝 𝟏𝟐":              "Bold 12",
		"10² m² ½ ① ™ x₂ Ⅳ":    "10² m² ½ ① ™ x₂ Ⅳ",
		"ﷺ plain ünïcode \xff": "ﷺ plain ünïcode \xff",
		"":                     "",
	} {
		if got := ToStandardForm(drawn); got != want {
			t.Errorf("%q: %q (%+q), want %q", drawn, got, got, want)
		}
		if again := ToStandardForm(want); again != want {
			t.Errorf("%q becomes %q", want, again)
		}
	}
}

// A word in a question and in a text is the same, whatever presentation forms are used.
func TestPresentationFormsAreTheSameWords(t *testing.T) {
	for drawn, usual := range map[string]string{
		"ﺳﺎﻋﺎت اﻟﻌﻤﻞ":        "ساعات العمل",
		"\ufb2a\ufb35\ufb4b": "שוו",
		"oﬃce":               "office",
		"ＷＨ１０００":             "wh1000",
		"١٢٣ ۱۲۳":            "123 123",
		"⽤⽕":                 "用火",
		"ｶﾒﾗ":                "カメラ",
	} {
		if diff := cmp.Diff(tokenList(usual), tokenList(drawn)); diff != "" {
			t.Errorf("%q: %s", drawn, diff)
		}
	}
}

func FuzzUsual(f *testing.F) {
	f.Add("ﺳﺎﻋﺎت １２：３０ ﷲ ½\xff")
	f.Fuzz(func(t *testing.T, text string) {
		usual := ToStandardForm(text)
		if ToStandardForm(usual) != usual {
			t.Fatalf("%q: %q", text, usual)
		}
		if len(usual) > 6*len(text) {
			t.Fatalf("%d bytes become %d", len(text), len(usual))
		}
		if strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(usual, "") != usual {
			t.Fatalf("%q", usual)
		}
	})
}
