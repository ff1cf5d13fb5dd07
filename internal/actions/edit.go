package actions

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxTools is how many actions an agent may have, and how many procedures.
const maxTools = 100

// definitions are the actions and the procedures of an agent.
type definitions struct {
	actions    []parley.Action
	procedures []parley.Procedure
}

// AddAction adds an action behind the others of its agent; without a key it gets one after its name. secrets are the
// values of ${NAME} in its config, and by is who has given them. Fails with VALIDATION_INVALID_BODY or AGENT_NOT_FOUND.
func (t *Toolbox) AddAction(ctx context.Context, a *parley.Action, secrets map[string]string, by string) error {
	return t.edit(ctx, a.AgentRef(), func(tx *store.DB, all *definitions) error {
		if len(all.actions) >= maxTools {
			return parley.Invalid("key", fmt.Sprintf("must have at most %d items", maxTools))
		}
		a.ID, a.CreatedAt = parley.ActionID(parley.NewUUID()), databaseTime(t.Now())
		a.UpdatedAt, a.Position = a.CreatedAt, 0
		for i := range all.actions {
			a.Position = max(a.Position, all.actions[i].Position+1)
		}
		isTaken := func(key string) bool { return findAction(all.actions, key) != nil }
		if a.Key = cmp.Or(a.Key, newKey(a.Name, "action", isTaken)); isTaken(a.Key) {
			return parley.Invalid("key", "is the key of another action")
		}
		a.SecretNotes = noteSecrets(a, nil, secrets, by)
		return t.putAction(ctx, tx, all, a, nil, secrets)
	})
}

// ActionChange changes an action.
type ActionChange struct {
	Key     string
	Base    *time.Time // when it was changed last, as far as whoever changes it knows; nil changes it whatever it is
	Apply   func(*parley.Action)
	Secrets map[string]string // the values of ${NAME} in the config; a name that is missing keeps its value
	By      string            // who has given them: an actor of the audit chain
}

// ChangeAction changes an action. A secret that is kept does not go to another host than the one it was given for.
// Fails with VALIDATION_INVALID_BODY, AGENT_NOT_FOUND, NOT_FOUND or AGENT_CHANGED.
func (t *Toolbox) ChangeAction(ctx context.Context, ref parley.AgentRef, c ActionChange) error {
	return t.edit(ctx, ref, func(tx *store.DB, all *definitions) error {
		before := findAction(all.actions, c.Key)
		if before == nil {
			return ErrNotFound()
		}
		if err := checkBase(c.Base, before.UpdatedAt); err != nil {
			return err
		}
		a := *before
		c.Apply(&a)
		a.UpdatedAt = laterTime(t.Now(), before.UpdatedAt)
		a.SecretNotes = noteSecrets(&a, before, c.Secrets, c.By)
		return t.putAction(ctx, tx, all, &a, before, c.Secrets)
	})
}

// RemoveAction removes an action. Fails with AGENT_NOT_FOUND, with NOT_FOUND, and with VALIDATION_INVALID_BODY where a
// procedure runs it.
func (t *Toolbox) RemoveAction(ctx context.Context, ref parley.AgentRef, key string) error {
	return t.edit(ctx, ref, func(tx *store.DB, all *definitions) error {
		if findAction(all.actions, key) == nil {
			return ErrNotFound()
		}
		if err := tx.DropAction(ctx, ref, key, t.Now()); err != nil {
			return err
		}
		return all.checkProcedures(withoutAction(all.actions, key))
	})
}

func (t *Toolbox) putAction(ctx context.Context, tx *store.DB, all *definitions, a, before *parley.Action,
	secrets map[string]string) error {
	if err := ValidateAction(a); err != nil {
		return err
	}
	if err := all.checkName(a.Name, a.Key, ""); err != nil {
		return err
	}
	if err := all.checkProcedures(append(withoutAction(all.actions, a.Key), *a)); err != nil {
		return err
	}
	known, err := t.findSecrets(a, before, secrets)
	if err != nil {
		return err
	}
	if a.Secrets, err = SealSecrets(t.Vault, a.AccountID, known); err != nil {
		return err
	}
	return tx.PutAction(ctx, a)
}

// AddProcedure adds a procedure behind the others of its agent; without a key it gets one after its name. Fails with
// VALIDATION_INVALID_BODY or AGENT_NOT_FOUND.
func (t *Toolbox) AddProcedure(ctx context.Context, p *parley.Procedure) error {
	return t.edit(ctx, p.AgentRef(), func(tx *store.DB, all *definitions) error {
		if len(all.procedures) >= maxTools {
			return parley.Invalid("key", fmt.Sprintf("must have at most %d items", maxTools))
		}
		p.ID, p.CreatedAt = parley.ProcedureID(parley.NewUUID()), databaseTime(t.Now())
		p.UpdatedAt, p.Position = p.CreatedAt, 0
		for i := range all.procedures {
			p.Position = max(p.Position, all.procedures[i].Position+1)
		}
		isTaken := func(key string) bool { return all.procedure(key) != nil }
		if p.Key = cmp.Or(p.Key, newKey(p.Name, "procedure", isTaken)); isTaken(p.Key) {
			return parley.Invalid("key", "is the key of another procedure")
		}
		return putProcedure(ctx, tx, all, p)
	})
}

// ProcedureChange changes a procedure.
type ProcedureChange struct {
	Key   string
	Base  *time.Time // as that of an ActionChange
	Apply func(*parley.Procedure)
}

