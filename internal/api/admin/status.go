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
	ListStatuses  = Command[AgentID, []Status]{"status.list", false, (*Service).listStatuses}
	AddStatus     = Command[NewStatus, Status]{"status.add", false, (*Service).addStatus}
	ChangeStatus  = Command[StatusChange, Status]{"status.change", false, (*Service).changeStatus}
	DefaultStatus = Command[StatusRef, Status]{"status.default", false, (*Service).defaultStatus}
	ArchiveStatus = Command[StatusRef, Status]{"status.archive", false, (*Service).archiveStatus}
)

func newStatus(s *parley.TicketStatus) Status {
	return Status{ID: string(s.ID), Key: s.Key, Category: string(s.Category), Label: s.InternalLabel, ExternalLabel: s.ExternalLabel, Color: s.Color,
		Default: s.IsDefault, Position: s.Position, ArchivedAt: s.ArchivedAt}
}

// findAgent names an agent with its owner. Fails with AGENT_NOT_FOUND.
func (d *Service) findAgent(ctx context.Context, id string) (parley.AccountID, parley.AgentID, error) {
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(id))
	return account, parley.AgentID(id), err
}

func (d *Service) listStatuses(ctx context.Context, in AgentID) ([]Status, error) {
	account, agent, err := d.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := d.Helpdesk.AllStatuses(ctx, account, agent)
	list := make([]Status, len(found))
	for i := range found {
		list[i] = newStatus(&found[i])
	}
	return list, err
}

func (d *Service) addStatus(ctx context.Context, in NewStatus) (Status, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	if err := checkKey(in.Key); err != nil {
		return Status{}, err
	}
	s, err := d.Helpdesk.AddStatus(ctx, account, agent, parley.TicketStatus{Key: in.Key, Category: parley.StatusCategory(in.Category), InternalLabel: in.Label,
		ExternalLabel: in.ExternalLabel, Color: in.Color, IsDefault: in.Default}, operatorName)
	if err != nil {
		return Status{}, err
	}
	return newStatus(s), nil
}

// checkKey refuses a key that no manifest could name.
func checkKey(key string) error {
	if key == "" || helpdesk.IsKey(key) {
		return nil
	}
	return parley.NewErrorf(parley.CodeInvalidBody, "The key %q is not 1 to 100 letters, digits, '.', '_' and '-'.", key)
}

func (d *Service) changeStatus(ctx context.Context, in StatusChange) (Status, error) {
	return d.changeNamedStatus(ctx, StatusRef{in.AgentID, in.Status}, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.ChangeStatus(ctx, account, agent, id, operatorName, func(s *parley.TicketStatus) {
			replaceIfSet(&s.InternalLabel, in.Label)
			replaceIfSet(&s.ExternalLabel, in.ExternalLabel)
			replaceIfSet(&s.Color, in.Color)
		})
	})
}

// replaceIfSet puts a new value in place of the old one, where there is a new one.
func replaceIfSet[T any](old *T, now *T) {
	if now != nil {
		*old = *now
	}
}

func (d *Service) defaultStatus(ctx context.Context, in StatusRef) (Status, error) {
	return d.changeNamedStatus(ctx, in, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.MakeDefault(ctx, account, agent, id, operatorName)
	})
}

func (d *Service) archiveStatus(ctx context.Context, in StatusRef) (Status, error) {
	return d.changeNamedStatus(ctx, in, func(account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
		return d.Helpdesk.ArchiveStatus(ctx, account, agent, id, operatorName)
	})
}

// changeNamedStatus does something to the status that is named.
func (d *Service) changeNamedStatus(ctx context.Context, in StatusRef, do func(parley.AccountID, parley.AgentID, parley.StatusID) (*parley.TicketStatus, error)) (Status, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	id, err := d.findStatus(ctx, account, agent, in.Status)
	if err != nil {
		return Status{}, err
	}
	s, err := do(account, agent, id)
	if err != nil {
		return Status{}, err
	}
	return newStatus(s), nil
}

// findStatus finds a status by its id, its key or its label. A label that several have is none.
func (d *Service) findStatus(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (parley.StatusID, error) {
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
		return "", parley.NewErrorf(parley.CodeTicketStatus, "The agent has no status %q.", name)
	}
	return "", parley.NewErrorf(parley.CodeTicketStatus, "The agent has %d statuses %q; name one by its id.", len(labelled), name)
}
