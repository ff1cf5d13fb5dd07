package agents

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// work is one run of the transaction that applies documents.
type work struct {
	*Manifests
	*Application
	tx      *store.DB
	started time.Time
	faults  faults

	done   []Applied
	texts  []text
	events []store.Event
}

// all applies every document. After the first fault nothing more is written, and the rest is only checked.
func (w *work) all(ctx context.Context, docs []*document) error {
	for _, d := range docs {
		if !d.sound {
			continue
		}
		if err := w.one(ctx, d); err != nil {
			return err
		}
	}
	if err := w.faults.err(); err != nil {
		return err
	}
	if err := w.audit(ctx); err != nil || len(w.events) == 0 {
		return err
	}
	return w.tx.Record(ctx, w.Account.ID, w.started, w.events...)
}

// audit says in the account's audit chain what was changed of which agent.
func (w *work) audit(ctx context.Context) error {
	for _, a := range w.done {
		var parts []string
		for _, c := range a.Changes {
			parts = append(parts, strings.TrimSpace(c.Op+" "+c.Part+" "+c.Key))
		}
		if len(parts) == 0 || w.DryRun {
			continue
		}
		if err := w.tx.Audit(ctx, w.Account.ID, w.started, "operator", "agent.apply", string(a.Agent), map[string]any{"changes": parts}); err != nil {
			return err
		}
	}
	return nil
}

// target is the agent of one document while it changes.
type target struct {
	*document
	agent      *parley.Agent
	isNew      bool
	actions    tools[parley.Action]
	procedures tools[parley.Procedure]
	applied    Applied
}

func (t *target) changed(op, part, key string, before, after json.RawMessage) {
	t.applied.Changes = append(t.applied.Changes, Change{op, part, key, before, after})
}

func (w *work) one(ctx context.Context, d *document) error {
	t := &target{document: d, applied: Applied{Key: d.Agent.Key, Changes: []Change{}}}
	if found, err := w.find(ctx, t); err != nil || !found {
		return err
	}
	for _, step := range []func(context.Context, *target) error{w.settings, w.planActions, w.planProcedures, w.writeTools, w.planHelpdesk, w.planSources} {
		if err := step(ctx, t); err != nil {
			return err
		}
	}
	if !t.isNew || !w.DryRun {
		t.applied.Agent = t.agent.ID
	}
	w.done = append(w.done, t.applied)
	return nil
}

// find finds the document's agent and holds it, or takes a new one. An id that is not there is a fault.
func (w *work) find(ctx context.Context, t *target) (found bool, err error) {
	if t.Agent.ID != "" {
		return w.findByID(ctx, t)
	}
	t.agent, err = w.tx.AgentByKey(ctx, w.Account.ID, t.Agent.Key, t.now)
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		return err == nil, err
	}
	// Two that make the same agent take turns from here on, and the second one finds it.
	if _, err := w.tx.LockAccount(ctx, w.Account.ID); err != nil {
		return false, err
	}
	t.agent, err = w.tx.AgentByKey(ctx, w.Account.ID, t.Agent.Key, t.now)
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		return err == nil, err
	}
	fresh := *t.fresh
	fresh.AccountID, t.agent, t.isNew = w.Account.ID, &fresh, true
	return true, nil
}

// findByID finds an agent that no manifest has managed yet, or one that was exported by its id.
func (w *work) findByID(ctx context.Context, t *target) (found bool, err error) {
	if t.Agent.Key != "" {
		other, err := w.tx.AgentByKey(ctx, w.Account.ID, t.Agent.Key, t.now)
		if err == nil && other.ID != t.Agent.ID {
			w.faults.say(t.path+".agent.key", "is the key of another agent")
			return false, nil
		}
		if err != nil && !parley.IsCode(err, parley.CodeAgentNotFound) {
			return false, err
		}
	}
	t.agent, err = w.tx.HoldAgent(ctx, w.Account.ID, t.Agent.ID, t.now)
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		w.faults.say(t.path+".agent.id", "the account has no such agent; a key in its place makes one")
		return false, nil
	}
	return err == nil, err
}

// record notes what happened to the agent, once.
func (w *work) record(t *target, kind string) {
	if slices.ContainsFunc(w.events, func(e store.Event) bool { return e.AgentID == t.agent.ID }) {
		return
	}
	w.events = append(w.events, store.Event{Kind: kind, AgentID: t.agent.ID, Subject: string(t.agent.ID)})
}
