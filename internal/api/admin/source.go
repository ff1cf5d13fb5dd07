package admin

import (
	"cmp"
	"context"
	"os"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/store"
)

// SourceRef names a source of an agent.
type SourceRef struct {
	AgentID  string `path:"agentId" json:"-"`
	SourceID string `path:"sourceId" json:"-"`
}

// findSource finds a source. It fails with AGENT_NOT_FOUND or SOURCE_NOT_FOUND.
func (s *Service) findSource(ctx context.Context, in SourceRef) (*parley.Source, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	return s.DB.Source(ctx, ref, parley.SourceID(in.SourceID))
}

// NewSource is something for an agent to read: a text, questions with their answer, a link or a file.
type NewSource struct {
	AgentID          string   `path:"agentId" json:"-"`
	Type             string   `json:"type" enum:"@sourceKind" name:"SourceType"`
	Name             string   `json:"name,omitempty" max:"100" format:"name" doc:"Of a text, of questions or of a file."`
	Text             string   `json:"text,omitempty" max:"1048576"`
	Questions        []string `json:"questions,omitempty" max:"50" item:"max=1000"`
	Answer           string   `json:"answer,omitempty" max:"1048576"`
	URL              string   `json:"url,omitempty"`
	LinkType         string   `json:"linkType,omitempty" doc:"As in REST v2."`
	ExcludePaths     []string `json:"excludePaths,omitempty"`
	IncludeOnlyPaths []string `json:"includeOnlyPaths,omitempty"`
	SlowScraping     bool     `json:"slowScraping,omitempty"`
	FileName         string   `json:"fileName,omitempty" doc:"Of a file, whose kind its ending may tell."`
	File             []byte   `json:"file,omitempty" doc:"The bytes of a file."`
}

// addSource adds a source. It fails as the methods of ingest.Service do that add one.
func (s *Service) addSource(ctx context.Context, in NewSource) (Source, error) {
	caller, agent, err := s.findCaller(ctx, in.AgentID)
	if err != nil {
		return Source{}, err
	}
	if err := parley.InvalidFields(in.missingFields()); err != nil {
		return Source{}, err
	}
	add := map[parley.SourceKind]func(context.Context, parley.Caller, parley.AgentID, *NewSource) (*parley.Source, error){
		parley.SourceText: s.addText, parley.SourceQnA: s.addQnA, parley.SourceLink: s.addLink, parley.SourceFile: s.addFile,
	}[parley.SourceKind(in.Type)]
	src, err := add(ctx, caller, agent, &in)
	if err != nil {
		return Source{}, err
	}
	return s.newSource(ctx, src)
}

// missingFields says which fields are missing that a source of the kind has.
func (n *NewSource) missingFields() map[string]string {
	isMissing := map[parley.SourceKind]map[string]bool{
		parley.SourceText: {"name": n.Name == "", "text": n.Text == ""},
		parley.SourceQnA:  {"name": n.Name == "", "questions": len(n.Questions) == 0, "answer": n.Answer == ""},
		parley.SourceLink: {"url": n.URL == ""},
		parley.SourceFile: {"name": n.Name == "", "file": len(n.File) == 0},
	}[parley.SourceKind(n.Type)]
	reasons := map[string]string{}
	for field, absent := range isMissing {
		if absent {
			reasons[field] = "is required"
		}
	}
	return reasons
}

func (s *Service) addText(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	in *NewSource) (*parley.Source, error) {
	return s.Ingest.AddText(ctx, caller, agent, in.Name, in.Text)
}

func (s *Service) addQnA(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	in *NewSource) (*parley.Source, error) {
	return s.Ingest.AddQnA(ctx, caller, agent, ingest.QnA{Name: in.Name, Questions: in.Questions, Answer: in.Answer})
}

