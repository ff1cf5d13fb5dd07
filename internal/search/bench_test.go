package search_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// BenchmarkExtend adds a message to a conversation of some length and brings the index up to date.
func BenchmarkExtend(b *testing.B) {
	for _, on := range []struct {
		name string
		url  func(b *testing.B) string
	}{{"sqlite", func(b *testing.B) string { return dbs.File(b) }}, {"postgres", func(b *testing.B) string { return dbs.Postgres(b).NewDatabase(b) }}} {
		for _, length := range []int{10, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", on.name, length), func(b *testing.B) {
				w := newWorld(b, dbs.Store(b, dbs.Open(b, on.url(b))))
				k := w.begin("alpha")
				k.lengthen(length)
				w.settle()
				for i := 0; b.Loop(); i++ {
					k.say(parley.ByUser, fmt.Sprintf("some ordinary words and one that is new%d", i))
					w.settle()
				}
			})
		}
	}
}

// lengthen writes messages without events.
func (k *talk) lengthen(n int) {
	k.w.Helper()
	const together = 100
	for from := 2; from <= n; from += together {
		var args []any
		count := min(together, n-from+1)
		for i := range count {
			seq := from + i
			args = append(args, fmt.Sprintf("msg_%s%d", k.ID, seq), k.AccountID, k.AgentID, k.ID, seq, "user", "reply", "complete",
				fmt.Sprintf(`[{"type":"text","text":"message %d of %d words%d"}]`, seq, seq%700, seq%30_000), noon.UnixMilli())
		}
		k.w.must(k.w.db.Transact(k.w, sqldb.Bulk, func(tx *store.DB) error {
			_, err := tx.SQL().Exec(k.w, `insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts, created_at) values `+
				strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count)[2:], args...)
			return err
		}))
	}
	k.set("last_seq", n)
	k.set("message_count", n)
}
