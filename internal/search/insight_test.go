package search_test

import (
	"testing"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// TestWhatIsFoundOutAfterTheTalk holds that the filters by topic, sentiment and escalation follow the conversation's insight.
func TestWhatIsFoundOutAfterTheTalk(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a, b := w.startConversation("Where is my order?"), w.startConversation("Hello")
		w.runIndexer()
		w.wantFound(search.Query{Topic: "unspecified", Sentiment: "unspecified"}, b, a)
		in := parley.Insight{ConversationID: a.ID, AccountID: a.AccountID, AgentID: a.AgentID, Channel: a.Channel, CreatedAt: a.CreatedAt, GeneratedAt: w.clock(),
			Topic: "Returns", Topics: []string{"Returns", "Orders"}, Sentiment: parley.SentimentNegative, Escalated: true}
		a.update("conversation.insight", func(tx *store.DB) error {
			if err := tx.LockInsights(w, a.AccountID, a.AgentID); err != nil {
				return err
			}
			_, err := tx.SaveInsight(w, &in)
			return err
		})
		w.runIndexer()
		w.wantFound(search.Query{Topic: "Orders"}, a)
		w.wantFound(search.Query{Topic: "Returns,Hours", Sentiment: "negative,positive", Escalated: "true", Text: "order"}, a)
		w.wantFound(search.Query{Topic: "unspecified"}, b)
		w.wantFound(search.Query{Sentiment: "positive"})
	})
}
