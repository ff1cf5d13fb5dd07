package words

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

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

// Language is what a text is most likely written in. It only chooses endings to cut and words to pass over, so a wrong
// guess costs little.
type Language uint8

// The languages whose endings and function words are known.
const (
	English Language = iota
	German
	Spanish
	French
	Italian
	Portuguese
	Dutch
	Swedish
	Danish
	Norwegian
	Finnish
	Turkish
	Russian
	Arabic
	Chinese
	Japanese
	Other // of its own script: no endings are cut
	languageCount
)

// LanguageCount is how many languages there are.
const LanguageCount = int(languageCount)

// GuessLanguage returns the language of the tokens by script and function words; sure is false if it had nothing to
// go by.
func GuessLanguage(tokens []Token) (lang Language, isSure bool) {
	if l, ok := guessByScript(tokens); ok {
		return l, true
	}
	var votes languageCounts
	for _, t := range tokens {
		if mayBeFunctionWord[functionWordMark(t.Word)] {
			votes.countVotes(functionWordLanguages[t.Word])
		}
	}
	return votes.mostVotes()
}

// languageCounts counts something for each language.
type languageCounts [languageCount]int

// countVotes adds a vote for each of the languages, one bit each.
func (c *languageCounts) countVotes(languages uint32) {
	for ; languages != 0; languages &= languages - 1 {
		c[bits.TrailingZeros32(languages)]++
	}
}

// mostVotes returns the language that most function words are of.
func (c *languageCounts) mostVotes() (lang Language, isSure bool) {
	for l := range Russian {
		if c[l] > c[lang] {
			lang = l
		}
	}
	return lang, c[lang] > 0
}

// mayBeFunctionWord holds the marks of function words: most other words need not be looked up.
var mayBeFunctionWord = func() (marks [1 << 12]bool) {
	for word := range functionWordLanguages {
		marks[functionWordMark(word)] = true
	}
	return marks
}()

// functionWordMark tells words apart by their length, and by their first letter and their last one.
func functionWordMark(word string) int {
	if word == "" {
		return 0
	}
	return (len(word)&15)<<8 ^ int(word[0]&31)<<3 ^ int(word[len(word)-1]&31)
}

// scriptTokens is how many tokens of a text show its script.
const scriptTokens = 64

// guessByScript looks at the first letters of the tokens: another script than Latin decides.
func guessByScript(tokens []Token) (Language, bool) {
	var counts languageCounts
	for _, t := range tokens[:min(len(tokens), scriptTokens)] {
		r, _ := decodeRune(t.Word, 0)
		counts.countScript(r)
	}
	return counts.languageOfScript()
}

// countScript counts a word by its first letter; those of Latin letters count as English.
func (c *languageCounts) countScript(first rune) {
	switch {
	case first < 'a':
	case first < 0x250:
		c[English]++
	case unicode.Is(unicode.Cyrillic, first):
		c[Russian]++
	case unicode.Is(unicode.Arabic, first):
		c[Arabic]++
	case unicode.In(first, unicode.Hiragana, unicode.Katakana):
		c[Japanese]++
	case unicode.Is(unicode.Han, first):
		c[Chinese]++
	default:
		c[Other]++
	}
}

// languageOfScript returns the language by the words counted, and whether they are of another script than Latin.
func (c *languageCounts) languageOfScript() (Language, bool) {
	if c[Japanese] > 0 { // they write with Chinese characters too
		c[Japanese] += c[Chinese]
		c[Chinese] = 0
	}
	mostFrequent := Language(slices.Index(c[:], slices.Max(c[:])))
	return mostFrequent, mostFrequent != English
}

// languages is the registry of the languages, a row each.
var languages = [languageCount]struct {
	tag  string                       // of BCP 47; empty if the text could be of several languages
	stem func(*snowballstem.Env) bool // cuts endings off; nil if words have none
}{
	English:    {"en", english.Stem},
	German:     {"de", german.Stem},
	Spanish:    {"es", spanish.Stem},
	French:     {"fr", french.Stem},
	Italian:    {"it", italian.Stem},
	Portuguese: {"pt", portuguese.Stem},
	Dutch:      {"nl", dutch.Stem},
	Swedish:    {"sv", swedish.Stem},
	Danish:     {"da", danish.Stem},
	Norwegian:  {"nb", norwegian.Stem},
	Finnish:    {"fi", finnish.Stem},
	Turkish:    {"tr", turkish.Stem},
	Russian:    {"ru", russian.Stem},
	Arabic:     {"ar", arabic.Stem},
	Chinese:    {"zh", nil},
	Japanese:   {"ja", nil},
}

