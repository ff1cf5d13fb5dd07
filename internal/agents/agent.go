// Package agents creates, changes, clones and retires agents.
package agents

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service creates, changes, clones and retires agents.
type Service struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Queue   *jobs.Queue
	Now     func() time.Time
	// Ingest adds the first sources of new agents. Nil if none are added.
	Ingest *ingest.Service
	// StopAgent cancels the running answers of an agent on this server. Nil where no turns run.
	StopAgent func(parley.AgentRef)
}

// AddSource is the pending step of an agent whose URL could not be added.
const AddSource = "ADD_SOURCE"

// NewAgent describes an agent to create.
type NewAgent struct {
	Name         string
	Instructions string
	Model        string // empty for auto
	Temp         float64
	Visibility   string // empty for private
	URL          string // a site that becomes the first source
}

// Create creates an agent and returns the steps that are still to do, such as adding a URL that was refused or exceeds
// the plan. Fails with AGENT_LIMIT_REACHED; the limit is exact, however many requests run at a time.
func (s *Service) Create(ctx context.Context, caller parley.Caller, n NewAgent) (parley.AgentID, []string, error) {
	a := n.Agent(caller.Account.ID, s.Now())
	link, pending := s.firstLink(caller, a.ID, n.URL)
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := createTx(ctx, tx, caller.Plan, a); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "agent:"+string(a.ID)); err != nil || link == nil {
			return err
		}
		return link.Create(ctx, tx)
	})
	if err != nil {
		return "", nil, err
	}
	return a.ID, pending, nil
}

// createTx stores a new agent and records the event. Fails with AGENT_LIMIT_REACHED.
func createTx(ctx context.Context, tx *store.DB, plan parley.Plan, a *parley.Agent) error {
	if err := CheckLimit(ctx, tx, a.AccountID, plan); err != nil {
		return err
	}
	if err := tx.CreateAgent(ctx, a); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, a.AccountID, a.CreatedAt, newEvent(parley.EventAgentCreated, a.ID))
}

func newEvent(kind parley.EventKind, id parley.AgentID) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: id, Subject: string(id)}
}

// firstLink returns the link source of a new agent, or the step that is left to do.
func (s *Service) firstLink(caller parley.Caller, agent parley.AgentID, url string) (*ingest.NewLink, []string) {
	if url == "" {
		return nil, nil
	}
	if s.Ingest == nil || !caller.Plan.AllowsStorage(1) {
		return nil, []string{AddSource}
	}
	link, err := s.Ingest.NewLink(caller, agent, ingest.Link{URL: url, Type: crawl.WholeSite})
	if err != nil {
		return nil, []string{AddSource}
	}
	return link, nil
}

// CheckLimit fails with AGENT_LIMIT_REACHED where the plan does not allow one agent more. It locks the account's row,
// so that two cannot count the same agents.
func CheckLimit(ctx context.Context, tx *store.DB, account parley.AccountID, plan parley.Plan) error {
	if _, err := tx.LockAccount(ctx, account); err != nil {
		return err
	}
	count, err := tx.CountAgents(ctx, account)
	if err != nil {
		return err
	}
	if plan.MaxAgents != nil && count >= *plan.MaxAgents {
		return parley.NewErrorf(parley.CodeAgentLimit, "The %s plan allows %d agents, and the account has %d.",
			plan.Name, *plan.MaxAgents, count)
	}
	return nil
}

// Agent returns the agent with the defaults of what is not set.
func (n NewAgent) Agent(account parley.AccountID, now time.Time) *parley.Agent {
	return &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: parley.StorableText(n.Name),
		Instructions: parley.StorableText(n.Instructions), Model: cmp.Or(n.Model, "auto"), Temp: n.Temp,
		Visibility: cmp.Or(n.Visibility, "private"), InitialMessages: []string{"Hi! What can I help you with?"},
		RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: newSecret(), ConfigVersion: 1, CreatedAt: now,
		UpdatedAt: now}
}

func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return hex.EncodeToString(b[:])
}

