package words

import (
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

var stemmers = [languageCount]func(*snowballstem.Env) bool{
	English: english.Stem, German: german.Stem, Spanish: spanish.Stem, French: french.Stem, Italian: italian.Stem,
	Portuguese: portuguese.Stem, Dutch: dutch.Stem, Swedish: swedish.Stem, Danish: danish.Stem, Norwegian: norwegian.Stem,
	Finnish: finnish.Stem, Turkish: turkish.Stem, Russian: russian.Stem, Arabic: arabic.Stem,
}

// maxStemBytes is how many bytes a word has at most whose endings are cut off: no language has longer ones, and for
// some letters the stemmers take time with the square of the length.
const maxStemBytes = 128

// Stem cuts the endings off a folded word.
func (l Language) Stem(word string) string {
	stem := stemmers[l]
	if stem == nil || len(word) < 3 || len(word) > maxStemBytes || word[0] <= '9' {
		return word
	}
	env := stemmerPool.Get().(*snowballstem.Env)
	defer stemmerPool.Put(env)
	env.SetCurrent(word)
	stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}

var stemmerPool = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}
