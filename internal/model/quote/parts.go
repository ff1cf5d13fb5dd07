package quote

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// A message may ask two things: "Do you ship to Norway, and what does it cost?" goes on with one thing, "Do you ship to
// Norway? When are you open?" with another. Each question that can be understood alone is answered by itself.

// maxQuestionParts is how many questions of a message are answered.
const maxQuestionParts = 3

// questionPart is one question of a message; one that leans is understood with the one before it only.
type questionPart struct {
	text  string
	leans bool
}

// questionParts returns the questions of a message; nil if there is one only.
func questionParts(message string) (parts []questionPart) {
	if len(message) > maxPartsBytes {
		return nil
	}
	for _, s := range prose.Sentences(message, 0, len(message)) {
		for i, part := range splitAtAnd(message[s.Start:s.End]) {
			if len(parts) > 0 && i == 0 && words.NeedsContext(part) {
				parts[len(parts)-1].text += " " + part
				continue
			}
			parts = append(parts, questionPart{part, i > 0 && leansOnQuestion(part)})
		}
	}
	isNoQuestion := func(p questionPart) bool {
		return !strings.ContainsAny(p.text, "?？؟") && !beginsAsQuestion(p.text)
	}
	if len(parts) < 2 || len(parts) > maxQuestionParts || leansOnQuestion(parts[0].text) ||
		slices.ContainsFunc(parts, isNoQuestion) {
		return nil
	}
	return parts
}

// leansOnQuestion reports whether a question points at what was said before, or names nothing.
func leansOnQuestion(part string) bool {
	return !namesAnything(part) || words.NeedsContext(part+" name name")
}

// namesAnything reports whether the text has a word with a meaning of its own.
func namesAnything(text string) bool {
	return containsWord(text, func(w string) bool { return !isStopWordOfAny(w) && !isFrameWord(w) })
}

// maxPartsBytes is how long a message may be that is split.
const maxPartsBytes = 600

// splitAtAnd splits a sentence before an "and" that a question goes on behind.
func splitAtAnd(sentence string) (parts []string) {
	tokens, from := words.AppendTokens(nil, sentence), 0
	for i := 1; i+1 < len(tokens); i++ {
		if !andWords()[tokens[i].Word] || !isQuestionOpener(tokens[i+1].Word) ||
			leansOnQuestion(sentence[from:tokens[i].Start]) {
			continue
		}
		parts = append(parts, strings.TrimRight(sentence[from:tokens[i].Start], " ,;"))
		from = tokens[i+1].Start
	}
	return append(parts, sentence[from:])
}

func beginsAsQuestion(text string) bool {
	for token := range words.Tokens(text) {
		return isQuestionOpener(token.Word)
	}
	return false
}

func isQuestionOpener(word string) bool {
	return questionOpenerWords()[word] || auxiliaryVerbs()[word] || whatQuestionWords()[word] ||
		whichQuestionWords()[word] || howQuestionWords()[word] || possibilityWords()[word]
}

// partAnswer is what answers one of the questions of a message.
type partAnswer struct {
	picked  []excerpt
	verdict verdict
	bounds  *parley.AnswerBounds
	isRow   bool // of a table
}

// answerEachPart answers the questions of a message one by one, where one of them has an answer without doubt. Of the
// others it says that they have none.
func answerEachPart(ctx context.Context, req model.Request, userQuestions []string) (reply, bool) {
	parts := questionParts(readingOf(userQuestions[len(userQuestions)-1], req.Passages))
	if len(parts) == 0 || len(req.Passages) == 0 || req.Passages[0].Translations != nil {
		return reply{}, false
	}
	var answers []partAnswer
	for i, part := range parts {
		a := answerPart(ctx, req, parts, i)
		if part.leans && (a.verdict.state != parley.AnswerSure || answers[i-1].isRow) {
			return reply{}, false
		}
		answers = append(answers, a)
	}
	return joinParts(req, parts, answers)
}

