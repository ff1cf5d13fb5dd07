package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
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
	sizes, err := s.DB.SiteSizes(ctx, agentRef(c, in.AgentID), linkIDs(page.Items))
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
	sizes, err := s.DB.SiteSizes(ctx, agentRef(c, src.AgentID), linkIDs([]parley.Source{*src}))
	if err != nil {
		return nil, fmt.Errorf("measure site: %w", err)
	}
	src.Size += sizes[src.ID]
	out := newSource(src)
	return &out, nil
}

// linkIDs returns the ids of the links, which may have pages.
func linkIDs(list []parley.Source) (ids []parley.SourceID) {
	for i := range list {
		if list[i].Kind == parley.SourceLink {
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
	Body   httpapi.Either[TextSource, httpapi.Either[QnASource, LinkSource]] `name:"NewSource"`
	Upload *httpapi.Upload
}

// TextSource is a snippet of text.
type TextSource struct {
	Type    string `json:"type" enum:"text"`
	Name    string `json:"name" min:"1" max:"100"`
	Content string `json:"content" min:"1" max:"1048576"`
}

// QnASource is an answer to one or more questions.
type QnASource struct {
	Type      string   `json:"type" enum:"qna"`
	Name      string   `json:"name" min:"1"`
	Questions []string `json:"questions" min:"1" max:"50" doc:"As customers ask them."`
	Answer    string   `json:"answer" min:"1" doc:"Plain or Markdown; it is quoted as it is."`
}

// LinkSource is a page, a website, or the pages of a sitemap.
type LinkSource struct {
	Type             string   `json:"type" enum:"link"`
	URL              string   `json:"url" format:"uri"`
	LinkType         string   `json:"linkType" enum:"individual,crawl,sitemap"`
	ExcludePaths     []string `json:"excludePaths,omitempty" default:"[]"`
	IncludeOnlyPaths []string `json:"includeOnlyPaths,omitempty" default:"[]"`
	SlowScraping     bool     `json:"slowScraping,omitempty" default:"false" doc:"One request at a time, with pauses."`
}

// FieldDocs returns the docs that are too long for tags.
func (LinkSource) FieldDocs() map[string]string {
	return map[string]string{
		"linkType":         "One page, a site from this page on by its links, or the pages that a sitemap lists.",
		"excludePaths":     "Regular expressions: pages that one of them matches are left out.",
		"includeOnlyPaths": "Regular expressions: where there are any, only pages that one of them matches are read.",
	}
}

// maxQnABytes is the maximum size of a question-and-answer source.
const maxQnABytes = 4_500_000

func (s *server) createSource(ctx context.Context, c *call, in *NewSource) (*WrittenSource, error) {
	src, err := s.addSource(ctx, c, parley.AgentID(in.AgentID), in)
	if err != nil {
		return nil, fmt.Errorf("add source: %w", err)
	}
	return newWrittenSource(src, in.Upload), nil
}

func (s *server) addSource(ctx context.Context, c *call, agent parley.AgentID, in *NewSource) (*parley.Source, error) {
	caller := callerOf(c)
	if in.Upload != nil {
		return s.addFile(ctx, c, in.AgentID, in.Upload)
	}
	if b := in.Body.A; b != nil {
		return s.Ingest.AddText(ctx, caller.Caller, agent, b.Name, b.Content)
	}
	if b := in.Body.B.A; b != nil {
		if err := checkQnASize(b.Questions, b.Answer); err != nil {
			return nil, err
		}
		return s.Ingest.AddQnA(ctx, caller.Caller, agent,
			ingest.QnA{Name: b.Name, Questions: b.Questions, Answer: b.Answer})
	}
	b := in.Body.B.B
	return s.Ingest.AddLink(ctx, caller.Caller, agent, ingest.Link{URL: b.URL,
		Type: crawl.Kind(b.LinkType), Exclude: b.ExcludePaths, Include: b.IncludeOnlyPaths, Slow: b.SlowScraping})
}

func checkQnASize(questions []string, answer string) error {
	size := len(answer)
	for _, q := range questions {
		size += len(q)
	}
	if size > maxQnABytes {
		return parley.NewErrorf(parley.CodeTooLarge,
			"The request body is too large: at most %d bytes are accepted here.", maxQnABytes)
	}
	return nil
}

// SourceChange is the request that changes a source.
type SourceChange struct {
	SourceRef
	Body   SourceChangeBody
	Upload *httpapi.Upload
}

// SourceChangeBody holds the fields to change. Those that a source of the kind does not have are ignored.
type SourceChangeBody struct {
	Name             httpapi.Opt[string]   `json:"name,omitzero" min:"1"`
	Content          httpapi.Opt[string]   `json:"content,omitzero" min:"1" max:"1048576" doc:"Of a text."`
	Questions        httpapi.Opt[[]string] `json:"questions,omitzero" min:"1" max:"50"`
	Answer           httpapi.Opt[string]   `json:"answer,omitzero" min:"1" doc:"Of questions with their answer."`
	ExcludePaths     httpapi.Opt[[]string] `json:"excludePaths,omitzero" doc:"Of a link."`
	IncludeOnlyPaths httpapi.Opt[[]string] `json:"includeOnlyPaths,omitzero" doc:"Of a link."`
	SlowScraping     httpapi.Opt[bool]     `json:"slowScraping,omitzero" doc:"Of a link."`
}

// FieldDocs returns the docs that are too long for tags.
func (SourceChangeBody) FieldDocs() map[string]string {
	return map[string]string{
		"name":      "Of a text or a file, at most 100 characters, or of questions with their answer.",
		"questions": "Of questions with their answer.",
	}
}

// maxTextNameLength is the maximum length in characters of the name of a text.
const maxTextNameLength = 100

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
	caller, b := callerOf(c), &in.Body
	switch src.Kind {
	case parley.SourceFile:
		if err := checkNameLength(b.Name.Value); err != nil {
			return nil, err
		}
		return s.changeFile(ctx, c, src, b.Name.Ptr(), nil)
	case parley.SourceQnA:
		if err := checkQnASize(b.Questions.Value, b.Answer.Value); err != nil {
			return nil, err
		}
		return s.Ingest.ChangeQnA(ctx, caller.Caller, src.AgentID, src.ID,
			ingest.QnAChange{Name: b.Name.Ptr(), Questions: b.Questions.Value, Answer: b.Answer.Ptr()})
	case parley.SourceLink:
		return s.Ingest.ChangeLink(ctx, src.AgentRef(), src.ID,
			ingest.LinkChange{Exclude: sentList(b.ExcludePaths), Include: sentList(b.IncludeOnlyPaths),
				Slow: b.SlowScraping.Ptr()})
	default:
		return s.changeText(ctx, c, src, b)
	}
}

func (s *server) changeText(ctx context.Context, c *call, src *parley.Source,
	b *SourceChangeBody) (*parley.Source, error) {
	caller := callerOf(c)
	if err := checkNameLength(b.Name.Value); err != nil {
		return nil, err
	}
	return s.Ingest.ChangeText(ctx, caller.Caller, src.AgentID, src.ID,
		ingest.TextChange{Name: b.Name.Ptr(), Content: b.Content.Ptr()})
}

func checkNameLength(name string) error {
	if utf8.RuneCountInString(name) > maxTextNameLength {
		return parley.Invalid("name", fmt.Sprintf("must have at most %d characters", maxTextNameLength))
	}
	return nil
}

// sentList returns the list that was sent, which may be empty; nil if none was sent.
func sentList(o httpapi.Opt[[]string]) []string {
	if !o.Present {
		return nil
	}
	return append([]string{}, o.Value...)
}

// SourcesSummary counts an agent's sources by kind (docs/interface/sources.md#summary).
type SourcesSummary struct {
	Links           KindSum `json:"links"`
	Files           KindSum `json:"files"`
	QnAs            KindSum `json:"qnas"`
	NotionPages     KindSum `json:"notionPages"`
	Texts           KindSum `json:"texts"`
	ZendeskTickets  KindSum `json:"zendeskTickets"`
	SalesforceCases KindSum `json:"salesforceCases"`
	ShouldRetrain   bool    `json:"shouldRetrain" doc:"A source is on its way in, to a newer version, or out."`
}

// KindSum counts the sources of one kind.
type KindSum struct {
	Count int   `json:"count" min:"0"`
	Size  int64 `json:"size" min:"0" doc:"Bytes."`
}

func (s *server) getSourcesSummary(ctx context.Context, c *call, in *AgentRef) (*SourcesSummary, error) {
	sums, err := s.DB.SourceSums(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("count sources: %w", err)
	}
	out := &SourcesSummary{}
	byKind := map[parley.SourceKind]*KindSum{parley.SourceLink: &out.Links, parley.SourceFile: &out.Files,
		parley.SourceQnA: &out.QnAs, parley.SourceText: &out.Texts}
	for _, sum := range sums {
		if k := byKind[sum.Kind]; k != nil {
			*k = KindSum{sum.Count, sum.Size}
		}
		out.ShouldRetrain = out.ShouldRetrain || sum.Pending > 0
	}
	return out, nil
}

// WrittenSource is the record of a source in the reply to a request that wrote it.
type WrittenSource struct {
	Source
	Data *UploadedID `json:"data,omitempty" doc:"Of an upload: the id once more, for clients that look for it here."`
}

// UploadedID names the source that an upload has written.
type UploadedID struct {
	ID string `json:"id" format:"uuid"`
}

// Bytes of an uploaded file (docs/interface/sources.md#uploads).
const (
	minFileBytes = 50
	maxFileBytes = 20 << 20
)

const fileSizeMessage = "From 50 bytes to 20 MB: PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB or " +
	"JSON, told by its content."

var (
	newFileForm = &httpapi.Form{RequiredPart: "file", MinFileBytes: minFileBytes, MaxFileBytes: maxFileBytes,
		FileDescription: fileSizeMessage}
	changedFileForm = &httpapi.Form{MinFileBytes: minFileBytes, MaxFileBytes: maxFileBytes,
		FileDescription: fileSizeMessage}
)

func newWrittenSource(src *parley.Source, up *httpapi.Upload) *WrittenSource {
	return &WrittenSource{newSource(src), newUploadedID(src, up)}
}

// newUploadedID returns nil if there was no upload.
func newUploadedID(src *parley.Source, up *httpapi.Upload) *UploadedID {
	if up == nil {
		return nil
	}
	return &UploadedID{string(src.ID)}
}

// uploadFolder counts an upload and checks its agent. It returns the folder that the upload is written to.
func (s *server) uploadFolder(ctx context.Context, r *http.Request, caller any) (string, error) {
	account := caller.(*access.Caller).Account.ID // every operation that takes uploads needs a key
	if err := s.Ingest.CountUpload(ctx, account); err != nil {
		return "", err
	}
	if err := s.checkAgent(ctx, caller, httpapi.PathParam(r, "agentId")); err != nil {
		return "", err
	}
	return s.Ingest.Files.Incoming()
}

func (s *server) addFile(ctx context.Context, c *call, agent string, up *httpapi.Upload) (*parley.Source, error) {
	name := up.File.Name
	if up.Name != nil {
		name = *up.Name
	}
	if name == "" {
		return nil, parley.Invalid("name", "is required where the file has none")
	}
	caller := callerOf(c)
	return s.Ingest.AddFile(ctx, caller.Caller, parley.AgentID(agent),
		parley.ClipText(name, maxTextNameLength), *uploadedFile(up))
}

func (s *server) changeFile(ctx context.Context, c *call, src *parley.Source, name *string,
	file *ingest.File) (*parley.Source, error) {
	caller := callerOf(c)
	return s.Ingest.ChangeFile(ctx, caller.Caller, src.AgentID, src.ID,
		ingest.FileChange{Name: name, File: file})
}

// uploadedFile returns the file of an upload, or nil.
func uploadedFile(up *httpapi.Upload) *ingest.File {
	if up == nil || up.File == nil {
		return nil
	}
	return &ingest.File{Name: up.File.Name, Path: up.File.Path, Size: up.File.Size, Hash: up.File.Hash}
}
