package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// SourceQuery asks for an agent's sources, newest first.
type SourceQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
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

func (s *Service) listSources(ctx context.Context, in SourceQuery) ([]Source, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Sources(ctx, ref, store.SourceFilter{}, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Source, len(page.Items))
	for i := range page.Items {
		if list[i], err = s.newSource(ctx, &page.Items[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Service) newSource(ctx context.Context, source *parley.Source) (Source, error) {
	out := Source{
		ID:        string(source.ID),
		Type:      string(source.Kind),
		Name:      source.Name,
		Status:    string(source.Status),
		Reason:    source.Failure,
		Answers:   source.LiveVersion != "",
		Size:      source.Size,
		UpdatedAt: source.UpdatedAt,
	}
	if source.Kind != parley.SourceLink {
		return out, nil
	}
	sizes, err := s.DB.SiteSizes(ctx, source.AgentRef(), []parley.SourceID{source.ID})
	if err != nil {
		return out, err
	}
	pages, err := s.DB.CountLivePages(ctx, source.AgentRef(), source.ID)
	out.Size += sizes[source.ID]
	out.Answers = out.Answers || pages > 0
	return out, err
}
