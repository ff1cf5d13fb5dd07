package helpdesk

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/store"
)

func checkTeam(t *parley.Team) error {
	faults := map[string]string{}
	checkKey(faults, t.Key)
	checkLabel(faults, "name", t.Name)
	switch t.Strategy {
	case parley.StrategyManual, parley.StrategyBalanced, parley.StrategyRoundRobin:
	default:
		faults["strategy"] = "must be one of: manual, balanced, round_robin"
	}
	checkMaxOpen(faults, t.MaxOpen)
	checkHours(faults, "hours", t.Hours)
	return parley.InvalidFields(faults)
}

func checkMaxOpen(faults map[string]string, limit *int) {
	if limit != nil && (*limit < 0 || *limit > 1_000_000) {
		faults["maxOpen"] = "must be a number from 0 to 1000000"
	}
}

// AddTeam adds a team; an empty strategy is round_robin. Its members join by JoinTeam. Fails with AGENT_NOT_FOUND and
// VALIDATION_INVALID_BODY.
func (s *Service) AddTeam(ctx context.Context, ref parley.AgentRef, in parley.Team, by string) (*parley.Team, error) {
	in.ID, in.AccountID, in.AgentID, in.Members = parley.TeamID(parley.NewUUID()), ref.Account, ref.Agent, nil
	in.Strategy = cmp.Or(in.Strategy, parley.StrategyRoundRobin)
	var added parley.Team
	err := s.auditedUpdate(ctx, ref, by, "team.add", func(u *update) (string, any, error) {
		added = in
		added.CreatedAt, added.UpdatedAt = u.now, u.now
		return string(added.ID), teamFacts(&added), s.PutTeamTx(ctx, u.tx, &added)
	})
	return &added, err
}

func teamFacts(t *parley.Team) any {
	return map[string]any{"name": t.Name, "strategy": t.Strategy, "default": t.IsDefault}
}

// ChangeTeam changes a team's name, key, strategy, hours or limit, or makes it the default. Fails with
// AGENT_NOT_FOUND, TICKET_TEAM_NOT_FOUND and VALIDATION_INVALID_BODY.
func (s *Service) ChangeTeam(ctx context.Context, ref parley.AgentRef, id parley.TeamID, by string,
	change func(*parley.Team)) (changed *parley.Team, err error) {
	err = s.auditedUpdate(ctx, ref, by, "team.change", func(u *update) (_ string, _ any, err error) {
		if changed, err = u.tx.Team(ctx, ref, id); err != nil {
			return "", nil, err
		}
		change(changed)
		changed.UpdatedAt = u.now
		return string(id), teamFacts(changed), s.PutTeamTx(ctx, u.tx, changed)
	})
	return changed, err
}

// PutTeamTx stores a team without its members, in place of the one with its id, after SetupTx. Exactly one team is
// the default: a new one replaces the old one. Fails with VALIDATION_INVALID_BODY.
func (s *Service) PutTeamTx(ctx context.Context, tx *store.DB, t *parley.Team) error {
	if err := checkTeam(t); err != nil {
		return err
	}
	before, err := tx.Team(ctx, t.AgentRef(), t.ID)
	switch {
	case parley.IsCode(err, parley.CodeTicketTeam):
		before = &parley.Team{}
	case err != nil:
		return err
	}
	switch {
	case before.IsDefault && !t.IsDefault:
		return parley.Invalid("default", "must stay until another team is made the default")
	case !before.IsDefault && t.IsDefault:
		if err := tx.UnsetDefaultTeam(ctx, t.AgentRef(), t.UpdatedAt); err != nil {
			return err
		}
	}
	return duplicateFault(tx.PutTeam(ctx, t), "name", "the agent has another team of this name or key")
}

// RemoveTeam removes a team; its tickets and rules move to the default team, and assignees stay. Fails with
// AGENT_NOT_FOUND, TICKET_TEAM_NOT_FOUND, and with VALIDATION_INVALID_BODY of the default team: make another one the
// default first.
func (s *Service) RemoveTeam(ctx context.Context, ref parley.AgentRef, id parley.TeamID, by string) error {
	return s.auditedUpdate(ctx, ref, by, "team.remove", func(u *update) (string, any, error) {
		return string(id), nil, s.RemoveTeamTx(ctx, u.tx, ref, id)
	})
}

// RemoveTeamTx is RemoveTeam after SetupTx.
func (s *Service) RemoveTeamTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, id parley.TeamID) error {
	t, err := tx.Team(ctx, ref, id)
	if err != nil {
		return err
	}
	if t.IsDefault {
		return parley.Invalid("default", "must not be removed; make another team the default first")
	}
	rest, err := tx.DefaultTeam(ctx, ref)
	if err != nil {
		return err
	}
	return tx.DropTeam(ctx, ref, id, rest.ID)
}

// JoinTeam adds a member of the account to the team, or changes the limit, the hours and the absence of one who is in
// it already. Fails with AGENT_NOT_FOUND, TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and
// VALIDATION_INVALID_BODY.
func (s *Service) JoinTeam(ctx context.Context, ref parley.AgentRef, team parley.TeamID, m parley.TeamMember,
	by string) error {
	return s.auditedUpdate(ctx, ref, by, "team.join", func(u *update) (string, any, error) {
		m.JoinedAt = u.now
		return string(team), map[string]any{"member": m.User.ID, "away": m.IsAway}, s.JoinTeamTx(ctx, u.tx, ref, team, m)
	})
}

// JoinTeamTx is JoinTeam after SetupTx; the member has a time of joining.
func (s *Service) JoinTeamTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, team parley.TeamID,
	m parley.TeamMember) error {
	faults := map[string]string{}
	checkMaxOpen(faults, m.MaxOpen)
	checkHours(faults, "hours", m.Hours)
	if err := parley.InvalidFields(faults); err != nil {
		return err
	}
	if _, err := tx.Team(ctx, ref, team); err != nil {
		return err
	}
	if _, err := tx.ShareLockMember(ctx, ref.Account, m.User.ID, parley.CodeTicketMember); err != nil {
		return err
	}
	return tx.PutTeamMember(ctx, ref, team, &m)
}

// LeaveTeam removes a member from a team; their tickets stay with them. Fails with AGENT_NOT_FOUND,
// TICKET_TEAM_NOT_FOUND and TICKET_TEAM_MEMBER_NOT_FOUND.
func (s *Service) LeaveTeam(ctx context.Context, ref parley.AgentRef, team parley.TeamID, user parley.UserID,
	by string) error {
	return s.auditedUpdate(ctx, ref, by, "team.leave", func(u *update) (string, any, error) {
		return string(team), map[string]any{"member": user}, s.LeaveTeamTx(ctx, u.tx, ref, team, user)
	})
}

// LeaveTeamTx is LeaveTeam after SetupTx.
func (s *Service) LeaveTeamTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, team parley.TeamID,
	user parley.UserID) error {
	if _, err := tx.Team(ctx, ref, team); err != nil {
		return err
	}
	return tx.DropTeamMember(ctx, ref, team, user)
}
