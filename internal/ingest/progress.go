package ingest

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	progressInterval  = 500 * time.Millisecond // between two events of the progress of a source
	maxLimitedSources = 1000                   // that progressLimiter remembers
)

// progressLimiter limits how often the progress of a source is recorded: each event locks the account's row, which
// answers need as well. The zero value is ready to use.
type progressLimiter struct {
	mu sync.Mutex
	at map[parley.SourceID]time.Time // of the latest event
}

// isDue reports whether the progress of a source is to be recorded now. Then it is not for a while.
func (l *progressLimiter) isDue(id parley.SourceID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.at[id]) < progressInterval {
		return false
	}
	if l.at == nil || len(l.at) >= maxLimitedSources {
		l.at = map[parley.SourceID]time.Time{}
	}
	l.at[id] = now
	return true
}

// progressEvents returns the event of the progress of a source, or of the website that it is a page of; none if there
// was one a moment ago. Call it before the transaction, which may run twice.
func (s *Service) progressEvents(src *parley.Source) []store.NewEvent {
	id := cmp.Or(src.ParentID, src.ID)
	if !s.progress.isDue(id, s.Now()) {
		return nil
	}
	return []store.NewEvent{{Kind: parley.EventSourceProgress, AgentID: src.AgentID, Subject: string(id)}}
}

// recordEvents records events of a source's account, if there are any.
func (s *Service) recordEvents(ctx context.Context, tx *store.DB, account parley.AccountID,
	events []store.NewEvent) error {
	if len(events) == 0 {
		return nil
	}
	return tx.RecordEvents(ctx, account, s.Now(), events...)
}

// recordBegin records that the reading of a source has begun.
func (s *Service) recordBegin(ctx context.Context, src *parley.Source) error {
	events := s.progressEvents(src)
	if len(events) == 0 {
		return nil
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if _, err := tx.LockSource(ctx, src.AgentRef(), src.ID); err != nil {
			return err
		}
		return s.recordEvents(ctx, tx, src.AccountID, events)
	})
}
