package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxTargetMinutes is the most minutes of working time of an SLA target: 30 days around the clock.
const maxTargetMinutes = 30 * 24 * 60

// CheckTargets checks SLA targets. Fails with VALIDATION_INVALID_BODY, with details below path.
func CheckTargets(path string, targets []parley.SLATarget) error {
	faults, seen := map[string]string{}, map[string]bool{}
	for i, target := range targets {
		at := fmt.Sprintf("%s.%d.", path, i)
		switch {
		case !slices.Contains(parley.Priorities(), target.Priority):
			faults[at+"priority"] = "must be one of: " + strings.Join(parley.Priorities(), ", ")
		case seen[target.Priority]:
			faults[at+"priority"] = "is that of another target"
		}
		seen[target.Priority] = true
		for field, minutes := range map[string]int{"firstReplyMinutes": target.FirstReplyMinutes,
			"resolutionMinutes": target.ResolutionMinutes} {
			if minutes < 0 || minutes > maxTargetMinutes {
				faults[at+field] = fmt.Sprintf("must be from 0 to %d", maxTargetMinutes)
			}
		}
	}
	return parley.InvalidFields(faults)
}

// SLATargets returns the targets of the agent's help desk by priority. Fails with AGENT_NOT_FOUND.
func (s *Service) SLATargets(ctx context.Context, ref parley.AgentRef) ([]parley.SLATarget, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return s.DB.SLATargets(ctx, ref)
}

// ReplaceSLATargets replaces the targets of the agent's help desk. They hold for new tickets, and for others from their
// next change on. It returns what is stored: by priority, without those that name no time. Fails with AGENT_NOT_FOUND
// and VALIDATION_INVALID_BODY.
func (s *Service) ReplaceSLATargets(ctx context.Context, ref parley.AgentRef, targets []parley.SLATarget,
	by string) (stored []parley.SLATarget, err error) {
	err = s.auditedUpdate(ctx, ref, by, "targets.put", func(u *update) (string, any, error) {
		stored, err = s.PutTargetsTx(ctx, u.tx, ref, targets, u.now)
		return string(ref.Agent), map[string]any{"targets": len(stored)}, err
	})
	return stored, err
}

// PutTargetsTx is ReplaceSLATargets after SetupTx, without the audit chain.
func (s *Service) PutTargetsTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, targets []parley.SLATarget,
	now time.Time) ([]parley.SLATarget, error) {
	if err := CheckTargets("targets", targets); err != nil {
		return nil, err
	}
	stored := NormalizeTargets(targets)
	return stored, tx.SetSLATargets(ctx, ref, stored, now)
}

// NormalizeTargets returns targets by priority, without those that name no time.
func NormalizeTargets(targets []parley.SLATarget) []parley.SLATarget {
	isEmpty := func(t parley.SLATarget) bool { return t.FirstReplyMinutes == 0 && t.ResolutionMinutes == 0 }
	list, order := slices.DeleteFunc(slices.Clone(targets), isEmpty), parley.Priorities()
	slices.SortFunc(list, func(a, b parley.SLATarget) int {
		return slices.Index(order, a.Priority) - slices.Index(order, b.Priority)
	})
	return list
}

// runsIn reports whether the clock of tickets of a category runs: somebody waits for the team.
func runsIn(c parley.StatusCategory) bool { return c.IsOpen() && c != parley.TicketOnCustomer }

// applySLA has the clock of a ticket run or stop by its category, and sets its due times by the working hours of its
// team, before the ticket is stored. teamBefore is the team that it was in. A clock that runs goes on from where it was
// started, so that its due times are the same however often the ticket changes. What was missed until now is recorded
// with the events of the change: afterwards it might not be due.
func (u *update) applySLA(ctx context.Context, t *parley.Ticket, teamBefore parley.TeamID) error {
	u.markBreaches(t)
	targets, err := u.tx.SLATargets(ctx, t.AgentRef())
	if err != nil {
		return err
	}
	sla, runs := &t.SLA, len(targets) > 0 && runsIn(t.Category)
	if sla.RunningSince != nil && (!runs || teamBefore != t.TeamID) {
		hours, err := u.tx.TeamHours(ctx, t.AgentRef(), teamBefore)
		if err != nil {
			return err
		}
		sla.Worked += workTime(hours, *sla.RunningSince, u.now)
		sla.RunningSince = nil
	}
	if !runs {
		sla.FirstReplyDueAt, sla.ResolutionDueAt = nil, nil
		return nil
	}
	if sla.RunningSince == nil {
		sla.RunningSince = &u.now
	}
	hours, err := u.tx.TeamHours(ctx, t.AgentRef(), t.TeamID)
	if err != nil {
		return err
	}
	u.setDueTimes(t, targetOf(targets, t.Priority), hours)
	return nil
}

