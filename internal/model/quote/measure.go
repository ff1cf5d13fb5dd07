package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text/contact"
	"parley/internal/text/language"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// measureKind is what a word of the question asks to be measured. A text answers it by an amount, and seldom holds the
// word itself: "how long" is answered by "two days", "the maximum size" by "25 MB at most".
type measureKind uint8

const (
	measureNone   measureKind = iota
	measureAmount             // any number
	measureDuration
	measureSize
	measurePrice
	measureBound
	measurePhoneNumber
	measureClockTime
	measureLanguage
	measurePlaceName
)

// measureKindCount is how many kinds there are.
const measureKindCount = int(measurePlaceName) + 1

const (
	measureWeight   = 0.5 // of the word's weight: an amount says less than a word that is met
	measureStrength = 0.8 // how surely an amount of the right kind answers the word
)

// measurePhrases reports which phrases of a question are looked for with several of its words.
type measurePhrases struct{ hasHowMuch, hasWhen bool }

func findMeasurePhrases(question string) measurePhrases {
	return measurePhrases{hasHowMuch: words.ContainsPhrase(question, howMuchPhrases()),
		hasWhen: words.ContainsPhrase(question, whenPhrases())}
}

// measureOf returns what the word asks to be measured, in the light of the one before it.
func (m measurePhrases) measureOf(before, word string) measureKind {
	if (before == "how" || before == "wie") && measureByAdjective()[word] != measureNone {
		return measureByAdjective()[word]
	}
	if paymentVerbs()[word] && m.hasHowMuch {
		return measurePrice
	}
	if openingHoursWords()[word] && m.hasWhen {
		return measureClockTime
	}
	if telephoneWords()[before] && (word == "number" || word == "nummer") {
		return measurePhoneNumber
	}
	if by := measureByNoun()[word]; by != measurePlaceName || whichDeterminers()[before] {
		return by
	}
	return measureNone
}

// timeUnitReach is how many words after a number its unit is: "5 to 7 working days".
const timeUnitReach = 3

// answersMeasure reports whether the text holds an amount of the kind.
func (q *parsedQuestion) answersMeasure(m measureKind, text string) bool {
	if strings.Contains(text, "<") {
		text = struckPattern.ReplaceAllString(text, "") // as it is quoted: "<ins>45</ins> euros"
	}
	switch m {
	case measureDuration:
		return q.hasTimeSpan(text)
	case measureSize:
		return sizePattern().MatchString(text)
	case measurePrice:
		return hasPrice(text)
	case measureBound:
		return boundPattern().MatchString(text)
	case measurePhoneNumber:
		return contact.Phone.Holds(text)
	case measureClockTime:
		return clockTimePattern().MatchString(text)
	case measureLanguage:
		return len(languageNamePattern().FindAllString(text, 2)) == 2
	case measurePlaceName:
		return q.namesPlaces(text)
	case measureNone, measureAmount:
	}
	return q.hasAmount(text)
}

// hasAmount reports whether there is a number that the question does not name itself and that is no year.
func (q *parsedQuestion) hasAmount(text string) bool {
	return containsWord(text, func(w string) bool { return q.isNewNumber(w) && words.KindOf(w)&words.Time == 0 })
}

func (q *parsedQuestion) hasTimeSpan(text string) bool {
	left := 0
	for token := range words.Tokens(text) {
		left--
		if isNumber(token.Word) || countingArticles()[token.Word] {
			left = timeUnitReach
		} else if left >= 0 && timeUnitWords()[token.Word] {
			return true
		}
	}
	return durationPattern().MatchString(text)
}

// currencyReach is how many words after a number its currency is: "fifty Canadian dollars".
const currencyReach = 2

// hasPrice reports whether the text has an amount of money, in digits or written out.
func hasPrice(text string) bool {
	if pricePattern().MatchString(text) {
		return true
	}
	left := 0
	for token := range words.Tokens(text) {
		left--
		if isNumber(token.Word) {
			left = currencyReach
		} else if left >= 0 && currencyWord().MatchString(text[token.Start:token.End]) {
			return true
		}
	}
	return false
}

