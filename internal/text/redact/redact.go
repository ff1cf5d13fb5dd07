// Package redact masks personal data in texts: e-mail addresses, telephone numbers, payment cards and identity numbers.
package redact

import (
	"slices"
	"strings"
)

// Span is a part of a text that holds personal data.
type Span struct {
	Start, End int    // byte span
	Kind       string // email, phone, card, id
}

// span is a range of characters of a folded text.
type span struct{ Start, End int }

// Text masks e-mail addresses, phone numbers, payment cards and identity numbers as [email], [phone], [card] and [id].
// Redacting the result again changes nothing.
func Text(text string) string { return maskSpans(text, Spans(text)) }

// Spans finds what Text masks, in the order of the text; the spans do not overlap.
func Spans(text string) []Span {
	if !mayHoldPrivateData(text) {
		return nil
	}
	return newFoldedText(text).findPrivate()
}

// mayHoldPrivateData reports whether a text may hold personal data, as most cannot: an address has an @, a number has
// digits.
func mayHoldPrivateData(text string) bool {
	digits := 0
	for i, r := range text {
		switch {
		case r == '@' || r == '＠' || r == '﹫':
			return true
		case r == '%' && escapeLength(text[i:]) > 0:
			return true
		case isDecimal(r):
			if digits++; digits >= minDigits {
				return true
			}
		}
	}
	return false
}

// minDigits is what the shortest number that is masked has: that of a passport.
const minDigits = 4

func maskSpans(text string, found []Span) string {
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

// maxRounds bounds how often a text is looked through: what was masked may show what is beside it.
const maxRounds = 4

// findPrivate looks for one kind after the other. What is found bounds those that follow, as its mask would.
func (f *foldedText) findPrivate() (all []Span) {
	for range maxRounds {
		before := len(all)
		for _, finder := range []struct {
			kind string
			find func() []span
		}{{"email", f.findEmails}, {"id", f.findIBANs}, {"id", f.findCodes}, {"id", f.findIDNumbers},
			{"card", f.findCards}, {"phone", f.findPhones}} {
			for _, s := range finder.find() {
				if slices.Contains(f.chars[s.Start:s.End], maskChar) {
					continue // the extension of the one before
				}
				all = append(all, Span{Start: f.offsets[s.Start], End: f.offsets[s.End], Kind: finder.kind})
				f.maskOut(s)
			}
		}
		if len(all) == before {
			break
		}
	}
	slices.SortFunc(all, func(a, b Span) int { return a.Start - b.Start })
	return all
}
