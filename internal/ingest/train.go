package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// The kinds of job on a source; the key is the source's id.
const (
	TrainJob = "source.train"
	EraseJob = "source.erase"
)

// Handlers returns the handlers of the jobs on sources that no other runner does.
func (d *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: d.Train, EraseJob: d.Erase, EraseEarlierJob: d.EraseEarlierVersions,
		ReplaceJob: d.FinishReplacement}
}

// How many passages one transaction writes: a turn that comes meanwhile waits for them, so they are few while there are
// turns.
const (
	chunkSize      = 128
	smallChunkSize = 32
)

var (
	errNoText = errors.New("the source holds no text")
	errStale  = errors.New("ingest: the version is not wanted any more")
)

// Train handles TrainJob: the wanted version of a source becomes passages, in chunks that nobody sees, and then goes
// live all at once. A source that is gone and a version that is no longer wanted are dropped. When it fails for good
// the source is failed, and the version that was live stays so.
func (d *Service) Train(ctx context.Context, job jobs.Job) error {
	return d.advance(ctx, job, d.train)
}

// advance handles a job that brings the source's wanted version nearer to being live.
func (d *Service) advance(ctx context.Context, job jobs.Job, step func(context.Context, *parley.Source) error) error {
	s, err := d.loadUntrained(ctx, job)
	if err == nil {
		err = step(ctx, s)
	}
	switch {
	case err == nil, isDropped(err):
		return nil
	case s == nil:
		return err
	case isPermanent(err):
		return d.failSource(ctx, s, err)
	case job.Attempts >= job.MaxAttempts && ctx.Err() == nil:
		return errors.Join(err, d.failSource(ctx, s, errors.New("the source could not be read; the server's log says why")))
	}
	return err
}

// loadUntrained finds the source of a job, whose wanted version is not live yet.
func (d *Service) loadUntrained(ctx context.Context, job jobs.Job) (*parley.Source, error) {
	ref, id, err := jobSource(job)
	if err != nil {
		return nil, err
	}
	if _, err := d.DB.Agent(ctx, ref, d.Now()); err != nil {
		return nil, err
	}
	s, err := d.DB.Source(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if s.WantedVersion == s.LiveVersion {
		return nil, errStale
	}
	return s, nil
}

func isDropped(err error) bool {
	return errors.Is(err, errStale) || parley.IsCode(err, parley.CodeSourceNotFound) ||
		parley.IsCode(err, parley.CodeAgentNotFound)
}

// train reads the version, so that a crash of the reader is a failure of this source only.
func (d *Service) train(ctx context.Context, s *parley.Source) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while reading source %s: %v", s.ID, v)
		}
	}()
	v, err := d.DB.Version(ctx, s.AgentRef(), s.ID, s.WantedVersion)
	if err != nil {
		return err
	}
	defer d.readSlots.acquire()()
	if err := d.DB.ErasePassages(ctx, s.AgentRef(), s.ID, v.ID); err != nil { // of a run that was cut short
		return err
	}
	if err := d.writeAllPassages(ctx, s, v); err != nil {
		return err
	}
	d.yieldToTurns(ctx)
	return d.goLive(ctx, s)
}

// writeAllPassages writes the passages of a version as it is cut, some at a time: not all of them are ever in memory.
func (d *Service) writeAllPassages(ctx context.Context, s *parley.Source, v *parley.Version) error {
	pieces, err := kinds[s.Kind].pieces(s, v)
	if err != nil {
		return err
	}
	next, stop := iter.Pull(pieces)
	defer stop()
	batch := make([]parley.Passage, 0, chunkSize)
	for ordinal := 0; ; {
		batch = batch[:0]
		for range d.nextChunkSize(ctx) {
			p, ok := next()
			if !ok {
				break
			}
			batch = append(batch, parley.Passage{
				ID: parley.PassageID(parley.NewTimedUUID()), SourceID: s.ID, SourceName: s.Name, SourceURL: s.URL,
				VersionID: v.ID, VersionHash: v.Hash, Ordinal: ordinal,
				Heading: p.Heading, Start: p.Start, End: p.End, Text: v.Text[p.Start:p.End],
			})
			ordinal++
		}
		switch {
		case len(batch) > 0:
		case ordinal == 0:
			return errNoText
		default:
			return nil
		}
		if err := d.writePassages(ctx, s, batch); err != nil {
			return err
		}
	}
}

func decodeContent(v *parley.Version, into any) error {
	if err := json.Unmarshal(v.Content, into); err != nil {
		return fmt.Errorf("content of version %s: %w", v.ID, err)
	}
	return nil
}

