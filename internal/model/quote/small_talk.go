package quote

import (
	"slices"
	"strings"
	"sync"

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
	l, _ := words.GuessLanguage(words.AppendTokens(nil, message))
	return l
}

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
)

// openings are the messages of all languages by their words.
var openings = sync.OnceValue(func() map[string][]opening {
	all := map[string][]opening{}
	for i, l := range language.All() {
		for kind, phrases := range map[openingKind]language.Phrases{asksWhoAnswers: l.Conversation.IdentityQuestions,
			announcesQuestion: l.Conversation.Openings, asksWhatWasAsked: l.Conversation.RecallQuestions} {
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
	var parts []string
	if o.kind == asksWhoAnswers {
		parts = append(parts, t.IsAutomated)
	}
	if topics := topicNames(req.Passages, words.IsUnspaced(t.MyTopics[0])); len(topics) > 0 {
		parts = append(parts, t.MyTopics[0]+strings.Join(topics, t.ListSeparator)+t.MyTopics[1])
	}
	parts = append(parts, whatElseQuestion(o.lang))
	if words.IsUnspaced(t.MyTopics[0]) {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
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
