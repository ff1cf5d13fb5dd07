package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/helpdesk"
)

// Status is a ticket status as the operator sees it.
type Status struct {
	ID            string     `json:"statusId"`
	Key           string     `json:"key,omitempty"`
	Category      string     `json:"category"`
	Label         string     `json:"label"`         // what the team reads
	ExternalLabel string     `json:"externalLabel"` // what customers read
	Color         string     `json:"color,omitempty"`
	Default       bool       `json:"default"` // of its category
	Position      int        `json:"position"`
	ArchivedAt    *time.Time `json:"archivedAt,omitempty"`
}

// NewStatus asks for a further status of an agent's tickets.
type NewStatus struct {
	AgentID       string `json:"agentId"`
	Key           string `json:"key,omitempty"`
	Category      string `json:"category"`
	Label         string `json:"label"`
	ExternalLabel string `json:"externalLabel,omitempty"` // empty is the label
	Color         string `json:"color,omitempty"`
	Default       bool   `json:"default"`
}

// StatusChange says what a status is to be; nil stays.
type StatusChange struct {
	AgentID       string  `json:"agentId"`
	Status        string  `json:"status"` // id, key or label
	Label         *string `json:"label,omitempty"`
	ExternalLabel *string `json:"externalLabel,omitempty"`
	Color         *string `json:"color,omitempty"` // empty for none
}

// StatusRef names a status by id, key or label.
type StatusRef struct {
	AgentID string `json:"agentId"`
	Status  string `json:"status"`
}

// The verbs on the statuses of tickets.
var (
	ListStatuses  = Verb[AgentID, []Status]{"status.list", false, (*Desk).statuses}
	AddStatus     = Verb[NewStatus, Status]{"status.add", false, (*Desk).addStatus}
	ChangeStatus  = Verb[StatusChange, Status]{"status.change", false, (*Desk).changeStatus}
	DefaultStatus = Verb[StatusRef, Status]{"status.default", false, (*Desk).defaultStatus}
	ArchiveStatus = Verb[StatusRef, Status]{"status.archive", false, (*Desk).archiveStatus}
)

func statusOf(s *parley.TicketStatus) Status {
	return Status{ID: string(s.ID), Key: s.Key, Category: string(s.Category), Label: s.InternalLabel, ExternalLabel: s.ExternalLabel, Color: s.Color,
		Default: s.IsDefault, Position: s.Position, ArchivedAt: s.ArchivedAt}
}

// agent names an agent with its owner. Fails with AGENT_NOT_FOUND.
func (d *Desk) agent(ctx context.Context, id string) (parley.AccountID, parley.AgentID, error) {
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(id))
	return account, parley.AgentID(id), err
}

func (d *Desk) statuses(ctx context.Context, in AgentID) ([]Status, error) {
	account, agent, err := d.agent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := d.Helpdesk.AllStatuses(ctx, account, agent)
	list := make([]Status, len(found))
	for i := range found {
		list[i] = statusOf(&found[i])
	}
	return list, err
}

func (d *Desk) addStatus(ctx context.Context, in NewStatus) (Status, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	if err := checkKey(in.Key); err != nil {
		return Status{}, err
	}
	s, err := d.Helpdesk.AddStatus(ctx, account, agent, parley.TicketStatus{Key: in.Key, Category: parley.StatusCategory(in.Category), InternalLabel: in.Label,
		ExternalLabel: in.ExternalLabel, Color: in.Color, IsDefault: in.Default}, operator)
	if err != nil {
		return Status{}, err
	}
	return statusOf(s), nil
}

// checkKey refuses a key that no manifest could name.
func checkKey(key string) error {
	if key == "" || helpdesk.IsKey(key) {
		return nil
	}
	return parley.Failf(parley.CodeInvalidBody, "The key %q is not 1 to 100 letters, digits, '.', '_' and '-'.", key)
}

func (d *Desk) changeStatus(ctx context.Context, in StatusChange) (Status, error) {
	return d.onStatus(ctx, StatusRef{in.AgentID, in.Status}, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.ChangeStatus(ctx, account, agent, id, operator, func(s *parley.TicketStatus) {
			replace(&s.InternalLabel, in.Label)
			replace(&s.ExternalLabel, in.ExternalLabel)
			replace(&s.Color, in.Color)
		})
	})
}

// replace puts a new value in place of the old one, where there is a new one.
func replace[T any](old *T, now *T) {
	if now != nil {
		*old = *now
	}
}

func (d *Desk) defaultStatus(ctx context.Context, in StatusRef) (Status, error) {
	return d.onStatus(ctx, in, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.MakeDefault(ctx, account, agent, id, operator)
	})
}

func (d *Desk) archiveStatus(ctx context.Context, in StatusRef) (Status, error) {
	return d.onStatus(ctx, in, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.ArchiveStatus(ctx, account, agent, id, operator)
	})
}

// onStatus does something to the status that is named.
func (d *Desk) onStatus(ctx context.Context, in StatusRef, do func(parley.AccountID, parley.AgentID, parley.StatusID) (*parley.TicketStatus, error)) (Status, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	id, err := d.statusID(ctx, account, agent, in.Status)
	if err != nil {
		return Status{}, err
	}
	s, err := do(account, agent, id)
	if err != nil {
		return Status{}, err
	}
	return statusOf(s), nil
}

// statusID finds a status by its id, its key or its label. A label that several have is none.
func (d *Desk) statusID(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (parley.StatusID, error) {
	list, err := d.Helpdesk.AllStatuses(ctx, account, agent)
	if err != nil {
		return "", err
	}
	var labelled []parley.StatusID
	for _, s := range list {
		if string(s.ID) == name || s.Key != "" && s.Key == name {
			return s.ID, nil
		}
		if strings.EqualFold(s.InternalLabel, name) {
			labelled = append(labelled, s.ID)
		}
	}
	switch len(labelled) {
	case 1:
		return labelled[0], nil
	case 0:
		return "", parley.Failf(parley.CodeTicketStatus, "The agent has no status %q.", name)
	}
	return "", parley.Failf(parley.CodeTicketStatus, "The agent has %d statuses %q; name one by its id.", len(labelled), name)
}
