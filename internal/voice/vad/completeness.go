package vad

import (
	"slices"
	"strings"
	"unicode"

	"parley/internal/text/language"
)

// Completeness is how finished a text looks.
type Completeness int

// The values of Completeness.
const (
	Unknown Completeness = iota
	Complete
	Incomplete
)

// The words are compared as they are written, with their accents.
var (
	// unfinishedWords are words that nobody ends a turn with, and fillers of those who are thinking.
	unfinishedWords = language.Set(func(l *language.Language) language.Words { return l.Voice.Unfinished })
	// rarelyFinalWords are words that may end a turn, but rarely do: prepositions and auxiliary verbs. A full stop after
	// them is believed.
	rarelyFinalWords = language.Set(func(l *language.Language) language.Words { return l.Voice.RarelyFinal })
	// completeAnswers are answers that are complete with one or two words.
	completeAnswers = language.Set(func(l *language.Language) language.Words { return l.Voice.CompleteAnswers })
	// digitWords are words for digits, which are dictated in groups with pauses in between.
	digitWords = language.Set(func(l *language.Language) language.Words { return l.Voice.DigitWords })
	// spellingWords are words within a dictated address.
	spellingWords = language.Set(func(l *language.Language) language.Words { return l.Voice.SpellingWords })
)

// AssessCompleteness judges the text of a turn by its end: an unfinished sentence, or a number or an address that is
// being dictated, is incomplete, whatever full stop the recogniser has added.
func AssessCompleteness(text string) Completeness {
	text = strings.TrimSpace(strings.ToLower(text))
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	if len(words) == 0 {
		return Unknown
	}
	last := words[len(words)-1]
	stopped := hasAnySuffix(text, ".", "!", "?", "。", "！", "？")
	switch {
	case len(words) <= 2 && completeAnswers()[last], hasAnySuffix(text, "?", "？") && !unfinishedWords()[last]:
		return Complete
	case unfinishedWords()[last], rarelyFinalWords()[last] && !stopped, isDictating(words),
		hasAnySuffix(text, ",", "…", "...", "-", ":"):
		return Incomplete
	case stopped, len(words) >= 3, countDigits(last) >= 9, isUnspacedScript(text):
		return Complete
	}
	return Unknown
}

func hasAnySuffix(text string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(text, end) })
}

// isDictating reports whether the text ends within a number or an address: fewer than nine digits in a row at its end.
// The length of longer ones is unknown too, and a long wait after each would be worse. A single number is rather an
// answer, an amount or a year: "two", "at 20", "in 1984".
func isDictating(words []string) bool {
	count, groups := 0, 0
	for i := len(words) - 1; i >= 0 && countDigits(words[i]) > 0; i-- {
		count += countDigits(words[i])
		groups++
	}
	last := words[len(words)-1]
	if spellingWords()[last] {
		return true
	}
	year := len(last) == 4 && (strings.HasPrefix(last, "19") || strings.HasPrefix(last, "20"))
	return count < 9 && (groups >= 2 || count >= 3 && !year)
}

func countDigits(word string) int {
	if digitWords()[word] {
		return 1
	}
	for _, r := range word {
		if !unicode.IsDigit(r) {
			return 0
		}
	}
	return len([]rune(word))
}

// isUnspacedScript reports whether the text is in a script without spaces, so that words cannot be counted.
func isUnspacedScript(text string) bool {
	count := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Khmer, unicode.Lao,
			unicode.Myanmar) {
			count++
		}
	}
	return count >= 3
}
