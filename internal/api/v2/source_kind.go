package v2

import (
	"context"
	"fmt"
	"net/http"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
)

// sourceKind is what is particular to the requests about one kind of source.
type sourceKind struct {
	// change makes those changes of the body that a source of the kind can have.
	change func(s *server, ctx context.Context, c *call, src *parley.Source, b *SourceChangeBody) (*parley.Source, error)

	// sum returns what counts sources of the kind.
	sum func(out *SourcesSummary) *KindSum
}

// sourceKinds is the registry of the kinds of source; newSourceBody lists their bodies.
var sourceKinds = map[parley.SourceKind]sourceKind{
	parley.SourceText: {(*server).changeText, func(out *SourcesSummary) *KindSum { return &out.Texts }},
	parley.SourceQnA:  {(*server).changeQnA, func(out *SourcesSummary) *KindSum { return &out.QnAs }},
	parley.SourceLink: {(*server).changeLink, func(out *SourcesSummary) *KindSum { return &out.Links }},
	parley.SourceFile: {(*server).renameFile, func(out *SourcesSummary) *KindSum { return &out.Files }},
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

// newSourceBody is the body of one kind; files are uploaded. Each is a sourceBody.
type newSourceBody = httpapi.Either[TextSource, httpapi.Either[QnASource, LinkSource]]

// sourceBody is what a client sends to create a source of one kind.
type sourceBody interface {
	add(ctx context.Context, s *server, c *call, agent parley.AgentID) (*parley.Source, error)
}

// SourceChangeBody holds the fields to change. Those that a source of the kind does not have are ignored.
type SourceChangeBody struct {
	Name             httpapi.Opt[string]   `json:"name,omitzero" min:"1" format:"name"`
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

// TextSource is a snippet of text.
type TextSource struct {
	Type    string `json:"type" enum:"text"`
	Name    string `json:"name" min:"1" max:"100" format:"name"`
	Content string `json:"content" min:"1" max:"1048576"`
}

func (b *TextSource) add(ctx context.Context, s *server, c *call, agent parley.AgentID) (*parley.Source, error) {
	caller := callerOf(c)
	return s.Ingest.AddText(ctx, caller.Caller, agent, b.Name, b.Content)
}

func (s *server) changeText(ctx context.Context, c *call, src *parley.Source, b *SourceChangeBody) (*parley.Source,
	error) {
	caller := callerOf(c)
	if err := checkNameLength(b.Name.Value); err != nil {
		return nil, err
	}
	return s.Ingest.ChangeText(ctx, caller.Caller, src.AgentID, src.ID,
		ingest.TextChange{Name: b.Name.Ptr(), Content: b.Content.Ptr()})
}

// maxTextNameLength is the maximum length in characters of the name of a text.
const maxTextNameLength = 100

func checkNameLength(name string) error {
	if utf8.RuneCountInString(name) > maxTextNameLength {
		return parley.Invalid("name", fmt.Sprintf("must have at most %d characters", maxTextNameLength))
	}
	return nil
}

// QnASource is an answer to one or more questions.
type QnASource struct {
	Type      string   `json:"type" enum:"qna"`
	Name      string   `json:"name" min:"1" format:"name"`
	Questions []string `json:"questions" min:"1" max:"50" doc:"As customers ask them."`
	Answer    string   `json:"answer" min:"1" doc:"Plain or Markdown; it is quoted as it is."`
}

func (b *QnASource) add(ctx context.Context, s *server, c *call, agent parley.AgentID) (*parley.Source, error) {
	caller := callerOf(c)
	if err := checkQnASize(b.Questions, b.Answer); err != nil {
		return nil, err
	}
	return s.Ingest.AddQnA(ctx, caller.Caller, agent,
		ingest.QnA{Name: b.Name, Questions: b.Questions, Answer: b.Answer})
}

func (s *server) changeQnA(ctx context.Context, c *call, src *parley.Source, b *SourceChangeBody) (*parley.Source,
	error) {
	caller := callerOf(c)
	if err := checkQnASize(b.Questions.Value, b.Answer.Value); err != nil {
		return nil, err
	}
	return s.Ingest.ChangeQnA(ctx, caller.Caller, src.AgentID, src.ID,
		ingest.QnAChange{Name: b.Name.Ptr(), Questions: b.Questions.Value, Answer: b.Answer.Ptr()})
}

// maxQnABytes is the maximum size of a question-and-answer source.
const maxQnABytes = 4_500_000

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

func (b *LinkSource) add(ctx context.Context, s *server, c *call, agent parley.AgentID) (*parley.Source, error) {
	caller := callerOf(c)
	return s.Ingest.AddLink(ctx, caller.Caller, agent, ingest.Link{URL: b.URL,
		Type: crawl.Kind(b.LinkType), Exclude: b.ExcludePaths, Include: b.IncludeOnlyPaths, Slow: b.SlowScraping})
}

func (s *server) changeLink(ctx context.Context, c *call, src *parley.Source, b *SourceChangeBody) (*parley.Source,
	error) {
	return s.Ingest.ChangeLink(ctx, src.AgentRef(), src.ID,
		ingest.LinkChange{Exclude: sentList(b.ExcludePaths), Include: sentList(b.IncludeOnlyPaths),
			Slow: b.SlowScraping.Ptr()})
}

// sentList returns the list that was sent, which may be empty; nil if none was sent.
func sentList(o httpapi.Opt[[]string]) []string {
	if !o.Present {
		return nil
	}
	return append([]string{}, o.Value...)
}

// UploadedID names the source that an upload has written.
type UploadedID struct {
	ID string `json:"id" format:"uuid"`
}

const fileSizeMessage = "From 50 bytes to 20 MB: PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB, JSON, " +
	"EML, MHT, VCF, ICS, SRT, VTT, RST or TEX, told by its content."

var (
	newFileForm = &httpapi.Form{RequiredPart: "file", MinFileBytes: ingest.MinFileBytes, MaxFileBytes: ingest.MaxFileBytes,
		FileDescription: fileSizeMessage}
	changedFileForm = &httpapi.Form{MinFileBytes: ingest.MinFileBytes, MaxFileBytes: ingest.MaxFileBytes,
		FileDescription: fileSizeMessage}
)

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
	if !parley.IsVisible(name) {
		return nil, parley.Invalid("name", "is required where the file has none")
	}
	caller := callerOf(c)
	return s.Ingest.AddFile(ctx, caller.Caller, parley.AgentID(agent),
		parley.ClipText(name, maxTextNameLength), *uploadedFile(up))
}

// renameFile changes the name of a file, which is all that a body without an upload changes of it.
func (s *server) renameFile(ctx context.Context, c *call, src *parley.Source, b *SourceChangeBody) (*parley.Source,
	error) {
	if err := checkNameLength(b.Name.Value); err != nil {
		return nil, err
	}
	return s.changeFile(ctx, c, src, b.Name.Ptr(), nil)
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