// ChangeProcedure changes a procedure. Fails with VALIDATION_INVALID_BODY, AGENT_NOT_FOUND, NOT_FOUND or AGENT_CHANGED.
func (t *Toolbox) ChangeProcedure(ctx context.Context, ref parley.AgentRef, c ProcedureChange) error {
	return t.edit(ctx, ref, func(tx *store.DB, all *definitions) error {
		before := all.procedure(c.Key)
		if before == nil {
			return ErrNotFound()
		}
		if err := checkBase(c.Base, before.UpdatedAt); err != nil {
			return err
		}
		p := *before
		c.Apply(&p)
		p.UpdatedAt = laterTime(t.Now(), before.UpdatedAt)
		return putProcedure(ctx, tx, all, &p)
	})
}

// RemoveProcedure removes a procedure. Fails with AGENT_NOT_FOUND, with NOT_FOUND, and with VALIDATION_INVALID_BODY
// where another procedure leads to it.
func (t *Toolbox) RemoveProcedure(ctx context.Context, ref parley.AgentRef, key string) error {
	return t.edit(ctx, ref, func(tx *store.DB, all *definitions) error {
		if all.procedure(key) == nil {
			return ErrNotFound()
		}
		if err := tx.DropProcedure(ctx, ref, key, t.Now()); err != nil {
			return err
		}
		return all.checkLinks(withoutProcedure(all.procedures, key))
	})
}

func putProcedure(ctx context.Context, tx *store.DB, all *definitions, p *parley.Procedure) error {
	next := append(withoutProcedure(all.procedures, p.Key), *p)
	err := firstError(
		func() error { return ValidateProcedure(p, all.actions) },
		func() error { return ValidateLinks(p, next) },
		func() error { return all.checkName(p.Name, "", p.Key) },
		func() error { return all.checkLinks(next) },
	)
	if err != nil {
		return err
	}
	return tx.PutProcedure(ctx, p)
}

func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// edit runs a change of an agent's definitions under its lock, and records that the agent has changed.
func (t *Toolbox) edit(ctx context.Context, ref parley.AgentRef,
	change func(tx *store.DB, all *definitions) error) error {
	return t.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		all, err := readDefinitions(ctx, tx, ref)
		if err != nil {
			return err
		}
		if err := change(tx, &all); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, ref.Account, t.Now(),
			store.NewEvent{Kind: parley.EventAgentUpdated, AgentID: ref.Agent, Subject: string(ref.Agent)})
	})
}

func readDefinitions(ctx context.Context, db *store.DB, ref parley.AgentRef) (all definitions, err error) {
	if all.actions, err = db.Actions(ctx, ref); err != nil {
		return all, err
	}
	all.procedures, err = db.Procedures(ctx, ref)
	return all, err
}

func (d *definitions) procedure(key string) *parley.Procedure {
	return findProcedure(d.procedures, key)
}

// checkName fails when an action or a procedure other than these two has the name.
func (d *definitions) checkName(name, action, procedure string) error {
	isTaken := false
	for i := range d.actions {
		isTaken = isTaken || d.actions[i].Name == name && d.actions[i].Key != action
	}
	for i := range d.procedures {
		isTaken = isTaken || d.procedures[i].Name == name && d.procedures[i].Key != procedure
	}
	if isTaken {
		return parley.Invalid("name", "is the name of another action or procedure of the agent")
	}
	return nil
}

// checkProcedures fails when a procedure that works with the present actions would not with others.
func (d *definitions) checkProcedures(next []parley.Action) error {
	for i := range d.procedures {
		p := &d.procedures[i]
		if ValidateProcedure(p, d.actions) == nil && ValidateProcedure(p, next) != nil {
			return parley.Invalid("usedBy", "is a step of the procedure "+p.Name+", which would not work any more")
		}
	}
	return nil
}

// checkLinks fails when a procedure that leads to another one would lead nowhere with other procedures.
func (d *definitions) checkLinks(next []parley.Procedure) error {
	for i := range next {
		p := &next[i]
		if ValidateLinks(p, d.procedures) == nil && ValidateLinks(p, next) != nil {
			return parley.Invalid("usedBy", "is a step of the procedure "+p.Name+", which would not work any more")
		}
	}
	return nil
}

func withoutProcedure(procedures []parley.Procedure, key string) (others []parley.Procedure) {
	for i := range procedures {
		if procedures[i].Key != key {
			others = append(others, procedures[i])
		}
	}
	return others
}

func withoutAction(actions []parley.Action, key string) (others []parley.Action) {
	for i := range actions {
		if actions[i].Key != key {
			others = append(others, actions[i])
		}
	}
	return others
}

// newKey returns a key after a name that is not taken.
func newKey(name, otherwise string, isTaken func(string) bool) string {
	first := strings.TrimLeft(name, "_-")
	if !parley.IsKey(first) {
		first = otherwise
	}
	key := first
	for n := 2; isTaken(key); n++ {
		key = fmt.Sprintf("%s-%d", first, n)
	}
	return key
}

// ErrNotFound returns the failure NOT_FOUND of an agent that has no action or procedure with a key.
func ErrNotFound() error {
	return parley.NewErrorf(parley.CodeNotFound, "The agent has no action or procedure with this key.")
}

func checkBase(base *time.Time, present time.Time) error {
	if base != nil && !base.Equal(present) {
		return parley.NewError(parley.CodeAgentChanged)
	}
	return nil
}

// databaseTime returns a time as the database stores it.
func databaseTime(now time.Time) time.Time { return now.UTC().Truncate(time.Millisecond) }

// laterTime returns a time of the database after another one: whoever compares the two sees that something has changed.
func laterTime(now, before time.Time) time.Time {
	if now = databaseTime(now); now.After(before) {
		return now
	}
	return before.Add(time.Millisecond)
}
