package search

import (
	"context"
	"sync/atomic"

	"parley/internal/sqldb"
)

// FTS5 keeps an index as segments: one of each transaction, until some are merged. A search looks into every segment
// for every word. Four of about the same size become one soon after they were written; and where there are many all the
// same, all are merged into one, since in one segment words are found in two thirds of the time that twenty take. Both
// happen in steps of a transaction each, between which others write.
const (
	maxSegments = 16
	// mergePages is how many pages a step writes: it holds the only writer for about two milliseconds. A word is written
	// in one step, however many pages it has.
	mergePages      = 16
	buildMergePages = 64
	buildMergeLag   = 16 // transactions of a build whose segments are merged together
	// while the largest segment has at least 7/8 of the pages, the rest is not worth writing all of them again
	largeShare = 8
)

// merger merges the segments of the two indexes.
type merger struct {
	writes atomic.Int64    // transactions that have made segments
	merged map[table]int64 // the writes after which nothing was left to merge
}

// step goes on with what is being merged, and reports whether there is more. Where isDue it looks whether all segments
// are to be merged; isBuild tells that there are many writes, or were. On PostgreSQL it has GIN take up what a build
// has left pending.
func (m *merger) step(ctx context.Context, db *sqldb.DB, isDue, isBuild bool) (more bool, err error) {
	if db.Dialect() == sqldb.Postgres {
		if isDue {
			_, err = sqldb.One(ctx, db, sqldb.Column[int64], `
				select gin_clean_pending_list('search_messages_words') + gin_clean_pending_list('search_words_words')`)
		}
		return false, err
	}
	for _, t := range []table{messageTable, bucketTable} {
		again, err := m.mergeTable(ctx, db, t, isDue, isBuild)
		if err != nil {
			return false, err
		}
		more = more || again
	}
	return more, nil
}

// mergeTable takes a step of one index, and reports whether there is more.
func (m *merger) mergeTable(ctx context.Context, db *sqldb.DB, t table, isDue, isBuild bool) (more bool,
	err error) {
	if m.merged == nil {
		m.merged = map[table]int64{messageTable: -buildMergeLag, bucketTable: -buildMergeLag}
	}
	writes, lag, pages := m.writes.Load(), int64(1), mergePages
	if isBuild {
		pages = buildMergePages
		if !isDue {
			lag = buildMergeLag
		}
	}
	if writes-m.merged[t] < lag {
		if !isDue {
			return false, nil
		}
		if isMany, err := hasManySegments(ctx, db, t); err != nil || !isMany {
			return false, err
		}
		pages = -pages // which begins with all segments
	}
	if more, err = mergeSegments(ctx, db, t, pages); err == nil && !more {
		m.merged[t] = writes
	}
	return more, err
}

// hasManySegments reports whether an index has so many segments that they are to be merged.
func hasManySegments(ctx context.Context, db *sqldb.DB, t table) (bool, error) {
	segments, err := sqldb.One(ctx, db, sqldb.Column[int64], segmentsQuery(t))
	if err != nil || segments <= maxSegments {
		return false, err
	}
	pages, err := sqldb.All(ctx, db, sqldb.Column[int64], `select count(*) from `+string(t)+`_idx group by segid`)
	var all, largest int64
	for _, n := range pages {
		all, largest = all+n, max(largest, n)
	}
	return (all-largest)*largeShare > all, err
}

// segmentsQuery counts the segments. It seeks the next one instead of reading a row for each page.
func segmentsQuery(t table) string {
	return `
		with recursive s (id) as (
		  select min(segid) from ` + string(t) + `_idx
		  union all
		  select (select min(segid) from ` + string(t) + `_idx where segid > id) from s where id is not null
		)
		select count(id) from s`
}

// mergeSegments takes a step of a merge and reports whether there is more: FTS5 changes two rows at least while it has
// something to do.
func mergeSegments(ctx context.Context, db *sqldb.DB, t table, pages int) (more bool, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		before, err := sqldb.One(ctx, tx, sqldb.Column[int64], `select total_changes()`)
		if err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `
			insert into `+string(t)+` (`+string(t)+`, rank)
			values ('merge', ?)`, pages); err != nil {
			return err
		}
		after, err := sqldb.One(ctx, tx, sqldb.Column[int64], `select total_changes()`)
		more = after-before >= 2
		return err
	})
	return more, err
}
