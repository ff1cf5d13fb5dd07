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

const sweepEvery = time.Hour

// RunFiles removes now and then what a crash has left of uploads, until ctx is done.
func (d *Desk) RunFiles(ctx context.Context) error {
	beat := time.NewTicker(sweepEvery)
	defer beat.Stop()
	for {
		if err := d.SweepFiles(ctx); err != nil && ctx.Err() == nil {
			d.log().Warn("remove what is left of uploads", "err", err)
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// SweepFiles removes files that have lain for an hour without a row, and uploads that were cut short as long ago.
func (d *Desk) SweepFiles(ctx context.Context) error {
	if d.Files == nil {
		return nil
	}
	places, left, err := d.Files.old(d.Now())
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	d.free(ctx, places)
	return errors.Join(err, d.sweepData(ctx))
}

// FreeFiles removes the files of an agent that nothing needs any more.
func (d *Desk) FreeFiles(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	for d.Files != nil {
		places, err := d.DB.EraseLooseBlobs(ctx, account, agent)
		if err != nil || len(places) == 0 {
			return err
		}
		d.free(ctx, places)
	}
	return nil
}

// FreeAfter is a chore that erases an agent, whose key is the agent's id, and then removes its files.
func (d *Desk) FreeAfter(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		places, err := d.DB.BlobPlaces(ctx, job.AccountID, parley.AgentID(job.Key))
		if err != nil {
			return err
		}
		err = erase(ctx, job)
		if err == nil && d.Files != nil {
			d.free(ctx, places)
		}
		return err
	}
}

// free removes the files at places that no row names. What cannot be removed now is swept later.
func (d *Desk) free(ctx context.Context, places []string) {
	for _, place := range places {
		if err := d.freePlace(ctx, place); err != nil {
			d.log().Warn("remove a file", "place", place, "err", err)
		}
	}
}

func (d *Desk) freePlace(ctx context.Context, place string) error {
	if hash, there := strings.CutPrefix(place, inData); there {
		return d.DB.FreeBlobData(ctx, hash, place)
	}
	d.Files.mu.Lock()
	defer d.Files.mu.Unlock()
	used, err := d.DB.PlaceUsed(ctx, place)
	if err != nil || used {
		return err
	}
	return d.Files.remove(place)
}
