// Package contact finds in texts how somebody is reached: addresses of mail, telephone numbers, addresses in a street.
package contact

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/internal/text/language"
)

// Kind is by what somebody is reached.
type Kind uint8

// The kinds, those first that are meant sooner where a question names two: "mail address".
const (
	None Kind = iota
	Mail
	Phone
	Place
	Any
)

// Kinds returns the kinds that are asked for; those of Any in the order in which they are looked for.
func (k Kind) Kinds() []Kind {
	switch k {
	case None:
		return nil
	case Any:
		return []Kind{Mail, Phone, Place}
	case Mail, Phone, Place:
	}
	return []Kind{k}
}

const (
	// postcodes of the world, most of them with the name of a town; years are none
	code = `(?:[A-Z]{1,2}-)?(?:\d{5,6}|[13-9]\d{3}|[12][1-8]\d\d|\d{3} \d\d),? \p{Lu}[\p{L}'’.-]*|` +
		`[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|[A-Z]{2} \d{5}\b|\d{4} ?[A-Z]{2},? \p{Lu}[\p{L}'’.-]*|\d{4}-\d{3}\b|` +
		`\d{2}-\d{3} \p{Lu}[\p{L}'’.-]*|〒 ?\d{3}|\d{6}\b`
	gap = `[\s,;·|/–-]{1,4}(?:\p{Lu}[\p{L}'’.-]*[\s,]{1,3}){0,4}` // names of towns may stand in it
)

var (
	mailAddress      = regexp.MustCompile(`[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+`)
	telephonePattern = regexp.MustCompile(`\+?\d[\d ()/.-]{5,}\d`)
	// what has many digits and is no telephone number
	datePattern = regexp.MustCompile(`\b(?:19|20)\d\d\s?[-–—/]\s?(?:19|20)?\d\d\b|\b\d{4}-\d\d-\d\d\b|` +
		`\b\d{1,2}[./]\d{1,2}[./]\d{4}\b`)
	postcode = regexp.MustCompile(`(?:^|[\s,(])(?:` + code + `)`)
)

// name is a word with a capital.
const name = `\p{Lu}[\p{L}'’.-]*`

var (
	streetAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(streetForms()) })
	// a street with its number beside a postcode
	fullAddress = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:` + streetForms() + `)(?:[a-z]\b)?` + gap + `(?:` + code + `)|` +
			`(?:^|[\s,(])(?:` + code + `)` + gap + `(?:` + streetForms() + `)`)
	})
)

// streetForms returns the forms of a street with a number, some of which may be another thing.
func streetForms() string {
	possible := language.Patterns(func(l *language.Language) []string { return l.Contacts.PossibleStreetPatterns })
	return strings.Join(append(possible,
		`\p{Lu}[\p{L}'’.-]+(?: (?:`+particles()+`)?`+name+`){0,4},? \d{1,4}\b`,
		`\d{1,4}[A-Za-z]?,? \p{Lu}[\p{L}'’.-]+ \p{Lu}[\p{L}'’.-]+`), "|")
}

// particles returns a pattern of the words between the parts of a name, any number of them.
func particles() string {
	var all []string
	for _, l := range language.All() {
		for w := range l.Contacts.NameParticles.All() {
			if short, ok := strings.CutSuffix(w, "'"); ok {
				all = append(all, short+`['’]`)
			} else {
				all = append(all, w+" ")
			}
		}
	}
	longestFirst(all)
	return `(?:` + strings.Join(slices.Compact(all), "|") + `)*`
}

// Holds reports whether a text holds what is asked for.
func (k Kind) Holds(text string) bool {
	switch k {
	case Mail:
		return strings.Contains(text, "@") && mailAddress.MatchString(text)
	case Phone:
		return telephonePattern.MatchString(withoutAddresses(datePattern.ReplaceAllString(text, " ")))
	case Place:
		return strings.ContainsAny(text, "0123456789") &&
			(streetAddress().MatchString(text) || namedStreet().MatchString(text))
	case Any:
		return Mail.Holds(text) || Phone.Holds(text) || Place.Holds(text)
	case None:
	}
	return false
}

var (
	dottedNumbers = regexp.MustCompile(`\d+(?:\.\d+)+`)
	dottedDigit   = regexp.MustCompile(`\.\d(?:\.|$)`)
	dottedPairs   = regexp.MustCompile(`^\d\d(?:\.\d\d)+$`) // as telephone numbers are written in some countries
)

// withoutAddresses removes addresses of computers and versions, such as 127.0.0.1 and 5.0.100: they have the digits of
// a telephone number.
func withoutAddresses(text string) string {
	return dottedNumbers.ReplaceAllStringFunc(text, func(numbers string) string {
		_, err := netip.ParseAddr(numbers)
		if dottedDigit.MatchString(numbers) || err == nil && !dottedPairs.MatchString(numbers) {
			return " "
		}
		return numbers
	})
}

// ShowsIn reports whether a text holds what is asked for in a form that nothing else has: a mail address, a street with
// its number and a postcode or a word such as road, a number beside one of these.
func (k Kind) ShowsIn(text string) bool {
	switch k {
	case Mail:
		return Mail.Holds(text)
	case Phone:
		return Phone.Holds(text) && (Mail.Holds(text) || Place.ShowsIn(postcode.ReplaceAllString(text, " ")))
	case Place:
		return strings.ContainsAny(text, "0123456789") && (namedStreet().MatchString(text) ||
			fullAddress().MatchString(text))
	case Any:
		return Mail.ShowsIn(text) || Place.ShowsIn(text)
	case None:
	}
	return false
}

// namedStreet finds a street by the word that says what it is, with a number before or behind it.
var namedStreet = sync.OnceValue(func() *regexp.Regexp {
	var whole, ends []string
	for _, l := range language.All() {
		for w := range l.Contacts.StreetWords.All() {
			if end, ok := strings.CutPrefix(w, "*"); ok {
				ends = append(ends, regexp.QuoteMeta(end))
			} else {
				whole = append(whole, regexp.QuoteMeta(w))
			}
		}
	}
	longestFirst(whole)
	longestFirst(ends)
	words, suffixes := `(?i:`+strings.Join(whole, "|")+`)`, `(?i:`+strings.Join(ends, "|")+`)`
	before := quoted(func(l *language.Language) language.Words { return l.Contacts.StreetNumberWords })
	number := `(?:(?:` + strings.Join(before, "|") + `) ?)?\d{1,4}`
	return regexp.MustCompile(`(?:^|\P{L})(?:` + strings.Join([]string{
		`\d{1,4}[a-zA-Z]?,? (?:` + name + ` ){1,3}` + words + `(?:\P{L}|$)`,
		`\d{1,4}[a-zA-Z]?,? ` + words + ` ` + particles() + name,
		words + ` ` + particles() + name + `(?: ` + particles() + name + `){0,4},? ` + number,
		`\p{Lu}[\p{L}. -]{1,40}` + suffixes + `,? \d{1,4}(?:[a-z]\b|\P{L}|$)`,
	}, "|") + `)|` + strings.Join(language.Patterns(func(l *language.Language) []string {
		return l.Contacts.StreetPatterns
	}), "|"))
})

// quoted returns the words of a table of all languages, longest first, as they stand in a pattern.
func quoted(table func(*language.Language) language.Words) (all []string) {
	for _, l := range language.All() {
		for w := range table(l).All() {
			all = append(all, regexp.QuoteMeta(w))
		}
	}
	longestFirst(all)
	return all
}

// longestFirst orders words, so that none is taken for the beginning of another.
func longestFirst(list []string) {
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}