// joinParts returns the answers that are sure, and behind them the questions that have none.
func joinParts(req model.Request, parts []questionPart, answers []partAnswer) (r reply, ok bool) {
	var picked []excerpt
	missing := ""
	r.score = 1
	for i, a := range answers {
		if a.verdict.state != parley.AnswerSure {
			missing += "\n\n" + strings.TrimRight(parts[i].text, " ?？؟.") + "? " + textsIn(questionLanguage(req)).Unknown
			r.isUnsure = true
			continue
		}
		for _, e := range a.picked {
			if !slices.Contains(picked, e) {
				picked = append(picked, e)
			}
		}
		if a.verdict.score <= r.score {
			r.score, r.bounds, r.reason = a.verdict.score, a.bounds, a.verdict.reason
		}
	}
	if len(picked) == 0 {
		return reply{}, false
	}
	quoted := quoteExcerpts(req.Passages, picked, "")
	r.text, r.citations = quoted.text+missing, quoted.citations
	return r, true
}

// answerPart answers one question of several, from the passages in the order of what they name of it.
func answerPart(ctx context.Context, req model.Request, parts []questionPart, at int) (a partAnswer) {
	texts := []string{parts[at].text}
	if parts[at].leans {
		texts = []string{parts[at-1].text, parts[at].text}
	}
	if parts[at].leans && !namesAnything(parts[at].text) {
		texts = texts[:1]
	}
	t := parseQuestion(texts, req.Passages)
	t.replyLanguage = questionLanguage(req)
	passages, order := t.passagesOfPart(req.Passages)
	pages := t.layOutPassages(ctx, passages)
	if ctx.Err() != nil {
		return a
	}
	best := bestUnit(pages)
	if best.score > 0 {
		best = t.mergeTableRows(&pages[best.passageIndex], best)
	}
	a.verdict, a.isRow = t.judge(passages, pages, best), best.isTableRow
	if a.verdict.state != parley.AnswerSure || !t.isFirm(passages, &pages[best.passageIndex], best, a.verdict.score) {
		a.verdict.state = parley.AnswerRefused
		return a
	}
	a.bounds = t.answerBounds(passages, best)
	if a.picked = t.pickExcerpts(passages, pages, best); len(texts) == 1 && parts[at].leans {
		a.picked = pages[best.passageIndex].sentenceBehind(best)
	}
	for i := range a.picked {
		a.picked[i].passageIndex = order[a.picked[i].passageIndex]
	}
	return a
}

// sentenceBehind returns the sentence that goes on behind the unit: what follows from it. Nil for none.
func (p *passageLayout) sentenceBehind(u quotableUnit) []excerpt {
	i := p.unitIndex(u)
	if i < 0 || !p.isFollowedBy(i) {
		return nil
	}
	next := p.units[i+1].excerpt
	next.joint = " "
	return []excerpt{next}
}

// What the search would make of the best passage of a question: how many letters it finds where all words are there,
// and how far it is before the next source.
const (
	partLetters = 0.9
	partLead    = 0.3
)

// passagesOfPart returns the passages in the order of what they name of the question, with signs that are of it alone,
// and their places in the request: those of the search are of the whole message.
func (q *parsedQuestion) passagesOfPart(passages []model.Passage) (ordered []model.Passage, order []int) {
	shares := make([]float64, len(passages))
	for i, p := range passages {
		shares[i] = q.matchedShare(mergeMatches(q.matchText(p.Heading), q.matchText(p.Text)), q.isSingleWord)
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	for _, i := range order {
		p := passages[i]
		title := q.matchedShare(q.matchText(innermostHeading(p)), q.isSingleWord)
		p.Score = shares[i]
		p.Signals = model.MatchSignals{Letters: partLetters * shares[i], Words: shares[i], Stretch: shares[i],
			Title: title * q.headingFocus(innermostHeading(p)), Asked: title * shares[i],
			Lead: partLead}
		ordered = append(ordered, p)
	}
	return ordered, order
}
