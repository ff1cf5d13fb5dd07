package words

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/text/language"
)

// Moment is a day or an hour that a text names, in whatever form: "December 12th", "12. Dezember 2026", "12.12.",
// "2026-12-12"; "7 pm", "19:00", "19 Uhr".
type Moment struct {
	Start, End       int // byte span in the text
	Day, Month, Year int // Year is 0 for none, and all are for an hour
	Hour, Minute     int
}

// maxMoments bounds the moments that are found in one text.
const maxMoments = 16

// The forms in which texts write days and hours.
var (
	dayPatterns = sync.OnceValue(func() []*regexp.Regexp {
		var names []string
		for name := range monthsByName() {
			names = append(names, name)
		}
		month := `(?P<name>` + strings.Join(longestFirst(names), "|") + `)\.?`
		const day, year = `(?P<day>\d{1,2})(?:st|nd|rd|th|er|re|º|ª|\.)?`, `(?:,? (?:de |of )?(?P<year>\d{4}))?`
		var all []*regexp.Regexp
		for _, form := range []string{
			`\b` + day + ` ?(?:of |de |du |d')?(?:the )?` + month + year + `(?:[^\p{L}\d]|$)`,
			`\b` + month + ` (?:the )?` + day + year + `(?:[^\p{L}\d]|$)`,
			`\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?:(?P<year>\d{4})\b|(?:[^\d]|$))`,
			`\b(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b`,
			`\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})\b`,
			`(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]`,
		} {
			all = append(all, regexp.MustCompile(`(?i)`+form))
		}
		return all
	})
	hourPatterns = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))? ?(?P<half>[ap])\.?m\b\.?`),
		regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?: ?uhr| ?uur|h)\b`),
		regexp.MustCompile(`\b(?P<hour>\d{1,2}):(?P<minute>\d\d)\b`),
	}
)

// monthsByName are the months, 1 to 12, by their names and abbreviations in all languages, folded and as written.
var monthsByName = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, l := range language.All() {
		month := 0
		for names := range l.Measures.MonthNames.All() {
			month++
			for name := range names.All() {
				all[Fold(name)], all[name] = month, month
			}
		}
	}
	return all
})

// IsMonth reports whether a folded word names a month.
func IsMonth(word string) bool { return monthsByName()[word] > 0 }

