package quote

import (
	"strings"

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
