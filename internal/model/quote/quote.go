// Package quote is the built-in model, which needs no weights and no network: it answers by quoting passages.
package quote

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
)

// Model answers by quoting. It chooses sentences and lists of the passages, joins them in reading order and cites each
// stretch byte for byte; where no passage holds an answer it says so, and where a short question fits several passages
// it asks back. It follows no instruction, neither of the passages nor of the agent. The same request always gets the
// same answer.
//
// It calls a tool when the user's message holds one of its triggers, asks for inputs that the call lacks, and reports
// what the tool returned. Only the id of a call differs from one time to the next.
type Model struct{}

var _ model.Model = Model{}

// Stream answers the last message of the request.
func (Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		for _, c := range answerRequest(ctx, req).chunks(req) {
			if !yield(c, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

type reply struct {
	text      string
	citations []model.Citation
	score     float64
	isRefusal bool
	isUnsure  bool
	bounds    *parley.AnswerBounds // that the score was held against
	reason    parley.AnswerReason  // what decided, beside or instead of the bounds
	toolCall  *model.ToolCall      // asked for in place of a text
	unscored  bool                 // rests on no passage, so that there is no score
}

// answerRequest returns the answer; once ctx has ended it is empty.
func answerRequest(ctx context.Context, req model.Request) reply {
	req.Messages = shortenMessages(req.Messages)
	if r, ok := answerWithTools(req); ok {
		return r
	}
	userQuestions := sourceQuestions(req.Messages)
	if len(userQuestions) == 0 {
		return reply{text: textsIn(guessLanguage("")).Unknown, isRefusal: true}
	}
	if r, ok := answerAside(req, userQuestions[len(userQuestions)-1]); ok {
		return r
	}
	userQuestions = joinAnswerToQuestion(req.Messages, userQuestions)
	if r, ok := answerEachPart(ctx, req, userQuestions); ok {
		return r
	}
	return answerFromPassages(ctx, req, userQuestions)
}

func answerFromPassages(ctx context.Context, req model.Request, userQuestions []string) reply {
	t := parseQuestion(userQuestions, req.Passages)
	t.replyLanguage = questionLanguage(req)
	pages := t.layOutPassages(ctx, req.Passages)
	if ctx.Err() != nil {
		return reply{}
	}
	best := t.firstOfSubject(req.Passages, pages, firstOfQnA(req.Passages, pages, bestUnit(pages)))
	best = t.amountOfSubject(pages, t.underAskingHeading(req, pages, best))
	if best.score > 0 {
		best = t.mergeTableRows(&pages[best.passageIndex], best)
	}
	best, isInstead := insteadOfTitle(pages, best)
	others := t.comparedUnits(pages, best)
	best = withCompared(best, others)
	v := t.judge(req.Passages, pages, best)
	if v.state == parley.AnswerSure && isInstead {
		v.state, v.reason = parley.AnswerUnsure, parley.ReasonTitle
	} else if v.state == parley.AnswerSure && !t.isFirm(req.Passages, &pages[best.passageIndex], best, v.score) {
		v.state, v.reason = parley.AnswerUnsure, parley.ReasonNotFirm
	}
	bounds := t.answerBounds(req.Passages, best)
	switch v.state {
	case parley.AnswerRefused:
		text := t.unknownAnswer(req, pages, best)
		if isGibberish(splitWords(userQuestions[len(userQuestions)-1])) {
			text = textsIn(t.replyLanguage).NotUnderstood
		}
		return reply{text: text, score: v.score, bounds: bounds, reason: v.reason, isRefusal: true}
	case parley.AnswerUnsure:
		picked := t.pickDoubtful(req.Passages, pages, best)
		lead := textsIn(t.replyLanguage).Unsure + "\n\n"
		if note := t.otherLanguageNote(req, picked); note != "" {
			lead = note + " " + lead
		}
		r := quoteExcerpts(req.Passages, picked, lead)
		r.score, r.bounds, r.reason, r.isUnsure = v.score, bounds, v.reason, true
		return r
	case parley.AnswerSure:
	}
	if r, ok := t.askWhichMeaning(req, pages, best); ok {
		return r
	}
	picked := t.pickExcerpts(req.Passages, pages, best)
	if len(others) > 0 {
		picked = t.excerptsOfCompared(pages, best, others)
	}
	lead := t.otherLanguageNote(req, picked)
	if lead != "" {
		lead += "\n\n"
	}
	r := quoteExcerpts(req.Passages, picked, lead)
	r.score, r.bounds, r.reason = v.score, bounds, v.reason
	return r
}

// firstOfQnA returns the best unit of the first passage where that and the best one are of a Q&A: the search compares
// their questions, and the words of their answers say less.
func firstOfQnA(passages []model.Passage, pages []passageLayout, best quotableUnit) quotableUnit {
	if best.score == 0 || !passages[0].IsQnA || !passages[best.passageIndex].IsQnA {
		return best
	}
	if first := bestUnit(pages[:1]); first.score > 0 {
		return first
	}
	return best
}

// answerBounds returns what the confidence in the best unit is held against; nil without such a unit.
func (q *parsedQuestion) answerBounds(passages []model.Passage, best quotableUnit) *parley.AnswerBounds {
	if best.score == 0 {
		return nil
	}
	bounds := q.boundsFor(passages[best.passageIndex])
	return &parley.AnswerBounds{Sure: bounds.answer, Unsure: bounds.unsure}
}

// sourceQuestions returns the texts of the user that ask for something of the sources, the last one last. What led to
// the call of a tool, or to the question for its inputs, says nothing of what later questions are about.
func sourceQuestions(messages []model.Message) (texts []string) {
	last := 0
	for i, m := range messages {
		if m.Role == "user" {
			last = i
		}
	}
	for i, m := range messages {
		if m.Role == "user" && (i == last || !wasHandledByTool(messages, i)) {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// wasHandledByTool reports whether the user's message went to a tool, or took back what did.
func wasHandledByTool(messages []model.Message, i int) bool {
	if i > 0 && messages[i-1].Role == "assistant" && AsksForInputs(messages[i-1].Text) &&
		isCancellation(messages[i].Text) {
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

func userTexts(messages []model.Message) (texts []string) {
	for _, m := range messages {
		if m.Role == "user" {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// quoteExcerpts joins what was picked, behind words that lead to it.
func quoteExcerpts(passages []model.Passage, picked []excerpt, lead string) (r reply) {
	var b strings.Builder
	b.WriteString(lead)
	for i, s := range picked {
		b.WriteString(s.separator(i == 0))
		for i, span := range s.spans() {
			if i > 0 {
				b.WriteString(" … ")
			}
			r.citations = append(r.citations, quoteText(&b, passages, s.passageIndex, span.Start, span.End)...)
		}
		if s.note != "" {
			b.WriteString("\n\n" + s.note)
		}
	}
	r.text = b.String()
	return r
}

// quoteText writes what of a stretch of a passage is for readers, and returns its citations.
func quoteText(b *strings.Builder, passages []model.Passage, i, from, to int) (citations []model.Citation) {
	p := passages[i]
	for _, part := range readableParts(p.Text[from:to]) {
		b.WriteString(part.separator)
		start := b.Len()
		b.WriteString(p.Text[from+part.start : from+part.end])
		citations = append(citations, model.Citation{PassageIndex: i, Start: p.Start + from + part.start,
			End: p.Start + from + part.end, AnswerStart: start, AnswerEnd: b.Len()})
	}
	return citations
}

// chunks cuts the answer into pieces of a few words; a citation follows what it covers.
func (r reply) chunks(req model.Request) (all []model.Chunk) {
	quotes := r.citations
	for at := 0; at < len(r.text); {
		end := at + chunkLength(r.text[at:])
		if len(quotes) > 0 {
			end = min(end, quotes[0].AnswerEnd)
		}
		all = append(all, model.Chunk{Text: r.text[at:end]})
		at = end
		for len(quotes) > 0 && quotes[0].AnswerEnd <= at {
			c := quotes[0]
			all, quotes = append(all, model.Chunk{Citation: &c}), quotes[1:]
		}
	}
	finish := model.Finish{Reason: "stop", InputTokens: countMessageTokens(req), OutputTokens: tokensForBytes(len(r.text))}
	switch {
	case r.toolCall != nil:
		all = append(all, model.Chunk{ToolCall: r.toolCall})
		finish.Reason, finish.OutputTokens = "tool-calls", tokensForBytes(len(r.toolCall.Input))
	case !r.unscored:
		finish.Score, finish.IsRefusal, finish.IsUnsure = &r.score, r.isRefusal, r.isUnsure
		finish.Bounds, finish.DecidedBy = r.bounds, r.reason
	}
	return append(all, model.Chunk{Finish: &finish})
}

const (
	minChunkBytes = 24
	maxChunkBytes = 48
)

// chunkLength finds where a piece of text ends: behind a space if one comes soon enough, and never inside a code point.
func chunkLength(text string) int {
	if len(text) <= maxChunkBytes {
		return len(text)
	}
	if i := strings.IndexAny(text[minChunkBytes:maxChunkBytes], " \n"); i >= 0 {
		return minChunkBytes + i + 1
	}
	return max(minChunkBytes, len(parley.ClipBytes(text, maxChunkBytes)))
}

// tokensForBytes estimates how many tokens so many bytes are: this model counts none.
func tokensForBytes(bytes int) int { return (bytes + 3) / 4 }

func countMessageTokens(req model.Request) (n int) {
	for _, m := range req.Messages {
		n += tokensForBytes(len(m.Text))
	}
	return n
}

const (
	// maxEndBytes is how many bytes the built-in model reads at the beginning of a long message, and as many at its end.
	maxEndBytes = 8 << 10
	// maxQuestionTerms is how many different words with a meaning it looks for in the passages, of one question.
	maxQuestionTerms = 200
)

// shortenMessages returns the messages with no more of each of the user's than is read.
func shortenMessages(messages []model.Message) []model.Message {
	long := func(m model.Message) bool { return m.Role == "user" && len(m.Text) > 2*maxEndBytes }
	if !slices.ContainsFunc(messages, long) {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		if long(m) {
			messages[i].Text = textEnds(m.Text)
		}
	}
	return messages
}

// textEnds returns the beginning and the end of a text, a line each, without halves of characters.
func textEnds(text string) string {
	from := len(text) - maxEndBytes
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return parley.ClipBytes(text, maxEndBytes) + "\n" + text[from:]
}
