package prose

import (
	"slices"
	"strings"
)

// Private is a stretch of a text that holds personal data.
type Private struct {
	Start, End int    // byte span
	Kind       string // email, phone, card, id
}

// Redact masks e-mail addresses, phone numbers, payment cards and identity numbers as [email], [phone], [card] and [id].
// Redacting the result again changes nothing.
func Redact(text string) string { return mask(text, RedactSpans(text)) }

// RedactSpans finds what Redact masks, in the order of the text; the spans do not overlap.
func RedactSpans(text string) []Private {
	if !suspicious(text) {
		return nil
	}
	return newReading(text).find()
}

// suspicious tells texts that may hold personal data from the many that cannot: an address has an @, a number has digits.
func suspicious(text string) bool {
	digits := 0
	for i, r := range text {
		switch {
		case r == '@' || r == '＠' || r == '﹫':
			return true
		case r == '%' && escape(text[i:]) > 0:
			return true
		case isDecimal(r):
			if digits++; digits >= fewestDigits {
				return true
			}
		}
	}
	return false
}

// fewestDigits is what the shortest number that is masked has: that of a passport.
const fewestDigits = 4

func mask(text string, found []Private) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, p := range found {
		b.WriteString(text[at:p.Start])
		b.WriteString("[" + p.Kind + "]")
		at = p.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// mostRounds bounds how often a text is looked through: what was masked may show what stands beside it.
const mostRounds = 4

// find looks for one kind after the other. What was found is a wall for those that follow, as its mask would be.
func (r *reading) find() (all []Private) {
	for range mostRounds {
		before := len(all)
		for _, look := range []struct {
			kind string
			find func() []Span
		}{{"email", r.emails}, {"id", r.ibans}, {"id", r.codes}, {"id", r.idNumbers}, {"card", r.cards}, {"phone", r.phones}} {
			for _, s := range look.find() {
				if slices.Contains(r.chars[s.Start:s.End], wallChar) {
					continue // the extension of the one before
				}
				all = append(all, Private{Start: r.at[s.Start], End: r.at[s.End], Kind: look.kind})
				r.wall(s)
			}
		}
		if len(all) == before {
			break
		}
	}
	slices.SortFunc(all, func(a, b Private) int { return a.Start - b.Start })
	return all
}
