package search_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// TestUntouchedIndex checks that a change of a conversation which is no other word or facet writes nothing into the
// full-text indexes, on SQLite, where each write leaves a segment: a later activity, and an insight that says the same
// as the one before.
func TestUntouchedIndex(t *testing.T) {
	ts := newTestSearch(t, dbs.NewSQLiteStore(t))
	tc := ts.startConversation("alpha bravo")
	ts.startConversation("charlie")
	tc.saveInsight(parley.SentimentNegative)
	ts.runIndexer()
	before := ts.fullTextState()
	ts.advanceClock(time.Minute)
	tc.setColumn("last_activity", ts.clock().UnixMilli())
	tc.saveInsight(parley.SentimentNegative)
	ts.runIndexer()
	ts.wantFound(search.Query{Text: "alpha", Sentiment: "negative"}, tc)
	if after := ts.fullTextState(); after != before {
		t.Errorf("the full-text indexes were written: %s, before %s", after, before)
	}
	tc.saveInsight(parley.SentimentPositive)
	ts.runIndexer()
	ts.wantFound(search.Query{Text: "alpha", Sentiment: "positive"}, tc)
	if after := ts.fullTextState(); after == before {
		t.Error("another sentiment has not been written")
	}
}

// fullTextState describes both full-text indexes: FTS5 writes its record 10 with each change.
func (ts *testSearch) fullTextState() string {
	ts.Helper()
	text, err := sqldb.One(ts, ts.db.SQL(), sqldb.Column[string], `
		select hex(w.block) || ' ' || hex(m.block)
		from search_words_data w, search_messages_data m
		where w.id = 10 and m.id = 10`)
	ts.must(err)
	return text
}

func (tc *testConversation) saveInsight(s parley.Sentiment) {
	tc.env.Helper()
	tc.update("conversation.insight", func(tx *store.DB) error {
		if err := tx.LockInsights(tc.env, tc.AccountID.AgentRef(tc.AgentID)); err != nil {
			return err
		}
		_, err := tx.SaveInsight(tc.env, &parley.Insight{ConversationID: tc.ID, AccountID: tc.AccountID,
			AgentID: tc.AgentID, Channel: tc.Channel, CreatedAt: tc.CreatedAt, GeneratedAt: tc.env.clock(), Sentiment: s})
		return err
	})
}
