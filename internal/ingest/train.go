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
func (s *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: s.Train, EraseJob: s.Erase, EraseEarlierJob: s.EraseEarlierVersions,
		ReplaceJob: s.FinishReplacement}
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
func (s *Service) Train(ctx context.Context, job jobs.Job) error {
	return s.advance(ctx, job, s.train)
}

// advance handles a job that brings the source's wanted version nearer to being live.
func (s *Service) advance(ctx context.Context, job jobs.Job, step func(context.Context, *parley.Source) error) error {
	src, err := s.loadUntrained(ctx, job)
	if err == nil {
		err = step(ctx, src)
	}
	switch {
	case err == nil, isDropped(err):
		return nil
	case src == nil:
		return err
	case isPermanent(err):
		return s.failSource(ctx, src, err)
	case job.Attempts >= job.MaxAttempts && ctx.Err() == nil:
		return errors.Join(err, s.failSource(ctx, src, errors.New("the source could not be read; the server's log says why")))
	}
	return err
}

// loadUntrained finds the source of a job, whose wanted version is not live yet.
func (s *Service) loadUntrained(ctx context.Context, job jobs.Job) (*parley.Source, error) {
	ref, id, err := jobSource(job)
	if err != nil {
		return nil, err
	}
	if _, err := s.DB.Agent(ctx, ref, s.Now()); err != nil {
		return nil, err
	}
	src, err := s.DB.Source(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if src.WantedVersion == src.LiveVersion {
		return nil, errStale
	}
	return src, nil
}

func isDropped(err error) bool {
	return errors.Is(err, errStale) || parley.IsCode(err, parley.CodeSourceNotFound) ||
		parley.IsCode(err, parley.CodeAgentNotFound)
}

// train reads the version, so that a crash of the reader is a failure of this source only.
func (s *Service) train(ctx context.Context, src *parley.Source) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while reading source %s: %v", src.ID, v)
		}
	}()
	v, err := s.DB.Version(ctx, src.AgentRef(), src.ID, src.WantedVersion)
	if err != nil {
		return err
	}
	defer s.readSlots.acquire()()
	if err := s.DB.ErasePassages(ctx, src.AgentRef(), src.ID, v.ID); err != nil { // of a run that was cut short
		return err
	}
	if err := s.writeAllPassages(ctx, src, v); err != nil {
		return err
	}
	s.yieldToTurns(ctx)
	return s.goLive(ctx, src)
}

