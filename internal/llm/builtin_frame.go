package llm

import (
	"slices"
	"strings"

	"parley/internal/words"
)

// frame is how a sentence puts what it is about.
type frame int

const (
	statement frame = iota // a wish or an order
	askingHow              // how something is done, or what it is
	askingOwn              // what one's own thing is ("what is my order status")
	judging                // whether something is so, was so or should be; what would be if
)

// choose finds the tool whose trigger the message holds: the one with the most words, then the longest; -1 for none.
func choose(tools []Tool, message string) (best int, found match) {
	best = -1
	sentences := listen(message, guess(message))
	var top trigger
	for i, tool := range tools {
		inputs := inputsOf(tool.Parameters)
		for _, phrase := range tool.Triggers {
			t := parseTrigger(phrase)
			if best >= 0 && (len(t.words) < len(top.words) || len(t.words) == len(top.words) && len(t.text) <= len(top.text)) {
				continue
			}
			for j := range sentences {
				if m, ok := t.match(&sentences[j]); ok && sentences[j].means(&t, m, inputs) {
					best, found, top = i, m, t
					break
				}
			}
		}
	}
	return best, found
}

// means reports that the sentence calls for the tool and does not merely speak of it.
func (s *told) means(t *trigger, m match, inputs []input) bool {
	if s.denies(m) || len(t.words) == 1 && !s.brief(m, inputs, len(t.holes) > 0) {
		return false
	}
	switch s.frame(m.at[0]) {
	case judging:
		return t.asks
	case askingHow:
		return t.asks || filled(s.text, m, inputs) > 0
	case askingOwn:
		return t.asks || filled(s.text, m, inputs) > 0 || s.owns(m)
	}
	return true
}

// filled counts the holes that hold a value of the kind that their input wants.
func filled(text string, m match, inputs []input) (n int) {
	for _, in := range inputs {
		if c, ok := m.captures[in.name]; ok && c.end > c.start {
			if _, _, ok := in.read(text, c); ok {
				n++
			}
		}
	}
	return n
}

// brief reports that a sentence with a trigger of one word says little else, apart from what fills its holes.
func (s *told) brief(m match, inputs []input, holes bool) bool {
	if filled(s.text, m, inputs) > 0 {
		return true
	}
	others := 0
	for i, h := range s.tokens {
		if !h.stop && !slices.Contains(m.at, i) && !polite[h.Word] {
			others++
		}
	}
	most := strayWords
	if holes {
		most = 1 // what fills them is missing
	}
	return others <= most || s.tokens[m.at[0]].Dense
}

// owns reports that the question is about the speaker's own thing and begins with it.
func (s *told) owns(m match) bool {
	for i := s.clauseOf(m.at[0]); i < m.at[0]; i++ {
		if h := s.tokens[i]; !h.stop && !polite[h.Word] {
			return false
		}
	}
	for i := s.clauseOf(m.at[0]); i < len(s.tokens); i++ {
		if own[s.tokens[i].Word] {
			return true
		}
	}
	return false
}

// denies reports a negation before the last word of the match, in its clause, or at the clause's end.
func (s *told) denies(m match) bool {
	last := m.at[len(m.at)-1]
	from := s.clauseOf(last)
	if s.tokens[last].Dense {
		return s.deniesDense(s.tokens[from].Start, s.tokens[last].Start)
	}
	if s.asks() && s.begins(from, politeDenials) {
		return false
	}
	for i := from; i < last; i++ {
		if denials[s.tokens[i].Word] && !slices.Contains(m.at, i) && !s.interjects(i, from) {
			return true
		}
	}
	return s.trails(last)
}

// interjects reports a "no" that begins the sentence and denies only what was said before it.
func (s *told) interjects(i, from int) bool {
	w := s.tokens[i].Word
	return i == from && (w == "no" || w == "non") && i+1 < len(s.tokens) && interjected[s.tokens[i+1].Word]
}

// trails reports a negation at the end of the clause, where German and Dutch put it; "or not" denies nothing.
func (s *told) trails(last int) bool {
	end := last
	for end+1 < len(s.tokens) && s.tokens[end+1].clause == s.tokens[last].clause {
		end++
	}
	if end == last || !trailing[s.tokens[end].Word] {
		return false
	}
	before := s.tokens[end-1].Word
	return before != "oder" && before != "of"
}

