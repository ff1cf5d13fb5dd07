package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Source is the record of a source (facts 2.8f). It never holds the content.
type Source struct {
	ID        string          `json:"id" format:"uuid"`
	Type      string          `json:"type" enum:"link,file,qna,notionPage,text" name:"SourceType"`
	Name      *string         `json:"name"`
	Size      int64           `json:"size" min:"0" doc:"Bytes."`
	CreatedAt string          `json:"createdAt" format:"date-time"`
	Status    string          `json:"status" enum:"untrained,trained,updated,failed,toBeDeleted,deleted" name:"SourceStatus"`
	Metadata  json.RawMessage `json:"metadata" doc:"Null unless the source is a link: {type: individual}, or for a crawl or sitemap type, excludePaths, includeOnlyPaths, slowScraping, crawlStatus (fetching, fetched, failed) and the counts of children (included, excluded, failed)."`
}

func newSource(src *parley.Source) Source {
	return Source{ID: string(src.ID), Type: string(src.Kind), Name: textOrNull(src.Name), Size: src.Size, CreatedAt: formatTime(src.CreatedAt),
		Status: string(src.Status), Metadata: src.Metadata}
}

// SourceRef names the source in a path.
type SourceRef struct {
	AgentID  string `path:"agentId"`
	SourceID string `path:"sourceId" id:"uuid"`
}

// SourceQuery narrows the list of sources.
type SourceQuery struct {
	AgentRef
	Paging
	Type []string `query:"type" item:"enum=link|file|qna|notionPage|text,name=SourceType" doc:"Kinds, comma-separated."`
	Name string   `query:"name" doc:"Part of the name; case does not matter."`
}

func (s *server) listSources(ctx context.Context, c *httpapi.Call, in *SourceQuery) (*Page[Source], error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	purpose := "sources " + in.AgentID
	ask, err := s.pageRequest(in.Paging, purpose)
	if err != nil {
		return nil, err
	}
	filter := store.SourceFilter{Name: in.Name}
	for _, kind := range in.Type {
		filter.Kinds = append(filter.Kinds, parley.SourceKind(kind))
	}
	page, err := s.DB.Sources(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), filter, ask)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	sizes, err := s.DB.SiteSizes(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), linkIDs(page.Items))
	if err != nil {
		return nil, fmt.Errorf("measure sites: %w", err)
	}
	for i := range page.Items {
		page.Items[i].Size += sizes[page.Items[i].ID]
	}
	return newPage(s, page, purpose, newSource), nil
}

func (s *server) getSource(ctx context.Context, c *httpapi.Call, in *SourceRef) (*Source, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	src, err := s.DB.Source(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	return s.sizedSource(ctx, c, src)
}

// sizedSource is the record of a source; the size of a site is that of its pages.
func (s *server) sizedSource(ctx context.Context, c *httpapi.Call, src *parley.Source) (*Source, error) {
	sizes, err := s.DB.SiteSizes(ctx, callerOf(c).Account.ID, src.AgentID, linkIDs([]parley.Source{*src}))
	if err != nil {
		return nil, fmt.Errorf("measure site: %w", err)
	}
	src.Size += sizes[src.ID]
	out := newSource(src)
	return &out, nil
}

// linkIDs returns the ids of links, which may have pages.
func linkIDs(list []parley.Source) (ids []parley.SourceID) {
	for i := range list {
		if list[i].Kind == parley.SourceLink {
			ids = append(ids, list[i].ID)
		}
	}
	return ids
}

func (s *server) deleteSource(ctx context.Context, c *httpapi.Call, in *SourceRef) (*Source, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	src, err := s.Ingest.Delete(ctx, callerOf(c).Account, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("delete source: %w", err)
	}
	out := newSource(src)
	return &out, nil
}
