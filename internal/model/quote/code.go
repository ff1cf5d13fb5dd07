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
		if typed := question[at[0]:at[1]]; !isAmountCode(typed) && !namesYear(typed) && !isInAddress(question, at[0]) &&
			!romanNumberPattern.MatchString(typed) {
			add(typed)
		}
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
	return regexp.MustCompile(`(?:^|[^a-z0-9.]|[^0-9]\.)` + strings.Join(parts, `[-_/.# ]?`) +
		`(?:$|[-.](?:$|[^a-z0-9])|[^a-z0-9.-])`)
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
const missingCodeLoss = 0.6

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