func (s *told) deniesDense(from, to int) bool {
	text := s.text[from:to]
	for _, harmless := range []string{"不好意思", "对不起", "能不能", "可不可以", "是不是", "要不要", "好不好", "有没有", "不知道", "不如"} {
		text = strings.ReplaceAll(text, harmless, "")
	}
	return strings.ContainsAny(text, "不别没無无勿非") || strings.Contains(s.text[to:s.end], "たくない") || strings.Contains(s.text[to:s.end], "ないで")
}

// begins reports that the words from one on begin with one of the phrases.
func (s *told) begins(from int, phrases []string) bool {
	var b strings.Builder
	for _, h := range s.tokens[from:min(len(s.tokens), from+6)] {
		b.WriteString(h.Word + " ")
	}
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasPrefix(b.String(), p+" ") })
}

// frame looks at the words of the clause before the match.
func (s *told) frame(first int) frame {
	if len(s.tokens) == 0 {
		return statement
	}
	from := s.clauseOf(min(first, len(s.tokens)-1))
	if s.tokens[from].Dense {
		return s.frameDense(from, first)
	}
	for from < first && polite[s.tokens[from].Word] && !s.thanks(from) {
		from++
	}
	found := statement
	for i := from; i < first; i++ {
		switch w := s.tokens[i].Word; {
		case s.supposes(i), s.judges(i, from), s.thanks(i):
			return judging
		case asksHow[w] || w == "come" && s.lang == words.Italian:
			found = askingHow
		case found == askingHow:
		case asksWhat[w] || w == "was" && s.lang == words.German || strings.HasPrefix(s.raw(i), "qué"):
			found = askingOwn
		case asksWhich[w] && (i == from || s.asks()):
			found = askingOwn
		}
	}
	return found
}

// supposes reports an "if" that does not merely ask politely ("if I could", "if possible").
func (s *told) supposes(i int) bool {
	w, next, after := s.tokens[i].Word, "", ""
	if i+1 < len(s.tokens) && s.tokens[i+1].clause == s.tokens[i].clause {
		next = s.tokens[i+1].Word
	}
	if i+2 < len(s.tokens) {
		after = s.tokens[i+2].Word
	}
	switch w {
	case "if", "wenn", "falls", "als", "se", "si", "sofern":
	default:
		return false
	}
	switch {
	case next == "", w == "als" && s.lang != words.Dutch, w == "se" && s.lang != words.Italian && s.lang != words.Portuguese, s.raw(i) == "sí":
		return false
	}
	return !couldBe[next] && !couldBe[after]
}

// judges reports a verb at the beginning that asks whether something is so.
func (s *told) judges(i, from int) bool {
	w := s.tokens[i].Word
	if i+1 >= len(s.tokens) {
		return false
	}
	next := s.tokens[i+1].Word
	switch {
	case i == from && auxiliaries[w]:
		return (subjects[next] || s.asks()) && !s.requests(i)
	case w == "have" && next == "to":
		return slices.ContainsFunc(s.tokens[from:i], func(h heard) bool { return within("would will do does did", h.Word) })
	case obligations[w]:
		return s.asks()
	}
	return false
}

// requests reports a question that asks for the thing itself: whether there is a way, whether one is able.
func (s *told) requests(i int) bool {
	return slices.ContainsFunc(s.tokens[i:min(len(s.tokens), i+4)], func(h heard) bool { return within("able mind possible way possibility chance", h.Word) })
}

// thanks reports thanks for something that has been done.
func (s *told) thanks(i int) bool {
	if i+1 >= len(s.tokens) || !within("thanks you danke merci gracias grazie", s.tokens[i].Word) {
		return false
	}
	thanked := s.tokens[i].Word != "you" || i > 0 && s.tokens[i-1].Word == "thank"
	return thanked && within("for fur dass por pour de d per", s.tokens[i+1].Word)
}

// frameDense does the same where words are not set apart, looking also at what follows.
func (s *told) frameDense(from, first int) frame {
	before, after := s.text[s.tokens[from].Start:s.end], ""
	if first < len(s.tokens) {
		before, after = s.text[s.tokens[from].Start:s.tokens[first].Start], s.text[s.tokens[first].Start:s.end]
	}
	has := func(text string, phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
	}
	switch {
	case has(before, "如果", "要是", "假如", "应该", "应不应该", "是否", "もし", "谢谢你帮我"):
		return judging
	case has(before, "怎么", "怎样", "如何", "为什么", "为何", "什么是", "何谓", "为啥", "どうやって", "なぜ", "どうすれば"),
		has(after, "是什么", "什么意思", "的方法", "とは", "方法は", "方法を", "どういう"):
		return askingHow
	case has(before, "什么时候", "哪里", "哪儿", "いつ", "どこ"):
		return askingOwn
	}
	return statement
}
