package words

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What some files and keyboards write as several characters is one: a Korean syllable as its letters, a Kana with the
// mark of its sound, "й". Marks that only accent a letter need no composing: they are left out anyway.

// DecodeRune returns the character at i and its length in bytes, put together where it is written as several.
func DecodeRune(text string, i int) (rune, int) { return decodeRune(text, i) }

// mayBeComposed reports whether what follows the character may belong to it.
func mayBeComposed(r rune) bool {
	switch {
	case r < 0x1100:
		return r == 'и' || r == 'И'
	case r <= 0x1112, r >= 0x3046 && r <= 0x30FD, r >= 0xFF73 && r <= 0xFF8E:
		return true
	}
	return isSyllableWithoutEnd(r)
}

// isSyllableWithoutEnd reports whether r is a Korean syllable that ends in a vowel.
func isSyllableWithoutEnd(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 && (r-0xAC00)%28 == 0 }

// composeRune puts together the character r of n bytes that a text begins with.
func composeRune(text string, r rune, n int) (rune, int) {
	for n < len(text) {
		next, m := utf8.DecodeRuneInString(text[n:])
		if !isComposing(next) {
			break
		}
		composed := norm.NFKC.String(string([]rune{r, next}))
		whole, size := utf8.DecodeRuneInString(composed)
		if size != len(composed) {
			break
		}
		r, n = whole, n+m
	}
	return r, n
}

// isComposing reports whether r may belong to the character before it: vowels and ends of Korean syllables, the sound
// marks of Kana, and the short mark of й.
func isComposing(r rune) bool {
	return 0x1161 <= r && r <= 0x1175 || 0x11A8 <= r && r <= 0x11C2 || r == 0x3099 || r == 0x309A ||
		r == 0xFF9E || r == 0xFF9F || r == 0x306
}

// Compose returns a text with its characters put together, as most programs write them.
func Compose(text string) string { return norm.NFC.String(text) }

// isIgnored reports whether r only says where a word may be broken or how its letters are joined.
func isIgnored(r rune) bool {
	return r == 0xAD || r == 0x34F || r == 0x61C || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E ||
		r == 0x2060 || r >= 0x2066 && r <= 0x2069 || r == 0xFEFF
}

// ignoredEnd returns where the word goes on behind characters at i that readers do not see; i if it does not.
func ignoredEnd(text string, i int) int {
	for end := i; end < len(text); {
		r, n := decodeRune(text, end)
		if !isIgnored(r) {
			if end > i && isWordRune(r) && !IsUnspacedRune(r) {
				return end
			}
			break
		}
		end += n
	}
	return i
}
