package speech

import (
	"fmt"
	"regexp"
	"strings"
)

// spellOut writes a text out as programs that speak can read it: addresses, amounts, dates, long numbers and
// abbreviations as people say them. English is written out; what other languages say for a sign espeak-ng knows itself,
// and only paths through menus and long numbers are made readable in all of them. Speech servers do all of this on
// their own.
func spellOut(text, language string) string {
	if BaseLanguage(language) == "en" {
		text = englishSymbols.Replace(pronounce(text, englishPronunciations))
	}
	return pronounce(text, commonPronunciations)
}

func pronounce(text string, rules []pronunciationRule) string {
	for _, r := range rules {
		text = r.pattern.ReplaceAllStringFunc(text, func(found string) string {
			return r.pronounce(r.pattern.FindStringSubmatch(found))
		})
	}
	return text
}

// pronunciationRule is how something is spoken.
type pronunciationRule struct {
	pattern   *regexp.Regexp
	pronounce func(parts []string) string // the match, and its groups
}

func newPronunciationRule(pattern, words string) pronunciationRule {
	return pronunciationRule{regexp.MustCompile(pattern), func(parts []string) string {
		out := words
		for i, part := range parts[1:] {
			out = strings.ReplaceAll(out, fmt.Sprintf("$%d", i+1), part)
		}
		return out
	}}
}

// commonPronunciations hold in all languages, and come last.
var commonPronunciations = []pronunciationRule{
	newPronunciationRule(`\s+(?:>|›|»|→|->|=>)\s+`, ", "),
	{regexp.MustCompile(`\+?\(?\d[\d ()-]{5,}\d`), spellOutDigits},
}

// englishPronunciations are applied in this order.
var englishPronunciations = []pronunciationRule{
	{regexp.MustCompile(`[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+`), spellOutAddress},
	{regexp.MustCompile(`\b(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|dev|app|info|eu|co|uk|de|fr|at|ch|nl|it|es|` +
		`us|ca|au|example)(?:\.[a-z]{2})?\b`),
		spellOutAddress},
	{regexp.MustCompile(`\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b`), spellOutDate},
	{regexp.MustCompile(`([$€£])\s?(\d+(?:,\d{3})*)(?:\.(\d{1,2}))?( (?:million|billion|thousand))?\b`),
		func(p []string) string { return spellOutAmount(p[1], p[2], p[3], p[4]) }},
	{regexp.MustCompile(`\b(\d+(?:,\d{3})*)(?:[.,](\d{2}))?\s?([$€£])`), func(p []string) string {
		return spellOutAmount(p[3], p[1], p[2], "")
	}},
	{regexp.MustCompile(`\b(USD|EUR|GBP)\s(\d+(?:,\d{3})*)(?:\.(\d{2}))?\b`), func(p []string) string {
		return spellOutAmount(p[1], p[2], p[3], "")
	}},
	{regexp.MustCompile(`\b(\d+(?:,\d{3})*)(?:\.(\d{2}))?\s(USD|EUR|GBP)\b`), func(p []string) string {
		return spellOutAmount(p[3], p[1], p[2], "")
	}},
	{regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`), func(p []string) string { return strings.ReplaceAll(p[0], ",", "") }},
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w{0,3}\s?[-–]\s?(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|rs)?\b`),
		func(p []string) string { return weekdayNames[p[1]] + " to " + weekdayNames[p[2]] }},
	{regexp.MustCompile(`\b(\d{1,4}(?::\d\d)?(?:\s?[ap]m)?)\s?[-–]\s?(\d{1,4}(?::\d\d)?(?:\s?[ap]m)?|\d+)\b([-–]\d)?`),
		spellOutRange},
	newPronunciationRule(`(?i)\b(\d{1,2}(?::\d\d)?)\s?([ap])\.?m\b`, "$1 $2 m"),
	newPronunciationRule(`(?i)\be\.\s?g\.,?`, "for example,"), newPronunciationRule(`(?i)\bi\.\s?e\.,?`, "that is,"),
	newPronunciationRule(`\betc\.(\s+[A-Z]|$)`, "et cetera.$1"), newPronunciationRule(`\betc\.`, "et cetera"),
	newPronunciationRule(`(?i)\bapprox\.`, "approximately"), newPronunciationRule(`(?i)\bvs\.?\s`, "versus "),
	newPronunciationRule(`(?i)\bincl\.`, "including"), newPronunciationRule(`(?i)\bexcl\.`, "excluding"),
	newPronunciationRule(`\bNo\.\s?(\d)`, "number $1"), newPronunciationRule(`#\s?(\d)`, "number $1"),
	newPronunciationRule(`\bv(\d+(?:\.\d+)*)\b`, "version $1"), newPronunciationRule(`\(s\)`, "s"),
	newPronunciationRule(`\b24/7\b`, "24 hours a day, 7 days a week"), newPronunciationRule(`(?i)\band/or\b`, "and or"),
	newPronunciationRule(`\b([a-z]{2,})/([a-z]{2,})\b`, "$1 or $2"),
	{regexp.MustCompile(`(\d)\s?(km/h|kg|km|cm|mm|kB|KB|MB|GB|TB|°C|°F|hrs|mins)(\W|$)`), func(p []string) string {
		return p[1] + " " + unitNames[p[2]] + p[3]
	}},
}

