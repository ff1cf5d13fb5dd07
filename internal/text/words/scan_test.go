package words

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scannedTexts are texts of many scripts and with all that parts words.
var scannedTexts = []string{
	"How do I export my 1,000 photos? Don't STOP, it's 6.15.0!", "see [the guide](https://x.example/a) now](b c",
	"Kündigung, café, Straße, Ångström: wo finde ich die Rechnung?", "cafe\u0301 \uff21\uff22 a\u0301b \u0301 x",
	"导出照片 ok. 如何导出照片？", "写真をエクスポートするには", "إلى الأَمام كيف يمكنني تصدير الصور؟", "Как экспортировать фотографии?",
	"\xff\xfe a\xffb", "", "...", "ﬁnance ㎏ ｱｲｳ x² ½", "a.b 1.a 1.2", strings.Repeat("the word ", 100) + "日本",
}

func FuzzScan(f *testing.F) {
	for i, text := range scannedTexts {
		f.Add(text, scannedTexts[len(scannedTexts)-1-i])
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		var s Scanner
		s.Scan(title)
		titleTokens := len(s.Tokens)
		s.Scan(text)
		var want, got []Token
		for i, token := range s.Tokens {
			of, shift := title, 0
			if i >= titleTokens {
				of, shift = text, len(title)+1
			}
			word := token.Word(of)
			if token.Hash != Hash(word) {
				t.Errorf("%q has another hash", word)
			}
			got = append(got, Token{word, int(token.Start) + shift, int(token.End) + shift, IsUnspaced(word)})
		}
		want = AppendTokens(nil, title+"\n"+text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		wantLanguage, wantSure := GuessLanguage(want)
		if language, isSure := s.Language(); language != wantLanguage || isSure != wantSure {
			t.Errorf("language %d %v, want %d %v", language, isSure, wantLanguage, wantSure)
		}
	})
}