// writeAllPassages writes the passages of a version as it is cut, some at a time: not all of them are ever in memory.
func (s *Service) writeAllPassages(ctx context.Context, src *parley.Source, v *parley.Version) error {
	pieces, err := kinds[src.Kind].pieces(src, v)
	if err != nil {
		return err
	}
	next, stop := iter.Pull(pieces)
	defer stop()
	batch := make([]parley.Passage, 0, chunkSize)
	for ordinal := 0; ; {
		batch = batch[:0]
		for range s.nextChunkSize(ctx) {
			p, ok := next()
			if !ok {
				break
			}
			batch = append(batch, parley.Passage{
				ID: parley.PassageID(parley.NewTimedUUID()), SourceID: src.ID, SourceName: src.Name, SourceURL: src.URL,
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
		var progress []store.NewEvent
		if ordinal > chunkSize { // what is smaller has soon ended
			progress = s.progressEvents(src)
		}
		if err := s.writePassages(ctx, src, batch, progress); err != nil {
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
func (s *Service) writePassages(ctx context.Context, src *parley.Source, part []parley.Passage,
	progress []store.NewEvent) error {
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := tx.LockSource(ctx, src.AgentRef(), src.ID)
		if err != nil {
			return err
		}
		if now.WantedVersion != src.WantedVersion {
			return errStale
		}
		if err := s.Indexes.Put(ctx, tx.SQL(), src.AgentRef(), part); err != nil {
			return err
		}
		return s.recordEvents(ctx, tx, src.AccountID, progress)
	})
}

// goLive makes the wanted version the one that answers, in place of the one before it.
func (s *Service) goLive(ctx context.Context, src *parley.Source) error {
	now := s.Now()
	var version int64
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		live, passages, err := tx.UpdateSource(ctx, src.AgentRef(), src.ID, func(current *parley.Source) error {
			if current.WantedVersion != src.WantedVersion {
				return errStale
			}
			current.LiveVersion, current.Status, current.Failure, current.UpdatedAt = src.WantedVersion,
				parley.SourceTrained, "", now
			return nil
		})
		if err != nil {
			return err
		}
		version = passages
		if err := s.enqueueEraseEarlier(ctx, tx, live); err != nil {
			return err
		}
		if err := s.enqueueEmbed(ctx, tx, live); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, src.AccountID, now, sourceEvent(parley.EventSourceTrained, live))
	})
	if err != nil {
		return err
	}
	return s.Indexes.Warm(ctx, src.AgentID, version) // so that nobody's question waits for it
}

// failSource marks the source as failed, with the reason for the operator.
func (s *Service) failSource(ctx context.Context, src *parley.Source, reason error) error {
	now := s.Now()
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		failed, _, err := tx.UpdateSource(ctx, src.AgentRef(), src.ID, func(current *parley.Source) error {
			if current.WantedVersion != src.WantedVersion {
				return errStale
			}
			current.Status, current.Failure, current.UpdatedAt = parley.SourceFailed, reason.Error(), now
			return nil
		})
		if err != nil {
			return err
		}
		return tx.RecordEvents(ctx, src.AccountID, now, sourceEvent(parley.EventSourceFailed, failed))
	})
	if isDropped(err) {
		return nil
	}
	if err == nil {
		s.logFailure(src, reason.Error())
	}
	return err
}

// logFailure logs why a source has failed.
func (s *Service) logFailure(src *parley.Source, reason string) {
	s.logger().Warn("a source has failed", "agent", src.AgentID, "source", src.ID, "kind", src.Kind, "reason", reason)
}

// EraseEarlierJob is the kind of the job that erases the earlier versions of a source; its key is the source's id.
const EraseEarlierJob = "source.tidy"

// earlierRetention is how long an earlier version stays for what still reads it: a turn that began on it, a copy being
// made.
const earlierRetention = 10 * time.Minute

// enqueueEraseEarlier leaves the earlier versions of a source, if it has any, to a job.
func (s *Service) enqueueEraseEarlier(ctx context.Context, tx *store.DB, src *parley.Source) error {
	hasEarlier, err := tx.HasEarlierVersions(ctx, src.AgentRef(), src.ID)
	if err != nil || !hasEarlier {
		return err
	}
	job := newJob(EraseEarlierJob, src)
	job.RunAt = src.UpdatedAt.Add(earlierRetention)
	return s.Queue.Enqueue(ctx, tx.SQL(), job)
}

// EraseEarlierVersions handles EraseEarlierJob.
func (s *Service) EraseEarlierVersions(ctx context.Context, job jobs.Job) error {
	return s.eraseAndSweep(ctx, job, s.DB.EraseEarlierVersions)
}

// errServerDied is the failure of a source that was being read each time the server ended: it may be the cause.
var errServerDied = errors.New("the server ended each time it read the source; change the source to have it " +
	"tried again")

// LostJobHandlers returns the handlers of jobs whose runners died in every attempt: their sources fail, so that nobody
// waits for them.
func (s *Service) LostJobHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: s.failLostSource, FileJob: s.failLostSource, CrawlJob: s.finishLostLink}
}

func (s *Service) failLostSource(ctx context.Context, job jobs.Job) error {
	src, err := s.loadUntrained(ctx, job)
	if err != nil {
		return ignoreDropped(err)
	}
	return s.failSource(ctx, src, errServerDied)
}

// finishLostLink leaves a link with what was read of it.
func (s *Service) finishLostLink(ctx context.Context, job jobs.Job) error {
	c, err := s.loadCrawl(ctx, job)
	if err != nil || c == nil {
		return ignoreDropped(err)
	}
	return ignoreDropped(c.finish(ctx, errServerDied.Error(), true))
}
