package v2

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/store"
)

// InsightsQuery selects the days and the grouping of a report.
type InsightsQuery struct {
	AgentRef
	From    string `query:"from" doc:"First day (YYYY-MM-DD, UTC), counted whole. By default 29 days before to."`
	To      string `query:"to" doc:"Last day (YYYY-MM-DD, UTC), counted whole. By default today."`
	GroupBy string `query:"groupBy" enum:"@insightGroup" name:"InsightGrouping" default:"day"`
}

// FieldDocs returns the docs that are too long for tags.
func (InsightsQuery) FieldDocs() map[string]string {
	return map[string]string{
		"groupBy": "What series is told apart by.",
	}
}

// InsightsReply is the reply with a report.
type InsightsReply struct {
	Data Insights `json:"data"`
}

// Insights is a report about an agent's conversations on whole days.
type Insights struct {
	From       string       `json:"from" doc:"First day, UTC."`
	To         string       `json:"to" doc:"Last day, UTC."`
	GroupBy    string       `json:"groupBy" enum:"@insightGroup" name:"InsightGrouping"`
	Totals     InsightSums  `json:"totals"`
	Resolution Resolution   `json:"resolution"`
	Series     []InsightRow `json:"series"`
	Topics     []TopicRow   `json:"topics" doc:"The largest first. A topic counts its subtopics."`
	Unanswered Unanswered   `json:"unanswered"`
}

// FieldDocs returns the docs that are too long for tags.
func (Insights) FieldDocs() map[string]string {
	return map[string]string{
		"series": "By day in the order of time, days without conversations included; else by name.",
	}
}

// InsightSums are sums over the conversations that began on some days.
type InsightSums struct {
	Conversations  int64 `json:"conversations" min:"0"`
	Messages       int64 `json:"messages" min:"0"`
	Answers        int64 `json:"answers" min:"0"`
	RefusedAnswers int64 `json:"refusedAnswers" min:"0" doc:"Answers that say that the sources do not hold it."`
	Escalated      int64 `json:"escalated" min:"0" doc:"Conversations that were handed to a person."`
	ThumbsUp       int64 `json:"thumbsUp" min:"0"`
	ThumbsDown     int64 `json:"thumbsDown" min:"0"`
	Resolved       int64 `json:"resolved" min:"0"`
	Unresolved     int64 `json:"unresolved" min:"0"`
}

// FieldDocs returns the docs that are too long for tags.
func (InsightSums) FieldDocs() map[string]string {
	return map[string]string{
		"answers": "Of the agent; of a conversation with more than 80 messages, those among its first and last 40.",
	}
}

// InsightRow holds the sums of a day, a topic, a channel or a sentiment.
type InsightRow struct {
	Key string `json:"key"`
	InsightSums
}

// FieldDocs returns the docs that are too long for tags.
func (InsightRow) FieldDocs() map[string]string {
	return map[string]string{
		"key": "The day, or the name; unspecified for conversations without a topic or a certain sentiment.",
	}
}

// TopicRow holds the sums of a topic.
type TopicRow struct {
	Name   string  `json:"name" doc:"As the search filter topic takes it; unspecified for conversations without a topic."`
	Parent *string `json:"parent" doc:"The topic that it is a subtopic of."`
	InsightSums
}

// Resolution is the resolution rate and the numbers that it is computed from.
type Resolution struct {
	Rate       *float64           `json:"rate" min:"0" max:"1"`
	Resolved   int64              `json:"resolved" min:"0"`
	Unresolved int64              `json:"unresolved" min:"0"`
	Settling   int64              `json:"settling" min:"0"`
	Reasons    UnresolvedByReason `json:"reasons"`
	AgainDays  int                `json:"againDays" min:"1"`
	Definition string             `json:"definition" doc:"What the rate counts, for people."`
}

// FieldDocs returns the docs that are too long for tags.
func (Resolution) FieldDocs() map[string]string {
	return map[string]string{
		"rate":      "Share of the conversations with a question that were resolved; null where there are none.",
		"settling":  "Of the resolved ones, those so young that their user may still come back with the same.",
		"againDays": "Within so many days a question that is asked again was not resolved.",
	}
}

