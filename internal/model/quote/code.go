package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/words"
)

// A code stands for one thing only: what holds for E14 says nothing of E16. So what a question names by a code, by the
// number of an order or by a version must stand in what is quoted.

// askedCode is a code that the question names.
type askedCode struct {
	typed   string
	pattern *regexp.Regexp // finds it in folded text, with and without marks between letters and digits
}

var (
	// codePattern finds codes: letters with digits behind them, "ND-2007", "err4012", "ISO 27001".
	codePattern = regexp.MustCompile(`\b[A-Za-z]{1,8}[-_/.#]?\d{2,}[A-Za-z0-9-]*\b|\b[A-Z]{2,8} \d{2,}\b`)
	// itemNumberPattern finds numbers that may be of one thing: "48213", "2.4", "2.4.1".
	itemNumberPattern = regexp.MustCompile(`(\S*)[ \t:#]+#?(\d+(?:\.\d+)*)\b`)
	// romanNumberPattern finds a Roman number and another behind it: "Bowl XXXIII 38 years".
	romanNumberPattern = regexp.MustCompile(`^[IVXLC]{3,} \d+$`)
	codePartPattern    = regexp.MustCompile(`[a-z]+|\d+(?:\.\d+)*`)
)

// maxAskedCodes is how many codes of a question are looked for.
const maxAskedCodes = 8

// minNumberDigits is how many digits a number has that is a code without a word before it that says so.
const minNumberDigits = 5

// findAskedCodes returns the codes of the question: letters with digits, the number of an order or a version, and long
// numbers.
func findAskedCodes(question string) (codes []askedCode) {
	add := func(typed string) {
		if len(codes) < maxAskedCodes {
			codes = append(codes, askedCode{typed, exactCodePattern(typed)})
		}
	}
	for _, at := range codePattern.FindAllStringIndex(question, -1) {
		typed := question[at[0]:at[1]]
		if !strings.HasPrefix(question[at[1]:], "+") && !isAmountCode(typed) && !namesYear(typed) &&
			!isInAddress(question, at[0]) && !romanNumberPattern.MatchString(typed) {
			add(typed)
		}
	}
	for _, found := range plusPattern.FindAllStringSubmatch(question, -1) {
		add(found[1] + "+")
	}
	for _, at := range itemNumberPattern.FindAllStringSubmatchIndex(question, -1) {
		before, number := words.Fold(strings.Trim(question[at[2]:at[3]], "(\"'“„#.:")), question[at[4]:at[5]]
		if itemWords()[before] || isLongNumber(number, question[at[5]:]) && !telephoneWords()[before] {
			add(number)
		}
	}
	return codes
}

// isAmountCode reports whether letters before digits are a currency: "EUR 50".
func isAmountCode(code string) bool {
	letters := strings.ToLower(strings.TrimRight(code, "0123456789 "))
	return listContains("eur usd gbp chf", letters)
}

// isInAddress reports whether the place is inside an address of the web or of mail.
func isInAddress(text string, at int) bool {
	word := text[strings.LastIndexAny(text[:at], " \n\t")+1:]
	word, _, _ = strings.Cut(word, " ")
	return strings.Contains(word, "://") || strings.Contains(word, "@")
}

// namesYear reports whether the digits are a year: "mid-1990s".
func namesYear(code string) bool {
	letters := strings.TrimRight(code, "0123456789-_/.#")
	if letters == strings.ToUpper(letters) && !strings.Contains(code, " ") {
		return false // "KP-2000"
	}
	digits := codePartPattern.FindAllString(words.Fold(code), 2)
	return len(digits) == 2 && words.KindOf(digits[1])&words.Time != 0
}

// isLongNumber reports whether a number that so much of the question is behind is long enough to be of one thing, and
// counts nothing.
func isLongNumber(number, rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return len(number) >= minNumberDigits && !strings.Contains(number, ".") && !unicode.IsLetter(r) &&
		!strings.HasPrefix(rest, ",")
}

