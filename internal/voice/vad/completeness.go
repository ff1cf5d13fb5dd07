package vad

import (
	"slices"
	"strings"
	"unicode"
)

// Completeness is how finished a text looks.
type Completeness int

// The values of Completeness.
const (
	Unknown Completeness = iota
	Complete
	Incomplete
)

// unfinishedWords are words that nobody ends a turn with, and fillers of those who are thinking, by language.
var unfinishedWords = wordSet(
	// English
	"a an the and or but so because if when while which whose than of my your our their its um uh uhm er erm hmm i'm i",
	// German
	"der die das den dem des ein eine einen einem einer und oder aber weil wenn dass ob als mein meine meinen äh ähm",
	// French
	"le la les l un une des du de et ou mais parce que qui quand mon ma mes euh je",
	// Spanish
	"el los las una unos unas y o pero porque cuando mi mis eh",
	// Italian, Portuguese, Dutch
	"il lo gli uno e perché quando di mio mia os um uma mas porque meu minha het een en maar omdat mijn",
)

// rarelyFinalWords are words that may end a turn, but rarely do: prepositions and auxiliary verbs. A full stop after
// them is believed.
var rarelyFinalWords = wordSet(
	"as to from with without for at by in on into about that this is are was were am be can could would should "+
		"will do does did have has had want need get like",
	"mit ohne für von zu zum zur im am auf an in bei nach ich ist sind si avec sans pour par dans sur à au aux "+
		"est sont con sin por para en al del es son",
	"che da con senza per su è sono com sem em no na eu van met zonder voor naar ik",
)

// completeAnswers are answers that are complete with one or two words.
var completeAnswers = wordSet(
	"yes no yeah yep nope okay ok sure thanks hello hi hey bye goodbye stop cancel correct right exactly maybe wrong",
	"ja nein doch danke hallo tschüss genau oui non merci bonjour sí si gracias hola sì grazie ciao sim não "+
		"obrigado olá nee bedankt",
)

// digitWords are words for digits, which are dictated in groups with pauses in between.
var digitWords = wordSet("zero oh one two three four five six seven eight nine double triple",
	"null eins zwei drei vier fünf sechs sieben acht neun un deux trois quatre cinq sept huit neuf uno dos tres "+
		"cuatro cinco seis siete ocho nueve")

// spellingWords are words within a dictated address.
var spellingWords = wordSet("dot dash slash underscore punkt punto ponto")

func wordSet(lines ...string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			set[word] = true
		}
	}
	return set
}

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
	case len(words) <= 2 && completeAnswers[last], hasAnySuffix(text, "?", "？") && !unfinishedWords[last]:
		return Complete
	case unfinishedWords[last], rarelyFinalWords[last] && !stopped, isDictating(words),
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
	if spellingWords[last] {
		return true
	}
	year := len(last) == 4 && (strings.HasPrefix(last, "19") || strings.HasPrefix(last, "20"))
	return count < 9 && (groups >= 2 || count >= 3 && !year)
}

func countDigits(word string) int {
	if digitWords[word] {
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
