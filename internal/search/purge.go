package search

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// RequestPurge has the words of what was deleted in an account so far leave the index for good. FTS5 leaves the words
// of deleted rows in their segments, where no search finds them, until the segments are merged; on PostgreSQL its own
// vacuum removes them.
func (x *Indexer) RequestPurge(ctx context.Context, account parley.AccountID) error {
	if x.DB.SQL().Dialect() == sqldb.Postgres {
		return nil
	}
	_, err := x.DB.SQL().Exec(ctx, `
		update search_accounts set purge_after = (select event_seq from accounts where id = ?)
		where account_id = ?`, account, account)
	return err
}

// purge is an account whose deleted words are to leave the index.
type purge struct {
	account parley.AccountID
	after   int64 // the event up to which the index must have followed before
}

// purgeQuery finds the purges whose events are followed. It is asked all the time, and mostly there are none.
const purgeQuery = `
	select s.account_id, s.purge_after
	from search_accounts s
	where s.purge_after > 0 and s.purge_after <= coalesce((select p.seq
	  from event_positions p
	  where p.name = ? and p.account_id = s.account_id), 0)`

// Purge merges all segments of the index where that was requested and the deletions are followed, in steps of a
// transaction each, between which others write.
func (x *Indexer) Purge(ctx context.Context) error {
	db := x.DB.SQL()
	due, err := sqldb.All(ctx, db, func(scan sqldb.Scan) (p purge, err error) {
		err = scan(&p.account, &p.after)
		return p, err
	}, purgeQuery, followerName)
	if err != nil || len(due) == 0 {
		return err
	}
	x.merging.Lock()
	defer x.merging.Unlock()
	for _, t := range []table{messageTable, bucketTable} {
		if err := mergeAllSegments(ctx, db, t); err != nil {
			return err
		}
	}
	for _, p := range due {
		if _, err := db.Exec(ctx, `
			update search_accounts set purge_after = null
			where account_id = ? and purge_after = ?`, p.account, p.after); err != nil {
			return err
		}
	}
	return nil
}

// mergeAllSegments makes one segment of an index, which holds no word of a deleted row.
func mergeAllSegments(ctx context.Context, db *sqldb.DB, t table) error {
	for pages := -buildMergePages; ; pages = buildMergePages { // the first step takes all segments
		if more, err := mergeSegments(ctx, db, t, pages); err != nil || !more {
			return err
		}
	}
}
