package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// InsightSums are what the conversations of a day, a channel, a topic and a sentiment add up to.
type InsightSums struct {
	Conversations   int64 `json:"conversations"`
	Messages        int64 `json:"messages"`
	Answers         int64 `json:"answers"`
	Refused         int64 `json:"refusedAnswers"`
	Escalated       int64 `json:"escalated"`
	PositiveRatings int64 `json:"thumbsUp"`
	NegativeRatings int64 `json:"thumbsDown"`
	// By outcome.
	Resolved   int64 `json:"resolved"`
	HandedOver int64 `json:"handedOver"`
	Disliked   int64 `json:"disliked"`
	GivenUp    int64 `json:"givenUp"`
	AskedAgain int64 `json:"askedAgain"`
}

// fields are the sums with their columns.
func (s *InsightSums) fields() []field {
	return []field{
		{"conversations", &s.Conversations},
		{"messages", &s.Messages},
		{"answers", &s.Answers},
		{"refused", &s.Refused},
		{"escalated", &s.Escalated},
		{"up", &s.PositiveRatings},
		{"down", &s.NegativeRatings},
		{"resolved", &s.Resolved},
		{"handed_over", &s.HandedOver},
		{"disliked", &s.Disliked},
		{"given_up", &s.GivenUp},
		{"asked_again", &s.AskedAgain},
	}
}

// Add adds other sums.
func (s *InsightSums) Add(other InsightSums) { s.addTimes(1, other) }

func (s *InsightSums) addTimes(n int64, other InsightSums) {
	from := other.fields()
	for i, f := range s.fields() {
		*f.value.(*int64) += n * *from[i].value.(*int64)
	}
}

// Unresolved counts the conversations that asked for something and did not get it.
func (s *InsightSums) Unresolved() int64 { return s.HandedOver + s.Disliked + s.GivenUp + s.AskedAgain }

func insightSums(in *parley.Insight) InsightSums {
	s := InsightSums{Conversations: 1, Messages: int64(in.Messages), Answers: int64(in.Answers),
		Refused: int64(in.RefusedAnswers), Escalated: int64(boolToInt(in.Escalated)),
		PositiveRatings: int64(in.PositiveRatings), NegativeRatings: int64(in.NegativeRatings)}
	switch in.FinalOutcome() {
	case parley.OutcomeResolved:
		s.Resolved = 1
	case parley.OutcomeHandedOver:
		s.HandedOver = 1
	case parley.OutcomeDisliked:
		s.Disliked = 1
	case parley.OutcomeGivenUp:
		s.GivenUp = 1
	case parley.OutcomeAskedAgain:
		s.AskedAgain = 1
	}
	return s
}

// insightDay is what is added to the sums of an insight's day.
type insightDay struct {
	insight parley.Insight
	sums    InsightSums
}

var insightDayTable = newTable("insight_days", func(d *insightDay) []field {
	return append([]field{
		{"agent_id", &d.insight.AgentID},
		{"day", func() any { return dayOf(d.insight.CreatedAt) }},
		{"channel", &d.insight.Channel},
		{"topic", &d.insight.Topic},
		{"sentiment", &d.insight.Sentiment},
		{"account_id", &d.insight.AccountID},
	}, d.sums.fields()...)
})

var addInsightSums = insightSumsAddition()

func insightSumsAddition() string {
	var sets []string
	for _, f := range new(InsightSums).fields() {
		sets = append(sets, f.column+` = insight_days.`+f.column+` + excluded.`+f.column)
	}
	return ` on conflict (agent_id, day, channel, topic, sentiment) do update set ` + strings.Join(sets, `, `)
}

// countInsight adds an insight to the sums of its day, or with -1 subtracts it. A row that counts nothing any more is
// deleted.
func (db *DB) countInsight(ctx context.Context, in *parley.Insight, sign int64) error {
	d := insightDay{insight: *in}
	d.sums.addTimes(sign, insightSums(in))
	if err := insightDayTable.insert(ctx, db, addInsightSums, &d); err != nil || sign > 0 {
		return err
	}
	return db.exec(ctx, `
		delete from insight_days
		where agent_id = ? and day = ? and channel = ? and topic = ? and sentiment = ? and account_id = ?
		  and conversations <= 0`,
		in.AgentID, dayOf(in.CreatedAt), in.Channel, in.Topic, in.Sentiment, in.AccountID)
}

// GroupedSums is the sums of one value of a group.
type GroupedSums struct {
	Key string `json:"key"`
	InsightSums
}

