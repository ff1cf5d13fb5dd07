package llm

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/prose"
	"parley/internal/words"
)

// told is a sentence of a message as triggers are held against it.
type told struct {
	text       string // the whole message
	start, end int    // of the sentence
	lang       words.Language
	langs      []words.Language // all that it may be written in
	tokens     []heard
	stems      map[words.Language][]string
}

// heard is a word of a sentence; in scripts without spaces it is one character.
type heard struct {
	words.Token
	stop   bool // carries no meaning of its own
	clause int  // which clause of the sentence it stands in
}

// longestTold bounds how much of a message is held against triggers: a request is not a page long.
const longestTold = 4000

// listen cuts the message into sentences.
func listen(message string) (all []told) {
	if len(message) > longestTold {
		message = message[:longestTold]
	}
	langs := tongues(message)
	for _, s := range prose.Sentences(message, 0, len(message)) {
		all = append(all, hear(message, s.Start, s.End, langs))
	}
	return all
}

// hear cuts text[start:end] into words and clauses.
func hear(text string, start, end int, langs []words.Language) told {
	lang := append(langs[:len(langs):len(langs)], words.English)[0]
	s := told{text: text, start: start, end: end, lang: lang, langs: langs, stems: map[words.Language][]string{}}
	before, clause := start, 0
	for t := range words.Tokens(text[start:end]) {
		t.Start, t.End = t.Start+start, t.End+start
		if t.Dense {
			_, n := utf8.DecodeRuneInString(t.Word)
			_, m := utf8.DecodeRuneInString(text[t.Start:])
			t.Word, t.End = t.Word[:n], t.Start+m
		}
		if t.Start > before && strings.ContainsAny(text[before:t.Start], ",;:()–—、，；：（）،؛") || contrasts[t.Word] {
			clause++
		}
		stop := lang.IsStop(t.Word)
		if t.Dense {
			stop = strings.Contains(particles, t.Word)
		}
		s.tokens = append(s.tokens, heard{t, stop, clause})
		before = t.End
	}
	return s
}

// stem is that of a word by the rules of a language.
func (s *told) stem(l words.Language, i int) string {
	stems := s.stems[l]
	if stems == nil {
		for _, h := range s.tokens {
			stems = append(stems, l.Stem(h.Word))
		}
		s.stems[l] = stems
	}
	return stems[i]
}

// raw is a word as it is written, in lower case.
func (s *told) raw(i int) string { return strings.ToLower(s.text[s.tokens[i].Start:s.tokens[i].End]) }

// asks reports that the sentence ends as a question does.
func (s *told) asks() bool {
	end := strings.TrimRight(s.text[s.start:s.end], " \t\r\n!\"'”»)")
	return strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") || strings.HasSuffix(end, "؟")
}

// clauseOf gives where the clause of a word begins.
func (s *told) clauseOf(i int) int {
	return slices.IndexFunc(s.tokens, func(h heard) bool { return h.clause == s.tokens[i].clause })
}