// FindMoments returns the days and hours that a text names. Days in slashes count where it shows which number is the
// month.
func FindMoments(text string) (all []Moment) {
	if !strings.ContainsAny(text, "0123456789") || len(text) > maxMomentTextBytes {
		return nil
	}
	taken := func(m Moment) bool {
		for _, other := range all {
			if m.Start < other.End && other.Start < m.End {
				return true
			}
		}
		return false
	}
	for _, p := range append(append([]*regexp.Regexp{}, dayPatterns()...), hourPatterns...) {
		for _, at := range p.FindAllStringSubmatchIndex(text, maxMoments) {
			if m, ok := readMoment(p, text, at); ok && len(all) < maxMoments && !taken(m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// maxMomentTextBytes is how long a message may be whose days and hours are looked for.
const maxMomentTextBytes = 4000

func readMoment(p *regexp.Regexp, text string, at []int) (m Moment, ok bool) {
	group := func(name string) string {
		i := p.SubexpIndex(name)
		if i < 0 || at[2*i] < 0 {
			return ""
		}
		m.End = max(m.End, at[2*i+1])
		return text[at[2*i]:at[2*i+1]]
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(group(name)) // empty is 0
		return n
	}
	m.Start = at[0]
	if p.SubexpIndex("hour") >= 0 {
		m.Hour, m.Minute, m.End = number("hour"), number("minute"), at[1]
		switch half := strings.ToLower(group("half")); {
		case half == "p" && m.Hour < 12:
			m.Hour += 12
		case half == "a" && m.Hour == 12:
			m.Hour = 0
		}
		return m, m.Hour < 24 && m.Minute < 60
	}
	m.Day, m.Month, m.Year = number("day"), number("month"), number("year")
	if name := group("name"); name != "" {
		m.Month = monthsByName()[Fold(name)]
	}
	for m.End < len(text) && isASCIILetter(text[m.End]) { // "12th"
		m.End++
	}
	if m.Year > 0 && strings.Contains(text[m.Start:m.End], "/") {
		if m.Month > 12 && m.Day <= 12 {
			m.Day, m.Month = m.Month, m.Day
		} else if m.Day <= 12 && m.Day != m.Month {
			return m, false // which of the two is the month does not show
		}
	}
	return m, m.Day >= 1 && m.Day <= 31 && m.Month >= 1 && m.Month <= 12
}

// IsHour reports whether it is an hour rather than a day.
func (m Moment) IsHour() bool { return m.Day == 0 }

// Forms returns how texts may write the moment, those with the year first where it has one. A text may name the year of
// a day that a question names without.
func (m Moment) Forms() []string {
	if m.IsHour() {
		return m.hourForms()
	}
	var named []string
	for name, month := range monthsByName() {
		if month == m.Month {
			named = append(named, name)
		}
	}
	var all, bare []string
	for _, name := range longestFirst(named) {
		bare = append(bare, fmt.Sprintf("%d %s", m.Day, name), fmt.Sprintf("%s %d", name, m.Day),
			fmt.Sprintf("%d%s %s", m.Day, ordinalEnding(m.Day), name), fmt.Sprintf("%s %d%s", name, m.Day,
				ordinalEnding(m.Day)), fmt.Sprintf("%d de %s", m.Day, name))
		if m.Day == 1 {
			bare = append(bare, "1er "+name, "1º de "+name, "1º "+name)
		}
	}
	bare = append(bare, fmt.Sprintf("%d月%d日", m.Month, m.Day), fmt.Sprintf("%d.%d", m.Day, m.Month),
		fmt.Sprintf("%02d.%02d", m.Day, m.Month))
	years := []int{m.Year}
	if m.Year == 0 {
		years = years[:0]
		for y := firstGuessedYear; y <= lastGuessedYear; y++ {
			years = append(years, y)
		}
	}
	for _, y := range years {
		all = append(all, fmt.Sprintf("%d.%d.%d", m.Day, m.Month, y), fmt.Sprintf("%02d.%02d.%d", m.Day, m.Month, y),
			fmt.Sprintf("%d-%02d-%02d", y, m.Month, m.Day), fmt.Sprintf("%d/%d/%d", m.Day, m.Month, y),
			fmt.Sprintf("%02d/%02d/%d", m.Day, m.Month, y))
	}
	if m.Year == 0 {
		return append(bare, all...)
	}
	for _, form := range bare {
		if !strings.Contains(form, ".") {
			all = append(all, fmt.Sprintf("%s %d", form, m.Year))
		}
	}
	return append(all, bare...)
}

// The years that a text may name which a question leaves out.
const (
	firstGuessedYear = 2000
	lastGuessedYear  = 2049
)

func (m Moment) hourForms() []string {
	half, hour := "am", m.Hour
	if hour >= 12 {
		half = "pm"
	}
	if hour = hour % 12; hour == 0 {
		hour = 12
	}
	all := []string{fmt.Sprintf("%d:%02d", m.Hour, m.Minute), fmt.Sprintf("%02d:%02d", m.Hour, m.Minute),
		fmt.Sprintf("%d.%02d", m.Hour, m.Minute), fmt.Sprintf("%02d.%02d", m.Hour, m.Minute),
		fmt.Sprintf("%dh%02d", m.Hour, m.Minute), fmt.Sprintf("%d:%02d %s", hour, m.Minute, half),
		fmt.Sprintf("%d.%02d %s", hour, m.Minute, half)}
	if m.Minute > 0 {
		return all
	}
	letter := half[:1]
	return append(all, fmt.Sprintf("%d %s", hour, half), fmt.Sprintf("%d%s", hour, half),
		fmt.Sprintf("%d %s.m", hour, letter), fmt.Sprintf("%d uhr", m.Hour), fmt.Sprintf("%d h", m.Hour),
		fmt.Sprintf("%dh", m.Hour), fmt.Sprintf("%d uur", m.Hour), fmt.Sprintf("%d点", m.Hour),
		fmt.Sprintf("%d時", m.Hour))
}

// longestFirst orders names, so that none is taken for the beginning of another.
func longestFirst(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return names
}

func ordinalEnding(day int) string {
	switch {
	case day/10 == 1:
		return "th"
	case day%10 == 1:
		return "st"
	case day%10 == 2:
		return "nd"
	case day%10 == 3:
		return "rd"
	}
	return "th"
}
