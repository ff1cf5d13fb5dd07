package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley"
	"parley/internal/jobs"
)

// errLost is what the operator reads of a source in whose every reading the server ended: it may be what ends it.
var errLost = errors.New("the server ended each time it read the source; change the source to have it tried again")

// LostHandlers gives what is done about a chore whose runners died in every attempt: its source fails, so that nobody waits for it.
func (d *Desk) LostHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{TrainJob: d.lose, FileJob: d.lose, CrawlJob: d.loseLink}
}

func (d *Desk) lose(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	s, err := d.wanting(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err != nil {
		return unlessDropped(err)
	}
	return d.fail(ctx, s, errLost)
}

// loseLink leaves a link with what was read of it.
func (d *Desk) loseLink(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	c, err := d.crawling(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err != nil || c == nil {
		return unlessDropped(err)
	}
	return unlessDropped(c.finish(ctx, errLost.Error(), true))
}
