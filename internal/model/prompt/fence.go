package prompt

import (
	"parley/internal/model/cite"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fenceText makes sure that text written by others cannot leave the fence it is put into, open one, or number itself
// like a source. It changes nothing else: what is quoted from it can be found in the passage again.
func fenceText(text string) string {
	if isPlain(text) {
		return text
	}
	text = removeInvisible(text) // first: what is left must not become a marker or a tag
	var b strings.Builder
	var k cite.CodeTracker
	done := 0 // text before it is in b
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c >= ' ' && c != '<' && c != '[' && c != '`' && !k.IsInTicks() {
			i++
			continue
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		with, size := fenceReplacement(&k, c, text[i:])
		if size > 0 {
			b.WriteString(text[done:i])
			b.WriteString(with)
			n, done = size, i+size
		}
		k.Advance(c)
		i += n
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// fenceReplacement returns what to write in place of the first size bytes of the text, which begins with c; size is 0
// where they may be.
func fenceReplacement(k *cite.CodeTracker, c rune, text string) (with string, size int) {
	n := utf8.RuneLen(c)
	switch {
	case isOpeningBracket(c) && isFenceTag(text[n:]):
		return "&lt;", n
	case (c == '[' || c == '【') && !k.IsInside():
		size = cite.MarkerLength(text)
		return cite.EscapeMarker(text[:size]), size
	}
	return "", 0
}

// fenceName returns a name or heading as one line, without characters that would end its attribute.
func fenceName(s string) string {
	if isPlainName(s) {
		return s
	}
	s = strings.Join(strings.Fields(fenceText(s)), " ")
	return nameReplacer.Replace(s)
}

// isPlainName reports whether fenceName changes nothing of a name, as of most.
func isPlainName(s string) bool {
	space := true // at the beginning
	for _, c := range s {
		switch {
		case c == ' ' && !space:
			space = true
			continue
		case c == '"', c == '>', unicode.IsSpace(c):
			return false
		}
		space = false
	}
	return !space && isPlain(s)
}

var nameReplacer = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›")

// isPlain reports whether a text has no byte with which anything begins that fenceText changes. Most texts have none,
// and each turn has a dozen of them.
func isPlain(text string) bool {
	for i := range len(text) {
		if isFenceByte[text[i]] {
			return false
		}
	}
	return true
}

// isFenceByte says of each byte whether an invisible character, a bracket of a tag or one of a marker begins with it.
var isFenceByte = func() (table [256]bool) {
	for c := range rune(utf8.RuneSelf) {
		table[c] = isInvisible(c) || c == '<' || c == '['
	}
	for _, c := range "\u202A\u2066‹〈【＜\uFEFF\U000E0000" { // one of each block that has such characters
		table[string(c)[0]] = true
	}
	return table
}()

func removeInvisible(text string) string {
	if strings.IndexFunc(text, isInvisible) < 0 {
		return text
	}
	return strings.Map(func(c rune) rune {
		if isInvisible(c) {
			return -1
		}
		return c
	}, text)
}

// isInvisible are characters that people do not see and models read: tags, which spell out ASCII, and marks that turn
// the direction of writing. Joiners stay: some scripts need them.
func isInvisible(c rune) bool {
	switch {
	case c < ' ':
		return c != '\n' && c != '\t' && c != '\r'
	case c < 0x7F:
		return false
	}
	return c >= 0xE0000 && c <= 0xE007F || c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069 || c == 0x7F ||
		c == 0xFEFF
}

// isHiddenInTag reports whether c may be inside a tag's name without being seen.
func isHiddenInTag(c rune) bool {
	return isInvisible(c) || c >= 0x200B && c <= 0x200F || c == 0x2060 || c == 0xAD
}

func isOpeningBracket(c rune) bool { return c == '<' || c == '＜' || c == '‹' || c == '〈' }

var fenceTags = []string{"source", "conversation", "last", "passage", "system", "instruction", "visitor", "file"}

// isFenceTag reports whether what follows an opening angle bracket makes it one of the prompt's own fences, however it
// is spelled.
func isFenceTag(rest string) bool {
	rest = strings.TrimLeftFunc(rest[:min(len(rest), 64)], func(c rune) bool {
		return c == '/' || c == '／' || c == '\\' || c == '|' || unicode.IsSpace(c) || isHiddenInTag(c)
	})
	var word strings.Builder
	for _, c := range rest {
		switch {
		case c >= 0xFF01 && c <= 0xFF5E: // full width
			c -= 0xFEE0
		case isHiddenInTag(c):
			continue
		}
		if !unicode.IsLetter(c) {
			break
		}
		word.WriteRune(unicode.ToLower(c))
	}
	return slices.ContainsFunc(fenceTags, func(name string) bool { return strings.HasPrefix(word.String(), name) })
}
