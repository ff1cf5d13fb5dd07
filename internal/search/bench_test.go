package search_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// BenchmarkExtend adds a message to a conversation of some length and brings the index up to date.
func BenchmarkExtend(b *testing.B) {
	for _, on := range []struct {
		name string
		url  func(b *testing.B) string
	}{{"sqlite", func(b *testing.B) string { return dbs.NewSQLitePath(b) }}, {"postgres", func(b *testing.B) string {
		return dbs.SharedPostgres(b).NewDatabase(b)
	}}} {
		for _, length := range []int{10, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", on.name, length), func(b *testing.B) {
				ts := newTestSearch(b, dbs.NewStore(b, dbs.Open(b, on.url(b))))
				tc := ts.startConversation("alpha")
				tc.addMessages(length)
				ts.runIndexer()
				for i := 0; b.Loop(); i++ {
					tc.addMessage(parley.AuthorUser, fmt.Sprintf("some ordinary words and one that is new%d", i))
					ts.runIndexer()
				}
			})
		}
	}
}

// addMessages writes messages without events.
func (tc *testConversation) addMessages(n int) {
	tc.env.Helper()
	const batchSize = 100
	for from := 2; from <= n; from += batchSize {
		var args []any
		count := min(batchSize, n-from+1)
		for i := range count {
			seq := from + i
			args = append(args, fmt.Sprintf("msg_%s%d", tc.ID, seq), tc.AccountID, tc.AgentID, tc.ID, seq, "user", "reply",
				"complete",
				fmt.Sprintf(`[{"type":"text","text":"message %d of %d words%d"}]`, seq, seq%700, seq%30_000), noon.UnixMilli())
		}
		tc.env.must(tc.env.db.Transact(tc.env, sqldb.Bulk, func(tx *store.DB) error {
			_, err := tx.SQL().Exec(tc.env,
				`insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts,
					created_at) values `+
					strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count)[2:], args...)
			return err
		}))
	}
	tc.setColumn("last_seq", n)
	tc.setColumn("message_count", n)
}
