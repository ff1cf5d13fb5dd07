package ingest

import (
	"context"

	"parley"
	"parley/internal/store"
)

// importBatchSize is how many sources are read at once.
const importBatchSize = 200

// EnqueueImported leaves jobs for what is missing of an account that was imported, in the transaction of the import:
// sources of its agents that are not trained, and vectors.
func (s *Service) EnqueueImported(ctx context.Context, tx *store.DB, account parley.AccountID,
	agents []parley.AgentID) error {
	for _, agent := range agents {
		if err := s.enqueueUntrained(ctx, tx, account.AgentRef(agent)); err != nil {
			return err
		}
	}
	return s.EnqueueAccountEmbedding(ctx, tx, account)
}

func (s *Service) enqueueUntrained(ctx context.Context, tx *store.DB, ref parley.AgentRef) error {
	for after := (parley.Source{}); ; {
		list, err := tx.UntrainedSources(ctx, ref, after, importBatchSize)
		if err != nil {
			return err
		}
		for i := range list {
			if _, isRead := kinds[list[i].Kind]; !isRead {
				continue
			}
			if err := s.Queue.Enqueue(ctx, tx.SQL(), NewTrainJob(&list[i])); err != nil {
				return err
			}
		}
		if len(list) < importBatchSize {
			return nil
		}
		after = list[len(list)-1]
	}
}
