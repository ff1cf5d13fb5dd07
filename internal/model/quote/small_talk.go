package quote

import (
	"strings"

	"parley/internal/text/words"
)

// smallTalkWords are messages that want no answer from the sources; word by word, folded.
var smallTalkWords = map[words.Language]struct{ hello, thanks, bye, along string }{
	words.English: {"hi hello hey greetings howdy morning afternoon evening day",
		"thanks thank thx ty cheers appreciated appreciate",
		"bye goodbye cya",
		"good there you so much a lot very many all everyone again see later for your the help to it ok okay " +
			"great perfect that is was have nice now and team dear how are i that's helpful"},
	words.German: {"hallo moin servus tag morgen abend gruss grusse", "danke dankeschon dank", "tschuss wiedersehen ciao",
		"guten gute gut schon sehr vielen auf bis dann ihnen dir fur die hilfe alles klar grussgott ok super"},
	words.Spanish: {"hola buenas saludos buenos", "gracias", "adios chao luego",
		"muchas muchisimas dias tardes noches hasta por la su tu ayuda pronto ok vale"},
	words.French: {"bonjour salut bonsoir coucou", "merci", "revoir adieu bientot",
		"beaucoup bien au a pour votre aide tout le monde ok"},
	words.Italian: {"ciao buongiorno buonasera salve", "grazie", "arrivederci",
		"mille tante molte per l aiuto a presto ok"},
	words.Portuguese: {"ola oi bom boa", "obrigado obrigada", "tchau adeus logo",
		"dia tarde noite muito pela ajuda ate ok"},
	words.Dutch: {"hallo hoi dag goedemorgen goedemiddag goedenavond", "bedankt dank dankjewel dankuwel", "doei",
		"je wel u voor de hulp tot ziens ok"},
	words.Russian: {"привет здравствуйте здравствуй добрый доброе", "спасибо благодарю", "пока свидания",
		"день утро вечер большое вам до за помощь"},
	words.Arabic: {"مرحبا اهلا السلام", "شكرا", "وداعا السلامة", "عليكم جزيلا مع لك وسهلا صباح الخير"},
}

// smallTalkUnspaced are such messages in languages that are not written word by word.
var smallTalkUnspaced = map[string]struct {
	lang words.Language
	kind byte
}{
	"你好": {words.Chinese, 'h'}, "您好": {words.Chinese, 'h'}, "嗨": {words.Chinese, 'h'}, "谢谢": {words.Chinese, 't'},
	"谢谢你": {words.Chinese, 't'}, "多谢": {words.Chinese, 't'}, "再见": {words.Chinese, 'b'},
	"こんにちは": {words.Japanese, 'h'}, "おはよう": {words.Japanese, 'h'}, "こんばんは": {words.Japanese, 'h'},
	"ありがとう": {words.Japanese, 't'}, "ありがとうございます": {words.Japanese, 't'}, "さようなら": {words.Japanese, 'b'},
}

// maxSmallTalkWords is the most words of a message that only greets or thanks.
const maxSmallTalkWords = 8

func answerSmallTalk(message string, lang words.Language) (string, bool) {
	if w, ok := smallTalkUnspaced[strings.Trim(message, " \n。！!.~～")]; ok {
		return smallTalkTextsByLanguage[w.lang].replyTo(w.kind), true
	}
	messageWords := splitWords(message)
	if len(messageWords) == 0 || len(messageWords) > maxSmallTalkWords || strings.ContainsAny(message, "?？؟") &&
		len(messageWords) > 4 {
		return "", false
	}
	for _, l := range append([]words.Language{lang}, smallTalkLanguages...) {
		if kind := smallTalkKind(messageWords, l); kind != 0 {
			return smallTalkTextsByLanguage[l].replyTo(kind), true
		}
	}
	return "", false
}

var smallTalkLanguages = []words.Language{words.English, words.German, words.Spanish, words.French, words.Italian,
	words.Portuguese, words.Dutch, words.Russian, words.Arabic}

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
func smallTalkKind(messageWords []string, l words.Language) (kind byte) {
	r := smallTalkWords[l]
	for _, w := range messageWords {
		switch {
		case listContains(r.bye, w):
			kind = 'b'
		case listContains(r.thanks, w):
			if kind != 'b' {
				kind = 't'
			}
		case listContains(r.hello, w):
			if kind == 0 {
				kind = 'h'
			}
		case !listContains(r.along, w):
			return 0
		}
	}
	return kind
}

func listContains(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word || words.Fold(w) == word {
			return true
		}
	}
	return false
}

func (s smallTalkTexts) replyTo(kind byte) string {
	switch kind {
	case 't':
		return s.thanks
	case 'b':
		return s.bye
	}
	return s.hello
}

// textsByLanguage holds sentences of the model's own.
type textsByLanguage[T any] map[words.Language]T

// in returns the sentences in the language, or in English.
func (t textsByLanguage[T]) in(l words.Language) T {
	if sentences, ok := t[l]; ok {
		return sentences
	}
	return t[words.English]
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
