package insight

import (
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/llm"
	"parley/internal/store"
)

// longestTitle is in code points.
const longestTitle = 80

// questions gives what the customer asked: their messages but for greetings, thanks and goodbyes.
func questions(said []store.Utterance) (list []store.Utterance) {
	for _, u := range said {
		if u.Author == parley.ByUser && strings.TrimSpace(u.Text) != "" && !llm.IsRemark(u.Text) {
			list = append(list, u)
		}
	}
	return list
}

// titleOf makes a title of the first real question: without a greeting before it, its first sentence, cut between words.
func titleOf(asked []store.Utterance) string {
	if len(asked) == 0 {
		return ""
	}
	text := strings.Join(strings.Fields(ungreeted(asked[0].Text)), " ")
	text = strings.Trim(text, "\"'“”„«»*_#> ")
	return cutTitle(firstSentence(text))
}

// ungreeted leaves out greetings at the beginning: "Hi there, where is my parcel?"
func ungreeted(text string) string {
	for range 3 {
		i := strings.IndexAny(text, ",.!;:\n，。！")
		if i <= 0 || !llm.IsRemark(text[:i]) {
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

// shortest is how many bytes a sentence needs to be a title on its own.
const shortest = 12

func firstSentence(text string) string {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case end < shortest:
		case strings.ContainsRune("?！？。", r), strings.ContainsRune(".!", r) && end < len(text) && text[end] == ' ':
			return strings.TrimRight(text[:end], ".!。！")
		}
	}
	return strings.TrimRight(text, ".! ")
}

// cutTitle cuts a title between words; what is cut off leaves an ellipsis.
func cutTitle(text string) string {
	if utf8.RuneCountInString(text) <= longestTitle {
		return text
	}
	runes := []rune(text)[:longestTitle-1]
	cut := string(runes)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-–") + "…"
}
