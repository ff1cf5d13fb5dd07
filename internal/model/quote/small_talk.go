package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// maxSmallTalkWords is the most words of a message that only greets or thanks.
const maxSmallTalkWords = 14

func answerSmallTalk(message string, lang words.Language) (string, bool) {
	if text, ok := answerUnspacedSmallTalk(strings.Trim(message, " \n。！!.~～")); ok {
		return text, true
	}
	messageWords := splitWords(message)
	if len(messageWords) == 0 || len(messageWords) > maxSmallTalkWords || strings.ContainsAny(message, "?？؟") &&
		len(messageWords) > 4 {
		return "", false
	}
	all := language.All()
	if int(lang) < len(all) {
		all = append([]*language.Language{all[lang]}, all...)
	}
	for _, l := range all {
		if kind := smallTalkKind(messageWords, l); kind != 0 && (kind != 't' || !strings.ContainsAny(message, "?？؟")) {
			return replyToSmallTalk(&l.Texts, kind), true
		}
	}
	return "", false
}

// answerUnspacedSmallTalk looks for the whole message in the languages that are not written word by word.
func answerUnspacedSmallTalk(message string) (string, bool) {
	for _, l := range language.All() {
		if !l.Unspaced {
			continue
		}
		switch {
		case listContains(l.SmallTalk.Hello, message):
			return l.Texts.Hello, true
		case listContains(l.SmallTalk.Thanks, message):
			return l.Texts.Thanks, true
		case listContains(l.SmallTalk.Bye, message):
			return l.Texts.Bye, true
		}
	}
	return "", false
}

func splitWords(message string) (messageWords []string) {
	for t := range words.Tokens(message) {
		messageWords = append(messageWords, t.Word)
	}
	return messageWords
}

func containsWord(text string, matches func(word string) bool) bool {
	for t := range words.Tokens(text) {
		if matches(t.Word) {
			return true
		}
	}
	return false
}

// smallTalkKind returns h, t or b where every word belongs to such a message and one of them says which; a goodbye or
// thanks outweighs the greeting it may come with.
func smallTalkKind(messageWords []string, l *language.Language) (kind byte) {
	if l.Unspaced {
		return 0
	}
	r := l.SmallTalk
	for _, w := range messageWords {
		switch {
		case listContains(r.Bye, w):
			kind = 'b'
		case listContains(r.Thanks, w):
			if kind != 'b' {
				kind = 't'
			}
		case listContains(r.Hello, w):
			if kind == 0 {
				kind = 'h'
			}
		case !listContains(r.Fillers, w):
			return 0
		}
	}
	return kind
}

func listContains(list language.Words, word string) bool {
	for w := range list.All() {
		if w == word || words.Fold(w) == word {
			return true
		}
	}
	return false
}

func replyToSmallTalk(t *language.Texts, kind byte) string {
	switch kind {
	case 't':
		return t.Thanks
	case 'b':
		return t.Bye
	}
	return t.Hello
}

func guessLanguage(message string) words.Language {
	l, _ := words.GuessLanguage(words.AppendTokens(nil, withoutRomanNumbers(message)))
	return l
}

// withoutRomanNumbers blanks what shows no language: "VI" is no Italian word.
func withoutRomanNumbers(message string) string { return romanNumbers.ReplaceAllString(message, " ") }

var romanNumbers = regexp.MustCompile(`\b[IVXLC]{1,7}\b`)

// IsSmallTalk reports whether a message is nothing but a greeting, thanks or a goodbye: it asks for nothing.
func IsSmallTalk(message string) bool {
	_, ok := answerSmallTalk(message, words.English)
	return ok
}

// opening is what a message of a few words may be before there is a question.
type opening struct {
	kind openingKind
	lang words.Language
}

type openingKind uint8

const (
	asksWhoAnswers openingKind = iota + 1 // who or what answers, and what it can do
	announcesQuestion
	asksWhatWasAsked
	asksHowItGoes
)

