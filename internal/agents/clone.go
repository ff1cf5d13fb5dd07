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

// CloneJob is the kind of the chore that copies what is left of an agent's sources; its key is the copy's id.
const CloneJob = "agent.clone"

// cloneAgain is how long an original that is still a copy in the making is given before it is copied itself.
const cloneAgain = 2 * time.Second

// An agent within these bounds is copied whole before Clone returns.
const (
	smallPassages = 200
	smallSources  = 50
	smallBytes    = 1 << 20
)

// cloning is what a CloneJob needs beside the copy's id.
type cloning struct {
	From parley.AgentID `json:"from"`
	At   int64          `json:"at"` // milliseconds
}

// Clone makes a copy of an agent: its settings, pictures, actions, procedures and sources, which answer without being trained again.
// The copy has an identity secret of its own, and the original's statuses, teams and routing rules; conversations, tickets, leads and
// what was spent stay with the original. A small agent is
// copied whole; of a large one the sources follow by a chore, and the copy is training until they are there. Where they would
// outgrow the plan they stay behind, and ADD_SOURCE is pending. Fails with AGENT_NOT_FOUND or AGENT_LIMIT_REACHED.
func (k *Keeper) Clone(ctx context.Context, account parley.Account, plan parley.Plan, id parley.AgentID) (parley.AgentID, []string, error) {
	c := store.Clone{Account: account.ID, From: id, To: parley.NewAgentID(), At: k.Now()}
	identity := secret()
	work, err := k.DB.CloneWork(ctx, c)
	if err != nil {
		return "", nil, err
	}
	var pending []string
	err = k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		pending = nil
		a, err := k.original(ctx, tx, account.ID, plan, c)
		if err != nil {
			return err
		}
		if err := k.writeClone(ctx, tx, c, a, identity); err != nil {
			return err
		}
		if !plan.Holds(a.Size) {
			pending = []string{AddSource}
		} else if err := k.beginCopying(ctx, tx, c, work.Passages <= smallPassages && work.Sources <= smallSources && a.Size <= smallBytes); err != nil {
			return err
		}
		if err := tx.Did(ctx, "agent:"+string(c.To)); err != nil {
			return err
		}
		return tx.Record(ctx, account.ID, c.At, store.Event{Kind: "agent.created", AgentID: c.To, Subject: string(c.To), Payload: map[string]any{"clonedFrom": c.From}})
	})
	if err != nil {
		return "", nil, err
	}
	return c.To, pending, nil
}

// original reads the agent to copy, which it holds, once there is room for another.
func (k *Keeper) original(ctx context.Context, tx *store.DB, account parley.AccountID, plan parley.Plan, c store.Clone) (*parley.Agent, error) {
	if err := tx.LockAgent(ctx, account, c.From); err != nil { // agents before accounts, always
		return nil, err
	}
	if err := room(ctx, tx, account, plan); err != nil {
		return nil, err
	}
	return tx.Agent(ctx, account, c.From, c.At)
}

// writeClone writes the copy without its sources.
func (k *Keeper) writeClone(ctx context.Context, tx *store.DB, c store.Clone, from *parley.Agent, identity string) error {
	a := *from
	a.ID, a.Name, a.IdentitySecret, a.Key = c.To, cloneName(from.Name), identity, ""
	a.ConfigVersion, a.CreatedAt, a.UpdatedAt = 1, c.At, c.At
	a.Icon, a.Picture = c.Blob(from.Icon), c.Blob(from.Picture)
	if err := tx.CreateAgent(ctx, &a); err != nil {
		return err
	}
	if err := tx.CloneBlobs(ctx, c, from.Icon, from.Picture); err != nil {
		return err
	}
	if err := tx.CloneTools(ctx, c); err != nil {
		return err
	}
	return tx.CloneHelpdesk(ctx, c)
}

// mostName is the most characters a name may have.
const mostName = 100

func cloneName(name string) string {
	const mark = " (copy)"
	if r := []rune(name); len(r) > mostName-len(mark) {
		name = string(r[:mostName-len(mark)])
	}
	return name + mark
}

// beginCopying copies a small agent's sources at once. Otherwise it writes the rows of the first ones, so that the copy is
// training from the beginning, and leaves the rest to a chore.
func (k *Keeper) beginCopying(ctx context.Context, tx *store.DB, c store.Clone, small bool) error {
	unfinished, err := k.copying(ctx, tx, c.Account, func(_ cloning, to parley.AgentID) bool { return to == c.From })
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

// copying reports whether a copy is in the making that is like that.
func (k *Keeper) copying(ctx context.Context, db *store.DB, account parley.AccountID, like func(c cloning, to parley.AgentID) bool) (bool, error) {
	living, err := k.Queue.Living(ctx, db.SQL(), CloneJob, account)
	if err != nil {
		return false, err
	}
	for _, job := range living {
		var c cloning
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
	payload, err := json.Marshal(cloning{c.From, c.At.UnixMilli()})
	if err != nil {
		panic(err) // a string and a number always encode
	}
	return jobs.Job{Kind: CloneJob, Key: string(c.To), AccountID: c.Account, Payload: payload}
}