// ErrUnchanged is returned by a change that changes nothing.
var ErrUnchanged = errors.New("agents: nothing to change")

// Change changes an agent's settings; a change without effect records nothing. Fails with AGENT_NOT_FOUND, or with
// PLAN_FEATURE_NOT_AVAILABLE when it asks for more than the plan has: what was set under a better plan may stay.
func (s *Service) Change(ctx context.Context, caller parley.Caller, id parley.AgentID,
	change func(*parley.Agent) error) error {
	now := s.Now()
	return s.change(ctx, caller.AgentRef(id), now, func(_ *store.DB, a *parley.Agent) error {
		return ApplyChange(a, caller.Plan, now, change)
	})
}

// change changes an agent and records the event, in one transaction; ErrUnchanged rolls it back without an error.
func (s *Service) change(ctx context.Context, ref parley.AgentRef, now time.Time,
	change func(*store.DB, *parley.Agent) error) error {
	return s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return changeTx(ctx, tx, ref, now, func(a *parley.Agent) error { return change(tx, a) })
	})
}

// changeTx changes an agent and records the event; after ErrUnchanged it does not.
func changeTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, now time.Time,
	change func(*parley.Agent) error) error {
	err := tx.UpdateAgent(ctx, ref, change)
	switch {
	case errors.Is(err, ErrUnchanged):
		return nil
	case err != nil:
		return err
	}
	return tx.RecordEvents(ctx, ref.Account, now, newEvent(parley.EventAgentUpdated, ref.Agent))
}

// ApplyChange changes the settings of an agent that is not stored yet. It returns ErrUnchanged where nothing differs,
// and fails with PLAN_FEATURE_NOT_AVAILABLE where the change asks for more than the plan has: what was set under a
// better plan may stay.
func ApplyChange(a *parley.Agent, plan parley.Plan, now time.Time, change func(*parley.Agent) error) error {
	before, err := json.Marshal(a)
	if err != nil {
		return err
	}
	voice := string(a.Voice)
	if err := change(a); err != nil {
		return err
	}
	if a.Voice != nil && string(a.Voice) != voice && !plan.Voice {
		return parley.NewErrorf(parley.CodePlanFeature, "Voice is not part of the %s plan.", plan.Name)
	}
	a.Name, a.Instructions = parley.StorableText(a.Name), parley.StorableText(a.Instructions)
	after, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		return ErrUnchanged
	}
	a.ConfigVersion++
	a.UpdatedAt = now
	return nil
}

// CreateWithContent creates an agent together with its sources, or nothing at all. Fails with AGENT_LIMIT_REACHED, with
// VALIDATION_INVALID_BODY for addresses that cannot be read (see ingest.NewContent) or with SOURCE_SIZE_LIMIT_EXCEEDED.
func (s *Service) CreateWithContent(ctx context.Context, caller parley.Caller, n NewAgent,
	c ingest.Content) (parley.AgentID, error) {
	a := n.Agent(caller.Account.ID, s.Now())
	content, err := s.newContent(caller, a.ID, c)
	if err != nil {
		return "", err
	}
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := createTx(ctx, tx, caller.Plan, a); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "agent:"+string(a.ID)); err != nil {
			return err
		}
		return content.Create(ctx, tx)
	})
	if err != nil {
		return "", err
	}
	return a.ID, nil
}