func (s *Service) addLink(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	in *NewSource) (*parley.Source, error) {
	return s.Ingest.AddLink(ctx, caller, agent, ingest.Link{URL: in.URL, Type: crawl.Kind(in.LinkType),
		Exclude: in.ExcludePaths, Include: in.IncludeOnlyPaths, Slow: in.SlowScraping})
}

func (s *Service) readSourceFile(ctx context.Context, c *httpapi.Call, in SourceRef) error {
	src, err := s.findSource(ctx, in)
	if err != nil {
		return err
	}
	blob, err := s.DB.VersionBlob(ctx, src.AgentRef(), src.WantedVersion)
	if err != nil {
		return err
	}
	content, err := s.Ingest.FileBytes(ctx, blob)
	if err != nil {
		return err
	}
	file := c.StreamFile("application/octet-stream", blob.Name)
	_, err = file.Write(content)
	return file.End(err)
}

func (s *Service) addFile(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	in *NewSource) (*parley.Source, error) {
	if len(in.File) < ingest.MinFileBytes || len(in.File) > ingest.MaxFileBytes {
		return nil, parley.Invalid("file", "must have from 50 bytes to 20 MB")
	}
	f, err := s.Ingest.Files.Write(cmp.Or(in.FileName, in.Name), in.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Path) }() // where it was not kept
	return s.Ingest.AddFile(ctx, caller, agent, in.Name, f)
}

func (s *Service) removeSource(ctx context.Context, in SourceRef) (Source, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Source{}, err
	}
	src, err := s.Ingest.Delete(ctx, ref, parley.SourceID(in.SourceID))
	if err != nil {
		return Source{}, err
	}
	return describeSource(src, store.SitePages{}), nil
}

// SitePageQuery asks for the addresses that the reading of a link has found, in their order.
type SitePageQuery struct {
	SourceRef
	Paging
}

// SitePage is an address that the reading of a link has found.
type SitePage struct {
	URL    string `json:"url"`
	State  string `json:"state"`            // waiting, included, unchanged, excluded, failed, merged or read
	Reason string `json:"reason,omitempty"` // why it was left out, or could not be read
	// of a reason that is known, for texts in other languages
	ReasonCode string `json:"reasonCode,omitempty"`
	Target     string `json:"target,omitempty"` // the address that is read in its place
	Status     int    `json:"status,omitempty"` // of HTTP
	Bytes      int64  `json:"bytes"`

	SourceID string     `json:"sourceId,omitempty"` // of what was read; it has a text and passages of its own
	ReadAt   *time.Time `json:"readAt"`             // null while nothing was read
	Passages int        `json:"passages"`
}

func newSitePage(p *store.CrawlPage) SitePage {
	out := SitePage{URL: p.URL, State: p.State, Reason: p.Reason, ReasonCode: ingest.ReasonCode(p.Reason),
		Target: p.TargetURL, Status: p.Status, Bytes: p.Bytes}
	if out.State == "" {
		out.State = "waiting"
	}
	return out
}

func (s *Service) listSitePages(ctx context.Context, in SitePageQuery) (Page[SitePage], error) {
	src, err := s.findSource(ctx, in.SourceRef)
	if err != nil {
		return Page[SitePage]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[store.CrawlPage], error) {
		return s.DB.CrawlPages(ctx, src.AgentRef(), src.ID, p)
	}
	convert := func(found []store.CrawlPage) ([]SitePage, error) {
		list := httpapi.ConvertList(found, newSitePage)
		return list, s.addReadPages(ctx, src, list)
	}
	return readPage(s, in.Paging, []string{"pages", in.AgentID, in.SourceID}, read, convert)
}

// sourceTextBytes is how much of a source's text is shown at a time.
const sourceTextBytes = 64 << 10

// SourceTextQuery asks for a part of the text that was read of a source.
type SourceTextQuery struct {
	SourceRef
	Version string `query:"version" doc:"Hash of a version; empty for the one that the agent answers from."`
	Start   int    `query:"start" min:"0" doc:"Byte at which the part begins."`
}

