// Package agents makes, changes, clones and retires agents.
package agents

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Keeper holds the verbs on agents.
type Keeper struct {
	DB      *store.DB
	Library *retrieval.Library
	Queue   *jobs.Queue
	Now     func() time.Time
	// Sites reads the first link of a new agent. Nil where none is read.
	Sites *ingest.Desk
	// Stop cuts the answers short that an agent is making on this server. Nil where no turns are made.
	Stop func(parley.AccountID, parley.AgentID)
}

// AddSource is the pending step of an agent whose URL could not be added (decision 18).
const AddSource = "ADD_SOURCE"

// New is what an agent is made from.
type New struct {
	Name         string
	Instructions string
	Model        string // empty for auto
	Temp         float64
	Visibility   string // empty for private
	URL          string // a site that becomes the first source
}

// Create makes an agent and names the steps that are still to do: a URL that is refused, or for which the plan has no room, is one
// (decision 18). Fails with AGENT_LIMIT_REACHED, exactly, however many ask at a time.
func (k *Keeper) Create(ctx context.Context, account parley.Account, plan parley.Plan, n New) (parley.AgentID, []string, error) {
	a := n.agent(account.ID, k.Now())
	link, pending := k.firstLink(account, plan, a.ID, n.URL)
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if err := room(ctx, tx, account.ID, plan); err != nil {
			return err
		}
		if err := tx.CreateAgent(ctx, a); err != nil {
			return err
		}
		if err := tx.Did(ctx, "agent:"+string(a.ID)); err != nil {
			return err
		}
		if err := tx.Record(ctx, account.ID, a.CreatedAt, store.Event{Kind: "agent.created", AgentID: a.ID, Subject: string(a.ID)}); err != nil || link == nil {
			return err
		}
		return link.Create(ctx, tx)
	})
	if err != nil {
		return "", nil, err
	}
	return a.ID, pending, nil
}

// firstLink makes the link source of a new agent, or names the step that is left to do.
func (k *Keeper) firstLink(account parley.Account, plan parley.Plan, agent parley.AgentID, url string) (*ingest.NewLink, []string) {
	if url == "" {
		return nil, nil
	}
	if k.Sites == nil || !plan.Holds(1) {
		return nil, []string{AddSource}
	}
	link, err := k.Sites.NewLink(account, plan, agent, ingest.Link{URL: url, Type: crawl.Whole})
	if err != nil {
		return nil, []string{AddSource}
	}
	return link, nil
}

// room checks that the plan allows one agent more. It holds the account's row, so that two cannot count the same agents.
func room(ctx context.Context, tx *store.DB, account parley.AccountID, plan parley.Plan) error {
	if _, err := tx.LockAccount(ctx, account); err != nil {
		return err
	}
	count, err := tx.CountAgents(ctx, account)
	if err != nil {
		return err
	}
	if plan.Agents != nil && count >= *plan.Agents {
		return parley.Failf(parley.CodeAgentLimit, "The %s plan allows %d agents, and the account has %d.", plan.Name, *plan.Agents, count)
	}
	return nil
}

func (n New) agent(account parley.AccountID, now time.Time) *parley.Agent {
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: clean(n.Name), Instructions: clean(n.Instructions), Model: n.Model, Temp: n.Temp,
		Visibility: n.Visibility, InitialMessages: []string{"Hi! What can I help you with?"}, RateLimit: parley.DefaultDeviceLimit(),
		IdentitySecret: secret(), ConfigVersion: 1, CreatedAt: now, UpdatedAt: now}
	if a.Model == "" {
		a.Model = "auto"
	}
	if a.Visibility == "" {
		a.Visibility = "private"
	}
	return a
}

// clean takes out NUL, which PostgreSQL cannot store.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }

func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return hex.EncodeToString(b[:])
}

var errSame = errors.New("agents: nothing to change")

// Change changes an agent's settings; a change that changes nothing leaves no trace. Fails with AGENT_NOT_FOUND, or with
// PLAN_FEATURE_NOT_AVAILABLE when it asks for more than the plan holds: what was set under a better plan may stay.
func (k *Keeper) Change(ctx context.Context, account parley.Account, plan parley.Plan, id parley.AgentID, change func(*parley.Agent) error) error {
	now := k.Now()
	return k.change(ctx, account.ID, id, now, func(_ *store.DB, a *parley.Agent) error { return apply(a, plan, now, change) })
}

// change changes an agent in a transaction that also says so; errSame undoes it in silence.
func (k *Keeper) change(ctx context.Context, account parley.AccountID, id parley.AgentID, now time.Time, change func(*store.DB, *parley.Agent) error) error {
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		err := tx.UpdateAgent(ctx, account, id, func(a *parley.Agent) error { return change(tx, a) })
		if err != nil {
			return err
		}
		return tx.Record(ctx, account, now, store.Event{Kind: "agent.updated", AgentID: id, Subject: string(id)})
	})
	if errors.Is(err, errSame) {
		return nil
	}
	return err
}

func apply(a *parley.Agent, plan parley.Plan, now time.Time, change func(*parley.Agent) error) error {
	before, err := json.Marshal(a)
	if err != nil {
		return err
	}
	voice := string(a.Voice)
	if err := change(a); err != nil {
		return err
	}
	if a.Voice != nil && string(a.Voice) != voice && !plan.Voice {
		return parley.Failf(parley.CodePlanFeature, "Voice is not part of the %s plan.", plan.Name)
	}
	a.Name, a.Instructions = clean(a.Name), clean(a.Instructions)
	after, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		return errSame
	}
	a.ConfigVersion++
	a.UpdatedAt = now
	return nil
}
