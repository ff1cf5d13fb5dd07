package search

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// retiredFor is how long what another generation has taken the place of is kept: for those who are paging through it.
const retiredFor = 20 * time.Minute

// sweptTogether is the most rows one transaction erases.
const sweptTogether = 200

// Sweep erases walks that nobody goes on with, and the shelves that are out of use.
func (x *Indexer) Sweep(ctx context.Context) error {
	now := x.Now()
	for {
		n, err := x.erase(ctx, `delete from search_walks where id in (select id from search_walks where keep_until < ? order by keep_until limit ?)`, now.UnixMilli(), sweptTogether)
		if err != nil {
			return err
		}
		if n < sweptTogether {
			break
		}
	}
	list, err := sqldb.All(ctx, x.DB.SQL(), scanRetired, `select number, generation, agent_id from search_agents where retired_at < ?`, now.Add(-retiredFor).UnixMilli())
	for _, r := range list {
		if failed := x.clear(ctx, r); !sqldb.NotFound(failed) { // not found: another server has cleared it
			err = errors.Join(err, failed)
		}
	}
	return err
}

func (x *Indexer) erase(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = x.DB.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		n, err = tx.Exec(ctx, query, args...)
		return err
	})
	return n, err
}

// retired is a shelf that is out of use.
type retired struct {
	number, generation int64
	agent              parley.AgentID
}

func scanRetired(scan sqldb.Scan) (r retired, err error) {
	err = scan(&r.number, &r.generation, &r.agent)
	return r, err
}

// clear erases a shelf in steps. Each makes sure that the shelf is still the same: its number may have been given away.
func (x *Indexer) clear(ctx context.Context, r retired) error {
	index, all := indexOf(x.DB.SQL()), spanOf(r.number, 0, mostInAgent)
	for _, t := range []table{byBucket, byMessage} {
		for {
			ids, err := index.Held(ctx, x.DB.SQL(), t, all, sweptTogether)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				break
			}
			if err := x.still(ctx, r, func(tx *sqldb.DB) error { return index.Drop(ctx, tx, t, ids) }); err != nil {
				return err
			}
		}
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`delete from search_docs where agent = ? and number in (select number from search_docs where agent = ? order by number limit ?)`, []any{r.number, r.number, sweptTogether}},
		{`delete from search_buckets where id in (select id from search_buckets where id between ? and ? order by id limit ?)`, []any{all.from, all.to, sweptTogether}},
	} {
		for n := int64(sweptTogether); n == sweptTogether; {
			err := x.still(ctx, r, func(tx *sqldb.DB) (err error) {
				n, err = tx.Exec(ctx, q.query, q.args...)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return x.still(ctx, r, func(tx *sqldb.DB) error {
		_, err := tx.Exec(ctx, `delete from search_agents where number = ? and generation = ? and agent_id = ?`, r.number, r.generation, r.agent)
		return err
	})
}

// still runs fn while the shelf is out of use and its number not given away.
func (x *Indexer) still(ctx context.Context, r retired, fn func(tx *sqldb.DB) error) error {
	return x.DB.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		_, err := sqldb.One(ctx, tx, sqldb.Column[int64], `select number from search_agents where number = ? and generation = ? and agent_id = ? and retired_at is not null`+tx.ForUpdate(),
			r.number, r.generation, r.agent)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}