// SumInsights adds up the days from and to, both whole, told apart by the group and in its order.
func (db *DB) SumInsights(ctx context.Context, ref parley.AgentRef, from, to time.Time,
	by parley.InsightGroup) ([]GroupedSums, error) {
	if !slices.Contains(parley.InsightGroups(), by) {
		return nil, fmt.Errorf("insights have no group %q", by)
	}
	column := string(by) // each group is a column of its name
	return newTable("insight_days", func(s *GroupedSums) []field {
		fields := []field{{column, &s.Key}}
		for _, f := range s.fields() {
			fields = append(fields, field{`cast(sum(` + f.column + `) as bigint)`, f.value})
		}
		return fields
	}).list(ctx, db, `
		where agent_id = ? and account_id = ? and day between ? and ?
		group by `+column+`
		order by `+column, ref.Agent, ref.Account, dayOf(from), dayOf(to))
}

// SentimentDay counts the conversations of a day in which customers felt alike.
type SentimentDay struct {
	Day           string // 2026-01-31
	Sentiment     string // empty where nothing is known of it
	Conversations int64
}

// CountSentiments counts the conversations of the days from and to, both whole, by day and sentiment, in that order.
func (db *DB) CountSentiments(ctx context.Context, ref parley.AgentRef, from, to time.Time) ([]SentimentDay, error) {
	return newTable("insight_days", func(d *SentimentDay) []field {
		return []field{
			{"day", &d.Day},
			{"sentiment", &d.Sentiment},
			{"cast(sum(conversations) as bigint)", &d.Conversations},
		}
	}).list(ctx, db, `
		where agent_id = ? and account_id = ? and day between ? and ?
		group by day, sentiment
		order by day, sentiment`, ref.Agent, ref.Account, dayOf(from), dayOf(to))
}

// InsightCounts are what the conversations since a moment came to.
type InsightCounts struct {
	Conversations int64 `json:"conversations"`
	Answers       int64 `json:"answers"`
	Resolved      int64 `json:"resolved"`
	Escalated     int64 `json:"escalated"`
}

// CountInsights counts the agent's conversations that began at a moment or later. It reads each of them, so the moment
// must be of late.
func (db *DB) CountInsights(ctx context.Context, ref parley.AgentRef, since time.Time) (InsightCounts, error) {
	return sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (c InsightCounts, err error) {
		err = scan(&c.Conversations, &c.Answers, &c.Resolved, &c.Escalated)
		return c, err
	}, `
		select count(*), cast(coalesce(sum(answers), 0) as bigint),
		  count(case when `+figureClauses[FigureResolved]+` then 1 end), count(case when escalated = 1 then 1 end)
		from conversation_insights
		where agent_id = ? and account_id = ? and created_at >= ?`, ref.Agent, ref.Account, millis(since))
}

// OpenQuestions lists the questions that were not answered from a moment to before another, the newest first.
func (db *DB) OpenQuestions(ctx context.Context, ref parley.AgentRef, from, to time.Time,
	limit int) ([]parley.OpenQuestion, error) {
	return openQuestionTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and asked_at >= ? and asked_at < ?
		order by asked_at desc, conversation_id desc, seq desc
		limit ?`, ref.Agent, ref.Account, millis(from), millis(to), limit)
}

// CountOpenQuestions counts them.
func (db *DB) CountOpenQuestions(ctx context.Context, ref parley.AgentRef, from, to time.Time) (int64, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int64], `
		select count(*)
		from insight_questions
		where agent_id = ? and account_id = ? and asked_at >= ? and asked_at < ?`,
		ref.Agent, ref.Account, millis(from), millis(to))
}

// AgentDay is the sums of a day of an agent.
type AgentDay struct {
	Agent parley.AgentID
	Day   string
	InsightSums
}

// SumAgentDays adds up the days from and to, both whole, of agents of an account, by agent and day.
func (db *DB) SumAgentDays(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	from, to time.Time) ([]AgentDay, error) {
	if len(agents) == 0 {
		return nil, nil
	}
	return newTable("insight_days", func(d *AgentDay) []field {
		fields := []field{{"agent_id", &d.Agent}, {"day", &d.Day}}
		for _, f := range d.fields() {
			fields = append(fields, field{`cast(sum(` + f.column + `) as bigint)`, f.value})
		}
		return fields
	}).list(ctx, db, `
		where agent_id in `+placeholders(len(agents))+` and account_id = ? and day between ? and ?
		group by agent_id, day
		order by agent_id, day`, append(toAny(agents), account, dayOf(from), dayOf(to))...)
}

// CountAgentQuestions counts the questions of agents of an account that were not answered from a moment to before
// another; agents without any are left out.
func (db *DB) CountAgentQuestions(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	from, to time.Time) (map[parley.AgentID]int64, error) {
	counts := map[parley.AgentID]int64{}
	if len(agents) == 0 {
		return counts, nil
	}
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		var id parley.AgentID
		var n int64
		err := scan(&id, &n)
		counts[id] = n
		return struct{}{}, err
	}, `
		select agent_id, count(*)
		from insight_questions
		where agent_id in `+placeholders(len(agents))+` and account_id = ? and asked_at >= ? and asked_at < ?
		group by agent_id`, append(toAny(agents), account, millis(from), millis(to))...)
	return counts, err
}
