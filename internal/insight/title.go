package insight

import (
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/model/quote"
	"parley/internal/store"
)

// maxTitleRunes is in code points.
const maxTitleRunes = 80

// questions returns what the customer asked: their messages but for greetings, thanks and goodbyes.
func questions(messages []store.Utterance) (list []store.Utterance) {
	for _, u := range messages {
		if u.Author == parley.AuthorUser && strings.TrimSpace(u.Text) != "" && !quote.IsSmallTalk(u.Text) {
			list = append(list, u)
		}
	}
	return list
}

// titleOf makes a title of the first real question: without a greeting before it, its first sentence, cut between
// words.
func titleOf(utterances []store.Utterance) string {
	if len(utterances) == 0 {
		return ""
	}
	text := strings.Join(strings.Fields(withoutGreeting(utterances[0].Text)), " ")
	text = strings.Trim(text, "\"'“”„«»*_#> ")
	return cutTitle(firstSentence(text))
}

// withoutGreeting leaves out greetings at the beginning: "Hi there, where is my parcel?"
func withoutGreeting(text string) string {
	for range 3 {
		i := strings.IndexAny(text, ",.!;:\n，。！")
		if i <= 0 || !quote.IsSmallTalk(text[:i]) {
			return text
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		rest := strings.TrimLeft(text[i+n:], " ,.!;:\n，。！")
		if rest == "" {
			return text
		}
		text = rest
	}
	return text
}

// minSentenceBytes is how many bytes a sentence needs to be a title on its own.
const minSentenceBytes = 12

func firstSentence(text string) string {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case end < minSentenceBytes:
		case strings.ContainsRune("?！？。", r), strings.ContainsRune(".!", r) && end < len(text) && text[end] == ' ':
			return strings.TrimRight(text[:end], ".!。！")
		}
	}
	return strings.TrimRight(text, ".! ")
}

// cutTitle cuts a title between words; what is cut off leaves an ellipsis.
func cutTitle(text string) string {
	if utf8.RuneCountInString(text) <= maxTitleRunes {
		return text
	}
	runes := []rune(text)[:maxTitleRunes-1]
	cut := string(runes)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-–") + "…"
}