// namesPlaces reports whether the text has a name that the question lacks; without capitals a list stands for it.
func (q *parsedQuestion) namesPlaces(text string) bool {
	if strings.ContainsFunc(text, unicode.IsUpper) {
		return q.readSentence(text).names > 0
	}
	return strings.ContainsAny(text, "،,")
}

// dayStrength is how surely a day between two that are named is the one of the question: what names it says more.
const dayStrength = 0.8

// addDayMatches adds the days of the question that the text names by a range: "Tuesday to Sunday", "daily".
func (q *parsedQuestion) addDayMatches(found []float64, text string) {
	if q.days == 0 {
		return
	}
	days := daysOfText(text)
	for i, s := range q.terms {
		if s.days&days != 0 {
			found[i] = max(found[i], dayStrength)
		}
	}
}

// daysOfText returns the days that a text names; lines of lists and rows may begin with abbreviations of them.
func daysOfText(text string) words.Days {
	head, _, _ := strings.Cut(firstCell(text), ":")
	if len(head) > maxLineHeadBytes {
		return words.DaysIn(text)
	}
	return words.DaysIn(text) | words.OnlyDays(head)
}

// isOfAskedDay reports whether the text names a day of the week that the question names, or a range that holds it.
func (q *parsedQuestion) isOfAskedDay(text string) bool {
	return q.days != 0 && daysOfText(text)&q.days != 0
}

// daysOfToken returns the days that the place of a word names; 0 for another word.
func daysOfToken(days []words.DaySpan, token words.Token) words.Days {
	for _, s := range days {
		if s.Start <= token.Start && token.End <= s.End {
			return s.Days
		}
	}
	return 0
}

// statesDay reports whether the question is about a day of the week, and the unit holds that and all else that it
// names.
func (q *parsedQuestion) statesDay(p *passageLayout, best quotableUnit) bool {
	text := p.text[best.start:best.end]
	if !q.isOfAskedDay(text) || q.contentWordCount() < 2 {
		return false
	}
	mayMiss := func(word string) bool { return isFrameWord(word) || timeQuestionWords()[word] }
	return q.isNamedBy(mergeMatches(p.titleMatch, best.meantMatch), mayMiss)
}

// missingAmountLoss is what the confidence loses, in its exponent, where the amount that is asked for is missing.
const missingAmountLoss = 1

// lacksAmount reports whether the question asks for an amount and that none of its kind is there.
func (q *parsedQuestion) lacksAmount(found []float64) bool {
	for i, s := range q.terms {
		// "how often" may be answered by "seldom"
		if s.fromLastMessage && s.measure > measureAmount && found[i] < relatedStrength {
			return true
		}
	}
	return false
}

// unitHasAmount reports whether the sentence itself holds the amount that the question asks for.
func (q *parsedQuestion) unitHasAmount(u quotableUnit) bool {
	return u.kind == markdown.Paragraph && slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.fromLastMessage && s.measure > measureAmount && u.ownMatch[q.termIndex(s.word)] >= relatedStrength
	})
}

// unitHasPrice reports whether the sentence holds the price or the telephone number that the question asks for.
func (q *parsedQuestion) unitHasPrice(u quotableUnit) bool {
	return u.kind == markdown.Paragraph && slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.fromLastMessage && (s.measure == measurePrice || s.measure == measurePhoneNumber) &&
			u.ownMatch[q.termIndex(s.word)] >= relatedStrength
	})
}

// addMeasureMatches adds to what was found the words of the question that an amount in the text answers.
func (q *parsedQuestion) addMeasureMatches(found []float64, text string) {
	var looked, present [measureKindCount]bool
	for i, s := range q.terms {
		if s.measure == measureNone || found[i] >= measureStrength {
			continue
		}
		if !looked[s.measure] {
			looked[s.measure], present[s.measure] = true, q.answersMeasure(s.measure, text)
		}
		if present[s.measure] {
			found[i] = measureStrength
		}
	}
}