// SourceText is a part of the text that was read of a source.
type SourceText struct {
	Version string `json:"version"` // hash; empty while nothing was read
	Bytes   int    `json:"bytes"`   // of the whole text
	Start   int    `json:"start"`
	Text    string `json:"text"`
	Next    *int   `json:"next"` // where the next part begins; null at the end
}

func (s *Service) readSourceText(ctx context.Context, in SourceTextQuery) (SourceText, error) {
	src, err := s.findSource(ctx, in.SourceRef)
	if err != nil {
		return SourceText{}, err
	}
	cited, err := s.DB.CitedSource(ctx, src.AgentRef(), src.ID, in.Version)
	if err != nil {
		return SourceText{}, err
	}
	v := cited.RequestedVersion
	if v == nil {
		if in.Version != "" {
			return SourceText{}, parley.NewErrorf(parley.CodeSourceNotFound, "The source has no such version any more.")
		}
		return SourceText{Start: in.Start}, nil
	}
	out := SourceText{Version: v.Hash, Bytes: v.Size, Start: min(in.Start, v.Size)}
	end := min(out.Start+sourceTextBytes, v.Size)
	text, err := s.DB.VersionBytes(ctx, src.AgentRef(), src.ID, v.ID, out.Start, end)
	if err != nil {
		return SourceText{}, err
	}
	text, skipped := wholeCharacters(text, end < v.Size)
	out.Start, out.Text = out.Start+skipped, string(text)
	if next := out.Start + len(text); next < v.Size {
		out.Next = &next
	}
	return out, nil
}

// wholeCharacters leaves out the rest of a character at the beginning of a text and, where it goes on, the part of one
// at its end.
func wholeCharacters(text []byte, goesOn bool) (whole []byte, skipped int) {
	for skipped < min(len(text), utf8.UTFMax-1) && !utf8.RuneStart(text[skipped]) {
		skipped++
	}
	text = text[skipped:]
	for cut := 1; goesOn && cut <= min(len(text), utf8.UTFMax); cut++ {
		if tail := text[len(text)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				text = text[:len(text)-cut]
			}
			break
		}
	}
	return text, skipped
}

func (s *Service) refetchSource(ctx context.Context, in SourceRef) (Source, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Source{}, err
	}
	src, err := s.Ingest.Refetch(ctx, ref, parley.SourceID(in.SourceID))
	if err != nil {
		return Source{}, err
	}
	return s.newSource(ctx, src)
}

// SourcePageQuery asks for a page of an agent's sources.
type SourcePageQuery struct {
	AgentID string `path:"agentId"`
	Paging
}

// Training says how far a source is trained.
type Training struct {
	SourceID string     `json:"sourceId"`
	Type     string     `json:"type"`
	Name     string     `json:"name"`
	State    string     `json:"state"`              // queued, running, done or failed
	Reason   string     `json:"reason,omitempty"`   // why it has failed, or was not read to its end
	Attempts int        `json:"attempts,omitempty"` // that were begun, while it is queued or running
	Since    *time.Time `json:"since"`              // when it was queued or began to run; null when it has ended
	Bytes    int64      `json:"bytes"`              // of a website those of its pages
	Answers  bool       `json:"answers"`            // answers rest on it, even if on an earlier version
}

func (s *Service) listTraining(ctx context.Context, in SourcePageQuery) (Page[Training], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[Training]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Source], error) {
		return s.DB.Sources(ctx, ref, store.SourceFilter{}, p)
	}
	convert := func(found []parley.Source) ([]Training, error) { return s.newTrainings(ctx, found) }
	return readPage(s, in.Paging, []string{"training", in.AgentID}, read, convert)
}

