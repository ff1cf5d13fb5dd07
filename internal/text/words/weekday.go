package words

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/language"
)

// Days is a set of days of the week, a bit for each from Monday on.
type Days uint8

const (
	workingDays Days = 0b0011111
	weekendDays Days = 0b1100000
	everyDay    Days = 0b1111111
)

// daysOfWeek is how many days a week has.
const daysOfWeek = 7

// DaySpan is a place in a text that names days of the week.
type DaySpan struct {
	Start, End int // bytes
	Days       Days
	isShort    bool // an abbreviation, which may be another word
}

// FindDays returns the places of the text that name days of the week, in their order: "Monday", "on weekdays". An
// abbreviation counts where it is one end of a range: "Tue–Sun".
func FindDays(text string) []DaySpan {
	all := findDayNames(text)
	return slices.DeleteFunc(all, func(s DaySpan) bool { return s.isShort })
}

// DaysIn returns the days that the text names, and those between two that it names as the ends of a range, as in
// "Tuesday to Sunday".
func DaysIn(text string) Days { return daysOf(text, findDayNames(text), false) }

// OnlyDays returns the days of a text that names nothing else, as the beginning of a line or a row does, also by
// abbreviations: "Wed", "Sa + So". It returns 0 for another text.
func OnlyDays(text string) Days {
	all, end := findDayNames(text), 0
	for i, s := range all {
		gap := text[min(end, s.Start):s.Start]
		if strings.ContainsFunc(gap, unicode.IsLetter) && (i == 0 || !isRange(gap)) {
			return 0
		}
		end = s.End
	}
	if strings.ContainsFunc(text[end:], unicode.IsLetter) {
		return 0
	}
	return daysOf(text, all, true)
}

func daysOf(text string, all []DaySpan, withAbbreviations bool) (days Days) {
	for i, s := range all {
		if withAbbreviations || !s.isShort {
			days |= s.Days
		}
		if i > 0 && isRange(text[all[i-1].End:s.Start]) {
			days |= daysBetween(all[i-1].Days, s.Days)
		}
	}
	return days
}

// maxRangeGap is how many bytes there are between the ends of a range at most: "tot en met".
const maxRangeGap = 30

// isRange reports whether the text between two days makes a range of them.
func isRange(gap string) bool {
	if len(gap) > maxRangeGap {
		return false
	}
	gap = strings.Trim(Fold(gap), " .,\u00a0")
	return gap != "" && (strings.Trim(gap, "-–—~～〜−") == "" || rangePhrases()[gap])
}

// daysBetween returns the days from one to another, over the end of the week where that comes first. Both are one day.
func daysBetween(from, to Days) (days Days) {
	if from&(from-1) != 0 || to&(to-1) != 0 {
		return 0
	}
	for range daysOfWeek {
		if days |= from; from == to {
			return days
		}
		if from <<= 1; from > 1<<(daysOfWeek-1) {
			from = 1
		}
	}
	return days
}

// dayNames are the names of days as they are found in texts.
type dayNames struct {
	spaced   map[string]DaySpan // by their folded words, with a space between
	first    map[string]int     // how many words the longest name has that begins with the word
	unspaced []unspacedDay      // longest first
}

type unspacedDay struct {
	name string
	days Days
}

var (
	loadDayNames = sync.OnceValue(func() *dayNames {
		n := &dayNames{spaced: map[string]DaySpan{}, first: map[string]int{}}
		for _, l := range language.All() {
			n.addWeek(l, l.Measures.WeekdayNames, false)
			n.addWeek(l, l.Measures.WeekdayAbbreviations, true)
			for days, phrases := range map[Days]language.Phrases{workingDays: l.Measures.WorkingDays,
				weekendDays: l.Measures.Weekend, everyDay: l.Measures.EveryDay} {
				for p := range phrases.All() {
					n.add(l, p, days, false)
				}
			}
		}
		slices.SortFunc(n.unspaced, func(a, b unspacedDay) int {
			return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
		})
		return n
	})
	rangePhrases = sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, l := range language.All() {
			for p := range l.Measures.RangePhrases.All() {
				set[Fold(p)] = true
			}
		}
		return set
	})
)

// addWeek adds the names of the seven days, a line each.
func (n *dayNames) addWeek(l *language.Language, week language.Groups, isShort bool) {
	day := 0
	for names := range week.All() {
		for name := range names.All() {
			n.add(l, name, 1<<day, isShort)
		}
		day++
	}
}

func (n *dayNames) add(l *language.Language, name string, days Days, isShort bool) {
	if l.Unspaced {
		n.unspaced = append(n.unspaced, unspacedDay{name, days})
		return
	}
	list := tokenWordsOf(name)
	key := strings.Join(list, " ")
	if known, ok := n.spaced[key]; ok && !known.isShort {
		return // a name in one language, an abbreviation in another
	}
	n.spaced[key] = DaySpan{Days: days, isShort: isShort}
	n.first[list[0]] = max(n.first[list[0]], len(list))
}

func tokenWordsOf(text string) (list []string) {
	for token := range Tokens(text) {
		list = append(list, token.Word)
	}
	return list
}

// findDayNames returns the names of days with the abbreviations.
func findDayNames(text string) (all []DaySpan) {
	names, isUnspaced := loadDayNames(), false
	tokens := AppendTokens(nil, text)
	for i := 0; i < len(tokens); i++ {
		isUnspaced = isUnspaced || tokens[i].Unspaced
		for n := min(names.first[tokens[i].Word], len(tokens)-i); n > 0; n-- {
			key := tokens[i].Word
			for _, t := range tokens[i+1 : i+n] {
				key += " " + t.Word
			}
			if s, ok := names.spaced[key]; ok {
				s.Start, s.End = tokens[i].Start, tokens[i+n-1].End
				all = append(all, s)
				i += n - 1
				break
			}
		}
	}
	if isUnspaced {
		all = slices.AppendSeq(all, names.findUnspaced(text))
		slices.SortStableFunc(all, func(a, b DaySpan) int { return a.Start - b.Start })
	}
	return all
}

// findUnspaced yields the names in a text without spaces between words.
func (n *dayNames) findUnspaced(text string) iter.Seq[DaySpan] {
	return func(yield func(DaySpan) bool) {
		for i := 0; i < len(text); {
			isNext := func(d unspacedDay) bool { return strings.HasPrefix(text[i:], d.name) }
			at := -1
			if text[i] >= utf8.RuneSelf {
				at = slices.IndexFunc(n.unspaced, isNext)
			}
			if at < 0 {
				i++
				continue
			}
			end := i + len(n.unspaced[at].name)
			if !yield(DaySpan{Start: i, End: end, Days: n.unspaced[at].days}) {
				return
			}
			i = end
		}
	}
}

// DayNames yields the folded names of the days of the week in the language, each a word.
func (l Language) DayNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		if int(l) >= len(language.All()) {
			return
		}
		for names := range language.All()[l].Measures.WeekdayNames.All() {
			for name := range names.All() {
				if !yield(Fold(name)) {
					return
				}
			}
		}
	}
}
