package model

import (
	"unicode"

	"parley/internal/text/words"
)

// languageTags are the languages that texts are recognised to be in.
var languageTags = map[words.Language]string{
	words.English: "en", words.German: "de", words.Spanish: "es", words.French: "fr", words.Italian: "it", words.Portuguese: "pt",
	words.Dutch: "nl", words.Swedish: "sv", words.Danish: "da", words.Norwegian: "nb", words.Finnish: "fi", words.Turkish: "tr",
	words.Russian: "ru", words.Arabic: "ar", words.Chinese: "zh", words.Japanese: "ja",
}

// scriptLanguageTags are those of one great language each.
var scriptLanguageTags = []struct {
	table *unicode.RangeTable
	tag   string
}{
	{unicode.Hangul, "ko"}, {unicode.Hebrew, "he"}, {unicode.Greek, "el"}, {unicode.Devanagari, "hi"}, {unicode.Thai, "th"},
	{unicode.Bengali, "bn"}, {unicode.Tamil, "ta"}, {unicode.Telugu, "te"}, {unicode.Gujarati, "gu"}, {unicode.Kannada, "kn"},
	{unicode.Malayalam, "ml"}, {unicode.Gurmukhi, "pa"}, {unicode.Georgian, "ka"}, {unicode.Armenian, "hy"}, {unicode.Ethiopic, "am"},
}

// speechLanguageTag returns the tag of the language to speak a text in: the one that is told, else the one that the text shows, else English.
func speechLanguageTag(tag, text string) string {
	if baseLanguage(tag) != "" {
		return tag
	}
	l := likeliestLanguage(text)
	if known := languageTags[l]; known != "" {
		return known
	}
	for _, r := range text {
		for _, s := range scriptLanguageTags {
			if unicode.Is(s.table, r) {
				return s.tag
			}
		}
	}
	return "en"
}
