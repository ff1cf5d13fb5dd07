package llm

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/internal/words"
)

// trigger is a phrase that calls for a tool: words that a message must hold in this order, and holes that it fills.
type trigger struct {
	text  string
	lang  words.Language
	langs []words.Language // all that it may be written in
	words []wanted
	holes []hole
	asks  bool // the phrase is a question itself
}

// wanted is a word of a trigger.
type wanted struct {
	word, stem string
	dense      bool
}

// hole is a placeholder of a trigger.
type hole struct {
	name  string
	after int      // how many of the trigger's words stand before it
	lead  []string // small words right before it: the "in" of "weather in {city}"
}

// mostTriggers bounds how many phrases are remembered.
const mostTriggers = 4096

// triggers remembers phrases that were read: they are the same from message to message.
var triggers phrasebook

type phrasebook struct {
	mu    sync.Mutex
	known map[string]trigger
}

func (p *phrasebook) get(phrase string) trigger {
	p.mu.Lock()
	t, ok := p.known[phrase]
	p.mu.Unlock()
	if ok {
		return t
	}
	t = parseTrigger(phrase)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= mostTriggers {
		p.known = map[string]trigger{}
	}
	p.known[phrase] = t
	return t
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// parseTrigger reads a phrase. Words without a meaning of their own are left out, unless hardly anything else is there.
func parseTrigger(phrase string) trigger {
	langs := tongues(placeholder.ReplaceAllString(phrase, " "))
	whole := hear(phrase, 0, len(phrase), langs)
	t := trigger{text: phrase, lang: whole.lang, langs: langs}
	t.asks = whole.frame(len(whole.tokens)) != statement
	holes := placeholder.FindAllStringSubmatchIndex(phrase, -1)
	keep := keeper(whole.tokens, holes)
	at := 0
	for _, m := range holes {
		lead := t.add(hear(phrase, at, m[0], langs).tokens, true, keep)
		t.holes = append(t.holes, hole{strings.TrimSpace(phrase[m[2]:m[3]]), len(t.words), lead})
		at = m[1]
	}
	t.add(hear(phrase, at, len(phrase), langs).tokens, false, keep)
	return t
}

// keeper tells which words of the trigger count: those with a meaning; with only one of them, small words count too.
func keeper(tokens []heard, holes [][]int) func(heard) bool {
	content := 0
	for _, h := range tokens {
		inside := slices.ContainsFunc(holes, func(m []int) bool { return m[0] <= h.Start && h.Start < m[1] })
		if !inside && !h.stop {
			content++
		}
	}
	switch content {
	case 0:
		return func(heard) bool { return true }
	case 1:
		return func(h heard) bool { return !h.stop || !h.Dense && !ignorable[h.Word] && !polite[h.Word] }
	}
	return func(h heard) bool { return !h.stop }
}

// add takes the words of a stretch. It gives the small ones at its end where a placeholder follows.
func (t *trigger) add(tokens []heard, leads bool, keep func(heard) bool) (lead []string) {
	end := len(tokens)
	for leads && end > 0 && tokens[end-1].stop {
		end--
	}
	for _, h := range tokens[end:] {
		lead = append(lead, h.Word)
	}
	for _, h := range tokens[:end] {
		if keep(h) {
			t.words = append(t.words, wanted{h.Word, t.lang.Stem(h.Word), h.Dense})
		}
	}
	return lead
}

// match is where a sentence holds a trigger.
type match struct {
	at       []int // the trigger's words among those of the sentence
	captures map[string]capture
}

// capture is a byte span of the message that stands in a trigger's hole.
type capture struct {
	start, end int
	open       bool // nothing of the trigger follows
	led        bool // the small words of the trigger lead to it
}

const (
	strayWords  = 2 // words with a meaning between two neighbours of a trigger
	smallWords  = 6 // words of any kind there
	filledWords = 12
)

// match finds the trigger's words in their order with few others between them.
func (t *trigger) match(s *told) (match, bool) {
	if len(t.words) == 0 {
		return match{}, false
	}
	for first := range s.tokens {
		if !s.is(first, t.words[0], t) {
			continue
		}
		if at := t.follow(s, first); at != nil {
			return match{at, t.capture(s, at)}, true
		}
	}
	return match{}, false
}

func (t *trigger) follow(s *told, first int) []int {
	at := []int{first}
	for n := 1; n < len(t.words); n++ {
		next := t.next(s, n, at[n-1])
		if next < 0 {
			return nil
		}
		at = append(at, next)
	}
	return at
}

// next finds the trigger's n-th word behind the one before it.
func (t *trigger) next(s *told, n, before int) int {
	stray, most := 0, smallWords
	filled := slices.ContainsFunc(t.holes, func(h hole) bool { return h.after == n })
	if filled {
		most = filledWords
	}
	for i := before + 1; i < len(s.tokens) && i-before-1 <= most; i++ {
		switch {
		case s.is(i, t.words[n], t):
			return i
		case !s.tokens[i].stop && !s.tokens[i].Dense:
			stray++
		}
		if stray > strayWords && !filled {
			return -1
		}
	}
	return -1
}

// is reports that a word of the sentence is the wanted one, in whatever form but the past: what was done is not asked for.
func (s *told) is(i int, w wanted, t *trigger) bool {
	h := s.tokens[i]
	if h.Word == w.word {
		return true
	}
	if w.dense || h.Dense || len(w.stem) < 3 || h.Word[0] != w.word[0] || !s.sameStem(i, w, t) {
		return false
	}
	raw := s.raw(i)
	return !slices.ContainsFunc(pastEndings, func(end string) bool { return strings.HasSuffix(raw, end) && !strings.HasSuffix(w.word, end) })
}

// sameStem cuts the endings of the sentence's language and of the trigger's, and of any that both may be written in.
func (s *told) sameStem(i int, w wanted, t *trigger) bool {
	if s.stem(t.lang, i) == w.stem || s.stem(s.lang, i) == s.lang.Stem(w.word) {
		return true
	}
	return slices.ContainsFunc(shared(s.langs, t.langs), func(l words.Language) bool { return s.stem(l, i) == l.Stem(w.word) })
}
