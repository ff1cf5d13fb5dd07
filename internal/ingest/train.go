package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// The kinds of chore on a source; the key is the source's id.
const (
	TrainJob = "source.train"
	EraseJob = "source.erase"
)

// Handlers gives what does the chores of this room.
func (d *Desk) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: d.Train, EraseJob: d.Erase, TidyJob: d.Tidy, SucceedJob: d.Succeed}
}

// How many passages one transaction writes: a turn that comes meanwhile waits for them, so they are few while there are turns.
const (
	chunk      = 128
	smallChunk = 32
)

var (
	errNoText = errors.New("the source holds no text")
	errStale  = errors.New("ingest: the version is not wanted any more")
)

// Train handles TrainJob: the wanted version of a source becomes passages, in chunks that nobody sees, and then goes live
// all at once. A source that is gone and a version that is no longer wanted are dropped. When it fails for good the source is
// failed, and the version that was live stays so.
func (d *Desk) Train(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	s, err := d.wanting(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err == nil {
		err = d.train(ctx, s)
	}
	return d.outcome(ctx, job, s, err)
}

// outcome is what a chore ends with that was to bring the source's wanted version nearer to being live.
func (d *Desk) outcome(ctx context.Context, job jobs.Job, s *parley.Source, err error) error {
	switch {
	case err == nil, dropped(err):
		return nil
	case s == nil:
		return err
	case unreadable(err):
		return d.fail(ctx, s, err)
	case job.Attempts >= job.MaxAttempts && ctx.Err() == nil:
		return errors.Join(err, d.fail(ctx, s, errors.New("the source could not be read; the server's log says why")))
	}
	return err
}

// wanting finds a source whose wanted version is not live yet.
func (d *Desk) wanting(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID) (*parley.Source, error) {
	if _, err := d.DB.Agent(ctx, account, agent, d.Now()); err != nil {
		return nil, err
	}
	s, err := d.DB.Source(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	if s.Wanted == s.Live {
		return nil, errStale
	}
	return s, nil
}

func dropped(err error) bool {
	return errors.Is(err, errStale) || parley.IsCode(err, parley.CodeSourceNotFound) || parley.IsCode(err, parley.CodeAgentNotFound)
}

// train reads the version, so that a crash of the reader is a failure of this source only.
func (d *Desk) train(ctx context.Context, s *parley.Source) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while reading source %s: %v", s.ID, v)
		}
	}()
	v, err := d.DB.Version(ctx, s.AccountID, s.AgentID, s.ID, s.Wanted)
	if err != nil {
		return err
	}
	defer d.reading.take()()
	if err := d.DB.ErasePassages(ctx, s.AccountID, s.AgentID, s.ID, v.ID); err != nil { // of a run that was cut short
		return err
	}
	if err := d.writeAll(ctx, s, v); err != nil {
		return err
	}
	d.breathe(ctx)
	return d.goLive(ctx, s)
}

// writeAll writes the passages of a version as it is cut, some at a time: not all of them are ever in memory.
func (d *Desk) writeAll(ctx context.Context, s *parley.Source, v *parley.Version) error {
	pieces, err := piecesOf(s, v)
	if err != nil {
		return err
	}
	next, stop := iter.Pull(pieces)
	defer stop()
	some := make([]parley.Passage, 0, chunk)
	for ordinal := 0; ; {
		some = some[:0]
		for range d.step(ctx) {
			p, ok := next()
			if !ok {
				break
			}
			some = append(some, parley.Passage{
				ID: parley.PassageID(parley.NewTimedUUID()), SourceID: s.ID, SourceName: s.Name, SourceURL: s.URL,
				VersionID: v.ID, VersionHash: v.Hash, Ordinal: ordinal,
				Heading: p.Heading, Start: p.Start, End: p.End, Text: v.Text[p.Start:p.End],
			})
			ordinal++
		}
		switch {
		case len(some) > 0:
		case ordinal == 0:
			return errNoText
		default:
			return nil
		}
		if err := d.write(ctx, s, some); err != nil {
			return err
		}
	}
}

func piecesOf(s *parley.Source, v *parley.Version) (iter.Seq[Piece], error) {
	switch {
	case s.Kind == parley.SourceQnA:
		var a asked
		if err := contentOf(v, &a); err != nil {
			return nil, err
		}
		return slices.Values(a.pieces(v.Text)), nil
	case s.Kind == parley.SourceLink && v.Content != nil:
		var page pageContent
		if err := contentOf(v, &page); err != nil {
			return nil, err
		}
		return eachPiece(v.Text, page.titled), nil
	}
	return EachPiece(v.Text), nil
}

func contentOf(v *parley.Version, into any) error {
	if err := json.Unmarshal(v.Content, into); err != nil {
		return fmt.Errorf("content of version %s: %w", v.ID, err)
	}
	return nil
}

// write writes passages that nobody sees yet. It holds the source's row, so that none come after the source's erasure.
func (d *Desk) write(ctx context.Context, s *parley.Source, part []parley.Passage) error {
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := tx.LockSource(ctx, s.AccountID, s.AgentID, s.ID)
		if err != nil {
			return err
		}
		if now.Wanted != s.Wanted {
			return errStale
		}
		return d.Library.Put(ctx, tx.SQL(), s.AgentID, s.AccountID, part)
	})
}

// goLive makes the wanted version the one that answers, in place of the one before it.
func (d *Desk) goLive(ctx context.Context, s *parley.Source) error {
	now := d.Now()
	var version int64
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		live, passages, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, s.ID, func(current *parley.Source) error {
			if current.Wanted != s.Wanted {
				return errStale
			}
			current.Live, current.Status, current.Failure, current.UpdatedAt = s.Wanted, parley.SourceTrained, "", now
			return nil
		})
		if err != nil {
			return err
		}
		version = passages
		if err := d.tidyLater(ctx, tx, live); err != nil {
			return err
		}
		if err := d.embedLater(ctx, tx, live); err != nil {
			return err
		}
		return tx.Record(ctx, s.AccountID, now, event("source.trained", live))
	})
	if err != nil {
		return err
	}
	return d.Library.Warm(ctx, s.AgentID, version) // so that nobody's question waits for it
}

// fail marks the source as failed, with the reason for the operator.
func (d *Desk) fail(ctx context.Context, s *parley.Source, reason error) error {
	now := d.Now()
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		failed, _, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, s.ID, func(current *parley.Source) error {
			if current.Wanted != s.Wanted {
				return errStale
			}
			current.Status, current.Failure, current.UpdatedAt = parley.SourceFailed, reason.Error(), now
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Record(ctx, s.AccountID, now, event("source.failed", failed))
	})
	if dropped(err) {
		return nil
	}
	if err == nil {
		d.tellFailure(s, reason.Error())
	}
	return err
}

// tellFailure tells the operator why a source has failed.
func (d *Desk) tellFailure(s *parley.Source, reason string) {
	d.log().Warn("a source has failed", "agent", s.AgentID, "source", s.ID, "kind", s.Kind, "reason", reason)
}
