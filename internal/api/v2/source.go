package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Source is the record of a source (docs/interface/sources.md#record). It never holds the content.
type Source struct {
	ID        string          `json:"id" format:"uuid"`
	Type      string          `json:"type" enum:"@sourceKind" name:"SourceType"`
	Name      *string         `json:"name"`
	Size      int64           `json:"size" min:"0" doc:"Bytes."`
	CreatedAt string          `json:"createdAt" format:"date-time"`
	Status    string          `json:"status" enum:"@sourceStatus" name:"SourceStatus"`
	Metadata  json.RawMessage `json:"metadata"`
}

// FieldDocs returns the docs that are too long for tags.
func (Source) FieldDocs() map[string]string {
	return map[string]string{
		"metadata": "Null unless the source is a link: {type: individual}, or for a crawl or sitemap type, excludePaths, " +
			"includeOnlyPaths, slowScraping, crawlStatus (fetching, fetched, failed) and the counts of children (included, " +
			"excluded, failed).",
	}
}

func newSource(src *parley.Source) Source {
	return Source{ID: string(src.ID), Type: string(src.Kind), Name: textOrNull(src.Name), Size: src.Size,
		CreatedAt: formatTime(src.CreatedAt), Status: string(src.Status), Metadata: src.Metadata}
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
	Type []string `query:"type" item:"enum=@sourceKind,name=SourceType" doc:"Kinds, comma-separated."`
	Name string   `query:"name" doc:"Part of the name; case does not matter."`
}

func (s *server) listSources(ctx context.Context, c *call, in *SourceQuery) (*Page[Source], error) {
	purpose := "sources " + in.AgentID
	request, err := s.pageRequest(in.Paging, purpose)
	if err != nil {
		return nil, err
	}
	filter := store.SourceFilter{Name: in.Name}
	for _, kind := range in.Type {
		filter.Kinds = append(filter.Kinds, parley.SourceKind(kind))
	}
	page, err := s.DB.Sources(ctx, agentRef(c, in.AgentID), filter, request)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	sizes, err := s.DB.SiteSizes(ctx, agentRef(c, in.AgentID), siteIDs(page.Items))
	if err != nil {
		return nil, fmt.Errorf("measure sites: %w", err)
	}
	for i := range page.Items {
		page.Items[i].Size += sizes[page.Items[i].ID]
	}
	return newPage(s, page, purpose, newSource), nil
}

func (s *server) getSource(ctx context.Context, c *call, in *SourceRef) (*Source, error) {
	src, err := s.DB.Source(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	return s.sizedSource(ctx, c, src)
}

// sizedSource returns the record of a source. The size of a website includes its pages.
func (s *server) sizedSource(ctx context.Context, c *call, src *parley.Source) (*Source, error) {
	sizes, err := s.DB.SiteSizes(ctx, agentRef(c, src.AgentID), siteIDs([]parley.Source{*src}))
	if err != nil {
		return nil, fmt.Errorf("measure site: %w", err)
	}
	src.Size += sizes[src.ID]
	out := newSource(src)
	return &out, nil
}

// siteIDs returns the ids of those that may have pages.
func siteIDs(list []parley.Source) (ids []parley.SourceID) {
	for i := range list {
		if list[i].Kind.HasPages() {
			ids = append(ids, list[i].ID)
		}
	}
	return ids
}

func (s *server) deleteSource(ctx context.Context, c *call, in *SourceRef) (*Source, error) {
	src, err := s.Ingest.Delete(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("delete source: %w", err)
	}
	out := newSource(src)
	return &out, nil
}

// NewSource is the request that creates a source.
type NewSource struct {
	AgentRef
	Body   newSourceBody `name:"NewSource"`
	Upload *httpapi.Upload
}

func (s *server) createSource(ctx context.Context, c *call, in *NewSource) (*WrittenSource, error) {
	src, err := s.addSource(ctx, c, in)
	if err != nil {
		return nil, fmt.Errorf("add source: %w", err)
	}
	return newWrittenSource(src, in.Upload), nil
}

func (s *server) addSource(ctx context.Context, c *call, in *NewSource) (*parley.Source, error) {
	if in.Upload != nil {
		return s.addFile(ctx, c, in.AgentID, in.Upload)
	}
	return in.Body.Value().(sourceBody).add(ctx, s, c, parley.AgentID(in.AgentID))
}

// WrittenSource is the record of a source in the reply to a request that wrote it.
type WrittenSource struct {
	Source
	Data *UploadedID `json:"data,omitempty" doc:"Of an upload: the id once more, for clients that look for it here."`
}

func newWrittenSource(src *parley.Source, up *httpapi.Upload) *WrittenSource {
	return &WrittenSource{newSource(src), newUploadedID(src, up)}
}

// SourceChange is the request that changes a source.
type SourceChange struct {
	SourceRef
	Body   SourceChangeBody
	Upload *httpapi.Upload
}

func (s *server) changeSource(ctx context.Context, c *call, in *SourceChange) (*WrittenSource, error) {
	current, err := s.DB.Source(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	src, err := s.changeByKind(ctx, c, current, in)
	if err != nil {
		return nil, fmt.Errorf("change source: %w", err)
	}
	out, err := s.sizedSource(ctx, c, src)
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, newUploadedID(src, in.Upload)}, nil
}

// changeByKind changes a source according to its kind.
func (s *server) changeByKind(ctx context.Context, c *call, src *parley.Source,
	in *SourceChange) (*parley.Source, error) {
	if in.Upload != nil {
		return s.changeFile(ctx, c, src, in.Upload.Name, uploadedFile(in.Upload))
	}
	return sourceKinds[src.Kind].change(s, ctx, c, src, &in.Body)
}

func (s *server) getSourcesSummary(ctx context.Context, c *call, in *AgentRef) (*SourcesSummary, error) {
	sums, err := s.DB.SourceSums(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("count sources: %w", err)
	}
	out := &SourcesSummary{}
	for _, sum := range sums {
		if kind, ok := sourceKinds[sum.Kind]; ok {
			*kind.sum(out) = KindSum{sum.Count, sum.Size}
		}
		out.ShouldRetrain = out.ShouldRetrain || sum.Pending > 0
	}
	return out, nil
}
