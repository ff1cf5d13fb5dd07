package ingest

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	resyncInterval  = time.Minute
	resyncBatchSize = 50 // links together
)

// Run has links read again when their time has come, until ctx is done.
func (d *Service) Run(ctx context.Context) error {
	return d.runEvery(ctx, resyncInterval, "read links again", d.Resync)
}

// Resync begins to read again the links whose week is over, of agents with automatic re-sync
// (docs/interface/sources.md#automatic-re-sync).
func (d *Service) Resync(ctx context.Context) error {
	now := d.Now()
	for {
		due, err := d.DB.DueLinks(ctx, now, resyncBatchSize)
		if err != nil {
			return err
		}
		for i := range due {
			if err := d.resyncLink(ctx, &due[i], now); err != nil {
				return err
			}
		}
		if len(due) < resyncBatchSize {
			return nil
		}
	}
}

func (d *Service) resyncLink(ctx context.Context, s *parley.Source, now time.Time) error {
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, s.AgentRef()); err != nil { // before the source's row, always
			return err
		}
		current, err := tx.LockSource(ctx, s.AgentRef(), s.ID)
		if err != nil {
			return err
		}
		due, err := tx.IsSyncDue(ctx, s.AgentRef(), s.ID, now)
		if err != nil || !due {
			return err
		}
		if current.Status == parley.SourceUntrained || current.Status == parley.SourceUpdated {
			return d.requeueCrawl(ctx, tx, current, now)
		}
		_, err = d.restartCrawl(ctx, tx, s.AgentRef(), s.ID, now, LinkChange{})
		return err
	})
	if isDropped(err) || parley.IsCode(err, parley.CodeSourcePendingDel) || errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// requeueCrawl leaves a link that is being read to that reading, and brings its job back to life where it has died.
func (d *Service) requeueCrawl(ctx context.Context, tx *store.DB, s *parley.Source, now time.Time) error {
	next := now.Add(resyncPeriod)
	if err := tx.SetNextSync(ctx, s.AgentRef(), s.ID, &next); err != nil {
		return err
	}
	return d.Queue.Enqueue(ctx, tx.SQL(), newCrawlJob(s))
}
