package search

import (
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// unspecified is the value of a facet that nothing has been found out about.
const unspecified = "unspecified"

// Facets are what filters ask about a conversation.
type Facets struct {
	Source      parley.Channel
	User        parley.EndUserID
	State       string // ongoing, ended, taken_over, paused
	Feedback    []string
	Escalated   bool
	ActionTypes []string
	Tools       []store.ToolUse
	Procedures  []store.ToolUse
	Sentiment   string   // empty for none
	Topics      []string // parents included; empty for none
	Voice       bool
	Created     time.Time
}

// newFacets gathers the facets of a conversation. It is the one place that knows where each of them is.
func newFacets(c *parley.Conversation, stored *store.ConversationFacets) Facets {
	f := Facets{Source: c.Channel, User: c.UserID, State: activityState(c),
		Escalated: c.Status == parley.ConversationTakenOver, Created: c.CreatedAt}
	f.Feedback, f.Tools, f.Procedures, f.Voice = stored.Ratings, stored.Tools, stored.Procedures, stored.HasVoice
	f.Sentiment, f.Topics = string(stored.Sentiment), stored.Topics
	f.Escalated = f.Escalated || stored.HasHumanReply || stored.Escalated
	for _, t := range f.Tools {
		if t.Kind != "" {
			f.ActionTypes = append(f.ActionTypes, string(t.Kind))
		}
		f.Escalated = f.Escalated || t.Kind == parley.ActionEscalate && t.Outcome == string(parley.ToolSuccess)
	}
	return f
}

// activityState returns the state that the filter knows: a pause is one of its own.
func activityState(c *parley.Conversation) string {
	if c.Status == parley.ConversationOngoing && c.Paused {
		return "paused"
	}
	return string(c.Status)
}

// encode returns the facets as the index holds them: in order, with a space between them.
func (f Facets) encode() string {
	list := []string{facetToken(bySource, string(f.Source)), facetToken(byState, f.State), boolToken(byVoice, f.Voice),
		monthToken(f.Created), dayToken(f.Created)}
	if f.User != "" {
		list = append(list, facetToken(byUser, string(f.User)))
	}
	for _, v := range f.Feedback {
		list = append(list, facetToken(byFeedback, v))
	}
	if f.Escalated {
		list = append(list, boolToken(byEscalation, true))
	}
	for _, v := range f.ActionTypes {
		list = append(list, facetToken(byActionType, v))
	}
	for _, r := range f.Tools {
		list = append(list, facetToken(byTool, r.Name), facetToken(byOutcome, r.Outcome),
			facetToken(byToolOutcome, r.Name, r.Outcome))
	}
	for _, r := range f.Procedures {
		list = append(list, facetToken(byProcedure, r.Name), facetToken(byProcedureEnd, r.Outcome),
			facetToken(byProcedureOutcome, r.Name, r.Outcome))
	}
	if f.Sentiment == "" {
		f.Sentiment = unspecified
	}
	list = append(list, facetToken(bySentiment, f.Sentiment))
	if len(f.Topics) == 0 {
		f.Topics = []string{unspecified}
	}
	for _, v := range f.Topics {
		list = append(list, topicToken(v))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}
