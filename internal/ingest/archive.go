package ingest

import (
	"context"

	"parley"
	"parley/internal/store"
)

// importBatchSize is how many sources are read at once.
const importBatchSize = 200

// EnqueueImported leaves jobs for what is missing of an account that was imported, in the transaction of the import:
// sources that are not trained, and vectors.
func (s *Service) EnqueueImported(ctx context.Context, tx *store.DB, account parley.AccountID) error {
	for after := parley.SourceID(""); ; {
		list, err := tx.UntrainedSources(ctx, account, after, importBatchSize)
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
			return s.EnqueueAccountEmbedding(ctx, tx, account)
		}
		after = list[len(list)-1].ID
	}
}
