package manifest

import (
	"cmp"
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
	*Service
	*ApplyRequest
	tx        *store.DB
	startedAt time.Time
	faults    faults

	results        []ApplyResult
	pendingSources []sourceChange
	events         []store.NewEvent
}

// applyAll applies every document. After the first fault nothing more is written, and the rest is only checked.
func (r *applyRun) applyAll(ctx context.Context, docs []*document) error {
	for _, d := range docs {
		if !d.hasAgent {
			continue
		}
		if err := r.applyDocument(ctx, d); err != nil {
			return err
		}
	}
	if err := r.faults.asError(); err != nil {
		return err
	}
	if err := r.audit(ctx); err != nil || len(r.events) == 0 {
		return err
	}
	return r.tx.RecordEvents(ctx, r.Account.ID, r.startedAt, r.events...)
}

// audit records in the account's audit chain what was changed of which agent.
func (r *applyRun) audit(ctx context.Context) error {
	for _, a := range r.results {
		var parts []string
		for _, c := range a.Changes {
			parts = append(parts, strings.TrimSpace(c.Op+" "+c.Part+" "+c.Key))
		}
		if len(parts) == 0 || r.DryRun {
			continue
		}
		facts := map[string]any{"changes": parts}
		actor := cmp.Or(r.Actor, "operator")
		err := r.tx.AppendAuditEvent(ctx, r.Account.ID, r.startedAt, actor, "agent.apply", string(a.Agent), facts)
		if err != nil {
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
	unusedIDs  []string
	actions    toolPlan[parley.Action]
	procedures toolPlan[parley.Procedure]
	result     ApplyResult
}

func (t *target) addChange(op, part, key string, before, after json.RawMessage) {
	t.result.Changes = append(t.result.Changes, Change{op, part, key, before, after})
}

// nextID returns an id for something new; there are as many as entries.
func (t *target) nextID() string {
	id := t.unusedIDs[0]
	t.unusedIDs = t.unusedIDs[1:]
	return id
}

func (r *applyRun) applyDocument(ctx context.Context, d *document) error {
	t := &target{document: d, unusedIDs: d.newIDs, result: ApplyResult{Key: d.Agent.Key, Changes: []Change{}}}
	if found, err := r.findAgent(ctx, t); err != nil || !found {
		return err
	}
	steps := []func(context.Context, *target) error{
		r.applySettings,
		r.planActions,
		r.planProcedures,
		r.writeTools,
		r.applyHelpdesk,
		r.planSources,
	}
	for _, step := range steps {
		if err := step(ctx, t); err != nil {
			return err
		}
	}
	if !t.isNew || !r.DryRun {
		t.result.Agent = t.agent.ID
	}
	r.results = append(r.results, t.result)
	return nil
}

// findAgent finds the document's agent and locks it, or takes a new one. An id that does not exist is a fault.
func (r *applyRun) findAgent(ctx context.Context, t *target) (found bool, err error) {
	if t.Agent.ID != "" {
		return r.findAgentByID(ctx, t)
	}
	t.agent, err = r.tx.AgentByKey(ctx, r.Account.ID, t.Agent.Key, t.now)
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		return err == nil, err
	}
	// Two that create the same agent take turns from here on, and the second one finds it.
	if _, err := r.tx.LockAccount(ctx, r.Account.ID); err != nil {
		return false, err
	}
	t.agent, err = r.tx.AgentByKey(ctx, r.Account.ID, t.Agent.Key, t.now)
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		return err == nil, err
	}
	fresh := *t.newAgent
	fresh.AccountID, t.agent, t.isNew = r.Account.ID, &fresh, true
	return true, nil
}

// findAgentByID finds an agent that no manifest has managed yet, or one that was exported by its id.
func (r *applyRun) findAgentByID(ctx context.Context, t *target) (found bool, err error) {
	if t.Agent.Key != "" {
		other, err := r.tx.AgentByKey(ctx, r.Account.ID, t.Agent.Key, t.now)
		if err == nil && other.ID != t.Agent.ID {
			r.faults.add(t.path+".agent.key", "is the key of another agent")
			return false, nil
		}
		if err != nil && !parley.IsCode(err, parley.CodeAgentNotFound) {
			return false, err
		}
	}
	t.agent, err = r.tx.AgentForUpdate(ctx, r.Account.ID.AgentRef(t.Agent.ID), t.now)
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		r.faults.add(t.path+".agent.id", "the account has no such agent; a key in its place makes one")
		return false, nil
	}
	return err == nil, err
}

// recordOnce adds the agent's event, one for each agent.
func (r *applyRun) recordOnce(t *target, kind parley.EventKind) {
	if slices.ContainsFunc(r.events, func(e store.NewEvent) bool { return e.AgentID == t.agent.ID }) {
		return
	}
	r.events = append(r.events, store.NewEvent{Kind: kind, AgentID: t.agent.ID, Subject: string(t.agent.ID)})
}
