package insight

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	sameQuestionSimilarity = 0.6 // similarity of questions that are nearly the same
	maxUserInsights        = 200 // of a user that are compared
	dayLength              = 24 * time.Hour
)

// updateAskedAgain updates, for a conversation and those of the same user shortly before it, whether the user came back
// with the same question. The caller has locked the agent's insights.
func updateAskedAgain(ctx context.Context, tx *store.DB, in *parley.Insight, days int) error {
	if in.UserID == "" {
		return nil
	}
	within := (time.Duration(days) * dayLength).Milliseconds()
	at := in.CreatedAt.UnixMilli()
	list, err := tx.InsightsByUser(ctx, in.AgentRef(), in.UserID, at-within, at+within, maxUserInsights)
	if err != nil || len(list) == 0 {
		return err
	}
	v, err := tx.Vocabulary(ctx, in.AgentRef())
	if err != nil {
		return err
	}
	vecs := make([]vector, len(list))
	for i := range list {
		vecs[i] = weightedVector(list[i].Terms, &v)
	}
	for i := range list {
		one := list[i]
		if one.CreatedAt.After(in.CreatedAt) {
			break
		}
		again := isAskedAgain(list[i:], vecs[i:], within)
		if again == one.AskedAgain {
			continue
		}
		one.AskedAgain = again
		if _, err := tx.SaveInsight(ctx, &one); err != nil {
			return err
		}
	}
	return nil
}

// isAskedAgain reports whether one of the conversations after the first, in order of time, is about the same as it.
func isAskedAgain(list []parley.Insight, vecs []vector, within int64) bool {
	for i := 1; i < len(list); i++ {
		after := list[i].CreatedAt.UnixMilli() - list[0].CreatedAt.UnixMilli()
		if after > within {
			return false
		}
		if list[i].Outcome != "" &&
			(sameTopic(&list[0], &list[i]) || similarity(vecs[0], vecs[i]) >= sameQuestionSimilarity) {
			return true
		}
	}
	return false
}

func sameTopic(a, b *parley.Insight) bool { return a.Topic != "" && a.Topic == b.Topic }