// Tag returns the language as a tag such as en; empty for Other.
func (l Language) Tag() string { return languages[l].tag }

// maxStemBytes is how many bytes a word has at most whose endings are cut off: no language has longer ones, and for
// some letters the stemmers take time with the square of the length.
const maxStemBytes = 128

// Stem cuts the endings off a folded word.
func (l Language) Stem(word string) string {
	stem := languages[l].stem
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

// EmailPattern finds e-mail addresses.
var EmailPattern = regexp.MustCompile(`[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}`)

// BlankEmails replaces e-mail addresses by spaces: their words and digits say nothing about the text.
func BlankEmails(text string) string {
	return EmailPattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// LikelyLanguages returns the languages that the text shows equally well, none where it shows none. Stop words decide
// first; where they are common to several languages, or missing, words that customers use do.
func LikelyLanguages(text string) []Language {
	tokens := AppendTokens(nil, BlankEmails(text))
	guessed, isSure := GuessLanguage(tokens)
	if guessed >= Russian {
		return []Language{guessed}
	}
	likely := latinLanguages
	if isSure {
		likely = mostMatching(tokens, latinLanguages, Language.IsStopWord)
	}
	isHint := func(l Language, word string) bool { return languageHints[l][word] }
	if byHint := mostMatching(tokens, likely, isHint); byHint != nil || !isSure {
		return byHint
	}
	return likely
}

var latinLanguages = []Language{English, German, Spanish, French, Italian, Portuguese, Dutch, Swedish, Danish,
	Norwegian, Finnish, Turkish}

// mostMatching returns those of the languages to which the most of the tokens belong, nil if none belongs to any.
func mostMatching(tokens []Token, candidates []Language,
	belongs func(l Language, word string) bool) (matching []Language) {
	highest := 1
	for _, l := range candidates {
		n := 0
		for _, t := range tokens {
			if belongs(l, t.Word) {
				n++
			}
		}
		if n > highest {
			matching, highest = nil, n
		}
		if n == highest {
			matching = append(matching, l)
		}
	}
	return matching
}

// languageHints are folded words that customers use, by language.
var languageHints = map[Language]map[string]bool{
	English: NewSet(`cancel order track refund delivery invoice account subscription speak talk human person ` +
		`please thanks where`),
	German: NewSet(`bestellung bestellungen stornieren storniere storniert verfolgen verfolge kundigen kundige abo rechnung
		lieferung ruckerstattung
		konto sprechen mochte danke mensch menschen`),
	Spanish: NewSet(`cancelar cancela cancele cancelen anular anula anule pedido seguir sigue rastrear rastrea reembolso
		reembolsar devolver envio factura
		cuenta suscripcion hablar quiero quisiera gracias persona dinero`),
	French: NewSet(`annuler annulez annule commande commander suivre suivez suivi rembourser remboursez remboursement
		livraison colis facture adresse
		resilier resiliez abonnement supprimer supprimez parler parlez conseiller humain voudrais souhaite bonjour merci
		veuillez svp stp plait`),
	Italian: NewSet(`annullare annulla annulli annullate annullamento ordine ordini tracciare traccia tracciate rimborso
		rimborsare spedizione fattura
		disdire abbonamento cancellare parlare vorrei voglio grazie favore persona`),
	Portuguese: NewSet(`cancelar cancela cancele encomenda pedido rastrear rastreie reembolso reembolsar entrega fatura
		conta assinatura falar quero gostaria
		queria obrigado obrigada pessoa`),
	Dutch: NewSet(`bestelling annuleren annuleer volgen volg terugbetaling levering pakket factuur rekening ` +
		`abonnement opzeggen spreken graag bedankt`),
}

// LikeliestLanguage returns the likeliest language of the text, English where it shows none.
func LikeliestLanguage(text string) Language {
	return append(LikelyLanguages(text), English)[0]
}

// NewSet returns the words of a text as a set.
func NewSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// InvertLists returns for each word of the lists, which are separated by spaces, the key of its list.
func InvertLists[K comparable](lists map[K]string) map[string]K {
	keys := map[string]K{}
	for key, list := range lists {
		for w := range strings.FieldsSeq(list) {
			keys[w] = key
		}
	}
	return keys
}
