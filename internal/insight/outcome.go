package insight

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
	"parley/internal/text/language"
)

// Definition explains what the resolution rate counts, for readers of the figures. %d is the number of days.
const Definition = "A conversation counts when a customer asked something in it. It is unresolved when it was " +
	"handed to a person, when an answer was rated negative, " +
	"when it was given up (the last question was refused, stayed without an answer, or was answered with a " +
	"question that nobody replied to), " +
	"or when the same user came back within %d days with the same topic or nearly the same question. All others " +
	"count as resolved. " +
	"The rate is the share of resolved ones. Users without an id cannot be seen to come back, so their " +
	"conversations may count as resolved when they were not."

// outcomeOf returns what came of a conversation, its customer's later ones aside.
func outcomeOf(messages []store.Utterance, escalated bool, down int) parley.Outcome {
	asks := questions(messages)
	switch {
	case escalated:
		return parley.OutcomeHandedOver
	case len(asks) == 0:
		return ""
	case down > 0:
		return parley.OutcomeDisliked
	case isAbandoned(messages, asks[len(asks)-1].Seq):
		return parley.OutcomeGivenUp
	}
	return parley.OutcomeResolved
}

// isAbandoned looks at what came after the last question.
func isAbandoned(messages []store.Utterance, question int64) bool {
	var answer *store.Utterance
	replied := false
	for i := range messages {
		switch u := &messages[i]; {
		case u.Seq <= question:
		case u.Author == parley.AuthorUser:
			replied = true
		case answer == nil || !replied:
			answer = u
		}
	}
	if answer == nil || answer.IsRefusal || answer.State == parley.MessageFailed {
		return true
	}
	return !replied && !answer.HasCitations && isAskBack(answer.Text)
}

// maxAskBackBytes is how many bytes an answer has that only asks back.
const maxAskBackBytes = 300

// isAskBack reports whether an answer is a question; an offer of more help is none.
func isAskBack(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(text) > maxAskBackBytes || !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？") {
		return false
	}
	return !slices.ContainsFunc(helpOffers(), func(offer string) bool { return strings.Contains(text, offer) })
}

// helpOffers are parts of offers of more help.
var helpOffers = language.List(func(l *language.Language) language.Phrases { return l.Insight.Offers })

const (
	minConfidence    = 0.3 // confidence below which an answer does not count as one from the sources
	maxQuestionRunes = 300 // code points of a question that is kept
	maxOpenQuestions = 10  // of one conversation
)

// openQuestions returns what was asked and not answered from the sources.
func openQuestions(messages []store.Utterance) (list []store.Utterance) {
	seen := map[int64]bool{}
	for _, q := range questions(messages) {
		seen[q.Seq] = !isOnlyMood(q.Text)
	}
	var last *store.Utterance
	for i := range messages {
		u := &messages[i]
		switch {
		case u.Author == parley.AuthorUser && seen[u.Seq]:
			last = u
		case u.Author == parley.AuthorUser:
			last = nil
		case last != nil && u.Author == parley.AuthorAssistant &&
			(u.IsRefusal || u.IsUnsure || u.Score != nil && *u.Score < minConfidence && !u.HasCitations):
			list, last = append(list, *last), nil
		}
	}
	return list[max(0, len(list)-maxOpenQuestions):]
}