func (s *Service) newTrainings(ctx context.Context, found []parley.Source) ([]Training, error) {
	sources, err := s.newSources(ctx, found)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = string(found[i].ID)
	}
	unfinished, err := jobs.Unfinished(ctx, s.DB.SQL(), ingest.TrainingJobs(), ids)
	if err != nil {
		return nil, err
	}
	jobOf := map[string]*jobs.Progress{}
	for i := range unfinished {
		if p := &unfinished[i]; jobOf[p.Key] == nil || p.State == jobs.StateRunning {
			jobOf[p.Key] = p
		}
	}
	list := make([]Training, len(found))
	for i := range found {
		list[i] = newTraining(found[i].Status, &sources[i], jobOf[ids[i]])
	}
	return list, nil
}

func newTraining(status parley.SourceStatus, src *Source, job *jobs.Progress) Training {
	t := Training{SourceID: src.ID, Type: src.Type, Name: src.Name, State: "done", Reason: src.Reason, Bytes: src.Size,
		Answers: src.Answers}
	switch {
	case status == parley.SourceFailed:
		t.State = "failed"
	case status != parley.SourceUntrained && status != parley.SourceUpdated:
	case job != nil && job.State == jobs.StateRunning:
		t.State, t.Attempts, t.Since = "running", job.Attempts, &job.UpdatedAt
	default:
		t.State, t.Since = "queued", &src.UpdatedAt
		if job != nil {
			t.Attempts = job.Attempts
		}
	}
	return t
}

// SearchTrial is a question that an agent's sources are searched for.
type SearchTrial struct {
	AgentID string `path:"agentId" json:"-"`
	Query   string `json:"query" min:"1" max:"2000"`
	Limit   int    `json:"limit,omitempty" min:"1" max:"50" doc:"Most passages; 12 if it is left out."`
}

// SearchTrialResult is what the search has found, the best first. No model was asked.
type SearchTrialResult struct {
	Method   string              `json:"method"` // words, or words and vectors
	Passages []FoundPassage      `json:"passages"`
	Rerank   *parley.TraceRerank `json:"rerank,omitempty"`
}

// FoundPassage is a passage with its scores.
type FoundPassage struct {
	ID         string   `json:"passageId"`
	SourceID   string   `json:"sourceId"`
	SourceName string   `json:"sourceName"`
	SourceURL  string   `json:"sourceUrl,omitempty"`
	Heading    string   `json:"heading,omitempty"`
	Text       string   `json:"text"`
	Rank       float64  `json:"rank"`   // by which the search orders passages, the highest first
	Score      float64  `json:"score"`  // how likely it answers the question, 0 to 1
	Rerank     *float64 `json:"rerank"` // what the reranking server says of it; null if there is none
}

func (s *Service) trySearch(ctx context.Context, in SearchTrial) (SearchTrialResult, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return SearchTrialResult{}, err
	}
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return SearchTrialResult{}, err
	}
	query := chat.StandaloneTurn{Agent: agent, Question: in.Query}.Query()
	if in.Limit > 0 {
		query.Limit = in.Limit
	}
	embedder, reranker := s.Chat.QueryEmbedderOf(ctx, ref.Account), s.Chat.QueryRerankerOf(ctx, ref.Account)
	out := SearchTrialResult{Method: embedder.EmbedQuery(ctx, s.Indexes, agent, &query), Passages: []FoundPassage{}}
	hits, rerank, err := reranker.Nearest(ctx, s.Indexes, agent, query)
	if err != nil {
		return SearchTrialResult{}, err
	}
	out.Rerank = rerank
	for i := range hits {
		p := &hits[i].Passage
		found := FoundPassage{ID: string(p.ID), SourceID: string(p.SourceID), SourceName: p.SourceName,
			SourceURL: p.SourceURL, Heading: p.Heading, Text: p.Text, Rank: hits[i].Rank, Score: hits[i].Score}
		if rerank != nil && i < len(rerank.Scores) {
			found.Rerank = &rerank.Scores[i]
		}
		out.Passages = append(out.Passages, found)
	}
	return out, nil
}
