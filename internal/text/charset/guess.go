package charset

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

var candidateEncodings = []encoding.Encoding{charmap.Windows1252, charmap.Windows1250, charmap.Windows1251,
	charmap.KOI8R, simplifiedchinese.GB18030, traditionalchinese.Big5,
	japanese.ShiftJIS, japanese.EUCJP, korean.EUCKR, charmap.Windows1253, charmap.Windows1255, charmap.Windows1256}

// guessEncoding returns the encoding in which the bytes read most like a language.
func guessEncoding(data []byte) encoding.Encoding {
	head := data[:min(len(data), 16<<10)]
	best, bestScore := candidateEncodings[0], -1.0
	for _, enc := range candidateEncodings {
		out, err := enc.NewDecoder().Bytes(head)
		if err != nil {
			continue
		}
		if s := textLikeness(string(out)); s > bestScore+0.02 {
			best, bestScore = enc, s
		}
	}
	return best
}

// frequentRunes holds characters that every text in their language is full of.
var frequentRunes = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里" +
		"這個們來為國說時會對於過發後裡請您與該將檔現開關" + "日本語方法場合使用設定文字表示問題件名社" + "이다는을가의에고하지로한사기은를도자시리어인서나대해수일" +
		"äöüßéèàçñáíóúâêôãõåøæœÄÖÜÉ’“”–€°ąęłńśźżčďěňřšťůžőű" {
		m[r] = true
	}
	return m
}()

// textLikeness returns the share of the characters beyond ASCII that look as they do in a text: 1 for all, below 0 for
// mostly nonsense.
func textLikeness(text string) float64 {
	score, all := 0.0, 0
	var before rune
	for _, r := range text {
		if r >= 0x80 {
			all++
			score += runeLikeness(before, r)
		}
		before = r
	}
	if all == 0 {
		return 0
	}
	return score / float64(all)
}

func runeLikeness(before, r rune) float64 {
	switch {
	case r == utf8.RuneError, r < 0xa0, unicode.Is(unicode.Co, r):
		return -4
	case 0xff61 <= r && r <= 0xff9f: // half-width katakana: what other encodings look like in Shift JIS
		return -1
	case frequentRunes[r], 0x3041 <= r && r <= 0x30fe:
		return 1
	case 0x3000 <= r && r <= 0x3002, 0xff01 <= r && r <= 0xff1f:
		return 0.8
	case unicode.Is(unicode.Hangul, r):
		return 0.45
	case unicode.Is(unicode.Cyrillic, r):
		if unicode.IsUpper(r) && unicode.IsLower(before) || r < 'А' || r > 'я' {
			return -0.5
		}
		return 0.8
	case unicode.Is(unicode.Han, r):
		return 0.5
	case unicode.Is(unicode.Greek, r), unicode.Is(unicode.Hebrew, r), unicode.Is(unicode.Arabic, r):
		if before < 0x80 && unicode.IsLetter(before) {
			return -1
		}
		return 0.5
	case unicode.Is(unicode.Latin, r) && (before < 0x80 || unicode.IsSpace(before)):
		return 0.4
	}
	return 0
}
