package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text/words"
)

// trigger is a phrase that calls for a tool: words that a message must hold in this order, and holes that it fills.
type trigger struct {
	text         string
	lang         words.Language
	langs        []words.Language // all that it may be written in
	words        []triggerWord
	placeholders []triggerPlaceholder
	isQuestion   bool // the phrase is a question itself
}

type triggerWord struct {
	word, stem string
	isUnspaced bool
}

type triggerPlaceholder struct {
	name        string
	wordsBefore int      // how many of the trigger's words are before it
	leadWords   []string // small words right before it: the "in" of "weather in {city}"
}

const maxCachedTriggers = 4096

// parsedTriggers remembers phrases that were read: they are the same from message to message.
var parsedTriggers triggerCache

type triggerCache struct {
	mu      sync.Mutex
	entries map[string]trigger
}

func (c *triggerCache) parse(phrase string) trigger {
	c.mu.Lock()
	t, ok := c.entries[phrase]
	c.mu.Unlock()
	if ok {
		return t
	}
	t = parseTrigger(phrase)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxCachedTriggers {
		c.entries = map[string]trigger{}
	}
	c.entries[phrase] = t
	return t
}

var placeholderPattern = regexp.MustCompile(`\{([^{}]*)\}`)

// parseTrigger reads a phrase. Words without a meaning of their own are left out, unless hardly anything else is there.
func parseTrigger(phrase string) trigger {
	langs := words.LikelyLanguages(placeholderPattern.ReplaceAllString(phrase, " "))
	whole := parseSentence(phrase, 0, len(phrase), langs)
	t := trigger{text: phrase, lang: whole.lang, langs: langs}
	t.isQuestion = whole.mood(len(whole.tokens)) != moodStatement
	holes := placeholderPattern.FindAllStringSubmatchIndex(phrase, -1)
	keep := newWordFilter(whole.tokens, holes)
	at := 0
	for _, m := range holes {
		lead := t.addWords(parseSentence(phrase, at, m[0], langs).tokens, true, keep)
		t.placeholders = append(t.placeholders, triggerPlaceholder{strings.TrimSpace(phrase[m[2]:m[3]]), len(t.words), lead})
		at = m[1]
	}
	t.addWords(parseSentence(phrase, at, len(phrase), langs).tokens, false, keep)
	return t
}

// newWordFilter returns which words of the trigger count: those with a meaning; with only one of them, small words
// count too.
func newWordFilter(tokens []sentenceWord, holes [][]int) func(sentenceWord) bool {
	content := 0
	for _, h := range tokens {
		inside := slices.ContainsFunc(holes, func(m []int) bool { return m[0] <= h.Start && h.Start < m[1] })
		if !inside && !h.isStop {
			content++
		}
	}
	switch content {
	case 0:
		return func(sentenceWord) bool { return true }
	case 1:
		return func(h sentenceWord) bool {
			return !h.isStop || !h.Unspaced && !ignorableWords()[h.Word] && !politeWords()[h.Word]
		}
	}
	return func(h sentenceWord) bool { return !h.isStop }
}

// addWords adds the words of a stretch. It returns the small ones at its end where a placeholder follows.
func (t *trigger) addWords(tokens []sentenceWord, leads bool, keep func(sentenceWord) bool) (lead []string) {
	end := len(tokens)
	for leads && end > 0 && tokens[end-1].isStop {
		end--
	}
	for _, h := range tokens[end:] {
		lead = append(lead, h.Word)
	}
	for _, h := range tokens[:end] {
		if keep(h) {
			t.words = append(t.words, triggerWord{h.Word, t.lang.Stem(h.Word), h.Unspaced})
		}
	}
	return lead
}

// triggerMatch is where a sentence holds a trigger.
type triggerMatch struct {
	wordIndexes []int // the trigger's words among those of the sentence
	captures    map[string]capturedSpan
}

// capturedSpan is a byte span of the message that is in a trigger's hole.
type capturedSpan struct {
	start, end   int
	reachesEnd   bool // nothing of the trigger follows
	hasLeadWords bool // the small words of the trigger lead to it
}

const (
	maxStrayWords  = 2 // words with a meaning between two neighbours of a trigger
	maxSmallWords  = 6 // words of any kind there
	maxFilledWords = 12
)

// matchSentence finds the trigger's words in their order with few others between them.
func (t *trigger) matchSentence(s *parsedSentence) (triggerMatch, bool) {
	if len(t.words) == 0 {
		return triggerMatch{}, false
	}
	for first := range s.tokens {
		if !s.matchesWord(first, t.words[0], t) {
			continue
		}
		if at := t.matchFrom(s, first); at != nil {
			return triggerMatch{at, t.captureValues(s, at)}, true
		}
	}
	return triggerMatch{}, false
}

func (t *trigger) matchFrom(s *parsedSentence, first int) []int {
	at := []int{first}
	for n := 1; n < len(t.words); n++ {
		next := t.findNextWord(s, n, at[n-1])
		if next < 0 {
			return nil
		}
		at = append(at, next)
	}
	return at
}

