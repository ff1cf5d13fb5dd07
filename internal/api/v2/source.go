package v2

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
	"parley/internal/text/words"
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
	pages, err := s.DB.SumSitePages(ctx, agentRef(c, in.AgentID), siteIDs(page.Items))
	if err != nil {
		return nil, fmt.Errorf("measure sites: %w", err)
	}
	for i := range page.Items {
		page.Items[i].Size += pages[page.Items[i].ID].Size
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
	pages, err := s.DB.SumSitePages(ctx, agentRef(c, src.AgentID), siteIDs([]parley.Source{*src}))
	if err != nil {
		return nil, fmt.Errorf("measure site: %w", err)
	}
	src.Size += pages[src.ID].Size
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

// PassageQuery names a span of a source's text, as citations do.
type PassageQuery struct {
	SourceRef
	Version string `query:"version" doc:"Hash of the version, as citations give it. By default the live one."`
	Start   int    `query:"start" min:"0" doc:"First byte."`
	End     int    `query:"end" min:"1" doc:"The byte behind the last. By default the end of the text."`
}

// Passage is a span of a source's text, and whether the source still contains it.
type Passage struct {
	State       string  `json:"state" enum:"holds,changed,gone"`
	Text        *string `json:"text" doc:"The bytes asked for; null where that version is no longer kept."`
	Version     *string `json:"version" doc:"Hash of the version asked for."`
	LiveVersion *string `json:"liveVersion"`
	Start       *int    `json:"start"`
	End         *int    `json:"end" doc:"The byte behind text; moved back where it stood inside of a character."`
	Occurs      *bool   `json:"occurs"`
}

// FieldDocs returns the docs that are too long for tags.
func (Passage) FieldDocs() map[string]string {
	return map[string]string{
		"state":       "Whether the source's live version is the one asked for, another one, or there is no source any more.",
		"liveVersion": "Hash of the version that the agent answers from; null where there is none.",
		"start":       "First byte of text; moved on to the next character where it stood inside of one.",
		"occurs":      "Whether the live version holds the same words in the same order; null where that cannot be told.",
	}
}

// The states of a passage.
const (
	passageHolds   = "holds"
	passageChanged = "changed"
	passageGone    = "gone"
)

func (s *server) getPassage(ctx context.Context, c *call, in *PassageQuery) (*Passage, error) {
	cited, err := s.DB.CitedSource(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID), in.Version)
	if err != nil {
		return nil, fmt.Errorf("find passage: %w", err)
	}
	out := &Passage{State: passageState(cited), Version: textOrNull(in.Version)}
	if cited.LiveVersion != nil {
		out.LiveVersion = &cited.LiveVersion.Hash
	}
	if cited.RequestedVersion == nil {
		return out, in.checkBounds(max(in.Start+1, in.End))
	}
	out.Version = &cited.RequestedVersion.Hash
	if err := in.checkBounds(cited.RequestedVersion.Size); err != nil {
		return nil, err
	}
	if err := s.readPassage(ctx, c, in, cited, out); err != nil {
		return nil, fmt.Errorf("read passage: %w", err)
	}
	return out, nil
}

// readPassage reads the span, and checks whether the live version contains its words.
func (s *server) readPassage(ctx context.Context, c *call, in *PassageQuery, cited store.CitedSource,
	out *Passage) error {
	account, agent, source := callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID)
	start, end := in.Start, cmp.Or(in.End, cited.RequestedVersion.Size)
	// one byte more, to see whether a character is cut
	stretch, err := s.DB.VersionBytes(ctx, account.AgentRef(agent), source, cited.RequestedVersion.ID, start, end+1)
	if err != nil {
		return err
	}
	text, start, end := trimToRunes(string(stretch), start, end)
	out.Text, out.Start, out.End = &text, &start, &end
	if cited.LiveVersion == nil {
		return nil
	}
	occurs := out.State == passageHolds
	if !occurs {
		live, err := s.DB.Version(ctx, account.AgentRef(agent), source, cited.LiveVersion.ID)
		if err != nil {
			return err
		}
		occurs = containsWords(text, live.Text)
	}
	out.Occurs = &occurs
	return nil
}

func passageState(c store.CitedSource) string {
	switch {
	case c.Deleted:
		return passageGone
	case c.LiveVersion != nil && c.RequestedVersion != nil && c.RequestedVersion.Hash == c.LiveVersion.Hash:
		return passageHolds
	default:
		return passageChanged
	}
}

// checkBounds fails unless the span is inside a text of so many bytes.
func (q *PassageQuery) checkBounds(size int) error {
	faults := map[string]string{}
	if q.End > size {
		faults["end"] = fmt.Sprintf("must be at most %d, the length of that version in bytes", size)
	}
	if end := q.End; q.Start >= size || end > 0 && q.Start >= end {
		faults["start"] = "must be before the end"
	}
	return parley.InvalidFields(faults)
}

// trimToRunes returns the span [start, end) without partial characters at its ends. stretch begins at start.
func trimToRunes(stretch string, start, end int) (string, int, int) {
	from, to := 0, end-start
	for from < to && !utf8.RuneStart(stretch[from]) {
		from++
	}
	for to > from && to < len(stretch) && !utf8.RuneStart(stretch[to]) {
		to--
	}
	return stretch[from:to], start + from, start + to
}

// containsWords reports whether the text contains the words of the span in the same order, ignoring case, accents,
// punctuation and line breaks.
func containsWords(stretch, text string) bool {
	if strings.Contains(text, stretch) {
		return true
	}
	wanted := normalizeWords(stretch)
	return wanted != " " && strings.Contains(normalizeWords(text), wanted)
}

func normalizeWords(text string) string {
	var all strings.Builder
	all.WriteByte(' ')
	for t := range words.Tokens(text) {
		all.WriteString(t.Word)
		all.WriteByte(' ')
	}
	return all.String()
}