// exactCodePattern returns what finds the code and no longer one that begins or ends like it.
func exactCodePattern(code string) *regexp.Regexp {
	parts := codePartPattern.FindAllString(words.Fold(code), -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	if strings.HasSuffix(code, "+") {
		return regexp.MustCompile(`(?:^|[^a-z0-9.]|[^0-9]\.)` + strings.Join(parts, `[-_/.# ]?`) + `\+(?:$|[^a-z0-9+])`)
	}
	return regexp.MustCompile(`(?:^|[^a-z0-9.]|[^0-9]\.)` + strings.Join(parts, `[-_/.# ]?`) +
		`(?:$|[-.](?:$|[^a-z0-9])|\+(?:$|[a-z0-9])|[^a-z0-9.+-])`)
}

// asksMeasure reports whether the question asks for an amount of a kind.
func (q *parsedQuestion) asksMeasure() bool {
	return slices.ContainsFunc(q.terms, func(s questionTerm) bool { return s.fromLastMessage && s.measure != measureNone })
}

func (c askedCode) isIn(text string) bool { return c.pattern.MatchString(words.Fold(text)) }

// missingCodes returns the codes of the question that are in none of the texts.
func (q *parsedQuestion) missingCodes(texts ...string) (missing []askedCode) {
	for _, c := range q.codes {
		if !slices.ContainsFunc(texts, c.isIn) {
			missing = append(missing, c)
		}
	}
	return missing
}

// missingCodeLoss is what a unit loses that does not name a code of the question, nor what is above it.
const missingCodeLoss = 0.8

// codeLoss returns what a unit loses for the codes of the question that neither it names, nor what it refers to, nor
// the headings above.
func (q *parsedQuestion) codeLoss(c *unitContext, text, before string) float64 {
	if len(q.codes) == 0 || len(q.missingCodes(append(slices.Clone(c.titles), text, before)...)) == 0 {
		return 0
	}
	return missingCodeLoss
}

// codesNowhere returns the codes of the question that no passage names, nor its headings.
func (q *parsedQuestion) codesNowhere(passages []model.Passage) []askedCode {
	missing := q.codes
	for _, p := range passages {
		missing = slices.DeleteFunc(slices.Clone(missing), func(c askedCode) bool {
			return c.isIn(p.Text) || c.isIn(p.Heading) || c.isIn(p.SourceName)
		})
	}
	return missing
}

// What an abbreviation stands for is said where it is brought in: "return shipment number (RSN)", "SLA (service level
// agreement)", "a service level agreement, or SLA for short". The question has words that no such sentence has.

// answerMeaning quotes the first sentence that says what the abbreviation in question stands for.
func answerMeaning(req model.Request, message string) (reply, bool) {
	if !words.ContainsPhrase(withoutMarks(message), meaningPhrases()) || len(message) > maxOpeningBytes {
		return reply{}, false
	}
	for _, w := range splitWords(message) {
		short := strings.ToUpper(w)
		if n := utf8.RuneCountInString(short); n < minShortLetters || n > maxShortLetters || short == w {
			continue // a script without capitals shows no abbreviations
		}
		for i, p := range req.Passages {
			explains := func(sentence string) bool { return spellsOut(sentence, short) }
			if list := linesWith(p.Text, i, explains); len(list) > 0 {
				return quoteLine(req, list[0]), true
			}
		}
	}
	return reply{}, false
}

// How many letters an abbreviation has that is asked for.
const (
	minShortLetters = 2
	maxShortLetters = 8
)

// spellsOut reports whether a sentence says what an abbreviation stands for.
func spellsOut(sentence, short string) bool {
	at := strings.Index(sentence, short)
	if at < 0 || !isApart(sentence, at, at+len(short)) {
		return false
	}
	before, behind := sentence[:at], sentence[at+len(short):]
	inside, hasInside := strings.CutPrefix(strings.TrimLeft(behind, " "), "(")
	switch {
	case hasInside && strings.Contains(inside, ")"):
		inside, _, _ = strings.Cut(inside, ")")
		return beginsAs(inside, short)
	case strings.HasSuffix(before, "(") && strings.HasPrefix(behind, ")"), hasInitials(splitWords(before), short):
		return hasInitials(splitWords(before), short) || anyBeginsAs(before, short)
	}
	return words.ContainsPhrase(withoutMarks(behind), meaningPhrases())
}

// isApart reports whether the stretch is a word of its own.
func isApart(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	behind, _ := utf8.DecodeRuneInString(text[to:])
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return !isPart(before) && !isPart(behind)
}

// beginsAs reports whether a text begins with the first letter of the abbreviation and has the others behind it.
func beginsAs(text, short string) bool {
	text = strings.TrimLeft(strings.ToUpper(text), " \"“„«'")
	for i, letter := range short {
		at := strings.IndexRune(text, letter)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+utf8.RuneLen(letter):]
	}
	return true
}

// maxLongWords is how many words before an abbreviation may be what it stands for.
const maxLongWords = 8

// anyBeginsAs reports whether what is behind one of the last words does.
func anyBeginsAs(text, short string) bool {
	list := strings.Fields(text)
	list = list[max(0, len(list)-maxLongWords):]
	for i := range list {
		if beginsAs(strings.Join(list[i:], " "), short) {
			return true
		}
	}
	return false
}

// hasInitials reports whether some of the words in a row begin with the letters of the abbreviation; small words
// between them may be left out of it.
func hasInitials(list []string, short string) bool {
	letters := []rune(words.Fold(short))
	for from := max(0, len(list)-2*maxLongWords); from < len(list); from++ {
		left := letters
		for _, w := range list[from:] {
			r, _ := utf8.DecodeRuneInString(w)
			if len(left) > 0 && r == left[0] {
				left = left[1:]
			} else if !isStopWordOfAny(w) {
				break
			}
		}
		if len(left) == 0 {
			return true
		}
	}
	return false
}
