package speech

import (
	"strings"
	"unicode"

	"parley/internal/text/words"
)

// languageTags are the languages that texts are recognised to be in.
var languageTags = map[words.Language]string{
	words.English: "en", words.German: "de", words.Spanish: "es", words.French: "fr", words.Italian: "it",
	words.Portuguese: "pt",
	words.Dutch:      "nl", words.Swedish: "sv", words.Danish: "da", words.Norwegian: "nb", words.Finnish: "fi",
	words.Turkish: "tr",
	words.Russian: "ru", words.Arabic: "ar", words.Chinese: "zh", words.Japanese: "ja",
}

// scriptLanguageTags are scripts that one language mostly is written in.
var scriptLanguageTags = []struct {
	table *unicode.RangeTable
	tag   string
}{
	{unicode.Hangul, "ko"}, {unicode.Hebrew, "he"}, {unicode.Greek, "el"}, {unicode.Devanagari, "hi"},
	{unicode.Thai, "th"},
	{unicode.Bengali, "bn"}, {unicode.Tamil, "ta"}, {unicode.Telugu, "te"}, {unicode.Gujarati, "gu"},
	{unicode.Kannada, "kn"},
	{unicode.Malayalam, "ml"}, {unicode.Gurmukhi, "pa"}, {unicode.Georgian, "ka"}, {unicode.Armenian, "hy"},
	{unicode.Ethiopic, "am"},
}

// languageTag returns the tag of the language to speak a text in: the tag, else the one that the text shows, else
// English.
func languageTag(tag, text string) string {
	if BaseLanguage(tag) != "" {
		return tag
	}
	l := words.LikeliestLanguage(text)
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

// BaseLanguage returns the language of a tag such as pt-BR in two or three letters; empty where there is none.
func BaseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if base == "multi" {
		return ""
	}
	return base
}
