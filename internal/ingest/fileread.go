package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// FileJob is the kind of the chore that finds the text in a file; its key is the source's id. TrainJob follows.
const FileJob = "source.file"

// FileReader finds the text of a file. What it says of an *extract.Error is for the operator.
type FileReader func(ctx context.Context, kind extract.Kind, name string, data []byte) (text string, err error)

// FileHandlers gives what does the chores that read files: a runner of their own keeps a file that takes long from standing in
// the way of texts.
func (d *Desk) FileHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{FileJob: d.ReadIn}
}

// ReadIn handles FileJob: the text of the wanted version is found and written down, and its training is left to a chore. When it
// fails for good the source is failed, and the version that was live stays so.
func (d *Desk) ReadIn(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	s, err := d.wanting(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err == nil {
		err = d.readIn(ctx, s)
	}
	return d.outcome(ctx, job, s, err)
}

func (d *Desk) readIn(ctx context.Context, s *parley.Source) error {
	v, err := d.DB.Version(ctx, s.AccountID, s.AgentID, s.ID, s.Wanted)
	if err != nil {
		return err
	}
	known := v.Text != ""
	if !known {
		text, err := d.textOf(ctx, s, v)
		if err != nil {
			return err
		}
		setText(v, storable(text))
	}
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := tx.LockSource(ctx, s.AccountID, s.AgentID, s.ID)
		if err != nil {
			return err
		}
		if now.Wanted != s.Wanted {
			return errStale
		}
		if !known {
			if err := tx.FillVersion(ctx, s.AccountID, v); err != nil {
				return err
			}
		}
		return d.Queue.Enqueue(ctx, tx.SQL(), chore(TrainJob, s))
	})
}

// textOf reads the file of a version.
func (d *Desk) textOf(ctx context.Context, s *parley.Source, v *parley.Version) (string, error) {
	blob, err := d.DB.Blob(ctx, s.AccountID, s.AgentID, v.ID)
	if err != nil {
		return "", err
	}
	data, err := d.FileBytes(ctx, blob)
	if err != nil {
		return "", fmt.Errorf("the file of source %s: %w", s.ID, err)
	}
	kind, err := extract.Sniff(blob.Name, data)
	if err != nil {
		return "", err
	}
	return d.ReadFile(extract.WithOwner(ctx, string(s.AccountID)), kind, blob.Name, data)
}

// unreadable reports a failure that another attempt would meet again.
func unreadable(err error) bool {
	var said *extract.Error
	return errors.Is(err, errNoText) || errors.As(err, &said)
}
