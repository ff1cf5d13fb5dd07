// Package cite finds which stretch of a passage supports a sentence of an answer, and takes the markers that models
// cite with out of their answers.
package cite

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// passageEvidence finds what in one passage supports a sentence of an answer.
type passageEvidence struct {
	text          string
	foldedText    []byte                // the text as locate compares it
	foldedOffsets []int                 // where in the text each byte of that is from
	sentences     []prose.Span          // the passage's sentences
	sentenceStems []map[string]struct{} // what each of them says
	titleStems    map[string]struct{}   // what the headings say
	lang          words.Language
	isLangSure    bool // of the language
}

// maxCitedSentences is how many sentences of a passage are cited together.
const maxCitedSentences = 3

func newEvidence(p *model.Passage) *passageEvidence {
	e := &passageEvidence{text: p.Text, sentences: prose.Sentences(p.Text, 0, len(p.Text))}
	e.foldedText, e.foldedOffsets = foldWithOffsets(p.Text)
	e.lang, e.isLangSure = words.GuessLanguage(words.AppendTokens(nil, p.Text))
	for _, s := range e.sentences {
		e.sentenceStems = append(e.sentenceStems, e.contentStems(p.Text[s.Start:s.End]))
	}
	e.titleStems = e.contentStems(p.SourceName + " " + p.Heading)
	return e
}

// contentStems returns the stems of the words that mean something, and the numbers.
func (e *passageEvidence) contentStems(text string) map[string]struct{} {
	all := map[string]struct{}{}
	for t := range words.Tokens(text) {
		if e.lang.IsStopWord(t.Word) && !t.Unspaced {
			continue
		}
		all[e.lang.Stem(t.Word)] = struct{}{}
	}
	return all
}

// findSupport returns the byte span of the passage that says most of what the sentence says: the sentence itself where
// it is quoted, else up to three sentences in a row. It is false when the passage has nothing of it: no word with a
// meaning, and no number. Where this cannot be judged, because the languages differ or the sentence is a mere yes, the
// whole passage stands for it.
func (e *passageEvidence) findSupport(sentence string) (start, end int, ok bool) {
	if start, end, ok := e.findQuotation(sentence); ok {
		return start, end, true
	}
	wantedStems := e.contentStems(sentence)
	from, to := e.bestSentences(wantedStems)
	switch {
	case from <= to:
		return e.sentences[from].Start, e.sentences[to].End, true
	case len(wantedStems) == 0, e.isOtherLanguage(sentence), countOverlap(wantedStems, e.titleStems, nil) > 0,
		e.sharesCompound(wantedStems):
		return 0, len(e.text), true
	}
	return 0, 0, false
}

// minQuoteBytes is how long a sentence is, in bytes, that is looked for word for word.
const minQuoteBytes = 12

// findQuotation finds the sentence in the passage, word for word but for case, white space, quotation marks and
// emphasis; false when it is not a quotation.
func (e *passageEvidence) findQuotation(sentence string) (start, end int, ok bool) {
	want, _ := foldWithOffsets(sentence)
	want = bytes.TrimRight(want, " .!?:;…。！？")
	if len(want) < minQuoteBytes {
		return 0, 0, false
	}
	i := bytes.Index(e.foldedText, want)
	if i < 0 {
		return 0, 0, false
	}
	last := e.foldedOffsets[i+len(want)-1]
	_, size := utf8.DecodeRuneInString(e.text[last:])
	end = last + size
	if c, size := utf8.DecodeRuneInString(e.text[end:]); isSentenceEnd(c) {
		end += size
	}
	return e.foldedOffsets[i], end, true
}

// bestSentences returns the first and the last of the sentences that say most; none when from is behind to.
func (e *passageEvidence) bestSentences(wantedStems map[string]struct{}) (from, to int) {
	best, score := -1, 0
	for i, stems := range e.sentenceStems {
		if n := countOverlap(wantedStems, stems, nil); n > score || n == score && n > 0 &&
			len(stems) < len(e.sentenceStems[best]) {
			best, score = i, n
		}
	}
	if best < 0 {
		return 0, -1
	}
	from, to = best, best
	wantedCount := max(1, len(wantedStems)/4) // of what the sentences so far have not said
	for to-from+1 < maxCitedSentences {
		covered := e.sentenceStems[from : to+1]
		before, after := 0, 0
		if from > 0 {
			before = countOverlap(wantedStems, e.sentenceStems[from-1], covered)
		}
		if to+1 < len(e.sentenceStems) {
			after = countOverlap(wantedStems, e.sentenceStems[to+1], covered)
		}
		switch {
		case max(before, after) < wantedCount:
			return from, to
		case before > after:
			from--
		default:
			to++
		}
	}
	return from, to
}

// countOverlap counts the stems that both have and none of the others has. A number counts twice.
func countOverlap(wantedStems, stems map[string]struct{}, others []map[string]struct{}) (n int) {
next:
	for stem := range wantedStems {
		if _, ok := stems[stem]; !ok {
			continue
		}
		for _, other := range others {
			if _, ok := other[stem]; ok {
				continue next
			}
		}
		if n++; stem[0] >= '0' && stem[0] <= '9' {
			n++
		}
	}
	return n
}

// isOtherLanguage reports whether the sentence is in another language than the passage, so that words cannot be
// compared.
func (e *passageEvidence) isOtherLanguage(sentence string) bool {
	lang, isSure := words.GuessLanguage(words.AppendTokens(nil, sentence))
	return isSure && e.isLangSure && lang != e.lang
}

const (
	minCompoundBytes = 5  // bytes of a word that is looked for inside others
	maxCompoundStems = 40 // words of a sentence of which that is worth the time
)

// sharesCompound reports whether a word of the sentence is inside one of the passage's, or the other way round:
// parts of compounds.
func (e *passageEvidence) sharesCompound(wantedStems map[string]struct{}) bool {
	if len(wantedStems) > maxCompoundStems {
		return false
	}
	for _, stems := range e.sentenceStems {
		for known := range stems {
			for stem := range wantedStems {
				if len(stem) >= minCompoundBytes && strings.Contains(known, stem) || len(known) >= minCompoundBytes &&
					strings.Contains(stem, known) {
					return true
				}
			}
		}
	}
	return false
}
