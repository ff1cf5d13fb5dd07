package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
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
	AgentID       string `path:"agentId" json:"-"`
	Key           string `json:"key,omitempty"`
	Category      string `json:"category"`
	Label         string `json:"label"`
	ExternalLabel string `json:"externalLabel,omitempty"` // empty is the label
	Color         string `json:"color,omitempty"`
	Default       bool   `json:"default"`
}

// StatusChange says what a status is to be; nil stays.
type StatusChange struct {
	StatusRef
	Label         *string `json:"label,omitempty"`
	ExternalLabel *string `json:"externalLabel,omitempty"`
	Color         *string `json:"color,omitempty"` // empty for none
}

// StatusRef names a status by id, key or label.
type StatusRef struct {
	AgentID string `path:"agentId" json:"-"`
	Status  string `path:"status" json:"-"`
}

func newStatus(s *parley.TicketStatus) Status {
	return Status{
		ID:            string(s.ID),
		Key:           s.Key,
		Category:      string(s.Category),
		Label:         s.InternalLabel,
		ExternalLabel: s.ExternalLabel,
		Color:         s.Color,
		Default:       s.IsDefault,
		Position:      s.Position,
		ArchivedAt:    s.ArchivedAt,
	}
}

func (s *Service) listStatuses(ctx context.Context, in AgentRef) ([]Status, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := s.Helpdesk.AllStatuses(ctx, ref)
	return httpapi.ConvertList(found, newStatus), err
}

func (s *Service) addStatus(ctx context.Context, in NewStatus) (Status, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	status, err := s.Helpdesk.AddStatus(ctx, ref, parley.TicketStatus{
		Key:           in.Key,
		Category:      parley.StatusCategory(in.Category),
		InternalLabel: in.Label,
		ExternalLabel: in.ExternalLabel,
		Color:         in.Color,
		IsDefault:     in.Default,
	}, s.actor())
	if err != nil {
		return Status{}, err
	}
	return newStatus(status), nil
}

func (s *Service) changeStatus(ctx context.Context, in StatusChange) (Status, error) {
	change := func(status *parley.TicketStatus) {
		replaceIfSet(&status.InternalLabel, in.Label)
		replaceIfSet(&status.ExternalLabel, in.ExternalLabel)
		replaceIfSet(&status.Color, in.Color)
	}
	return s.changeNamedStatus(ctx, in.StatusRef,
		func(ref parley.AgentRef, id parley.StatusID) (*parley.TicketStatus, error) {
			return s.Helpdesk.ChangeStatus(ctx, ref, id, s.actor(), change)
		})
}

// replaceIfSet replaces a value where there is a new one.
func replaceIfSet[T any](value *T, replacement *T) {
	if replacement != nil {
		*value = *replacement
	}
}

func (s *Service) defaultStatus(ctx context.Context, in StatusRef) (Status, error) {
	return s.changeNamedStatus(ctx, in, func(ref parley.AgentRef, id parley.StatusID) (*parley.TicketStatus, error) {
		return s.Helpdesk.MakeDefault(ctx, ref, id, s.actor())
	})
}

func (s *Service) archiveStatus(ctx context.Context, in StatusRef) (Status, error) {
	return s.changeNamedStatus(ctx, in, func(ref parley.AgentRef, id parley.StatusID) (*parley.TicketStatus, error) {
		return s.Helpdesk.ArchiveStatus(ctx, ref, id, s.actor())
	})
}

// changeNamedStatus changes the named status by change.
func (s *Service) changeNamedStatus(
	ctx context.Context, in StatusRef, change func(parley.AgentRef, parley.StatusID) (*parley.TicketStatus, error),
) (Status, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Status{}, err
	}
	id, err := s.findStatus(ctx, ref, in.Status)
	if err != nil {
		return Status{}, err
	}
	status, err := change(ref, id)
	if err != nil {
		return Status{}, err
	}
	return newStatus(status), nil
}

// findStatus finds a status by its id, its key or its label. A label that several statuses have finds none.
func (s *Service) findStatus(ctx context.Context, ref parley.AgentRef, name string) (parley.StatusID, error) {
	list, err := s.Helpdesk.AllStatuses(ctx, ref)
	if err != nil {
		return "", err
	}
	var labelled []parley.StatusID
	for _, status := range list {
		if string(status.ID) == name || status.Key != "" && status.Key == name {
			return status.ID, nil
		}
		if strings.EqualFold(status.InternalLabel, name) {
			labelled = append(labelled, status.ID)
		}
	}
	switch len(labelled) {
	case 1:
		return labelled[0], nil
	case 0:
		return "", parley.NewErrorf(parley.CodeTicketStatus, "The agent has no status %q.", name)
	}
	return "", parley.NewErrorf(parley.CodeTicketStatus,
		"The agent has %d statuses %q; name one by its id.", len(labelled), name)
}
