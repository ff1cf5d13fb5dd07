package search

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// batchRows is about how many rows one transaction writes.
const batchRows = 200

// batch gathers what one transaction writes to the index of an account.
type batch struct {
	db      *store.DB
	index   Index
	account parley.AccountID
	shelves map[shelfKey]*shelf

	messages, words           []row
	dropMessages, dropBuckets []int64
	buckets                   []bucket
	docs, gone                []*doc
	retired                   []parley.AgentID
	retireBut, retiredSince   int64 // a generation that has taken over from all others, and when
}

type shelfKey struct {
	agent      parley.AgentID
	generation int64
}

func newBatch(db *store.DB, index Index, account parley.AccountID) *batch {
	return &batch{db: db, index: index, account: account, shelves: map[shelfKey]*shelf{}}
}

// room is how many rows may still come.
func (b *batch) room() int {
	return batchRows - len(b.messages) - len(b.words) - len(b.dropMessages) - len(b.dropBuckets) - len(b.docs) - len(b.gone)
}

// shelf finds the agent's shelf, or takes one. It is nil for an agent that is gone.
func (b *batch) shelf(ctx context.Context, agent parley.AgentID, generation int64) (*shelf, error) {
	key := shelfKey{agent, generation}
	if s := b.shelves[key]; s != nil {
		return s, nil
	}
	s, err := shelfOf(ctx, b.db.SQL(), b.account, agent, generation)
	if s != nil && s.retired {
		return nil, nil
	}
	if err == nil && s == nil {
		if err = b.db.AgentLives(ctx, b.account, agent); parley.IsCode(err, parley.CodeAgentNotFound) {
			return nil, nil
		}
	}
	if err == nil && s == nil {
		s, err = newShelf(ctx, b.db.SQL(), b.account, agent, generation)
	}
	if err != nil {
		return nil, err
	}
	b.shelves[key] = s
	return s, nil
}

// write writes everything, and the position behind it, or nothing: with errBehind when another server was first.
func (b *batch) write(ctx context.Context, p *position) error {
	turn := p.turn
	err := b.db.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		if err := p.save(ctx, tx, turn); err != nil {
			return err
		}
		if err := b.writeRows(ctx, tx); err != nil {
			return err
		}
		if err := b.writeDocs(ctx, tx); err != nil {
			return err
		}
		return b.retire(ctx, tx)
	})
	if err == nil {
		p.turn = turn + 1
	}
	return err
}

func (b *batch) writeRows(ctx context.Context, tx *sqldb.DB) error {
	for _, one := range []struct {
		t    table
		rows []row
		gone []int64
	}{{byMessage, b.messages, b.dropMessages}, {byBucket, b.words, b.dropBuckets}} {
		if err := b.index.Drop(ctx, tx, one.t, one.gone); err != nil {
			return err
		}
		if err := b.index.Put(ctx, tx, one.t, one.rows); err != nil {
			return err
		}
	}
	err := inSteps(b.dropBuckets, func(some []int64) error {
		_, err := tx.Exec(ctx, `delete from search_buckets where id in (`+repeated("?", len(some))+`)`, anys(some)...)
		return err
	})
	if err != nil {
		return err
	}
	return saveBuckets(ctx, tx, b.buckets)
}

func (b *batch) writeDocs(ctx context.Context, tx *sqldb.DB) error {
	for _, s := range b.shelves {
		if _, err := tx.Exec(ctx, `update search_agents set last = ?, parted = ? where number = ? and account_id = ? and (last <> ? or parted <> ?)`,
			s.last, s.parted, s.number, b.account, s.last, s.parted); err != nil {
			return err
		}
	}
	for _, d := range b.gone {
		if err := d.drop(ctx, tx); err != nil {
			return err
		}
	}
	for _, d := range b.docs {
		if err := d.save(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// retire takes the shelves of deleted agents out of use, and those of generations that another has taken the place of.
func (b *batch) retire(ctx context.Context, tx *sqldb.DB) error {
	for _, agent := range b.retired {
		if _, err := tx.Exec(ctx, `update search_agents set retired_at = 0 where agent_id = ? and account_id = ?`, agent, b.account); err != nil {
			return err
		}
	}
	if b.retireBut == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update search_agents set retired_at = ? where account_id = ? and generation <> ? and retired_at is null`, b.retiredSince, b.account, b.retireBut)
	return err
}