var englishSymbols = strings.NewReplacer("%", " percent", "€", " euros", "£", " pounds", "°", " degrees", "≤",
	" at most ", "≥", " at least ", " + ", " plus ", " = ", " equals ", "×", " by ")

var weekdayNames = map[string]string{"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
	"Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday"}

var unitNames = map[string]string{"km/h": "kilometres an hour", "kg": "kilograms", "km": "kilometres",
	"cm": "centimetres", "mm": "millimetres", "kB": "kilobytes",
	"KB": "kilobytes", "MB": "megabytes", "GB": "gigabytes", "TB": "terabytes", "°C": "degrees Celsius",
	"°F": "degrees Fahrenheit", "hrs": "hours", "mins": "minutes"}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
	"October", "November", "December"}

var addressSymbols = strings.NewReplacer("@", " at ", ".", " dot ", "_", " underscore ", "-", " dash ", "+", " plus ")

func spellOutAddress(parts []string) string { return addressSymbols.Replace(parts[0]) }

func spellOutDate(parts []string) string {
	month := monthNames[int(parts[2][0]-'0')*10+int(parts[2][1]-'0')-1]
	return month + " " + strings.TrimPrefix(parts[3], "0") + ", " + parts[1]
}

var currencyNames = map[string][4]string{
	"$": {"dollar", "dollars", "cent", "cents"}, "USD": {"dollar", "dollars", "cent", "cents"},
	"€": {"euro", "euros", "cent", "cents"}, "EUR": {"euro", "euros", "cent", "cents"},
	"£": {"pound", "pounds", "penny", "pence"}, "GBP": {"pound", "pounds", "penny", "pence"},
}

// spellOutAmount returns money in words: "5 dollars and 90 cents".
func spellOutAmount(currency, whole, part, scale string) string {
	names := currencyNames[currency]
	whole = strings.ReplaceAll(whole, ",", "")
	pluralize := func(n, one, many string) string {
		if n == "1" {
			return "1 " + one
		}
		return n + " " + many
	}
	if scale != "" {
		if part != "" {
			whole += "." + part
		}
		return whole + scale + " " + names[1]
	}
	if len(part) == 1 {
		part += "0"
	}
	switch cents := strings.TrimPrefix(part, "0"); {
	case cents == "" || cents == "0":
		return pluralize(whole, names[0], names[1])
	case whole == "0":
		return pluralize(cents, names[2], names[3])
	default:
		return pluralize(whole, names[0], names[1]) + " and " + pluralize(cents, names[2], names[3])
	}
}

// spellOutRange returns a range in words: "3 to 5". A third number makes it something else.
func spellOutRange(parts []string) string {
	if parts[3] != "" || len(parts[1]) > 2 && len(parts[2]) > len(parts[1]) && !strings.Contains(parts[1], ":") {
		return parts[0]
	}
	return parts[1] + " to " + parts[2]
}

// groupedDigitsPattern are groups of digits that are no number to be spelled: thousands, years, dates.
var groupedDigitsPattern = regexp.MustCompile(`^(?:[1-9]\d{0,2}(?: \d{3})+|\d{4} ?- ?\d{4}|\d{4}-\d\d-\d\d|` +
	`(?:\d{1,4} )+\d{1,4})$`)

// spellOutDigits returns a number of seven digits or more digit by digit, in groups as it is written, or of three.
func spellOutDigits(parts []string) string {
	number := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, parts[0])
	if len(number) < 7 || parts[0][0] != '+' && number[0] != '0' && groupedDigitsPattern.MatchString(parts[0]) {
		return parts[0]
	}
	var groups []string
	for _, group := range strings.FieldsFunc(parts[0], func(r rune) bool { return r < '0' || r > '9' }) {
		for ; len(group) > 4; group = group[3:] {
			groups = append(groups, spaceOutDigits(group[:3]))
		}
		groups = append(groups, spaceOutDigits(group))
	}
	return strings.Join(groups, ", ")
}

func spaceOutDigits(digits string) string { return strings.Join(strings.Split(digits, ""), " ") }
