package insight

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	same      = 0.6 // likeness of questions that are nearly the same
	ofOneUser = 200 // conversations that are looked at for one who came back
	wholeDay  = 24 * time.Hour
)

// reconsider tells of a conversation and of those of the same user shortly before it whether the user came back with the same. The
// caller holds the agent's insights.
func reconsider(ctx context.Context, tx *store.DB, in *parley.Insight, days int) error {
	if in.UserID == "" {
		return nil
	}
	within := (time.Duration(days) * wholeDay).Milliseconds()
	at := in.CreatedAt.UnixMilli()
	list, err := tx.InsightsOfUser(ctx, in.AccountID, in.AgentID, in.UserID, at-within, at+within, ofOneUser)
	if err != nil {
		return err
	}
	v, err := tx.Vocabulary(ctx, in.AccountID, in.AgentID)
	if err != nil {
		return err
	}
	for i := range list {
		one := list[i]
		if one.CreatedAt.After(in.CreatedAt) {
			break
		}
		again := cameBack(&one, list[i+1:], within, &v)
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

// cameBack reports whether a later conversation, in order of time, is about the same.
func cameBack(one *parley.Insight, later []parley.Insight, within int64, v *store.Vocabulary) bool {
	for i := range later {
		after := later[i].CreatedAt.UnixMilli() - one.CreatedAt.UnixMilli()
		if after > within {
			return false
		}
		if later[i].Outcome != "" && alike(one, &later[i], v) {
			return true
		}
	}
	return false
}

func alike(a, b *parley.Insight, v *store.Vocabulary) bool {
	if a.Topic != "" && a.Topic == b.Topic {
		return true
	}
	return len(a.Terms) > 0 && len(b.Terms) > 0 && likeness(weigh(a.Terms, v), weigh(b.Terms, v)) >= same
}
