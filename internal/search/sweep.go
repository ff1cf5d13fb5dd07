package search

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// retiredRetention is how long what another generation has taken the place of is kept: for those who are paging through
// it.
const retiredRetention = 20 * time.Minute

// sweepBatchSize is the most rows one transaction erases.
const sweepBatchSize = 200

// Sweep erases walks that nobody goes on with, and retired partitions.
func (x *Indexer) Sweep(ctx context.Context) error {
	now := x.Now()
	for {
		n, err := x.deleteRows(ctx, `
			delete from search_walks
			where id in (select id from search_walks where keep_until < ? order by keep_until limit ?)`,
			now.UnixMilli(), sweepBatchSize)
		if err != nil {
			return err
		}
		if n < sweepBatchSize {
			break
		}
	}
	list, err := sqldb.All(ctx, x.DB.SQL(), scanRetired, `
		select number, generation, agent_id
		from search_agents
		where retired_at < ?`, now.Add(-retiredRetention).UnixMilli())
	for _, r := range list {
		if failed := x.erasePartition(ctx, r); !sqldb.IsNotFound(failed) { // not found: another server has cleared it
			err = errors.Join(err, failed)
		}
	}
	return err
}

func (x *Indexer) deleteRows(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = x.DB.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		n, err = tx.Exec(ctx, query, args...)
		return err
	})
	return n, err
}

// retiredPartition is a partition that is no longer used.
type retiredPartition struct {
	number, generation int64
	agent              parley.AgentID
}

func scanRetired(scan sqldb.Scan) (r retiredPartition, err error) {
	err = scan(&r.number, &r.generation, &r.agent)
	return r, err
}

// erasePartition erases a partition in steps. Each makes sure that the partition is still the same: its number may have
// been reused.
func (x *Indexer) erasePartition(ctx context.Context, r retiredPartition) error {
	index, all := newIndex(x.DB.SQL()), conversationRange(r.number, 0, maxConversations)
	for _, t := range []table{bucketTable, messageTable} {
		for {
			ids, err := index.ListIDs(ctx, x.DB.SQL(), t, all, sweepBatchSize)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				break
			}
			if err := x.whileRetired(ctx, r, func(tx *sqldb.DB) error { return index.Delete(ctx, tx, t, ids) }); err != nil {
				return err
			}
		}
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`
			delete from search_docs
			where agent = ?
			  and number in (select number from search_docs where agent = ? order by number limit ?)`,
			[]any{r.number, r.number, sweepBatchSize}},
		{`
			delete from search_buckets
			where id in (select id from search_buckets where id between ? and ? order by id limit ?)`,
			[]any{all.from, all.to, sweepBatchSize}},
	} {
		for n := int64(sweepBatchSize); n == sweepBatchSize; {
			err := x.whileRetired(ctx, r, func(tx *sqldb.DB) (err error) {
				n, err = tx.Exec(ctx, q.query, q.args...)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return x.whileRetired(ctx, r, func(tx *sqldb.DB) error {
		_, err := tx.Exec(ctx, `
			delete from search_agents
			where number = ? and generation = ? and agent_id = ?`, r.number, r.generation, r.agent)
		return err
	})
}

// whileRetired runs fn while the partition is retired and its number not reused.
func (x *Indexer) whileRetired(ctx context.Context, r retiredPartition, fn func(tx *sqldb.DB) error) error {
	return x.DB.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		_, err := sqldb.One(ctx, tx, sqldb.Column[int64], `
			select number
			from search_agents
			where number = ? and generation = ? and agent_id = ? and retired_at is not null`+tx.ForUpdate(),
			r.number, r.generation, r.agent)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

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
	db.EmptyLog() // which has pages of before, and has overwritten some that the file still has
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
