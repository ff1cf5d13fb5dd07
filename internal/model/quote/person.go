package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text/language"
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
	for _, d := range wishDetectors() {
		if !containsAny(folded, d.stems...) {
			continue
		}
		if sentences == nil {
			sentences = strings.FieldsFunc(stripQuotations(folded), isWishSentenceEnd)
		}
		if w := d.matcher(); slices.ContainsFunc(sentences, w.matchesSentence) {
			matching = append(matching, d.language)
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
	if len(clauses) < 2 || questionOpenerWords()[firstWord(clauses[0])] {
		return false
	}
	for _, c := range clauses {
		plain := w.normalize(c)
		if w.clausePattern.MatchString(plain) {
			return true
		}
		if slices.ContainsFunc(strings.Fields(plain), func(word string) bool {
			return conditionWords()[word]
		}) || containsAny(plain, conditionWordsUnspaced()...) {
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
	return negativeWords()[plain] || slices.Contains(negativesUnspaced(), plain)
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

var wishDetectors = sync.OnceValue(func() (all []wishDetector) {
	for i, l := range language.All() {
		if l.PersonWish.Stems == "" {
			continue
		}
		all = append(all, wishDetector{
			language: words.Language(i), //nolint:gosec // there are few
			stems:    strings.Fields(words.Fold(string(l.PersonWish.Stems))),
			matcher:  sync.OnceValue(func() *wishMatcher { return newWishMatcher(&l.PersonWish, l.Unspaced) }),
		})
	}
	return all
})

func newWishMatcher(g *language.PersonWish, isUnspaced bool) *wishMatcher {
	m, gap := &wishMatcher{normalize: joinWithSpaces}, " "
	if isUnspaced {
		m.normalize, gap = joinWithoutSpaces, ""
	}
	compile := func(wishes string) *regexp.Regexp {
		return regexp.MustCompile(words.Fold(insertParts("^(?:(?:"+g.Before+")"+gap+")*(?:"+wishes+")(?:"+gap+
			"(?:"+g.After+"))*$", g.Parts)))
	}
	wishes := strings.Join(g.Wishes, "|")
	m.clausePattern, m.sentencePattern = compile(wishes), compile(wishes+"|"+g.Bare)
	return m
}

// insertParts puts the parts into a pattern where it names them in braces. A part may name others.
func insertParts(pattern string, parts map[string]string) string {
	return partPattern.ReplaceAllStringFunc(pattern, func(name string) string {
		return insertParts(parts[strings.Trim(name, "{}")], parts)
	})
}

var partPattern = regexp.MustCompile(`\{[a-z_]+\}`)
