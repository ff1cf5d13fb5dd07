package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

const (
	eraseBatchSize = 200
	eraseReadSize  = 10_000
)

// EraseVectors erases the vectors of texts that no passage of the agent holds any more, in chunks in the bulk lane.
func (l *Indexes) EraseVectors(ctx context.Context, agent parley.AgentID) error {
	return l.eraseVectors(ctx, agent, `not exists (select 1 from passages p where p.agent_id = passage_vectors.agent_id and p.hash = passage_vectors.text_hash)`)
}

// EraseOtherVectors erases the agent's vectors of other models than the library's.
func (l *Indexes) EraseOtherVectors(ctx context.Context, agent parley.AgentID) error {
	return l.eraseVectors(ctx, agent, `model <> ?`, l.VectorModel)
}

// eraseVectors reads outside the writer what may go. What may stay after all by then, stays: the condition is asked again.
func (l *Indexes) eraseVectors(ctx context.Context, agent parley.AgentID, where string, args ...any) error {
	args = append([]any{string(agent)}, args...)
	for {
		hashes, err := sqldb.All(ctx, l.DB, sqldb.Column[string], `select distinct text_hash from passage_vectors where agent_id = ? and `+where+` limit ?`,
			append(slices.Clone(args), eraseReadSize)...)
		if err != nil {
			return fmt.Errorf("find unused vectors: %w", err)
		}
		for part := range slices.Chunk(hashes, eraseBatchSize) {
			with := slices.Clone(args)
			for _, h := range part {
				with = append(with, h)
			}
			err := l.DB.Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
				_, err := tx.Exec(ctx, `delete from passage_vectors where agent_id = ? and `+where+` and text_hash in (?`+strings.Repeat(`, ?`, len(part)-1)+`)`, with...)
				return err
			})
			if err != nil {
				return fmt.Errorf("erase unused vectors: %w", err)
			}
		}
		if len(hashes) < eraseReadSize {
			return nil
		}
	}
}