// targetOf returns the target of a priority; one without times if there is none.
func targetOf(targets []parley.SLATarget, priority string) parley.SLATarget {
	for _, target := range targets {
		if target.Priority == priority {
			return target
		}
	}
	return parley.SLATarget{}
}

// setDueTimes sets the due times of a ticket whose clock runs.
func (u *update) setDueTimes(t *parley.Ticket, target parley.SLATarget, hours []parley.WorkingHours) {
	sla := &t.SLA
	due := func(minutes int, before *time.Time) *time.Time {
		rest := time.Duration(minutes)*time.Minute - sla.Worked
		switch {
		case minutes == 0:
			return nil
		case rest > 0:
			return addWorkTime(hours, *sla.RunningSince, rest)
		case before != nil && before.Before(*sla.RunningSince): // it was overdue before
			return before
		}
		return sla.RunningSince
	}
	sla.ResolutionDueAt = due(target.ResolutionMinutes, sla.ResolutionDueAt)
	if sla.RepliedAt != nil {
		target.FirstReplyMinutes = 0
	}
	sla.FirstReplyDueAt = due(target.FirstReplyMinutes, sla.FirstReplyDueAt)
}

const (
	breachInterval  = 10 * time.Second // how often RecordBreaches runs
	breachBatchSize = 100
)

// RunBreachRecorder records missed targets until ctx is done. Several servers may do so at once.
func (s *Service) RunBreachRecorder(ctx context.Context) error {
	return jobs.RunEvery(ctx, breachInterval, s.Logger, "missed SLA targets were not recorded", s.RecordBreaches)
}

// RecordBreaches records the targets that were missed until now, each once, with an event. A ticket of which they
// cannot be recorded does not hold up others.
func (s *Service) RecordBreaches(ctx context.Context) error {
	for {
		list, err := s.DB.BreachedTickets(ctx, s.now(), breachBatchSize)
		if err != nil {
			return err
		}
		recorded, err := s.recordBreachesOf(ctx, list)
		if recorded == 0 || len(list) < breachBatchSize || ctx.Err() != nil {
			return err
		}
	}
}

// recordBreachesOf records what was missed of tickets, and returns of how many.
func (s *Service) recordBreachesOf(ctx context.Context, list []store.BreachedTicket) (recorded int, err error) {
	var failures []error
	for _, b := range list {
		err := s.recordBreaches(ctx, b)
		switch {
		case err == nil:
			recorded++
		case !parley.IsCode(err, parley.CodeTicketNotFound): // which was deleted just then
			failures = append(failures, fmt.Errorf("ticket %d of the agent %s: %w", b.Number, b.Agent, err))
		}
	}
	return recorded, errors.Join(failures...)
}

// recordBreaches records what was missed of a ticket, unless it has changed or another server has done so meanwhile.
func (s *Service) recordBreaches(ctx context.Context, b store.BreachedTicket) error {
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		u := s.newUpdate(tx, s.now())
		t, _, err := u.lockTicket(ctx, b.AgentRef, b.Number)
		if err != nil {
			return err
		}
		u.markBreaches(t)
		if err := tx.SaveTicketSLA(ctx, t); err != nil {
			return err
		}
		if len(u.breaches) == 0 {
			return nil
		}
		return u.recordEvents(ctx, t.AccountID)
	})
}

// markBreaches marks the targets of a ticket that were missed, each of which gets an event.
func (u *update) markBreaches(t *parley.Ticket) {
	for _, target := range []struct {
		name       string
		due        *time.Time
		breachedAt **time.Time
	}{
		{"first_reply", t.SLA.FirstReplyDueAt, &t.SLA.FirstReplyBreachedAt},
		{"resolution", t.SLA.ResolutionDueAt, &t.SLA.ResolutionBreachedAt},
	} {
		if target.due == nil || target.due.After(u.now) || *target.breachedAt != nil {
			continue
		}
		*target.breachedAt = &u.now
		u.breaches = append(u.breaches, newEvent(t, parley.EventTicketOverdue,
			TicketOverduePayload{t.Number, target.name, t.Priority, *target.due}))
	}
}

// TicketOverduePayload is the payload of the event ticket.overdue.
type TicketOverduePayload struct {
	Number   int64     `json:"ticketNumber"`
	Target   string    `json:"target"` // first_reply, resolution
	Priority string    `json:"priority"`
	DueAt    time.Time `json:"dueAt"`
}