// findNextWord finds the trigger's n-th word behind the one before it.
func (t *trigger) findNextWord(s *parsedSentence, n, before int) int {
	stray, limit := 0, maxSmallWords
	filled := slices.ContainsFunc(t.placeholders, func(h triggerPlaceholder) bool { return h.wordsBefore == n })
	if filled {
		limit = maxFilledWords
	}
	for i := before + 1; i < len(s.tokens) && i-before-1 <= limit; i++ {
		switch {
		case s.matchesWord(i, t.words[n], t):
			return i
		case !s.tokens[i].isStop && !s.tokens[i].Unspaced:
			stray++
		}
		if stray > maxStrayWords && !filled {
			return -1
		}
	}
	return -1
}

// matchesWord reports whether a word of the sentence is the wanted one, in whatever form but the past: what was done is
// not asked for.
func (s *parsedSentence) matchesWord(i int, w triggerWord, t *trigger) bool {
	h := s.tokens[i]
	if h.Word == w.word {
		return true
	}
	if w.isUnspaced || h.Unspaced || len(w.stem) < 3 || h.Word[0] != w.word[0] || !s.hasSameStem(i, w, t) {
		return false
	}
	raw := s.rawWord(i)
	return !slices.ContainsFunc(pastTenseEndings(), func(end string) bool {
		return strings.HasSuffix(raw, end) && !strings.HasSuffix(w.word, end)
	})
}

// hasSameStem cuts the endings of the sentence's language and of the trigger's, and of any that both may be written in.
func (s *parsedSentence) hasSameStem(i int, w triggerWord, t *trigger) bool {
	if s.stemOf(t.lang, i) == w.stem || s.stemOf(s.lang, i) == s.lang.Stem(w.word) {
		return true
	}
	return slices.ContainsFunc(commonLanguages(s.langs, t.langs), func(l words.Language) bool {
		return s.stemOf(l, i) == l.Stem(w.word)
	})
}

func (t *trigger) captureValues(s *parsedSentence, at []int) map[string]capturedSpan {
	found := map[string]capturedSpan{}
	for i := 0; i < len(t.placeholders); {
		last := i + 1
		for last < len(t.placeholders) && t.placeholders[last].wordsBefore == t.placeholders[i].wordsBefore {
			last++
		}
		t.captureRegion(s, at, t.placeholders[i:last], found)
		i = last
	}
	return found
}

// captureRegion fills neighbouring holes from the words between two words of the trigger.
func (t *trigger) captureRegion(s *parsedSentence, at []int, holes []triggerPlaceholder,
	found map[string]capturedSpan) {
	from, to := 0, len(s.tokens)
	after := holes[0].wordsBefore
	if after > 0 {
		from = at[after-1] + 1
	}
	if after < len(at) {
		to = at[after]
	}
	if after == 0 {
		from = s.backwardStart(to)
	}
	starts := make([]int, len(holes))
	ends := make([]int, len(holes))
	for i, h := range holes {
		leadEnd := s.findLeadEnd(h.leadWords, from, to)
		starts[i], ends[i] = max(leadEnd, from), to
		if i > 0 {
			ends[i-1] = max(starts[i]-len(h.leadWords), starts[i-1])
		}
		from = starts[i]
		found[h.name] = capturedSpan{hasLeadWords: leadEnd >= 0}
	}
	for i, h := range holes {
		open := i == len(holes)-1 && after == len(at)
		found[h.name] = s.captureSpan(starts[i], ends[i], open, found[h.name].hasLeadWords || len(h.leadWords) == 0 &&
			after > 0)
	}
}

// findLeadEnd finds the end of the small words that lead to a hole, -1 if they are missing.
func (s *parsedSentence) findLeadEnd(lead []string, from, to int) int {
	if len(lead) == 0 {
		return -1
	}
	word := lead[len(lead)-1]
	for i := from; i < min(to, from+maxSmallWords); i++ {
		if s.tokens[i].Word == word {
			return i + 1
		}
	}
	return -1
}

// backwardStart returns how far a hole at a trigger's beginning may reach back: a few words with a meaning of the same
// clause.
func (s *parsedSentence) backwardStart(to int) int {
	from := to
	for from > 0 && to > 0 && s.tokens[from-1].Unspaced && s.tokens[from-1].isStop {
		from--
	}
	to = from
	for from > 0 && to-from < 4 && s.tokens[from-1].clauseIndex == s.tokens[min(to, len(s.tokens)-1)].clauseIndex &&
		!s.tokens[from-1].isStop {
		from--
	}
	return from
}

// isJoinedToNext reports whether the next word is joined to this one: the "A" of "A-17" is no small word.
func (s *parsedSentence) isJoinedToNext(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i+1].Start == s.tokens[i].End+1 &&
		strings.IndexByte("-_/.", s.text[s.tokens[i].End]) >= 0
}

// captureSpan returns the bytes of the words without small ones around them. Where no small word leads to them they
// must look like a value: a name, a number, or a script that writes neither.
func (s *parsedSentence) captureSpan(from, to int, open, hasLead bool) capturedSpan {
	for from < to && s.tokens[from].isStop && !s.isJoinedToNext(from) {
		from++
	}
	for to > from && s.tokens[to-1].isStop && !open {
		to--
	}
	if from >= to {
		return capturedSpan{}
	}
	c := capturedSpan{start: s.tokens[from].Start, end: s.tokens[to-1].End, reachesEnd: open, hasLeadWords: hasLead}
	if open {
		c.end = s.end
	}
	value := func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) || r == '@' }
	if !hasLead && !s.tokens[from].Unspaced && !slices.ContainsFunc([]rune(s.text[c.start:c.end]), value) {
		return capturedSpan{}
	}
	return c
}
