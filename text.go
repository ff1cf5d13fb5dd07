package parley

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StorableText removes U+0000 from a text, because PostgreSQL cannot store it.
func StorableText(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// IsVisible reports whether a text has a visible character: a letter, sign or picture, but not white space or
// formatting characters.
func IsVisible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Zs, r) && r != '\u2800' &&
			!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// TrimName returns a name as it is stored of people and accounts: without white space around it, and without the
// characters that turn the direction of what follows, by which a name can look like another.
func TrimName(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r >= '\u202a' && r <= '\u202e' {
			return -1
		}
		return r
	}, name))
}

// JSONText returns a JSON value as text: a string without its quotes, the others as they are written.
func JSONText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// KeyPattern is the form of the keys by which manifests name what they manage. Struct tags refer to it: pattern:"@key".
const KeyPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`

// KeyRule says in words what form a key must have.
const KeyRule = "must begin with a letter or a digit and have 1 to 100 of a-z A-Z 0-9 . _ -"

var keyForm = regexp.MustCompile(KeyPattern)

// IsKey reports whether a text has the form of a key.
func IsKey(text string) bool { return keyForm.MatchString(text) }

// ClipText returns the first n characters of a text.
func ClipText(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// ClipBytes returns at most the first n bytes of a text, without cutting a character.
func ClipBytes[S ~string | ~[]byte](s S, n int) S {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
