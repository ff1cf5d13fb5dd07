package insight

import (
	"context"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/store"
)

// EnqueueImported leaves a job for each conversation of an imported account of which nothing is known since its last
// activity, in the transaction of the import.
func EnqueueImported(ctx context.Context, tx *store.DB, queue *jobs.Queue, account parley.AccountID,
	now time.Time) error {
	for after := (store.UnanalyzedConversation{}); ; {
		list, err := tx.UnanalyzedConversations(ctx, account, after, analyzeBatchSize)
		if err != nil {
			return err
		}
		for _, c := range list {
			if err := queue.Enqueue(ctx, tx.SQL(), newAnalyzeJob(c.ConversationRef, now)); err != nil {
				return err
			}
		}
		if len(list) < analyzeBatchSize {
			return nil
		}
		after = list[len(list)-1]
	}
}
