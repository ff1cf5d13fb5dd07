package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text/words"
)

// maxWishBytes is how many bytes of a message are looked through for a wish; a longer one is no chat but a document.
const maxWishBytes = 4000

// AsksForPerson reports whether the message says plainly that its writer wants to talk to a person, and in what
// language. Where the words are those of several languages, what the writer has said before decides; earlier may be
// nil. It misses a wish sooner than it sees one if there is none: a sentence must say this and nothing else, so that
// questions about people and about support are left to the sources.
func AsksForPerson(message string, earlier func() []string) (words.Language, bool) {
	if len(message) > maxWishBytes {
		return 0, false
	}
	candidates := findWishLanguages(words.Fold(message))
	if len(candidates) < 2 || earlier == nil {
		return append(candidates, words.English)[0], len(candidates) > 0
	}
	if language := surestLanguage(append(earlier(), message)); slices.Contains(candidates, language) {
		return language, true
	}
	return candidates[0], true
}

// findWishLanguages returns the languages in which a sentence of the folded message is a wish for a person.
func findWishLanguages(folded string) (matching []words.Language) {
	var sentences []string
	for i := range wishDetectors {
		if !containsAny(folded, wishDetectors[i].stems...) {
			continue
		}
		if sentences == nil {
			sentences = strings.FieldsFunc(stripQuotations(folded), isWishSentenceEnd)
		}
		if w := wishDetectors[i].matcher(); slices.ContainsFunc(sentences, w.matchesSentence) {
			matching = append(matching, wishDetectors[i].language)
		}
	}
	return matching
}

// matchesSentence reports whether the sentence is a wish: all of it, or one of its clauses behind others that do not
// make a condition or a report of it.
func (w *wishMatcher) matchesSentence(sentence string) bool {
	clauses := strings.FieldsFunc(sentence, isWishClauseEnd)
	if len(clauses) > 1 && isPlainNo(clauses[0]) { // "no, I want": without the comma it may say the contrary
		clauses = clauses[1:]
	}
	if w.sentencePattern.MatchString(w.normalize(strings.Join(clauses, " "))) {
		return true
	}
	if len(clauses) < 2 || questionOpenerWords[firstWord(clauses[0])] {
		return false
	}
	for _, c := range clauses {
		plain := w.normalize(c)
		if w.clausePattern.MatchString(plain) {
			return true
		}
		if slices.ContainsFunc(strings.Fields(plain), func(word string) bool {
			return conditionWords[word]
		}) || containsAny(plain, conditionWordsUnspaced...) {
			return false
		}
	}
	return false
}

func isWishSentenceEnd(r rune) bool { return strings.ContainsRune(".!?;\n。！？；؟…", r) }

func isWishClauseEnd(r rune) bool { return strings.ContainsRune(",，、،–—", r) }

// isPlainNo reports whether the clause only says no, for instance to what was answered before.
func isPlainNo(clause string) bool {
	plain := joinWithSpaces(clause)
	return negativeWords[plain] || slices.Contains(negativesUnspaced, plain)
}

func firstWord(clause string) string { return append(strings.Fields(joinWithSpaces(clause)), "")[0] }

// stripQuotations leaves out what is in double quotes: it is quoted. A message that is all in quotes is not taken
// for a quotation.
func stripQuotations(folded string) string {
	if rest := quotationPattern.ReplaceAllString(folded, " "); strings.TrimFunc(rest, isNonWordRune) != "" {
		return rest
	}
	return folded
}

var quotationPattern = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|`[^`]*`")

func isNonWordRune(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// joinWithSpaces returns the words of a folded text with one space between them; dense the letters alone.
func joinWithSpaces(folded string) string {
	return strings.Join(strings.FieldsFunc(folded, isNonWordRune), " ")
}

func joinWithoutSpaces(folded string) string {
	return strings.Join(strings.FieldsFunc(folded, isNonWordRune), "")
}

// wishMatcher is how a wish for a person is worded in one language.
type wishMatcher struct {
	normalize       func(string) string
	sentencePattern *regexp.Regexp // a sentence of its own
	clausePattern   *regexp.Regexp // a clause among others: it has a verb
}

// wishDetector is a wishMatcher that is made at the first message that speaks of a person in its language.
type wishDetector struct {
	language words.Language
	stems    []string
	matcher  func() *wishMatcher
}

var wishDetectors = func() (all []wishDetector) {
	for _, g := range wishGrammars {
		all = append(all, wishDetector{g.language, strings.Fields(words.Fold(g.stems)), sync.OnceValue(g.newMatcher)})
	}
	return all
}()

func (g *wishGrammar) newMatcher() *wishMatcher {
	f, gap := &wishMatcher{normalize: joinWithSpaces}, " "
	if g.language == words.Chinese || g.language == words.Japanese {
		f.normalize, gap = joinWithoutSpaces, ""
	}
	compile := func(cores string) *regexp.Regexp {
		return regexp.MustCompile(words.Fold("^(?:(?:" + g.prefixes + ")" + gap + ")*(?:" + cores + ")(?:" + gap +
			"(?:" + g.suffixes + "))*$"))
	}
	cores := strings.Join(g.corePatterns, "|")
	f.clausePattern, f.sentencePattern = compile(cores), compile(cores+"|"+g.barePattern)
	return f
}