// measureByAdjective are adjectives behind "how", measureByNoun words that ask for an amount wherever they are.
var (
	measureByAdjective = measureTable(map[measureKind]func(*language.Measures) wordTable{
		measureAmount:   func(m *language.Measures) wordTable { return m.AmountAdjectives },
		measureDuration: func(m *language.Measures) wordTable { return m.DurationAdjectives },
		measureSize:     func(m *language.Measures) wordTable { return m.SizeAdjectives },
	})
	measureByNoun = measureTable(map[measureKind]func(*language.Measures) wordTable{
		measureDuration:    func(m *language.Measures) wordTable { return m.DurationNouns },
		measureSize:        func(m *language.Measures) wordTable { return m.SizeNouns },
		measurePrice:       func(m *language.Measures) wordTable { return m.PriceNouns },
		measureBound:       func(m *language.Measures) wordTable { return m.BoundNouns },
		measurePhoneNumber: func(m *language.Measures) wordTable { return m.PhoneNouns },
		measureLanguage:    func(m *language.Measures) wordTable { return m.LanguageNouns },
		measurePlaceName:   func(m *language.Measures) wordTable { return m.PlaceNouns },
	})
)

func measureTable(tables map[measureKind]func(*language.Measures) wordTable) func() map[string]measureKind {
	return sync.OnceValue(func() map[string]measureKind {
		lists := map[measureKind]string{}
		for _, l := range language.All() {
			for kind, table := range tables {
				lists[kind] += " " + words.Fold(string(table(&l.Measures)))
			}
		}
		return words.InvertLists(lists)
	})
}

// The forms of amounts, with what the languages write beside a number.
var (
	pricePattern = formatPattern(`(?i)[€$£¥₹₩]\s?\d|\d\s?[€$£¥₹₩]|`+
		`\d\s?(eur|usd|gbp|chf|%s)(\PL|$)|(\d|%s)\s?(%s)|\b(%s)`,
		func(l languageFile) []string { return l.Measures.CurrencyPatterns },
		func(l languageFile) []string { return unspacedWords(l, l.Measures.Numerals) },
		func(l languageFile) []string { return patternsWithoutSpaces(l, l.Measures.CurrencyPatterns) },
		func(l languageFile) []string { return l.Measures.FreePatterns })
	currencyWord = formatPattern(`(?i)^(eur|usd|gbp|chf|%s)$`,
		func(l languageFile) []string { return l.Measures.CurrencyPatterns })
	sizePattern = formatPattern(`(?i)\d\s?([kmgt]i?b|mm|cm|m|km|px|m²|%s)\b`,
		func(l languageFile) []string { return l.Measures.SizePatterns })
	boundPattern     = formatPattern(`(?i)\b(%s)`, func(l languageFile) []string { return l.Measures.BoundPatterns })
	clockTimePattern = formatPattern(`(?i)\b\d{1,2}([:.]\d\d|\s?(%s)\b)`,
		func(l languageFile) []string { return l.Measures.ClockPatterns })
	durationPattern = formatPattern(`(\d|%s)\s?(%s)`,
		func(l languageFile) []string { return unspacedWords(l, l.Measures.Numerals) },
		func(l languageFile) []string { return unspacedWords(l, l.Measures.TimeUnits) })
	// languageNamePattern finds languages by their names, in some of them.
	languageNamePattern = formatPattern(`(?i)\b(%s)`, func(l languageFile) []string {
		return l.Measures.LanguageNamePatterns
	})
)

// patternsWithoutSpaces returns the patterns of a language that sets no words apart: no end of a word is behind them.
func patternsWithoutSpaces(l languageFile, patterns []string) []string {
	if !l.Unspaced {
		return nil
	}
	return patterns
}

func unspacedWords(l languageFile, table wordTable) []string {
	if !l.Unspaced {
		return nil
	}
	return slices.Collect(table.All())
}

// formatPattern returns a pattern with the alternatives of a table in place of each %s. It is made when it is first
// called.
func formatPattern(format string, tables ...func(languageFile) []string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		pattern := format
		for _, table := range tables {
			pattern = strings.Replace(pattern, "%s", strings.Join(language.Patterns(table), "|"), 1)
		}
		return regexp.MustCompile(pattern)
	})
}
