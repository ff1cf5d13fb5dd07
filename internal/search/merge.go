package search

import (
	"context"

	"parley/internal/sqldb"
)

// FTS5 keeps an index as segments: one of each transaction, until it merges some of them. A search looks into every
// segment for every word. After a build of a million messages there are twenty, and in one segment the same words are
// found in two thirds of the time. So, where there are many, all are merged into one, in steps between which others
// write.
const (
	maxSegments = 16
	mergePages  = 250 // that a step writes
	// while the largest segment has at least 7/8 of the pages, the rest is not worth writing all of them again
	largeShare = 8
)

// merger merges the segments of the two indexes.
type merger struct {
	isRunning map[table]bool
}

// step goes on with what is being merged, and reports whether there is more. Where isDue it looks for what is to be
// merged, too. On PostgreSQL it has GIN take up what a build has left pending.
func (m *merger) step(ctx context.Context, db *sqldb.DB, isDue bool) (more bool, err error) {
	if db.Dialect() == sqldb.Postgres {
		if isDue {
			_, err = sqldb.One(ctx, db, sqldb.Column[int64], `
				select gin_clean_pending_list('search_messages_words') + gin_clean_pending_list('search_words_words')`)
		}
		return false, err
	}
	if m.isRunning == nil {
		m.isRunning = map[table]bool{}
	}
	for _, t := range []table{messageTable, bucketTable} {
		pages := mergePages
		if !m.isRunning[t] && isDue {
			if m.isRunning[t], err = hasManySegments(ctx, db, t); err != nil {
				return false, err
			}
			pages = -mergePages // which begins with all segments
		}
		if !m.isRunning[t] {
			continue
		}
		if m.isRunning[t], err = mergeSegments(ctx, db, t, pages); err != nil {
			return false, err
		}
		more = more || m.isRunning[t]
	}
	return more, nil
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
