package ingest

import (
	"context"
	"errors"

	"parley"
	"parley/internal/jobs"
)

// errServerDied is what the operator reads of a source in whose every reading the server ended: it may be what ends it.
var errServerDied = errors.New("the server ended each time it read the source; change the source to have it tried again")

// LostJobHandlers returns what is done about a job whose runners died in every attempt: its source fails, so that nobody waits for it.
func (d *Service) LostJobHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: d.failLostSource, FileJob: d.failLostSource, CrawlJob: d.finishLostLink}
}

func (d *Service) failLostSource(ctx context.Context, job jobs.Job) error {
	about, err := jobs.DecodePayload[jobPayload](job)
	if err != nil {
		return err
	}
	s, err := d.loadUntrained(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err != nil {
		return ignoreDropped(err)
	}
	return d.failSource(ctx, s, errServerDied)
}

// finishLostLink leaves a link with what was read of it.
func (d *Service) finishLostLink(ctx context.Context, job jobs.Job) error {
	about, err := jobs.DecodePayload[jobPayload](job)
	if err != nil {
		return err
	}
	c, err := d.loadCrawl(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err != nil || c == nil {
		return ignoreDropped(err)
	}
	return ignoreDropped(c.finish(ctx, errServerDied.Error(), true))
}
