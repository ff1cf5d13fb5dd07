package redact

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"parley/internal/text/language"
	"parley/internal/text/words"
)

// numberCue is what the words before a number say that it is.
type numberCue int

const (
	cueNone  numberCue = iota
	cuePhone           // a telephone number
	cueID              // a number of an identity document or a tax payer
	cueItem            // a number of an order, an invoice, a product
)

// maxCueDistance is how many characters before a number are read for a cue.
const maxCueDistance = 32

var cueByWord = sync.OnceValue(func() map[string]numberCue {
	lists := map[numberCue]string{}
	for _, l := range language.All() {
		if !l.Unspaced {
			lists[cuePhone] += " " + words.Fold(string(l.Redaction.PhoneWords))
			lists[cueID] += " " + words.Fold(string(l.Redaction.IDWords))
			lists[cueItem] += " " + words.Fold(string(l.Redaction.ItemWords))
		}
	}
	return words.InvertLists(lists)
})

type phraseCue struct {
	phrase string
	cue    numberCue
}

// phraseCues are cues of more than one word, or are written without spaces between words.
var phraseCues = sync.OnceValue(func() (all []phraseCue) {
	add := func(cue numberCue, phrases iter.Seq[string]) {
		for p := range phrases {
			all = append(all, phraseCue{words.Fold(p), cue})
		}
	}
	for _, l := range language.All() {
		r := l.Redaction
		if l.Unspaced {
			add(cuePhone, r.PhoneWords.All())
			add(cueID, r.IDWords.All())
			add(cueItem, r.ItemWords.All())
		}
		add(cuePhone, r.PhonePhrases.All())
		add(cueID, r.IDPhrases.All())
	}
	return all
})

// cueBefore returns what the words before a number say that it is.
func (f *foldedText) cueBefore(start int) numberCue {
	if f.cachedCueIndex != start {
		f.cachedCue, f.cachedCueIndex = f.readCue(start), start
	}
	return f.cachedCue
}

// readCue reads the words before a number, the nearest one first, back to another number, a mask, the end of a sentence
// or a line.
func (f *foldedText) readCue(start int) numberCue {
	from := start
	for from > 0 && start-from < maxCueDistance && f.chars[from-1] != maskChar && f.chars[from-1] != '\n' &&
		!isASCIIDigit(f.chars[from-1]) && !f.endsSentenceAt(from-1) {
		from--
	}
	before := string(f.chars[from:start])
	if strings.HasSuffix(strings.TrimRight(before, "(+"), "#") {
		return cueItem
	}
	found, at := cueNone, -1
	for _, c := range phraseCues() {
		if i := strings.LastIndex(before, c.phrase); i > at {
			found, at = c.cue, i
		}
	}
	if w, i := findLastCue(before); i > at {
		found = w
	}
	return found
}

// endsSentenceAt reports whether a character ends a sentence; an abbreviation like "tel." ends none.
func (f *foldedText) endsSentenceAt(i int) bool {
	switch f.chars[i] {
	case '!', '?', '。', '；', ';':
		return true
	case '.':
		return f.charAt(i+1) == ' ' && i >= 5 && !slices.ContainsFunc(f.chars[i-4:i], func(c rune) bool {
			return !isWordLetter(c)
		})
	}
	return false
}

func findLastCue(before string) (found numberCue, at int) {
	end := len(before)
	for i := len(before) - 1; i >= -1; i-- {
		if i >= 0 && isCueByte(before[i]) {
			continue
		}
		if c := cueByWord()[before[i+1:end]]; c != cueNone {
			return c, i + 1
		}
		end = max(i, 0)
	}
	return cueNone, -1
}

func isCueByte(c byte) bool { return 'a' <= c && c <= 'z' || c >= 0x80 }
