package ingest

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// FileJob is the kind of the job that finds the text in a file; its key is the source's id. TrainJob follows.
const FileJob = "source.file"

// FileReader finds the text of a file. What it says of an *extract.Error is for the operator.
type FileReader func(ctx context.Context, kind extract.Kind, name string, data []byte) (text string, err error)

// FileHandlers returns what does the jobs that read files: a runner of their own keeps a file that takes long from standing in
// the way of texts.
func (d *Service) FileHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{FileJob: d.ExtractFile}
}

// ExtractFile handles FileJob: the text of the wanted version is found and written down, and its training is left to a job. When it
// fails for good the source is failed, and the version that was live stays so.
func (d *Service) ExtractFile(ctx context.Context, job jobs.Job) error {
	about, err := jobs.DecodePayload[jobPayload](job)
	if err != nil {
		return err
	}
	s, err := d.loadUntrained(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err == nil {
		err = d.extractFile(ctx, s)
	}
	return d.jobOutcome(ctx, job, s, err)
}

func (d *Service) extractFile(ctx context.Context, s *parley.Source) error {
	v, err := d.DB.Version(ctx, s.AccountID, s.AgentID, s.ID, s.WantedVersion)
	if err != nil {
		return err
	}
	known := v.Text != ""
	if !known {
		text, err := d.fileText(ctx, s, v)
		if err != nil {
			return err
		}
		setText(v, stripNUL(text))
	}
	plan, err := d.accountPlan(ctx, s.AccountID)
	if err != nil {
		return err
	}
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := d.updateFileSize(ctx, tx, plan, s, int64(len(v.Text)))
		if err != nil {
			return err
		}
		if !known {
			if err := tx.SetVersionText(ctx, s.AccountID, v); err != nil {
				return err
			}
		}
		return d.Queue.Enqueue(ctx, tx.SQL(), newJob(TrainJob, now))
	})
}

// accountPlan finds what an account may have; everything, where the desk knows no plans.
func (d *Service) accountPlan(ctx context.Context, account parley.AccountID) (plan parley.Plan, err error) {
	if d.Plan == nil {
		return plan, nil
	}
	owner, err := d.DB.Account(ctx, account)
	if err != nil {
		return plan, err
	}
	plan, _ = d.Plan(owner.Plan) // without a plan nobody can ask anything of the agent either
	return plan, nil
}

// updateFileSize counts a file with the bytes of its text where these are more than its own, as they are of one that is
// packed. Fails with SOURCE_SIZE_LIMIT_EXCEEDED where the plan has no room for them.
func (d *Service) updateFileSize(ctx context.Context, tx *store.DB, plan parley.Plan, s *parley.Source, bytes int64) (*parley.Source, error) {
	agent, err := tx.AgentForUpdate(ctx, s.AccountID, s.AgentID, d.Now()) // before the source's row, always
	if err != nil {
		return nil, err
	}
	now, err := tx.LockSource(ctx, s.AccountID, s.AgentID, s.ID)
	if err != nil {
		return nil, err
	}
	if now.WantedVersion != s.WantedVersion {
		return nil, errStale
	}
	if bytes <= now.Size {
		return now, nil
	}
	if err := plan.CheckStorage(agent.Size + bytes - now.Size); err != nil {
		return nil, err
	}
	now, _, err = tx.UpdateSource(ctx, s.AccountID, s.AgentID, s.ID, func(current *parley.Source) error {
		current.Size = bytes
		return nil
	})
	return now, err
}

// fileText reads the file of a version.
func (d *Service) fileText(ctx context.Context, s *parley.Source, v *parley.Version) (string, error) {
	blob, err := d.DB.VersionBlob(ctx, s.AccountID, s.AgentID, v.ID)
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

// isPermanent reports a failure that another attempt would meet again.
func isPermanent(err error) bool {
	var extractErr *extract.Error
	return errors.Is(err, errNoText) || errors.As(err, &extractErr) || parley.IsCode(err, parley.CodeSourceSize)
}