// openings are the messages of all languages by their words.
var openings = sync.OnceValue(func() map[string][]opening {
	all := map[string][]opening{}
	for i, l := range language.All() {
		for kind, phrases := range map[openingKind]language.Phrases{asksWhoAnswers: l.Conversation.IdentityQuestions,
			announcesQuestion: l.Conversation.Openings, asksWhatWasAsked: l.Conversation.RecallQuestions,
			asksHowItGoes: l.Conversation.WellbeingQuestions} {
			for p := range phrases.All() {
				key := words.Fold(p)
				if !l.Unspaced {
					key = strings.Join(splitWords(p), " ")
				}
				all[key] = append(all[key], opening{kind, words.Language(i)}) //nolint:gosec // a few languages
			}
		}
	}
	return all
})

// findOpening returns what a message is where it is nothing else, but for a greeting before it. Where several languages
// have it, its own decides.
func findOpening(message string) (found opening, ok bool) {
	if len(message) > maxOpeningBytes {
		return opening{}, false
	}
	messageWords := splitWords(message)
	keys := []string{strings.Join(messageWords, " "), words.Fold(strings.Trim(message, " \n\t。！!？?.~～"))}
	for len(messageWords) > 1 && greetingWords()[messageWords[0]] {
		messageWords = messageWords[1:]
		keys = append(keys, strings.Join(messageWords, " "))
	}
	for _, key := range keys {
		if list := openings()[key]; len(list) > 0 {
			lang := guessLanguage(message)
			i := slices.IndexFunc(list, func(o opening) bool { return o.lang == lang })
			return list[max(i, 0)], true
		}
	}
	return opening{}, false
}

// maxOpeningBytes is how long such a message may be.
const maxOpeningBytes = 120

// IsOpening reports whether a message asks nothing of the sources yet: who answers, whether something may be asked, or
// what was asked before.
func IsOpening(message string) bool {
	_, ok := findOpening(message)
	return ok
}

// minAskedShare is how much of a message a question of a Q&A must hold to be meant by it.
const minAskedShare = 0.8

// isAskedByQnA reports whether the operator has an answer of their own to the message.
func isAskedByQnA(passages []model.Passage) bool {
	return len(passages) > 0 && passages[0].IsQnA &&
		max(passages[0].Signals.Asked, passages[0].Signals.Title) >= minAskedShare
}

// answerOpening answers such a message, and offers what the sources are about.
func answerOpening(req model.Request, message string) string {
	o, _ := findOpening(message)
	t := textsIn(o.lang)
	if o.kind == asksWhatWasAsked {
		if texts := userTexts(req.Messages); len(texts) > 1 {
			before := strings.Join(strings.Fields(texts[len(texts)-2]), " ")
			return t.YouAsked[0] + truncateWithEllipsis(before, maxRecalledBytes) + t.YouAsked[1]
		}
		return whatElseQuestion(o.lang)
	}
	if o.kind == asksHowItGoes {
		return joinSentences(t.IAmWell, whatElseQuestion(o.lang))
	}
	var parts []string
	if o.kind == asksWhoAnswers {
		parts = append(parts, t.IsAutomated)
	}
	if topics := topicNames(req.Passages, words.IsUnspaced(t.MyTopics[0])); len(topics) > 0 {
		parts = append(parts, t.MyTopics[0]+strings.Join(topics, t.ListSeparator)+t.MyTopics[1])
	}
	return joinSentences(append(parts, whatElseQuestion(o.lang))...)
}

// joinSentences joins sentences of one language.
func joinSentences(sentences ...string) string {
	if words.IsUnspaced(sentences[0]) {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

const (
	maxRecalledBytes = 300 // of a question that is said again
	maxTopics        = 4
)

// topicNames returns the names of some sources, or of their first headings: those in a script with spaces between
// words, or those in one without.
func topicNames(passages []model.Passage, isUnspaced bool) (names []string) {
	for _, p := range passages {
		parts := headingPath(p)
		if len(parts) == 0 || len(names) == maxTopics {
			continue
		}
		name := strings.TrimRight(parts[0], " .?!？。")
		isKnown := slices.ContainsFunc(names, func(n string) bool { return words.Fold(n) == words.Fold(name) })
		if name != "" && !isKnown && len(name) <= maxOptionBytes && words.IsUnspaced(name) == isUnspaced {
			names = append(names, name)
		}
	}
	return names
}

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
