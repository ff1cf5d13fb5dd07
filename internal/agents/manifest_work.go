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

// applyRun is one run of the transaction that applies documents.
type applyRun struct {
	*Manifests
	*ApplyRequest
	tx      *store.DB
	started time.Time
	faults  faults

	results      []ApplyResult
	pendingTexts []textChange
	events       []store.NewEvent
}

// applyAll applies every document. After the first fault nothing more is written, and the rest is only checked.
func (w *applyRun) applyAll(ctx context.Context, docs []*document) error {
	for _, d := range docs {
		if !d.hasAgent {
			continue
		}
		if err := w.applyDocument(ctx, d); err != nil {
			return err
		}
	}
	if err := w.faults.asError(); err != nil {
		return err
	}
	if err := w.audit(ctx); err != nil || len(w.events) == 0 {
		return err
	}
	return w.tx.RecordEvents(ctx, w.Account.ID, w.started, w.events...)
}

// audit says in the account's audit chain what was changed of which agent.
func (w *applyRun) audit(ctx context.Context) error {
	for _, a := range w.results {
		var parts []string
		for _, c := range a.Changes {
			parts = append(parts, strings.TrimSpace(c.Op+" "+c.Part+" "+c.Key))
		}
		if len(parts) == 0 || w.DryRun {
			continue
		}
		if err := w.tx.AppendAuditEvent(ctx, w.Account.ID, w.started, "operator", "agent.apply", string(a.Agent), map[string]any{"changes": parts}); err != nil {
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
	actions    toolPlan[parley.Action]
	procedures toolPlan[parley.Procedure]
	applied    ApplyResult
}

func (t *target) addChange(op, part, key string, before, after json.RawMessage) {
	t.applied.Changes = append(t.applied.Changes, Change{op, part, key, before, after})
}

func (w *applyRun) applyDocument(ctx context.Context, d *document) error {
	t := &target{document: d, applied: ApplyResult{Key: d.Agent.Key, Changes: []Change{}}}
	if found, err := w.findAgent(ctx, t); err != nil || !found {
		return err
	}
	for _, step := range []func(context.Context, *target) error{w.applySettings, w.planActions, w.planProcedures, w.writeTools, w.planHelpdesk, w.planSources} {
		if err := step(ctx, t); err != nil {
			return err
		}
	}
	if !t.isNew || !w.DryRun {
		t.applied.Agent = t.agent.ID
	}
	w.results = append(w.results, t.applied)
	return nil
}

// findAgent finds the document's agent and holds it, or takes a new one. An id that is not there is a fault.
func (w *applyRun) findAgent(ctx context.Context, t *target) (found bool, err error) {
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
	fresh := *t.newAgent
	fresh.AccountID, t.agent, t.isNew = w.Account.ID, &fresh, true
	return true, nil
}

// findByID finds an agent that no manifest has managed yet, or one that was exported by its id.
func (w *applyRun) findByID(ctx context.Context, t *target) (found bool, err error) {
	if t.Agent.Key != "" {
		other, err := w.tx.AgentByKey(ctx, w.Account.ID, t.Agent.Key, t.now)
		if err == nil && other.ID != t.Agent.ID {
			w.faults.add(t.path+".agent.key", "is the key of another agent")
			return false, nil
		}
		if err != nil && !parley.IsCode(err, parley.CodeAgentNotFound) {
			return false, err
		}
	}
	t.agent, err = w.tx.AgentForUpdate(ctx, w.Account.ID, t.Agent.ID, t.now)
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		w.faults.add(t.path+".agent.id", "the account has no such agent; a key in its place makes one")
		return false, nil
	}
	return err == nil, err
}

// recordOnce notes what happened to the agent, once.
func (w *applyRun) recordOnce(t *target, kind string) {
	if slices.ContainsFunc(w.events, func(e store.NewEvent) bool { return e.AgentID == t.agent.ID }) {
		return
	}
	w.events = append(w.events, store.NewEvent{Kind: kind, AgentID: t.agent.ID, Subject: string(t.agent.ID)})
}
