package agents

import (
	"context"
	"errors"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// errWhole is for a copy that needs nothing done.
var errWhole = errors.New("agents: the source's copy is settled")

// landing is how the copy of a source begins its life.
type landing struct {
	live, wanted parley.VersionID
	status       parley.SourceStatus
	failure      string
	train        bool
}

// land ends the copying of one source, as it was when its content was copied; from is nil where it was gone even then. What is
// live in the copy was live in the original all the while, so that none of its passages is missing. Where that cannot be
// said, because the original was edited or deleted meanwhile, the copy is trained from its text, and where it has no text it goes.
func (k *Keeper) land(ctx context.Context, db *store.DB, c store.Clone, id parley.SourceID, from *parley.Source) error {
	now, gone := k.Now(), false
	err := db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, c.Account, c.To); err != nil {
			return err
		}
		l, err := k.landing(ctx, tx, c, id, from)
		if err != nil {
			return err
		}
		gone = l.status == parley.SourceDeleted
		twin, _, err := tx.UpdateSource(ctx, c.Account, c.To, c.Source(id), func(s *parley.Source) error {
			if s.Status != parley.SourceUntrained || s.Live != "" {
				return errWhole
			}
			s.Live, s.Wanted, s.Status, s.Failure, s.UpdatedAt = l.live, l.wanted, l.status, l.failure, now
			return nil
		})
		if err != nil || !l.train {
			return err
		}
		return k.Queue.Enqueue(ctx, tx.SQL(), ingest.TrainChore(twin))
	})
	if errors.Is(err, errWhole) {
		return nil
	}
	if err == nil && gone {
		return db.EraseSource(ctx, c.Account, c.To, c.Source(id))
	}
	return err
}

func (k *Keeper) landing(ctx context.Context, tx *store.DB, c store.Clone, id parley.SourceID, from *parley.Source) (landing, error) {
	now, err := tx.Source(ctx, c.Account, c.From, id)
	if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
		return landing{}, err
	}
	if from != nil && err == nil && now.Live == from.Live && now.Status != parley.SourceToBeDeleted {
		return landed(c, from), nil
	}
	var wanted parley.VersionID
	if from != nil {
		wanted = c.Version(from.Wanted)
	} else if twin, err := tx.Source(ctx, c.Account, c.To, c.Source(id)); err != nil {
		return landing{}, err
	} else {
		wanted = twin.Wanted
	}
	if _, err := tx.Version(ctx, c.Account, c.To, c.Source(id), wanted); parley.IsCode(err, parley.CodeSourceNotFound) {
		return landing{status: parley.SourceDeleted}, nil
	} else if err != nil {
		return landing{}, err
	}
	return landing{wanted: wanted, status: parley.SourceUntrained, train: true}, nil
}

// landed gives the copy the state of its original.
func landed(c store.Clone, from *parley.Source) landing {
	return landing{live: c.Version(from.Live), wanted: c.Version(from.Wanted), status: from.Status, failure: from.Failure,
		train: from.Status == parley.SourceUntrained || from.Status == parley.SourceUpdated}
}

// giveUp fails the copy of a source that still waits for its content.
func (k *Keeper) giveUp(ctx context.Context, c store.Clone, id parley.SourceID) error {
	now := k.Now()
	_, _, err := k.DB.UpdateSource(ctx, c.Account, c.To, c.Source(id), func(s *parley.Source) error {
		if s.Status != parley.SourceUntrained || s.Live != "" {
			return errWhole
		}
		s.Status, s.Failure, s.UpdatedAt = parley.SourceFailed, "the source could not be copied; the server's log says why", now
		return nil
	})
	if errors.Is(err, errWhole) {
		return nil
	}
	return err
}
