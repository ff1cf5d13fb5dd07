package agents

import (
	"context"
	"errors"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// errAlreadySettled is for a copy that needs nothing done.
var errAlreadySettled = errors.New("agents: the source's copy is settled")

// copyState is how the copy of a source begins its life.
type copyState struct {
	live, wanted parley.VersionID
	status       parley.SourceStatus
	failure      string
	train        bool
}

// finishCopy ends the copying of one source, as it was when its content was copied; from is nil where it was gone even then. What is
// live in the copy was live in the original all the while, so that none of its passages is missing. Where that cannot be
// said, because the original was edited or deleted meanwhile, the copy is trained from its text, and where it has no text it goes.
func (k *Service) finishCopy(ctx context.Context, db *store.DB, c store.Clone, id parley.SourceID, from *parley.Source) error {
	now, gone := k.Now(), false
	err := db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, c.Account, c.ToAgent); err != nil {
			return err
		}
		l, err := k.nextCopyState(ctx, tx, c, id, from)
		if err != nil {
			return err
		}
		gone = l.status == parley.SourceDeleted
		twin, _, err := tx.UpdateSource(ctx, c.Account, c.ToAgent, c.SourceID(id), func(s *parley.Source) error {
			if s.Status != parley.SourceUntrained || s.LiveVersion != "" {
				return errAlreadySettled
			}
			s.LiveVersion, s.WantedVersion, s.Status, s.Failure, s.UpdatedAt = l.live, l.wanted, l.status, l.failure, now
			return nil
		})
		if err != nil || !l.train {
			return err
		}
		return k.Queue.Enqueue(ctx, tx.SQL(), ingest.NewTrainJob(twin))
	})
	if errors.Is(err, errAlreadySettled) {
		return nil
	}
	if err == nil && gone {
		return db.EraseSource(ctx, c.Account, c.ToAgent, c.SourceID(id))
	}
	return err
}

func (k *Service) nextCopyState(ctx context.Context, tx *store.DB, c store.Clone, id parley.SourceID, from *parley.Source) (copyState, error) {
	now, err := tx.Source(ctx, c.Account, c.FromAgent, id)
	if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
		return copyState{}, err
	}
	if from != nil && err == nil && now.LiveVersion == from.LiveVersion && now.Status != parley.SourceToBeDeleted {
		return originalState(c, from), nil
	}
	var wanted parley.VersionID
	if from != nil {
		wanted = c.VersionID(from.WantedVersion)
	} else if twin, err := tx.Source(ctx, c.Account, c.ToAgent, c.SourceID(id)); err != nil {
		return copyState{}, err
	} else {
		wanted = twin.WantedVersion
	}
	if _, err := tx.Version(ctx, c.Account, c.ToAgent, c.SourceID(id), wanted); parley.IsCode(err, parley.CodeSourceNotFound) {
		return copyState{status: parley.SourceDeleted}, nil
	} else if err != nil {
		return copyState{}, err
	}
	return copyState{wanted: wanted, status: parley.SourceUntrained, train: true}, nil
}

// originalState returns the copy the state of its original.
func originalState(c store.Clone, from *parley.Source) copyState {
	return copyState{live: c.VersionID(from.LiveVersion), wanted: c.VersionID(from.WantedVersion), status: from.Status, failure: from.Failure,
		train: from.Status == parley.SourceUntrained || from.Status == parley.SourceUpdated}
}

// failCopy fails the copy of a source that still waits for its content.
func (k *Service) failCopy(ctx context.Context, c store.Clone, id parley.SourceID) error {
	now := k.Now()
	_, _, err := k.DB.UpdateSource(ctx, c.Account, c.ToAgent, c.SourceID(id), func(s *parley.Source) error {
		if s.Status != parley.SourceUntrained || s.LiveVersion != "" {
			return errAlreadySettled
		}
		s.Status, s.Failure, s.UpdatedAt = parley.SourceFailed, "the source could not be copied; the server's log says why", now
		return nil
	})
	if errors.Is(err, errAlreadySettled) {
		return nil
	}
	return err
}
