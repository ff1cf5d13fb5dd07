package llm

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"parley/internal/prose"
	"parley/internal/words"
)

// evidence finds what in one passage supports a sentence of an answer.
type evidence struct {
	text  string
	plain []byte                // the text as locate compares it
	from  []int                 // where in the text each byte of that is from
	spans []prose.Span          // the passage's sentences
	stems []map[string]struct{} // what each of them says
	title map[string]struct{}   // what the headings say
	lang  words.Language
	sure  bool // of the language
}

// mostSentences is how many sentences of a passage are cited together.
const mostSentences = 3

func newEvidence(p *Passage) *evidence {
	e := &evidence{text: p.Text, spans: prose.Sentences(p.Text, 0, len(p.Text))}
	e.plain, e.from = folded(p.Text)
	e.lang, e.sure = words.Guess(words.Cut(nil, p.Text))
	for _, s := range e.spans {
		e.stems = append(e.stems, e.content(p.Text[s.Start:s.End]))
	}
	e.title = e.content(p.SourceName + " " + p.Heading)
	return e
}

// content gives the stems of the words that mean something, and the numbers.
func (e *evidence) content(text string) map[string]struct{} {
	all := map[string]struct{}{}
	for t := range words.Tokens(text) {
		if e.lang.IsStop(t.Word) && !t.Dense {
			continue
		}
		all[e.lang.Stem(t.Word)] = struct{}{}
	}
	return all
}

// support gives the byte span of the passage that says most of what the sentence says: the sentence itself where it is quoted, else
// up to three sentences in a row. It is false when the passage has nothing of it: no word with a meaning, and no number. Where this
// cannot be judged, because the languages differ or the sentence is a mere yes, the whole passage stands for it.
func (e *evidence) support(sentence string) (start, end int, ok bool) {
	if start, end, ok := e.locate(sentence); ok {
		return start, end, true
	}
	said := e.content(sentence)
	from, to := e.best(said)
	switch {
	case from <= to:
		return e.spans[from].Start, e.spans[to].End, true
	case len(said) == 0, e.foreign(sentence), overlap(said, e.title, nil) > 0, e.kin(said):
		return 0, len(e.text), true
	}
	return 0, 0, false
}

// shortestQuote is how long a sentence is, in bytes, that is looked for word for word.
const shortestQuote = 12

// locate finds the sentence in the passage, word for word but for case, white space, quotation marks and emphasis; false when it is
// not a quotation.
func (e *evidence) locate(sentence string) (start, end int, ok bool) {
	want, _ := folded(sentence)
	want = bytes.TrimRight(want, " .!?:;…。！？")
	if len(want) < shortestQuote {
		return 0, 0, false
	}
	i := bytes.Index(e.plain, want)
	if i < 0 {
		return 0, 0, false
	}
	last := e.from[i+len(want)-1]
	_, size := utf8.DecodeRuneInString(e.text[last:])
	end = last + size
	if c, size := utf8.DecodeRuneInString(e.text[end:]); endsSentence(c) {
		end += size
	}
	return e.from[i], end, true
}

// best gives the first and the last of the sentences that say most; none when from is behind to.
func (e *evidence) best(said map[string]struct{}) (from, to int) {
	best, score := -1, 0
	for i, stems := range e.stems {
		if n := overlap(said, stems, nil); n > score || n == score && n > 0 && len(stems) < len(e.stems[best]) {
			best, score = i, n
		}
	}
	if best < 0 {
		return 0, -1
	}
	from, to = best, best
	enough := max(1, len(said)/4) // of what the sentences so far have not said
	for to-from+1 < mostSentences {
		covered := e.stems[from : to+1]
		before, after := 0, 0
		if from > 0 {
			before = overlap(said, e.stems[from-1], covered)
		}
		if to+1 < len(e.stems) {
			after = overlap(said, e.stems[to+1], covered)
		}
		switch {
		case max(before, after) < enough:
			return from, to
		case before > after:
			from--
		default:
			to++
		}
	}
	return from, to
}

// overlap counts the stems that both have and none of the others has. A number counts twice.
func overlap(said, stems map[string]struct{}, others []map[string]struct{}) (n int) {
next:
	for stem := range said {
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

// foreign reports that the sentence is in another language than the passage, so that words cannot be compared.
func (e *evidence) foreign(sentence string) bool {
	lang, sure := words.Guess(words.Cut(nil, sentence))
	return sure && e.sure && lang != e.lang
}

const (
	shortestKin = 5  // bytes of a word that is looked for inside others
	mostKin     = 40 // words of a sentence of which that is worth the time
)

// kin reports that a word of the sentence stands inside one of the passage's, or the other way round: parts of compounds.
func (e *evidence) kin(said map[string]struct{}) bool {
	if len(said) > mostKin {
		return false
	}
	for _, stems := range e.stems {
		for have := range stems {
			for stem := range said {
				if len(stem) >= shortestKin && strings.Contains(have, stem) || len(have) >= shortestKin && strings.Contains(stem, have) {
					return true
				}
			}
		}
	}
	return false
}