// UnresolvedByReason counts unresolved conversations, each once.
type UnresolvedByReason struct {
	HandedOver int64 `json:"handedOver" min:"0"`
	ThumbsDown int64 `json:"thumbsDown" min:"0"`
	GivenUp    int64 `json:"givenUp" min:"0"`
	AskedAgain int64 `json:"askedAgain" min:"0"`
}

// Unanswered holds the questions that the sources do not answer.
type Unanswered struct {
	Questions int64             `json:"questions" min:"0" doc:"That the sources did not answer."`
	Withheld  bool              `json:"withheld"`
	Groups    []UnansweredGroup `json:"groups"`
}

// FieldDocs returns the docs that are too long for tags.
func (Unanswered) FieldDocs() map[string]string {
	return map[string]string{
		"withheld": "Whether the questions of this agent may not be kept: it masks personal data, or the account falls " +
			"under HIPAA.",
		"groups": "The newest 1,000 questions by likeness, the largest of at most 50 groups first.",
	}
}

// UnansweredGroup is a group of similar questions.
type UnansweredGroup struct {
	Example    string `json:"example" doc:"The newest of them."`
	Count      int    `json:"count" min:"1"`
	FirstAsked int64  `json:"firstAsked" doc:"Epoch seconds."`
	LastAsked  int64  `json:"lastAsked" doc:"Epoch seconds."`
}

func (s *server) getInsights(ctx context.Context, c *call, in *InsightsQuery) (*InsightsReply, error) {
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return nil, err
	}
	r, err := s.Insight.Report(ctx, &callerOf(c).Account, parley.AgentID(in.AgentID),
		insight.ReportRange{From: from, To: to, By: parley.InsightGroup(in.GroupBy)})
	if err != nil {
		return nil, fmt.Errorf("report insights: %w", err)
	}
	return &InsightsReply{NewInsights(r)}, nil
}

// NewInsights returns a report in the form of this API, which the command line uses, too.
func NewInsights(r *insight.Report) Insights {
	t := r.Totals
	out := Insights{From: r.From.Format(time.DateOnly), To: r.To.Format(time.DateOnly), GroupBy: string(r.By),
		Totals: newInsightSums(t),
		Resolution: Resolution{Rate: insight.ResolutionRate(t), Resolved: t.Resolved, Unresolved: t.Unresolved(),
			Settling: r.Settling, AgainDays: r.AgainDays, Definition: r.Definition,
			Reasons: UnresolvedByReason{t.HandedOver, t.Disliked, t.GivenUp, t.AskedAgain}},
		Series: make([]InsightRow, 0, len(r.Series)), Topics: make([]TopicRow, 0, len(r.Topics)),
		Unanswered: Unanswered{Questions: r.Open, Withheld: r.Withheld, Groups: make([]UnansweredGroup, 0, len(r.Lacks))}}
	for _, row := range r.Series {
		out.Series = append(out.Series, InsightRow{cmp.Or(row.Key, unspecified), newInsightSums(row.InsightSums)})
	}
	for _, row := range r.Topics {
		out.Topics = append(out.Topics,
			TopicRow{cmp.Or(row.Name, unspecified), textOrNull(row.Parent), newInsightSums(row.InsightSums)})
	}
	for _, g := range r.Lacks {
		out.Unanswered.Groups = append(out.Unanswered.Groups,
			UnansweredGroup{g.Example, g.Count, g.First.Unix(), g.Last.Unix()})
	}
	return out
}

func newInsightSums(s store.InsightSums) InsightSums {
	return InsightSums{s.Conversations, s.Messages, s.Answers, s.Refused, s.Escalated, s.PositiveRatings,
		s.NegativeRatings, s.Resolved, s.Unresolved()}
}

// unspecified stands for what conversations without a topic, or without a certain sentiment, are counted under.
const unspecified = "unspecified"
