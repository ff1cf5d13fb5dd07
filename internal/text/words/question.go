package words

import (
	"slices"
	"strings"
)

// NeedsContext reports whether a message cannot be understood alone: it points at what was said before ("does it cost
// more?"), goes on with it ("and on Sundays?") or names next to nothing ("why?").
func NeedsContext(message string) bool {
	q := padFolded(message)
	goesOn := slices.ContainsFunc(contextStarts, func(start string) bool { return strings.HasPrefix(q, start) })
	if goesOn || containsAny(q, pointingPhrasesUnspaced) {
		return true
	}
	tokens := AppendTokens(nil, message)
	lang, _ := GuessLanguage(tokens)
	names := 0
	for _, t := range tokens {
		if isPointingWord[t.Word] {
			return true
		}
		if !lang.IsStopWord(t.Word) {
			names++
		}
	}
	return names < 2 || names < 3 && IsUnspaced(tokens[0].Word)
}

var contextStarts = []string{" and ", " but ", " or ", " so ", " also ", " then ", " what about ", " how about ",
	" what if ", " any other", " why not ", " und ", " aber ", " oder ", " auch ", " dann ", " was ist mit ",
	" wie sieht es mit ", " y ", " pero ", " o ", " tambien ", " entonces ", " que tal ", " que pasa con ", " et ",
	" mais ", " ou ", " aussi ", " alors ", " qu'en est-il ", " e ", " ma ", " en ", " maar ", " و", " ماذا عن ", " 那",
	" 还有", " 那么", " では", " それ"}

// pointingPhrasesUnspaced point where there are no spaces between words.
var pointingPhrasesUnspaced = []string{"它", "他们", "她们", "这个", "那个", "这些", "那些", "这里", "那里", "それ", "これ", "あれ"}

var isPointingWord = NewSet(Fold(pointingWords))

// Words that are articles or conjunctions too ("das", "la", "that" after a verb) are left out where they would point
// mostly at nothing.
const pointingWords = `it its they them their theirs this these those he she him his her hers one ones there same
	such er sie ihn ihm ihr ihre ihren ihrem ihrer diese dieser dieses diesem diesen dies jene davon dafür damit dazu
	daran darauf darin dort derselbe dasselbe él ella ellos ellas eso esto esa ese esos esas este esta estos estas
	aquello su sus mismo allí il elle ils elles cela ça celui celle ceux celles leur leurs lui هو هي هم هذا هذه ذلك تلك
	هناك это этот эта эти он она они их его там`

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return ContainsPhrase(question, howPhrases) }

var howPhrases = []string{" how do i ", " how do you ", " how do we ", " how can ", " how to ", " how should ",
	" how would ", " what steps ", " wie kann ", " wie mache ", " como ", " comment "}

// ContainsPhrase reports whether one of the phrases, folded and with a space at either end where a word ends, stands in
// the question.
func ContainsPhrase(question string, phrases []string) bool {
	return containsAny(padFolded(question), phrases)
}

func containsAny(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// padFolded folds the question and adds a space before its first word and after its last.
func padFolded(question string) string { return " " + strings.TrimLeft(Fold(question), " ¿¡") + " " }