// ReplaceContent replaces the texts and links of an agent, and its name unless name is empty; it does all of that or
// nothing. The old content answers until the new one is trained. Fails with AGENT_NOT_FOUND, and as CreateWithContent
// does.
func (s *Service) ReplaceContent(ctx context.Context, caller parley.Caller, id parley.AgentID,
	name string, c ingest.Content) error {
	if err := s.DB.ShareLockAgent(ctx, caller.AgentRef(id)); err != nil {
		return err
	}
	content, err := s.newContent(caller, id, c)
	if err != nil {
		return err
	}
	now := s.Now()
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		err := changeTx(ctx, tx, caller.AgentRef(id), now, func(a *parley.Agent) error {
			return ApplyChange(a, caller.Plan, now, func(a *parley.Agent) error {
				if parley.IsVisible(name) {
					a.Name = name
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		return content.Replace(ctx, tx)
	})
}

func (s *Service) newContent(caller parley.Caller, id parley.AgentID, c ingest.Content) (*ingest.NewContent, error) {
	if s.Ingest == nil {
		return nil, errors.New("agents: there is nobody to read content")
	}
	return s.Ingest.NewContent(caller, id, c)
}

// resyncPeriod is how often the websites of an agent with automatic re-sync are read again.
const resyncPeriod = 7 * 24 * time.Hour

// AutoRetrain turns the weekly re-sync of an agent's websites on or off; the first one is a week later. Fails with
// AGENT_NOT_FOUND, and, when turning it on, with AGENT_NOT_TRAINED as long as no source is live.
func (s *Service) AutoRetrain(ctx context.Context, ref parley.AgentRef, on bool) error {
	now := s.Now()
	return s.change(ctx, ref, now, func(tx *store.DB, a *parley.Agent) error {
		if on {
			if live, err := tx.HasLiveSource(ctx, ref); err != nil {
				return err
			} else if !live {
				return parley.NewError(parley.CodeAgentNotTrained)
			}
		}
		if a.AutoRetrain == on {
			return ErrUnchanged
		}
		a.AutoRetrain, a.UpdatedAt = on, now
		a.ConfigVersion++
		return tx.ScheduleAgentSync(ctx, ref, NextResync(a, now))
	})
}

// NextResync returns when the websites of an agent are read again; nil means never.
func NextResync(a *parley.Agent, now time.Time) *time.Time {
	if !a.AutoRetrain {
		return nil
	}
	return new(now.Add(resyncPeriod))
}

// EraseJob is the kind of the job that erases a retired agent's rows; its key is the agent's id.
const EraseJob = "agent.erase"

// eraseRetryDelay is how long an erasure waits for an open turn, or for a copy that is being made.
const eraseRetryDelay = 5 * time.Second

// Delete deletes an agent at once; its rows are erased by a job. Fails with AGENT_NOT_FOUND.
func (s *Service) Delete(ctx context.Context, ref parley.AgentRef) error {
	now := s.Now()
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.DeleteAgent(ctx, ref, now); err != nil {
			return err
		}
		if err := s.Queue.Enqueue(ctx, tx.SQL(), eraseJob(ref)); err != nil {
			return err
		}
		// The event does not belong to the agent, so that it outlives the agent's rows.
		deleted := store.NewEvent{Kind: parley.EventAgentDeleted, Subject: string(ref.Agent)}
		return tx.RecordEvents(ctx, ref.Account, now, deleted)
	})
	if err == nil {
		s.Indexes.Drop(ref.Agent)
		if s.StopAgent != nil {
			s.StopAgent(ref)
		}
	}
	return err
}

// Erase handles EraseJob. While one of the agent's turns is open, the rest waits for it; while the agent is being
// copied, nothing is erased.
func (s *Service) Erase(ctx context.Context, job jobs.Job) error {
	agent := parley.AgentID(job.Key)
	s.Indexes.Drop(agent)
	copied, err := s.hasCopyInProgress(ctx, s.DB, job.AccountID, func(c clonePayload, _ parley.AgentID) bool {
		return c.From == agent
	})
	if err != nil {
		return err
	}
	isErased := false
	if !copied {
		isErased, err = s.DB.EraseAgent(ctx, job.AccountID.AgentRef(agent))
	}
	if err != nil || isErased {
		return err
	}
	again := eraseJob(job.AccountID.AgentRef(agent))
	again.RunAt = s.Now().Add(eraseRetryDelay)
	return s.Queue.Enqueue(ctx, s.DB.SQL(), again)
}

func eraseJob(ref parley.AgentRef) jobs.Job {
	return jobs.Job{Kind: EraseJob, Key: string(ref.Agent), AccountID: ref.Account}
}

// Handlers returns the handlers of this package's jobs.
func (s *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EraseJob: s.Erase, CloneJob: s.ContinueCopy}
}
