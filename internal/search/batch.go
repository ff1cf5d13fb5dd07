package search

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	batchRows = 200 // that one transaction writes, about
	// PostgreSQL, where nobody waits for a writer, is given more of a build at a time: most of what a transaction costs
	// is the same for few rows
	postgresBuildRows = 1000
)

// batch gathers what one transaction writes to the index of an account.
type batch struct {
	db         *store.DB
	index      Index
	account    parley.AccountID
	partitions map[partitionKey]*agentPartition
	loaded     *loadedConversations // that are updated next; nil where each is read by itself
	isBuild    bool                 // the rows are those of a build
	maxRows    int

	messageRows, bucketRows   []row
	dropMessages, dropBuckets []int64
	buckets                   []bucket
	changedDocs, deletedDocs  []*doc
	retiredAgents             []parley.AgentID
	keptGeneration, retiredAt int64 // a generation that has taken over from all others, and when
}

type partitionKey struct {
	agent      parley.AgentID
	generation int64
}

func newBatch(db *store.DB, index Index, account parley.AccountID) *batch {
	return &batch{db: db, index: index, account: account, partitions: map[partitionKey]*agentPartition{},
		maxRows: batchRows}
}

// newBuildBatch is newBatch of what is being built.
func newBuildBatch(db *store.DB, index Index, account parley.AccountID) *batch {
	b := newBatch(db, index, account)
	b.isBuild = true
	if db.SQL().Dialect() == sqldb.Postgres {
		b.maxRows = postgresBuildRows
	}
	return b
}

// remainingRows returns how many rows may be added.
func (b *batch) remainingRows() int {
	return b.maxRows - len(b.messageRows) - len(b.bucketRows) - len(b.dropMessages) -
		len(b.dropBuckets) - len(b.changedDocs) - len(b.deletedDocs)
}

// partition returns the agent's partition, which it creates if there is none. It is nil for an agent that has been
// deleted.
func (b *batch) partition(ctx context.Context, agent parley.AgentID, generation int64) (*agentPartition, error) {
	key := partitionKey{agent, generation}
	if ap := b.partitions[key]; ap != nil {
		return ap, nil
	}
	ap, err := findPartition(ctx, b.db.SQL(), b.account.AgentRef(agent), generation)
	if ap != nil && ap.isRetired {
		return nil, nil
	}
	if err == nil && ap == nil {
		if err = b.db.ShareLockAgent(ctx, b.account.AgentRef(agent)); parley.IsCode(err, parley.CodeAgentNotFound) {
			return nil, nil
		}
	}
	if err == nil && ap == nil {
		ap, err = createPartition(ctx, b.db.SQL(), b.account.AgentRef(agent), generation)
	}
	if err != nil {
		return nil, err
	}
	b.partitions[key] = ap
	return ap, nil
}

// write writes everything, with the state and whatever savePosition writes, or nothing. It fails with
// events.ErrConflict when another server was first.
func (b *batch) write(ctx context.Context, st *indexState, savePosition func(tx *store.DB) error) error {
	return b.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := b.index.Begin(ctx, tx.SQL(), b.isBuild); err != nil {
			return err
		}
		if err := st.save(ctx, tx.SQL(), st.version); err != nil {
			return err
		}
		if err := b.writeRows(ctx, tx.SQL()); err != nil {
			return err
		}
		if err := b.writeDocs(ctx, tx.SQL()); err != nil {
			return err
		}
		if err := b.retirePartitions(ctx, tx.SQL()); err != nil {
			return err
		}
		return savePosition(tx)
	})
}

func (b *batch) writeRows(ctx context.Context, tx *sqldb.DB) error {
	for _, one := range []struct {
		t       table
		rows    []row
		dropped []int64
	}{{messageTable, b.messageRows, b.dropMessages}, {bucketTable, b.bucketRows, b.dropBuckets}} {
		if err := b.index.Delete(ctx, tx, one.t, one.dropped); err != nil {
			return err
		}
		if err := b.index.Put(ctx, tx, one.t, one.rows); err != nil {
			return err
		}
	}
	err := inChunks(b.dropBuckets, func(some []int64) error {
		return tx.Queue(ctx, `delete from search_buckets where id in (`+repeatPlaceholders("?", len(some))+`)`,
			toAny(some)...)
	})
	if err != nil {
		return err
	}
	return saveBuckets(ctx, tx, b.buckets)
}

func (b *batch) writeDocs(ctx context.Context, tx *sqldb.DB) error {
	for _, ap := range b.partitions {
		if err := tx.Queue(ctx, `
			update search_agents set
			  last = ?,
			  parted = ?
			where number = ? and account_id = ? and (last <> ? or parted <> ?)`,
			ap.lastNumber, ap.hasMultipleBuckets, ap.number, b.account, ap.lastNumber, ap.hasMultipleBuckets); err != nil {
			return err
		}
	}
	for _, d := range b.deletedDocs {
		if err := d.erase(ctx, tx); err != nil {
			return err
		}
	}
	return saveDocs(ctx, tx, b.changedDocs)
}

// retirePartitions retires the partitions of deleted agents, and those of generations that another one has replaced.
func (b *batch) retirePartitions(ctx context.Context, tx *sqldb.DB) error {
	for _, agent := range b.retiredAgents {
		if err := tx.Queue(ctx, `
			update search_agents set retired_at = 0
			where agent_id = ? and account_id = ?`, agent, b.account); err != nil {
			return err
		}
	}
	if b.keptGeneration == 0 {
		return nil
	}
	return tx.Queue(ctx, `
		update search_agents set retired_at = ?
		where account_id = ? and generation <> ? and retired_at is null`, b.retiredAt, b.account, b.keptGeneration)
}
