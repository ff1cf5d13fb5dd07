package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// parsedSentence is a sentence of a message as triggers are held against it.
type parsedSentence struct {
	text       string // the whole message
	start, end int    // of the sentence
	lang       words.Language
	langs      []words.Language // all that it may be written in
	tokens     []sentenceWord
	stems      map[words.Language][]string
}

// sentenceWord is a word of a sentence; in scripts without spaces it is one character.
type sentenceWord struct {
	words.Token
	isStop      bool // carries no meaning of its own
	clauseIndex int  // which clause of the sentence it stands in
}

// maxTriggerTextBytes bounds how much of a message is held against triggers: a request is not a page long.
const maxTriggerTextBytes = 4000

// splitSentences cuts the message into sentences.
func splitSentences(message string) (all []parsedSentence) {
	if len(message) > maxTriggerTextBytes {
		message = message[:maxTriggerTextBytes]
	}
	langs := words.LikelyLanguages(message)
	for _, s := range prose.Sentences(message, 0, len(message)) {
		all = append(all, parseSentence(message, s.Start, s.End, langs))
	}
	return all
}

// parseSentence cuts text[start:end] into words and clauses.
func parseSentence(text string, start, end int, langs []words.Language) parsedSentence {
	lang := append(langs[:len(langs):len(langs)], words.English)[0]
	s := parsedSentence{text: text, start: start, end: end, lang: lang, langs: langs, stems: map[words.Language][]string{}}
	before, clause := start, 0
	for t := range words.Tokens(text[start:end]) {
		t.Start, t.End = t.Start+start, t.End+start
		if t.Unspaced {
			_, n := utf8.DecodeRuneInString(t.Word)
			_, m := utf8.DecodeRuneInString(text[t.Start:])
			t.Word, t.End = t.Word[:n], t.Start+m
		}
		if t.Start > before && strings.ContainsAny(text[before:t.Start], ",;:()–—、，；：（）،؛") || contrastWords[t.Word] {
			clause++
		}
		stop := lang.IsStopWord(t.Word)
		if t.Unspaced {
			stop = strings.Contains(particleRunes, t.Word)
		}
		s.tokens = append(s.tokens, sentenceWord{t, stop, clause})
		before = t.End
	}
	return s
}

// stemOf is that of a word by the rules of a language.
func (s *parsedSentence) stemOf(l words.Language, i int) string {
	stems := s.stems[l]
	if stems == nil {
		for _, h := range s.tokens {
			stems = append(stems, l.Stem(h.Word))
		}
		s.stems[l] = stems
	}
	return stems[i]
}

// rawWord is a word as it is written, in lower case.
func (s *parsedSentence) rawWord(i int) string {
	return strings.ToLower(s.text[s.tokens[i].Start:s.tokens[i].End])
}

// isQuestion reports that the sentence ends as a question does.
func (s *parsedSentence) isQuestion() bool {
	end := strings.TrimRight(s.text[s.start:s.end], " \t\r\n!\"'”»)")
	return strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") || strings.HasSuffix(end, "؟")
}

// clauseStart returns where the clause of a word begins.
func (s *parsedSentence) clauseStart(i int) int {
	return slices.IndexFunc(s.tokens, func(h sentenceWord) bool { return h.clauseIndex == s.tokens[i].clauseIndex })
}
