package manifest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// helpdeskSpec is the help desk as manifests write it. A section that is absent stays as it is.
type helpdeskSpec struct {
	// a customer who plainly asks for a person is handed over
	Handover httpapi.Opt[bool]              `json:"handover,omitzero"`
	Statuses httpapi.Opt[[]json.RawMessage] `json:"statuses,omitzero" max:"100"`
	Teams    httpapi.Opt[[]json.RawMessage] `json:"teams,omitzero" max:"100"`
	Rules    httpapi.Opt[[]json.RawMessage] `json:"rules,omitzero" max:"200"`

	SLATargets httpapi.Opt[[]parley.SLATarget] `json:"slaTargets,omitzero" max:"5"` // replaced as a whole
}

// directory looks up the teams and the people whom a help desk's ids stand for.
type directory struct {
	teams   []parley.Team
	members []parley.Membership // of the account
}

// team returns the team with the key, else the one of that name that has no key, or nil.
func (d *directory) team(name string) *parley.Team {
	return cmp.Or(
		find(d.teams, func(t *parley.Team) bool { return t.Key == name }),
		find(d.teams, func(t *parley.Team) bool { return t.Key == "" && strings.EqualFold(t.Name, name) }),
	)
}

// member returns the member of the account with the e-mail address, or nil.
func (d *directory) member(email string) *parley.Membership {
	return find(d.members, func(m *parley.Membership) bool { return strings.EqualFold(m.User.Email, email) })
}

func find[T any](list []T, matches func(*T) bool) *T {
	for i := range list {
		if matches(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

type helpdeskPlan struct {
	current   *helpdesk.Setup
	directory directory // with the teams as they will be

	statuses        []parley.TicketStatus
	teams           []parley.Team
	removedTeams    []parley.TeamID
	rules           []parley.Rule
	removedRuleKeys []string
	targets         []parley.SLATarget
	changesTargets  bool
}

func (r *applyRun) applyHelpdesk(ctx context.Context, t *target) error {
	if !t.Helpdesk.Present {
		return nil
	}
	p := &helpdeskPlan{}
	var err error
	if p.directory.members, err = r.tx.Members(ctx, r.Account.ID); err != nil {
		return err
	}
	if p.current, err = r.lockHelpdesk(ctx, t); err != nil {
		return err
	}
	changes := len(t.result.Changes)
	if h := t.Helpdesk.Value.Handover; h.Present && h.Value != p.current.Handover {
		t.addChange("update", "helpdesk", "", jsonObject("handover", p.current.Handover), jsonObject("handover", h.Value))
	}
	r.planStatuses(t, p)
	r.planTeams(t, p)
	r.planRules(t, p)
	r.planTargets(t, p)
	if len(r.faults) > 0 || len(t.result.Changes) == changes {
		return nil
	}
	r.recordOnce(t, parley.EventAgentUpdated)
	return r.writeHelpdesk(ctx, t, p)
}

// planTargets plans the SLA targets.
func (r *applyRun) planTargets(t *target, p *helpdeskPlan) {
	spec := t.Helpdesk.Value.SLATargets
	_ = r.faults.addError(t.path+".helpdesk", helpdesk.CheckTargets("slaTargets", spec.Value)) // it fails with faults only
	p.targets = helpdesk.NormalizeTargets(spec.Value)
	if p.changesTargets = spec.Present && !slices.Equal(p.targets, p.current.Targets); p.changesTargets {
		t.addChange("update", "helpdesk", "slaTargets", jsonObject("slaTargets", p.current.Targets),
			jsonObject("slaTargets", p.targets))
	}
}

// lockHelpdesk reads the help desk and locks it. An agent that is not stored, since there are faults, would get one
// with the usual team.
func (r *applyRun) lockHelpdesk(ctx context.Context, t *target) (*helpdesk.Setup, error) {
	if t.isNew && len(r.faults) > 0 {
		return &helpdesk.Setup{Handover: true, Teams: []parley.Team{
			{ID: "general", Name: helpdesk.GeneralTeam, Strategy: parley.StrategyRoundRobin, IsDefault: true},
		}}, nil
	}
	return r.Helpdesk.SetupTx(ctx, r.tx, t.agent.Ref(), t.now)
}

func (r *applyRun) checkHours(path string, hours []parley.WorkingHours) {
	_ = r.faults.addError(path, helpdesk.CheckHours("hours", hours)) // it fails with faults only
}

func (r *applyRun) writeHelpdesk(ctx context.Context, t *target, p *helpdeskPlan) error {
	ref := t.agent.Ref()
	if h := t.Helpdesk.Value.Handover; h.Present && h.Value != p.current.Handover {
		if err := r.tx.SetHandoverEnabled(ctx, ref, h.Value, t.now); err != nil {
			return err
		}
	}
	if p.changesTargets {
		if _, err := r.Helpdesk.PutTargetsTx(ctx, r.tx, ref, p.targets, t.now); err != nil {
			return err
		}
	}
	if err := r.writeStatuses(ctx, p); err != nil {
		return err
	}
	if err := r.writeTeams(ctx, t, p); err != nil {
		return err
	}
	for _, key := range p.removedRuleKeys {
		if err := r.tx.DropRule(ctx, ref, key); err != nil {
			return err
		}
	}
	for i := range p.rules {
		if err := r.tx.PutRule(ctx, &p.rules[i]); err != nil {
			return err
		}
	}
	return nil
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// exportHelpdesk returns the agent's help desk as manifests write it, absent if none has been needed yet.
func (s *Service) exportHelpdesk(ctx context.Context, a *parley.Agent) (spec httpapi.Opt[helpdeskSpec], err error) {
	setup, err := s.Helpdesk.Setup(ctx, a.Ref())
	if err != nil || setup == nil {
		return spec, err
	}
	d := directory{teams: setup.Teams}
	if d.members, err = s.DB.Members(ctx, a.AccountID); err != nil {
		return spec, err
	}
	out := helpdeskSpec{
		Handover: httpapi.Some(setup.Handover),
		Statuses: encodeSection(setup.Statuses, encodeStatus),
		Teams:    encodeSection(setup.Teams, encodeTeam),
		Rules:    encodeSection(setup.Rules, d.encodeRule),
	}
	if len(setup.Targets) > 0 {
		out.SLATargets = httpapi.Some(setup.Targets)
	}
	return httpapi.Some(out), nil
}

// nonEmpty returns a pointer to the text, or nil for an empty one.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
