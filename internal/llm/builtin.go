package llm

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"
)

// Builtin is a model without weights: it answers by quoting. It chooses sentences and lists of the passages, joins them in
// reading order and cites each stretch byte for byte; where no passage holds an answer it says so, and where a short question fits
// several passages it asks back. It follows no instruction, neither of the passages nor of the agent. The same request always gets
// the same answer.
//
// It calls a tool when the user's message holds one of its triggers, asks for inputs that the call lacks, and tells what the
// tool gave back. Only the id of a call differs from one time to the next.
type Builtin struct{}

var _ Model = Builtin{}

// Stream answers the last message of the request.
func (Builtin) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(Chunk{}, err)
			return
		}
		for _, c := range answer(ctx, req).chunks(req) {
			if !yield(c, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

// reply is a whole answer.
type reply struct {
	text    string
	quotes  []Cite
	score   float64
	refused bool
	call    *ToolCall // asked for in place of a text
	plain   bool      // rests on no passage, so that there is no score
}

// answer makes the answer; what it gives once ctx has ended is none.
func answer(ctx context.Context, req Request) reply {
	req.Messages = shortened(req.Messages)
	if r, ok := use(req); ok {
		return r
	}
	said := questions(req.Messages)
	if len(said) == 0 {
		return reply{text: phrases(guess("")).unknown, refused: true}
	}
	if r, ok := aside(req, said[len(said)-1]); ok {
		return r
	}
	return fromSources(ctx, req, resolved(req.Messages, said))
}

// fromSources answers a question from the passages.
func fromSources(ctx context.Context, req Request, said []string) reply {
	t := newTopic(said, req.Passages)
	pages := t.pages(ctx, req.Passages)
	if ctx.Err() != nil {
		return reply{}
	}
	best := strongest(pages)
	score := 0.0
	if best.score > 0 {
		best = t.together(&pages[best.passage], best)
		score = t.confidence(req.Passages, &pages[best.passage], best)
		score = max(score, t.sure(req.Passages[best.passage], &pages[best.passage], best))
	}
	if score < refuseBelow {
		text := t.unknown(req, pages, best)
		if gibberish(spoken(said[len(said)-1])) {
			text = asidesIn(languageOf(req)).nothing
		}
		return reply{text: text, score: score, refused: true}
	}
	if r, ok := t.which(req, pages, best); ok {
		return r
	}
	return quote(req.Passages, t.pick(req.Passages, pages, best), score)
}

// questions gives the texts of the user that ask for something of the sources, the last one last. What led to the call of a tool,
// or to the question for its inputs, says nothing of what later questions are about.
func questions(messages []Message) (said []string) {
	last := 0
	for i, m := range messages {
		if m.Role == "user" {
			last = i
		}
	}
	for i, m := range messages {
		if m.Role == "user" && (i == last || !served(messages, i)) {
			said = append(said, m.Text)
		}
	}
	return said
}

// served reports that the user's message went to a tool, or took back what did.
func served(messages []Message, i int) bool {
	if i > 0 && messages[i-1].Role == "assistant" && AsksForInputs(messages[i-1].Text) && givesUp(messages[i].Text) {
		return true
	}
	for _, m := range messages[i+1:] {
		if m.Role == "user" {
			break
		}
		if m.Role == "assistant" && (len(m.ToolCalls) > 0 || AsksForInputs(m.Text)) {
			return true
		}
	}
	return false
}

// asked gives the texts of the user, the last one last.
func asked(messages []Message) (said []string) {
	for _, m := range messages {
		if m.Role == "user" {
			said = append(said, m.Text)
		}
	}
	return said
}

// quote joins the picked stretches and cites them.
func quote(passages []Passage, picked []stretch, score float64) reply {
	r := reply{score: score}
	var b strings.Builder
	for i, s := range picked {
		b.WriteString(s.lead(i == 0))
		p := passages[s.passage]
		start := b.Len()
		b.WriteString(p.Text[s.start:s.end])
		r.quotes = append(r.quotes, Cite{Passage: s.passage, Start: p.Start + s.start, End: p.Start + s.end, AnswerStart: start, AnswerEnd: b.Len()})
	}
	r.text = b.String()
	return r
}

// chunks cuts the answer into pieces of a few words; a citation stands right behind what it covers.
func (r reply) chunks(req Request) (all []Chunk) {
	quotes := r.quotes
	for at := 0; at < len(r.text); {
		end := at + bite(r.text[at:])
		if len(quotes) > 0 {
			end = min(end, quotes[0].AnswerEnd)
		}
		all = append(all, Chunk{Text: r.text[at:end]})
		at = end
		for len(quotes) > 0 && quotes[0].AnswerEnd <= at {
			c := quotes[0]
			all, quotes = append(all, Chunk{Cite: &c}), quotes[1:]
		}
	}
	if r.call != nil {
		return append(all, Chunk{Call: r.call}, Chunk{Finish: &Finish{Reason: "tool-calls", InputTokens: count(req), OutputTokens: tokens(len(r.call.Input))}})
	}
	if r.plain {
		return append(all, Chunk{Finish: &Finish{Reason: "stop", InputTokens: count(req), OutputTokens: tokens(len(r.text))}})
	}
	score := r.score
	return append(all, Chunk{Finish: &Finish{Reason: "stop", Score: &score, Refused: r.refused,
		InputTokens: count(req), OutputTokens: tokens(len(r.text))}})
}

const (
	smallBite = 24
	largeBite = 48
)

// bite finds where a piece of text ends: behind a space if one comes soon enough, and never inside a code point.
func bite(text string) int {
	if len(text) <= largeBite {
		return len(text)
	}
	if i := strings.IndexAny(text[smallBite:largeBite], " \n"); i >= 0 {
		return smallBite + i + 1
	}
	end := largeBite
	for end > smallBite && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// tokens estimates how many tokens so many bytes are: this model counts none.
func tokens(bytes int) int { return (bytes + 3) / 4 }

func count(req Request) (n int) {
	for _, m := range req.Messages {
		n += tokens(len(m.Text))
	}
	return n
}
