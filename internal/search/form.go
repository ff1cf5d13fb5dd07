package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/text/words"
)

// Words have other forms under which they are found: "ZK-100", "ZK 100" and "ZK100" are one thing, as are "re-entry"
// and "reentry", "1,299" and "1299", "+49 170 5550134" and "+491705550134", "Rückerstattung" and "rueckerstattung". The
// index holds the words and these forms; a query asks for the words or for a form of them.

// joinedForm is tokens written as one word.
type joinedForm struct {
	word        string
	first, last int // of the tokens
}

// Bounds of a run that is written as one word, too.
const (
	maxRunTokens   = 10
	maxFormBytes   = 40
	minNumberBytes = 7 // of a number in groups that are no thousands
)

// joinedForms yields what runs of the tokens are as one word.
func joinedForms(text string, all []token) iter.Seq[joinedForm] {
	return func(yield func(joinedForm) bool) {
		bound, counted := 0, 0 // ends of the runs so far
		for i := range all {
			if !canJoin(all[i]) {
				continue
			}
			if i >= bound {
				if bound = runEnd(text, all, i, isBound); bound > i+1 && !yieldForm(yield, all, i, bound) {
					return
				}
			}
			if i+1 < len(all) && isSpacedCode(text, all[i], all[i+1]) && !yieldForm(yield, all, i, i+2) {
				return
			}
			if i < counted || !hasDigit(all[i].word) {
				continue
			}
			counted = runEnd(text, all, i, isInNumber)
			for end := i + 2; end <= counted; end++ {
				if isNumberInGroups(all[i:end]) && !yieldForm(yield, all, i, end) {
					return
				}
			}
		}
	}
}

func yieldForm(yield func(joinedForm) bool, all []token, from, to int) bool {
	var b strings.Builder
	for _, t := range all[from:to] {
		b.WriteString(t.word)
	}
	return b.Len() > maxFormBytes || yield(joinedForm{b.String(), from, to - 1})
}

func canJoin(t token) bool { return !t.isPart && !t.isSign && !words.IsUnspaced(t.word) }

// runEnd returns the end of the run of tokens that begins at i.
func runEnd(text string, all []token, i int, isJoined func(gap string, a, b token) bool) int {
	end := i + 1
	for end < min(len(all), i+maxRunTokens) && canJoin(all[end]) && all[end-1].end <= all[end].start &&
		isJoined(text[all[end-1].end:all[end].start], all[end-1], all[end]) {
		end++
	}
	return end
}

// isBound reports whether a sign makes one word of two: a hyphen, an apostrophe and, in codes, some others.
func isBound(gap string, a, b token) bool {
	switch gap {
	case "-", "'", "’", "\u2010", "\u2011":
		return true
	case "_", "/", ".", "#":
		return hasDigit(a.word) != hasDigit(b.word)
	}
	return false
}

// isSpacedCode reports whether two tokens are letters and digits with a space between them: "iPhone 15", "5 kg".
func isSpacedCode(text string, a, b token) bool {
	if !canJoin(b) || a.end > b.start || isDigit(a.word[0]) == isDigit(b.word[0]) || hasDigit(a.word) == hasDigit(b.word) {
		return false
	}
	r, n := utf8.DecodeRuneInString(text[a.end:b.start])
	return n == b.start-a.end && unicode.Is(unicode.Zs, r)
}

// isInNumber reports whether two tokens with digits may be groups of one number.
func isInNumber(gap string, _, b token) bool {
	return hasDigit(b.word) && gap != "" && len(gap) <= 4 && strings.Trim(gap, " \u00a0\u202f-/.,()'’") == ""
}

// isNumberInGroups reports whether the groups are one number: of thousands, or long.
func isNumberInGroups(groups []token) bool {
	size, isThousands := 0, len(groups[0].word) <= 3
	for i, g := range groups {
		size += len(g.word)
		isThousands = isThousands && (i == 0 || len(g.word) == 3) && strings.Trim(g.word, "0123456789") == ""
	}
	return isThousands || size >= minNumberBytes
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// codeParts cuts a word where its letters end and its digits begin: "iphone15", "zk100b".
func codeParts(word string) (letters, rest string, ok bool) {
	at := strings.IndexAny(word, "0123456789")
	if at < 2 || strings.ContainsAny(word, "\ue001\ue002\ue003\ue004") {
		return "", "", false
	}
	return word[:at], word[at:], true
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "ae", "Ö", "oe", "Ü", "ue")

// spellUmlauts returns a word with its umlauts as two letters; empty for one without.
func spellUmlauts(typed string) string {
	isASCII := !strings.ContainsFunc(typed, func(r rune) bool { return r >= utf8.RuneSelf })
	if isASCII {
		return ""
	}
	typed = words.Compose(typed)
	spelled := umlauts.Replace(typed)
	if spelled == typed {
		return ""
	}
	return parley.ClipBytes(words.Fold(spelled), maxTokenBytes)
}

// tokensWithForms returns the words of a text and their forms, in the order of their beginnings.
func tokensWithForms(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		var part []token // a stretch of the tokens, so that no more of a long text is kept
		for t := range tokens(text) {
			if part = append(part, t); len(part) == maxTokensAtOnce {
				cut := len(part) - maxRunTokens
				if !yieldWithForms(yield, text, part, cut) {
					return
				}
				part = slices.Delete(part, 0, cut)
			}
		}
		yieldWithForms(yield, text, part, len(part))
	}
}

const maxTokensAtOnce = 1 << 12

// yieldWithForms yields the tokens before the cut with the forms that begin there.
func yieldWithForms(yield func(token) bool, text string, all []token, cut int) bool {
	list := make([]token, 0, cut+cut/4)
	for _, t := range all[:cut] {
		list = append(list, t)
		if letters, rest, ok := codeParts(t.word); ok {
			list = append(list, token{word: letters, start: t.start, end: t.end, isForm: true},
				token{word: rest, start: t.start, end: t.end, isForm: true})
		}
		if spelled := spellUmlauts(text[t.start:t.end]); spelled != "" {
			list = append(list, token{word: spelled, start: t.start, end: t.end, isForm: true})
		}
	}
	for f := range joinedForms(text, all) {
		if f.first < cut {
			list = append(list, token{word: f.word, start: all[f.first].start, end: all[f.last].end, isForm: true})
		}
	}
	slices.SortStableFunc(list, func(a, b token) int { return cmp.Compare(a.start, b.start) })
	for _, t := range list {
		if !yield(t) {
			return false
		}
	}
	return true
}
