package oauth

import (
	"embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// words are the texts of the page in one language.
type words struct {
	Language, Direction string

	Title, Wants, GoesOn, Unknown, Key, Hint, Keys, Allow, Cancel string
	WrongKey, NoAPI, BadRequest, TooMany                          string
}

//go:embed texts
var textFiles embed.FS

// languages are those that the page has, the first one for everybody who reads none of them.
var languages = []string{"en", "de", "fr", "es", "pt-BR", "ja", "ar"}

// loadWords reads the texts of all languages, once in a process.
var loadWords = sync.OnceValue(func() map[string]words {
	all := map[string]words{}
	for _, language := range languages {
		text, err := textFiles.ReadFile("texts/" + language + ".json")
		one := words{}
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err != nil {
			panic(err) // the program holds them
		}
		all[language] = one
	}
	return all
})

// wordsFor returns the texts in the first language of a browser that the page has.
func wordsFor(r *http.Request) words {
	for offer := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(offer), ";")
		wanted, _, _ := strings.Cut(strings.ToLower(tag), "-")
		for _, language := range languages {
			if known, _, _ := strings.Cut(language, "-"); known == wanted {
				return loadWords()[language]
			}
		}
	}
	return loadWords()[languages[0]]
}
