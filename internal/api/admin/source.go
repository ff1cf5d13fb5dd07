package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// SourceQuery asks for an agent's sources, newest first.
type SourceQuery struct {
	AgentID string `json:"agentId"`
	Limit   int    `json:"limit"` // most of them
}

// Source is a source as the operator sees it.
type Source struct {
	ID        string    `json:"sourceId"`
	Type      string    `json:"type"`
	Name      string    `json:"name"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason,omitempty"` // why it has failed, or was not read to its end
	Answers   bool      `json:"answers"`          // answers rest on it, be it on an earlier version
	Size      int64     `json:"size"`             // bytes; of a website those of its pages
	UpdatedAt time.Time `json:"updatedAt"`
}

// ListSources lists an agent's sources, and why some have failed.
var ListSources = Command[SourceQuery, []Source]{"source.list", false, (*Service).listSources}

func (d *Service) listSources(ctx context.Context, in SourceQuery) ([]Source, error) {
	agent := parley.AgentID(in.AgentID)
	account, err := d.DB.OwnerOfAgent(ctx, agent)
	if err != nil {
		return nil, err
	}
	page, err := d.DB.Sources(ctx, account, agent, store.SourceFilter{}, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Source, len(page.Items))
	for i := range page.Items {
		if list[i], err = d.newSource(ctx, &page.Items[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *Service) newSource(ctx context.Context, s *parley.Source) (Source, error) {
	out := Source{ID: string(s.ID), Type: string(s.Kind), Name: s.Name, Status: string(s.Status), Reason: s.Failure, Answers: s.LiveVersion != "", Size: s.Size, UpdatedAt: s.UpdatedAt}
	if s.Kind != parley.SourceLink {
		return out, nil
	}
	sizes, err := d.DB.SiteSizes(ctx, s.AccountID, s.AgentID, []parley.SourceID{s.ID})
	if err != nil {
		return out, err
	}
	pages, err := d.DB.CountLivePages(ctx, s.AccountID, s.AgentID, s.ID)
	out.Size += sizes[s.ID]
	out.Answers = out.Answers || pages > 0
	return out, err
}
