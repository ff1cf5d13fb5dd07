package search

import (
	"context"

	"parley/internal/sqldb"
)

// Index finds rows by their tokens. It is FTS5 on SQLite and tsvector on PostgreSQL; both hold the same tokens, which
// this package makes, under the same ids, and return the same rows in the same order.
type Index interface {
	// Begin prepares a transaction that writes; isBuild tells that it is one of many of a build.
	Begin(ctx context.Context, tx *sqldb.DB, isBuild bool) error
	// Put writes rows, in place of those with the same ids.
	Put(ctx context.Context, tx *sqldb.DB, t table, rows []row) error
	// Delete removes rows.
	Delete(ctx context.Context, tx *sqldb.DB, t table, ids []int64) error
	// ListIDs lists ids that are there, from the lowest, at most limit.
	ListIDs(ctx context.Context, db *sqldb.DB, t table, in idRange, limit int) ([]int64, error)
	// Find lists the ids of the rows that match, from the highest, at most limit.
	Find(ctx context.Context, db *sqldb.DB, t table, e expr, in idRange, limit int) ([]int64, error)
	// FindFew is Find where all rows that match are of some conversations, whose numbers descend, and these have few
	// rows.
	FindFew(ctx context.Context, db *sqldb.DB, t table, e expr, agent int64, numbers []int64, limit int) ([]int64, error)
}

// newIndex returns the index of the database.
func newIndex(db *sqldb.DB) Index {
	if db.Dialect() == sqldb.Postgres {
		return tsvectorIndex{}
	}
	return fts5Index{}
}

// table is one of the two indexes.
type table string

const (
	messageTable table = "search_messages" // the words of each message; the title is the message 0
	bucketTable  table = "search_words"    // the distinct words of a conversation, in buckets; the first has the facets
)

// row is what an index holds under an id.
type row struct {
	id     int64
	tokens []string
}

// idRange is a range of ids, both ends included.
type idRange struct{ from, to int64 }

// expr is what rows are to hold: one token of each group. Where loose is not empty, a row that is marked as parted is
// found, too, when it holds but one of these: the rest may be in another bucket.
type expr struct {
	groups      [][]string
	looseTokens []string
}

// An id holds the number of the agent, that of the conversation, and that of the message or the bucket, so that agents
// and conversations are ranges of ids.
const (
	placeBits        = 20
	conversationBits = 24
	agentShift       = placeBits + conversationBits
	maxPlaces        = 1<<placeBits - 1
	maxConversations = 1<<conversationBits - 1
	maxAgents        = 1<<(63-agentShift) - 1
)

func rowID(agent, conversation, place int64) int64 {
	return agent<<agentShift | conversation<<placeBits | place
}

func agentOfRow(id int64) int64        { return id >> agentShift }
func conversationOfRow(id int64) int64 { return id >> placeBits & maxConversations }
func placeOfRow(id int64) int64        { return id & maxPlaces }

// conversationRange is the range of an agent's conversations, both ends included.
func conversationRange(agent, first, last int64) idRange {
	return idRange{rowID(agent, first, 0), rowID(agent, last, maxPlaces)}
}

// queryIDs lists the ids that a statement selects.
func queryIDs(ctx context.Context, db *sqldb.DB, query string, args ...any) (ids []int64, err error) {
	var id int64
	err = sqldb.Each(ctx, db, []any{&id}, func() { ids = append(ids, id) }, query, args...)
	return ids, err
}
