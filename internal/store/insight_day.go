package store

import (
	"context"
	"fmt"
	"slices"
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

const insightSumColumns = `
  conversations,
  messages,
  answers,
  refused,
  escalated,
  up,
  down,
  resolved,
  handed_over,
  disliked,
  given_up,
  asked_again`

func (s *InsightSums) fieldPointers() []*int64 {
	return []*int64{&s.Conversations, &s.Messages, &s.Answers, &s.Refused, &s.Escalated, &s.PositiveRatings,
		&s.NegativeRatings, &s.Resolved, &s.HandedOver, &s.Disliked, &s.GivenUp, &s.AskedAgain}
}

// Add adds other sums.
func (s *InsightSums) Add(other InsightSums) {
	from := other.fieldPointers()
	for i, f := range s.fieldPointers() {
		*f += *from[i]
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

// countInsight adds an insight to the sums of its day, or with -1 takes it out. A row that counts nothing any more
// goes.
func (db *DB) countInsight(ctx context.Context, in *parley.Insight, sign int64) error {
	s := insightSums(in)
	args := []any{in.AgentID, dayOf(in.CreatedAt), in.Channel, in.Topic, in.Sentiment, in.AccountID}
	for _, f := range s.fieldPointers() {
		args = append(args, sign**f)
	}
	_, err := db.sql.Exec(ctx,
		`insert into insight_days (agent_id, day, channel, topic, sentiment, account_id, `+insightSumColumns+`)
		values `+placeholders(len(args))+`
		on conflict (agent_id, day, channel, topic, sentiment) do update set
		  conversations = insight_days.conversations + excluded.conversations,
		  messages = insight_days.messages + excluded.messages,
		  answers = insight_days.answers + excluded.answers,
		  refused = insight_days.refused + excluded.refused,
		  escalated = insight_days.escalated + excluded.escalated,
		  up = insight_days.up + excluded.up,
		  down = insight_days.down + excluded.down,
		  resolved = insight_days.resolved + excluded.resolved,
		  handed_over = insight_days.handed_over + excluded.handed_over,
		  disliked = insight_days.disliked + excluded.disliked,
		  given_up = insight_days.given_up + excluded.given_up,
		  asked_again = insight_days.asked_again + excluded.asked_again`, args...)
	if err != nil || sign > 0 {
		return err
	}
	_, err = db.sql.Exec(ctx, `
		delete from insight_days
		where agent_id = ? and day = ? and channel = ? and topic = ? and sentiment = ? and account_id = ?
		  and conversations <= 0`,
		args[:6]...)
	return err
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
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s GroupedSums, err error) {
		dest := []any{&s.Key}
		for _, f := range s.fieldPointers() {
			dest = append(dest, f)
		}
		err = scan(dest...)
		return s, err
	}, `
		select `+column+
		`, cast(sum(conversations) as bigint), cast(sum(messages) as bigint), cast(sum(answers) as bigint),
		cast(sum(refused) as bigint),
		cast(sum(escalated) as bigint), cast(sum(up) as bigint), cast(sum(down) as bigint), cast(sum(resolved) as bigint),
		cast(sum(handed_over) as bigint),
		cast(sum(disliked) as bigint), cast(sum(given_up) as bigint), cast(sum(asked_again) as bigint)
		from insight_days where agent_id = ? and account_id = ? and day between ? and ? group by `+column+`
			order by `+column, ref.Agent, ref.Account, dayOf(from), dayOf(to))
}

// OpenQuestions lists the questions that were not answered from a moment to before another, the newest first.
func (db *DB) OpenQuestions(ctx context.Context, ref parley.AgentRef, from, to time.Time,
	limit int) ([]parley.OpenQuestion, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (q parley.OpenQuestion, err error) {
		var at int64
		err = scan(&q.ConversationID, &q.Seq, &q.Text, &at)
		q.AskedAt = timeFromMillis(at)
		return q, err
	}, `
		select conversation_id, seq, text, asked_at
		from insight_questions
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
