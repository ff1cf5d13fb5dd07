package agents

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// CloneJob is the kind of the job that copies what is left of an agent's sources; its key is the copy's id.
const CloneJob = "agent.clone"

// cloneRetryDelay is how long an original that is still a copy in the making is given before it is copied itself.
const cloneRetryDelay = 2 * time.Second

// An agent within these bounds is copied whole before Clone returns.
const (
	maxInlinePassages = 200
	maxInlineSources  = 50
	maxInlineBytes    = 1 << 20
)

// clonePayload is what a CloneJob needs beside the copy's id.
type clonePayload struct {
	From parley.AgentID `json:"from"`
	At   int64          `json:"at"` // milliseconds
}

// Clone makes a copy of an agent: its settings, pictures, actions, procedures and sources, which answer without being trained again.
// The copy has an identity secret of its own, and the original's statuses, teams and routing rules; conversations, tickets, leads and
// what was spent stay with the original. A small agent is
// copied whole; of a large one the sources follow by a job, and the copy is training until they are there. Where they would
// outgrow the plan they stay behind, and ADD_SOURCE is pending. Fails with AGENT_NOT_FOUND or AGENT_LIMIT_REACHED.
func (k *Service) Clone(ctx context.Context, account parley.Account, plan parley.Plan, id parley.AgentID) (parley.AgentID, []string, error) {
	c := store.Clone{Account: account.ID, FromAgent: id, ToAgent: parley.NewAgentID(), StartedAt: k.Now()}
	identity := newSecret()
	work, err := k.DB.CloneSize(ctx, c)
	if err != nil {
		return "", nil, err
	}
	var pending []string
	err = k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		pending = nil
		a, err := k.lockOriginal(ctx, tx, account.ID, plan, c)
		if err != nil {
			return err
		}
		if err := k.writeClone(ctx, tx, c, a, identity); err != nil {
			return err
		}
		if !plan.AllowsStorage(a.Size) {
			pending = []string{AddSource}
		} else if err := k.startCopying(ctx, tx, c, work.Passages <= maxInlinePassages && work.Sources <= maxInlineSources && a.Size <= maxInlineBytes); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "agent:"+string(c.ToAgent)); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, account.ID, c.StartedAt, store.NewEvent{Kind: "agent.created", AgentID: c.ToAgent, Subject: string(c.ToAgent), Payload: map[string]any{"clonedFrom": c.FromAgent}})
	})
	if err != nil {
		return "", nil, err
	}
	return c.ToAgent, pending, nil
}

// lockOriginal reads the agent to copy, which it holds, once there is room for another.
func (k *Service) lockOriginal(ctx context.Context, tx *store.DB, account parley.AccountID, plan parley.Plan, c store.Clone) (*parley.Agent, error) {
	if err := tx.LockAgent(ctx, account, c.FromAgent); err != nil { // agents before accounts, always
		return nil, err
	}
	if err := CheckLimit(ctx, tx, account, plan); err != nil {
		return nil, err
	}
	return tx.Agent(ctx, account, c.FromAgent, c.StartedAt)
}

// writeClone writes the copy without its sources.
func (k *Service) writeClone(ctx context.Context, tx *store.DB, c store.Clone, from *parley.Agent, identity string) error {
	a := *from
	a.ID, a.Name, a.IdentitySecret, a.Key = c.ToAgent, cloneName(from.Name), identity, ""
	a.ConfigVersion, a.CreatedAt, a.UpdatedAt = 1, c.StartedAt, c.StartedAt
	a.IconBlobID, a.PictureBlobID = c.BlobID(from.IconBlobID), c.BlobID(from.PictureBlobID)
	if err := tx.CreateAgent(ctx, &a); err != nil {
		return err
	}
	if err := tx.CloneBlobs(ctx, c, from.IconBlobID, from.PictureBlobID); err != nil {
		return err
	}
	if err := tx.CloneActionsAndProcedures(ctx, c); err != nil {
		return err
	}
	return tx.CloneHelpdesk(ctx, c)
}

// maxNameRunes is the most characters a name may have.
const maxNameRunes = 100

func cloneName(name string) string {
	const mark = " (copy)"
	if r := []rune(name); len(r) > maxNameRunes-len(mark) {
		name = string(r[:maxNameRunes-len(mark)])
	}
	return name + mark
}

// startCopying copies a small agent's sources at once. Otherwise it writes the rows of the first ones, so that the copy is
// training from the beginning, and leaves the rest to a job.
func (k *Service) startCopying(ctx context.Context, tx *store.DB, c store.Clone, small bool) error {
	unfinished, err := k.hasCopyInProgress(ctx, tx, c.Account, func(_ clonePayload, to parley.AgentID) bool { return to == c.FromAgent })
	if err != nil {
		return err
	}
	if small && !unfinished {
		return k.copySources(ctx, tx, c)
	}
	if _, _, err := tx.CloneSources(ctx, c, ""); err != nil {
		return err
	}
	return k.Queue.Enqueue(ctx, tx.SQL(), cloneJob(c))
}

// hasCopyInProgress reports whether a copy is in the making that is like that.
func (k *Service) hasCopyInProgress(ctx context.Context, db *store.DB, account parley.AccountID, like func(c clonePayload, to parley.AgentID) bool) (bool, error) {
	living, err := k.Queue.LiveJobs(ctx, db.SQL(), CloneJob, account)
	if err != nil {
		return false, err
	}
	for _, job := range living {
		var c clonePayload
		if err := json.Unmarshal(job.Payload, &c); err != nil {
			return false, err
		}
		if like(c, parley.AgentID(job.Key)) {
			return true, nil
		}
	}
	return false, nil
}

func cloneJob(c store.Clone) jobs.Job {
	payload, err := json.Marshal(clonePayload{c.FromAgent, c.StartedAt.UnixMilli()})
	if err != nil {
		panic(err) // a string and a number always encode
	}
	return jobs.Job{Kind: CloneJob, Key: string(c.ToAgent), AccountID: c.Account, Payload: payload}
}
