package httpapi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Maximum length in characters of an address, of its local part, and of one label of its domain.
const (
	maxMailChars  = 320
	maxLocalChars = 64
	maxLabelChars = 63
)

// isMail reports whether s is an address that mail can be sent to: local@domain.tld without a display name. Letters
// of all scripts are accepted on both sides; comments, address literals and hosts without a dot are not.
func isMail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && utf8.RuneCountInString(s) <= maxMailChars && isLocal(s[:at]) && isMailHost(s[at+1:])
}

// isLocal accepts words with single dots between them, or one quoted string.
func isLocal(s string) bool {
	if utf8.RuneCountInString(s) > maxLocalChars {
		return false
	}
	if inside, ok := strings.CutPrefix(s, `"`); ok {
		inside, ok = strings.CutSuffix(inside, `"`)
		return ok && isQuoted(inside)
	}
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || strings.ContainsFunc(word, isNotWordRune) {
			return false
		}
	}
	return true
}

func isNotWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return !isAlnum(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
	return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So)
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// isQuoted accepts what may be between quotation marks: a backslash escapes the next character.
func isQuoted(s string) bool {
	escaped := false
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7F || r == utf8.RuneError || r >= utf8.RuneSelf && !unicode.IsGraphic(r):
			return false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			return false
		}
	}
	return s != "" && !escaped
}

// isMailHost accepts two labels or more, the last of which is not a number.
func isMailHost(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if label == "" || utf8.RuneCountInString(label) > maxLabelChars || label[0] == '-' ||
			label[len(label)-1] == '-' || strings.ContainsFunc(label, isNotLabelRune) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && utf8.RuneCountInString(last) > 1 && strings.Trim(last, "0123456789") != ""
}

func isNotLabelRune(r rune) bool {
	if r < utf8.RuneSelf {
		return !isAlnum(r) && r != '-'
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}
