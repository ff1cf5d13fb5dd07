package search_test

import (
	"testing"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// TestWhatIsFoundOutAfterTheTalk holds that the filters by topic, sentiment and escalation follow the conversation's insight.
func TestWhatIsFoundOutAfterTheTalk(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.begin("Where is my order?"), w.begin("Hello")
		w.settle()
		w.wants(search.Query{Topic: "unspecified", Sentiment: "unspecified"}, b, a)
		in := parley.Insight{ConversationID: a.ID, AccountID: a.AccountID, AgentID: a.AgentID, Channel: a.Channel, CreatedAt: a.CreatedAt, MadeAt: w.clock(),
			Topic: "Returns", Topics: []string{"Returns", "Orders"}, Sentiment: parley.Negative, Escalated: true}
		a.change("conversation.insight", func(tx *store.DB) error {
			if err := tx.HoldInsights(w, a.AccountID, a.AgentID); err != nil {
				return err
			}
			_, err := tx.SaveInsight(w, &in)
			return err
		})
		w.settle()
		w.wants(search.Query{Topic: "Orders"}, a)
		w.wants(search.Query{Topic: "Returns,Hours", Sentiment: "negative,positive", Escalated: "true", Text: "order"}, a)
		w.wants(search.Query{Topic: "unspecified"}, b)
		w.wants(search.Query{Sentiment: "positive"})
	})
}