// writePassages writes passages that nobody sees yet. It holds the source's row, so that none come after the source's
// erasure.
func (d *Service) writePassages(ctx context.Context, s *parley.Source, part []parley.Passage) error {
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := tx.LockSource(ctx, s.AgentRef(), s.ID)
		if err != nil {
			return err
		}
		if now.WantedVersion != s.WantedVersion {
			return errStale
		}
		return d.Indexes.Put(ctx, tx.SQL(), s.AgentID, s.AccountID, part)
	})
}

// goLive makes the wanted version the one that answers, in place of the one before it.
func (d *Service) goLive(ctx context.Context, s *parley.Source) error {
	now := d.Now()
	var version int64
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		live, passages, err := tx.UpdateSource(ctx, s.AgentRef(), s.ID, func(current *parley.Source) error {
			if current.WantedVersion != s.WantedVersion {
				return errStale
			}
			current.LiveVersion, current.Status, current.Failure, current.UpdatedAt = s.WantedVersion,
				parley.SourceTrained, "", now
			return nil
		})
		if err != nil {
			return err
		}
		version = passages
		if err := d.enqueueEraseEarlier(ctx, tx, live); err != nil {
			return err
		}
		if err := d.enqueueEmbed(ctx, tx, live); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, s.AccountID, now, sourceEvent("source.trained", live))
	})
	if err != nil {
		return err
	}
	return d.Indexes.Warm(ctx, s.AgentID, version) // so that nobody's question waits for it
}

// failSource marks the source as failed, with the reason for the operator.
func (d *Service) failSource(ctx context.Context, s *parley.Source, reason error) error {
	now := d.Now()
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		failed, _, err := tx.UpdateSource(ctx, s.AgentRef(), s.ID, func(current *parley.Source) error {
			if current.WantedVersion != s.WantedVersion {
				return errStale
			}
			current.Status, current.Failure, current.UpdatedAt = parley.SourceFailed, reason.Error(), now
			return nil
		})
		if err != nil {
			return err
		}
		return tx.RecordEvents(ctx, s.AccountID, now, sourceEvent("source.failed", failed))
	})
	if isDropped(err) {
		return nil
	}
	if err == nil {
		d.logFailure(s, reason.Error())
	}
	return err
}

// logFailure tells the operator why a source has failed.
func (d *Service) logFailure(s *parley.Source, reason string) {
	d.logger().Warn("a source has failed", "agent", s.AgentID, "source", s.ID, "kind", s.Kind, "reason", reason)
}

// EraseEarlierJob is the kind of the job that erases the earlier versions of a source; its key is the source's id.
const EraseEarlierJob = "source.tidy"

// earlierRetention is how long an earlier version stays for what still reads it: a turn that began on it, a copy being
// made.
const earlierRetention = 10 * time.Minute

// enqueueEraseEarlier leaves the earlier versions of a source, if it has any, to a job.
func (d *Service) enqueueEraseEarlier(ctx context.Context, tx *store.DB, s *parley.Source) error {
	has, err := tx.HasEarlierVersions(ctx, s.AgentRef(), s.ID)
	if err != nil || !has {
		return err
	}
	job := newJob(EraseEarlierJob, s)
	job.RunAt = s.UpdatedAt.Add(earlierRetention)
	return d.Queue.Enqueue(ctx, tx.SQL(), job)
}

// EraseEarlierVersions handles EraseEarlierJob.
func (d *Service) EraseEarlierVersions(ctx context.Context, job jobs.Job) error {
	return d.eraseAndSweep(ctx, job, d.DB.EraseEarlierVersions)
}

// errServerDied is the failure of a source that was being read each time the server ended: it may be the cause.
var errServerDied = errors.New("the server ended each time it read the source; change the source to have it " +
	"tried again")

// LostJobHandlers returns the handlers of jobs whose runners died in every attempt: their sources fail, so that nobody
// waits for them.
func (d *Service) LostJobHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: d.failLostSource, FileJob: d.failLostSource, CrawlJob: d.finishLostLink}
}

func (d *Service) failLostSource(ctx context.Context, job jobs.Job) error {
	s, err := d.loadUntrained(ctx, job)
	if err != nil {
		return ignoreDropped(err)
	}
	return d.failSource(ctx, s, errServerDied)
}

// finishLostLink leaves a link with what was read of it.
func (d *Service) finishLostLink(ctx context.Context, job jobs.Job) error {
	c, err := d.loadCrawl(ctx, job)
	if err != nil || c == nil {
		return ignoreDropped(err)
	}
	return ignoreDropped(c.finish(ctx, errServerDied.Error(), true))
}
