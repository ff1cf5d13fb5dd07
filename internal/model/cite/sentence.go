package cite

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

func isSentenceEnd(c rune) bool { return strings.ContainsRune(".!?。！？…", c) }

const closingMarks = "\"')]*_»”’"

// maxSentenceBytes bounds how far back the beginning of a sentence is looked for, in bytes.
const maxSentenceBytes = 4 << 10

// lastSentence returns the byte span of the last sentence of text, without the white space around it and without the
// sign of a list item before it.
func lastSentence(text []byte) (start, end int) {
	skipped := len(parley.ClipBytes(text, max(0, len(text)-maxSentenceBytes)))
	start, end = findLastSentence(text[skipped:])
	return skipped + start, skipped + end
}

func findLastSentence(text []byte) (start, end int) {
	end = len(bytes.TrimRight(text, " \t\r\n"))
	body := bytes.TrimRightFunc(text[:end], func(c rune) bool {
		return isSentenceEnd(c) || unicode.IsSpace(c) || strings.ContainsRune(closingMarks, c)
	})
	start = sentenceStart(text, len(body))
	rest := text[start:end]
	rest = bytes.TrimLeft(rest, " \t\r\n")
	rest = rest[itemMarkerLength(rest):]
	return end - len(rest), end
}

// sentenceStart walks back from i to the end of the sentence before.
func sentenceStart(text []byte, i int) int {
	for j := i; j > 0; {
		c, size := utf8.DecodeLastRune(text[:j])
		if c == '\n' || c == '。' || c == '！' || c == '？' {
			return j
		}
		if isSentenceEnd(c) && canStartSentence(text[j:i]) && !isAbbreviationStop(text[:j-size], c) {
			return j
		}
		j -= size
	}
	return 0
}

// canStartSentence reports whether a new sentence can start in rest: after white space, not with a small letter.
func canStartSentence(rest []byte) bool {
	rest = bytes.TrimLeft(rest, closingMarks)
	trimmed := bytes.TrimLeft(rest, " \t")
	c, _ := utf8.DecodeRune(trimmed)
	return len(trimmed) < len(rest) && !unicode.IsLower(c)
}

// isAbbreviationStop reports whether a full stop after before ends an initial or the number of a list item, not a
// sentence.
func isAbbreviationStop(before []byte, stop rune) bool {
	if stop != '.' {
		return false
	}
	word := before[bytes.LastIndexAny(before, " \n\t(")+1:]
	first := len(word) == len(before) || before[len(before)-len(word)-1] == '\n'
	c, size := utf8.DecodeRune(word)
	return len(word) == size && unicode.IsLetter(c) || first && len(word) > 0 && len(bytes.Trim(word, "0123456789")) == 0
}

func itemMarkerLength(b []byte) int {
	sign := len(b) - len(bytes.TrimLeft(b, "-*•#>0123456789."))
	if sign == 0 || sign > 6 || sign == len(b) || b[sign] != ' ' {
		return 0
	}
	return sign + 1
}

// foldWithOffsets writes text for comparison; from[i] is where in text the rune that gave byte i begins.
func foldWithOffsets(text string) (out []byte, from []int) {
	out, from = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i, c := range text {
		if strings.ContainsRune("*_`\"'“”„‘’«»", c) {
			continue
		}
		if unicode.IsSpace(c) {
			if len(out) == 0 || out[len(out)-1] == ' ' {
				continue
			}
			c = ' '
		}
		out = utf8.AppendRune(out, unicode.ToLower(c))
		for len(from) < len(out) {
			from = append(from, i)
		}
	}
	return out, from
}
