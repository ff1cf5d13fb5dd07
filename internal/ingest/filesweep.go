package ingest

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
)

const fileSweepInterval = time.Hour

// RunFileSweeper removes now and then what a crash has left of uploads, until ctx is done.
func (d *Service) RunFileSweeper(ctx context.Context) error {
	beat := time.NewTicker(fileSweepInterval)
	defer beat.Stop()
	for {
		if err := d.SweepFiles(ctx); err != nil && ctx.Err() == nil {
			d.logger().Warn("remove what is left of uploads", "err", err)
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// SweepFiles removes files that have lain for an hour without a row, and uploads that were cut short as long ago.
func (d *Service) SweepFiles(ctx context.Context) error {
	if d.Files == nil {
		return nil
	}
	places, left, err := d.Files.listOld(d.Now())
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	d.removeUnused(ctx, places)
	return errors.Join(err, d.sweepDatabaseFiles(ctx))
}

// RemoveUnusedFiles removes the files of an agent that nothing needs any more.
func (d *Service) RemoveUnusedFiles(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	for d.Files != nil {
		places, err := d.DB.EraseOrphanedBlobs(ctx, account, agent)
		if err != nil || len(places) == 0 {
			return err
		}
		d.removeUnused(ctx, places)
	}
	return nil
}

// WithAgentFileRemoval is a job that erases an agent, whose key is the agent's id, and then removes its files.
func (d *Service) WithAgentFileRemoval(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		places, err := d.DB.BlobLocations(ctx, job.AccountID, parley.AgentID(job.Key))
		if err != nil {
			return err
		}
		err = erase(ctx, job)
		if err == nil && d.Files != nil {
			d.removeUnused(ctx, places)
		}
		return err
	}
}

// removeUnused removes the files at places that no row names. What cannot be removed now is swept later.
func (d *Service) removeUnused(ctx context.Context, places []string) {
	for _, place := range places {
		if err := d.removeIfUnused(ctx, place); err != nil {
			d.logger().Warn("remove a file", "place", place, "err", err)
		}
	}
}

func (d *Service) removeIfUnused(ctx context.Context, place string) error {
	if hash, there := strings.CutPrefix(place, dataPrefix); there {
		return d.DB.EraseUnusedBlobData(ctx, hash, place)
	}
	d.Files.mu.Lock()
	defer d.Files.mu.Unlock()
	used, err := d.DB.IsLocationUsed(ctx, place)
	if err != nil || used {
		return err
	}
	return d.Files.remove(place)
}
