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
		return slices.ContainsFunc(s.tokens[s.clauseOf(i):i], func(h heard) bool { return within("would will do does did", h.Word) })
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
