package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/manifest"
	"parley/internal/store"
)

// ApplyManifest asks to make an account's agents what documents say.
type ApplyManifest struct {
	AccountID string            `path:"accountId" json:"-"`
	Documents []json.RawMessage `json:"documents" max:"1000"`
	Text      string            `json:"text,omitempty" doc:"YAML, in the place of documents. It may not name files."`
	Secrets   map[string]string `json:"secrets,omitempty"` // by name, for ${NAME} in documents; never printed or logged
	Prune     bool              `json:"prune"`
	DryRun    bool              `json:"dryRun"`
}

// ManifestResult lists what became of the agents, or in a dry run would become of them.
type ManifestResult struct {
	Agents []manifest.ApplyResult `json:"agents"`
}

// AgentRef names an agent.
type AgentRef struct {
	ID string `path:"agentId"`
}

// unknownModel is what is wrong with the name of a model that no agent can get.
const unknownModel = "must be a model that this server offers"

// Agent is an agent as the operator sees it.
type Agent struct {
	ID            string     `json:"agentId"`
	AccountID     string     `json:"accountId"`
	Name          string     `json:"name"`
	Status        string     `json:"status" enum:"@agentStatus"` // of its sources together
	Size          int64      `json:"size"`                       // bytes of all sources
	Model         string     `json:"model"`
	Visibility    string     `json:"visibility" enum:"@visibility"`
	CreatedAt     time.Time  `json:"createdAt"`
	LastMessageAt *time.Time `json:"lastMessageAt"`
}

func newAgent(a *parley.Agent) Agent {
	return Agent{ID: string(a.ID), AccountID: string(a.AccountID), Name: a.Name, Status: string(a.Status()), Size: a.Size,
		Model: a.Model, Visibility: a.Visibility, CreatedAt: a.CreatedAt, LastMessageAt: a.LastMessageAt}
}

// AgentDetails is an agent with its settings as a manifest names them.
type AgentDetails struct {
	Agent
	AgentSettings
}

// AgentQuery asks for the agents of one account or of all, the newest of each first.
type AgentQuery struct {
	AccountID string `query:"accountId"`
	Limit     int    `query:"limit" default:"50" min:"1"` // most of them
}

func (s *Service) listAgents(ctx context.Context, in AgentQuery) ([]Agent, error) {
	accounts, err := s.accountIDs(ctx, parley.AccountID(in.AccountID))
	list := []Agent{}
	for i := 0; err == nil && i < len(accounts) && len(list) < in.Limit; i++ {
		var page parley.Page[parley.Agent]
		page, err = s.DB.Agents(ctx, accounts[i], s.Now(), parley.PageRequest{Limit: in.Limit - len(list)})
		list = append(list, httpapi.ConvertList(page.Items, newAgent)...)
	}
	return list, err
}

// accountIDs returns the id of one account, or of all where it is empty. It fails with ACCOUNT_NOT_FOUND.
func (s *Service) accountIDs(ctx context.Context, id parley.AccountID) ([]parley.AccountID, error) {
	if id != "" {
		_, err := s.DB.Account(ctx, id)
		return []parley.AccountID{id}, err
	}
	accounts, err := s.Accounts.List(ctx)
	return httpapi.ConvertList(accounts, func(a *parley.Account) parley.AccountID { return a.ID }), err
}

// NewAgent asks for an agent.
type NewAgent struct {
	AccountID    string  `path:"accountId" json:"-"`
	Name         string  `json:"name" min:"1" max:"100" format:"name"`
	Instructions string  `json:"instructions,omitempty"`
	Model        string  `json:"model,omitempty"`
	Temp         float64 `json:"temp,omitempty" min:"0" max:"1"`
	Visibility   string  `json:"visibility,omitempty" enum:"@visibility" default:"private"`
}

func (s *Service) createAgent(ctx context.Context, in NewAgent) (AgentDetails, error) {
	caller, err := s.findAccountCaller(ctx, in.AccountID)
	if err != nil {
		return AgentDetails{}, err
	}
	if in.Model != "" && !s.Chat.Models.CanSet(in.Model) {
		return AgentDetails{}, parley.Invalid("model", unknownModel)
	}
	id, _, err := s.Agents.Create(ctx, caller, agents.NewAgent{Name: in.Name, Instructions: in.Instructions,
		Model: in.Model, Temp: in.Temp, Visibility: in.Visibility})
	if err != nil {
		return AgentDetails{}, err
	}
	return s.getAgent(ctx, AgentRef{string(id)})
}

func (s *Service) getAgent(ctx context.Context, in AgentRef) (AgentDetails, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return AgentDetails{}, err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return AgentDetails{}, err
	}
	settings, err := s.newAgentSettings(a)
	return AgentDetails{newAgent(a), settings}, err
}

func (s *Service) deleteAgent(ctx context.Context, in AgentRef) (AgentDetails, error) {
	deleted, err := s.getAgent(ctx, in)
	if err != nil {
		return AgentDetails{}, err
	}
	ref := parley.AccountID(deleted.AccountID).AgentRef(parley.AgentID(deleted.ID))
	return deleted, s.Agents.Delete(ctx, ref)
}

func (s *Service) apply(ctx context.Context, in ApplyManifest) (ManifestResult, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return ManifestResult{}, err
	}
	caller, err := s.findAccountCaller(ctx, in.AccountID)
	if err != nil {
		return ManifestResult{}, err
	}
	file, err := in.readText()
	if err != nil {
		return ManifestResult{}, err
	}
	results, err := s.Manifests.Apply(store.WithActor(ctx, s.actor()), manifest.ApplyRequest{
		Caller:    caller,
		Actor:     s.actor(),
		Documents: in.Documents,
		Secrets:   in.Secrets,
		Prune:     in.Prune,
		DryRun:    in.DryRun,
	})
	return ManifestResult{results}, inLines(file, err)
}

// readText reads the documents of the text of a manifest, if there is one.
func (in *ApplyManifest) readText() (*manifest.File, error) {
	if in.Text == "" {
		return nil, nil
	}
	file := manifest.Read("manifest", []byte(in.Text), manifest.Environment{
		Open: func(string) (io.ReadCloser, error) { return nil, errNoFiles },
		Env:  func(name string) string { return in.Secrets[name] },
	})
	for i := range file.Documents {
		in.Documents = append(in.Documents, file.Documents[i].JSON)
	}
	return file, parley.InvalidFields(lineFaults(file.Faults))
}

// lineFaults returns what is wrong in the text of a manifest by its lines, each with the paths of its values.
func lineFaults(notes []manifest.Note) map[string]string {
	faults := map[string]string{}
	for _, n := range manifest.SortNotes(notes) {
		place := "text"
		if n.Line > 0 {
			place += "." + strconv.Itoa(n.Line)
		}
		fault := strings.TrimPrefix(n.Path+": "+n.Text, ": ")
		if before := faults[place]; before != "" {
			fault = before + "\n" + fault
		}
		faults[place] = fault
	}
	return faults
}

// inLines names the faults of documents by the lines of the text that they are from.
func inLines(file *manifest.File, err error) error {
	if file == nil || !parley.IsCode(err, parley.CodeInvalidBody) {
		return err
	}
	var notes []manifest.Note
	for path, text := range parley.AsError(err).Details {
		notes = append(notes, file.Locate(path, text))
	}
	return parley.InvalidFields(lineFaults(notes))
}

var errNoFiles = errors.New("a manifest that is sent as text may not name files")

// ManifestQuery asks for an agent as a manifest.
type ManifestQuery struct {
	ID     string `path:"agentId"`
	AsText bool   `query:"text" doc:"Whether it is wanted as YAML as well."`
}

// ExportedAgent is an agent as a manifest.
type ExportedAgent struct {
	manifest.ExportResult
	Text string `json:"text,omitempty"`
}

func (s *Service) exportAgent(ctx context.Context, in ManifestQuery) (ExportedAgent, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return ExportedAgent{}, err
	}
	x, err := s.Manifests.Export(ctx, ref.Agent)
	if err != nil {
		return ExportedAgent{}, err
	}
	out := ExportedAgent{ExportResult: *x}
	if in.AsText {
		out.Text, err = manifest.Write(x.Document)
	}
	return out, err
}

// SourceQuery asks for an agent's sources, newest first.
type SourceQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Source is a source as the operator sees it.
type Source struct {
	ID     string `json:"sourceId"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it has failed, or was not read to its end
	// of a reason that is known, for texts in other languages
	ReasonCode string    `json:"reasonCode,omitempty"`
	Answers    bool      `json:"answers"` // answers rest on it, even if on an earlier version
	Size       int64     `json:"size"`    // bytes; of a website those of its pages
	UpdatedAt  time.Time `json:"updatedAt"`
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
	return s.newSources(ctx, page.Items)
}

// newSources describes sources of one agent. What it asks of the database does not grow with their number.
func (s *Service) newSources(ctx context.Context, found []parley.Source) ([]Source, error) {
	var sites []parley.SourceID
	for i := range found {
		if found[i].Kind.HasPages() {
			sites = append(sites, found[i].ID)
		}
	}
	pages := map[parley.SourceID]store.SitePages{}
	if len(sites) > 0 {
		var err error
		if pages, err = s.DB.SumSitePages(ctx, found[0].AgentRef(), sites); err != nil {
			return nil, err
		}
	}
	list := make([]Source, len(found))
	for i := range found {
		list[i] = describeSource(&found[i], pages[found[i].ID])
	}
	return list, nil
}

func (s *Service) newSource(ctx context.Context, source *parley.Source) (Source, error) {
	list, err := s.newSources(ctx, []parley.Source{*source})
	if err != nil {
		return Source{}, err
	}
	return list[0], nil
}

func describeSource(source *parley.Source, pages store.SitePages) Source {
	return Source{
		ID:         string(source.ID),
		Type:       string(source.Kind),
		Name:       source.Name,
		Status:     string(source.Status),
		Reason:     source.Failure,
		ReasonCode: ingest.ReasonCode(source.Failure),
		Answers:    source.LiveVersion != "" || pages.Live > 0,
		Size:       source.Size + pages.Size,
		UpdatedAt:  source.UpdatedAt,
	}
}

// InsightsQuery asks for the sums of an agent's conversations. Without days it is about the last 30.
type InsightsQuery struct {
	AgentID string              `path:"agentId"`
	From    string              `query:"from"` // 2026-01-31
	To      string              `query:"to"`
	GroupBy parley.InsightGroup `query:"by" enum:"@insightGroup" default:"day"`
}

func (s *Service) showInsights(ctx context.Context, in InsightsQuery) (insight.Report, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return insight.Report{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return insight.Report{}, err
	}
	r, err := s.Insight.Report(ctx, account, agent, insight.ReportRange{From: from, To: to, By: in.GroupBy})
	if err != nil {
		return insight.Report{}, err
	}
	return *r, nil
}

// FigureQuery asks for a page of the conversations that a figure counts. Without days it is about the last 30.
type FigureQuery struct {
	AgentID string `path:"agentId"`
	Figure  string `query:"figure" required:"true" enum:"resolved,unresolved,refused,question"`
	AskedAt int64  `query:"askedAt" min:"0" doc:"Of question: when the newest of its group was asked, epoch seconds."`
	From    string `query:"from" doc:"First day (YYYY-MM-DD, UTC), counted whole."`
	To      string `query:"to" doc:"Last day (YYYY-MM-DD, UTC), counted whole."`
	Paging
}

// CountedConversation is a conversation that a figure counts.
type CountedConversation struct {
	ID           string    `json:"conversationId"`
	Title        string    `json:"title"`
	Source       string    `json:"source"`
	Status       string    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`
	LastActivity time.Time `json:"lastActivity"`
}

func (s *Service) listCounted(ctx context.Context, in FigureQuery) (Page[CountedConversation], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[CountedConversation]{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return Page[CountedConversation]{}, err
	}
	if in.Figure == "question" {
		return s.listAskers(ctx, ref, insight.ReportRange{From: from, To: to}, in.AskedAt)
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Insight], error) {
		return s.DB.InsightsOfFigure(ctx, ref, store.InsightFigure(in.Figure), from, to.AddDate(0, 0, 1), p)
	}
	convert := func(found []parley.Insight) ([]CountedConversation, error) { return s.newCounted(ctx, ref, found) }
	purpose := []string{"figure", in.AgentID, in.Figure, from.Format(time.DateOnly), to.Format(time.DateOnly)}
	return readPage(s, in.Paging, purpose, read, convert)
}

// listAskers lists the conversations in which a question was asked that the sources do not answer, in one page.
func (s *Service) listAskers(ctx context.Context, ref parley.AgentRef, days insight.ReportRange,
	askedAt int64) (Page[CountedConversation], error) {
	account, err := s.DB.Account(ctx, ref.Account)
	if err != nil {
		return Page[CountedConversation]{}, err
	}
	ids, err := s.Insight.OpenGroupConversations(ctx, account, ref.Agent, days, askedAt)
	if err != nil {
		return Page[CountedConversation]{}, err
	}
	found := httpapi.ConvertList(ids, func(id *parley.ConversationID) parley.Insight {
		return parley.Insight{ConversationID: *id}
	})
	list, err := s.newCounted(ctx, ref, found)
	return Page[CountedConversation]{Data: list}, err
}

// newCounted returns the conversations of insights in their order. Those that were deleted meanwhile are left out.
func (s *Service) newCounted(ctx context.Context, ref parley.AgentRef,
	found []parley.Insight) ([]CountedConversation, error) {
	ids := make([]parley.ConversationID, len(found))
	for i := range found {
		ids[i] = found[i].ConversationID
	}
	conversations, err := s.DB.ConversationsByID(ctx, ref, ids)
	if err != nil {
		return nil, err
	}
	byID := map[parley.ConversationID]*parley.Conversation{}
	for i := range conversations {
		byID[conversations[i].ID] = &conversations[i]
	}
	list := []CountedConversation{}
	for _, id := range ids {
		if c := byID[id]; c != nil {
			list = append(list, CountedConversation{ID: string(c.ID), Title: c.Title, Source: string(c.Channel),
				Status: string(c.Status), CreatedAt: c.CreatedAt, LastActivity: c.UpdatedAt})
		}
	}
	return list, nil
}

func (s *Service) findOwner(ctx context.Context, id string) (*parley.Account, parley.AgentID, error) {
	ref, err := s.findAgent(ctx, id)
	if err != nil {
		return nil, ref.Agent, err
	}
	account, err := s.DB.Account(ctx, ref.Account)
	return account, ref.Agent, err
}

// RebuildRequest asks for a step of judging an agent's conversations again: the one that follows the progress. Steps
// are asked for until the work is done.
type RebuildRequest struct {
	AgentID  string           `path:"agentId" json:"-"`
	Progress insight.Progress `json:"at"`
}

func (s *Service) rebuildInsights(ctx context.Context, in RebuildRequest) (insight.Progress, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return in.Progress, err
	}
	return s.Insight.Rebuild(ctx, account.ID.AgentRef(agent), in.Progress)
}

// FiguresQuery asks what the last week of agents came to.
type FiguresQuery struct {
	AccountID string   `query:"accountId" doc:"The account of the agents; may be left out where it is known."`
	AgentIDs  []string `query:"agentIds" max:"100"`
}

// AgentFigures is what the conversations of an agent came to in the last seven days, today included.
type AgentFigures struct {
	AgentID       string   `json:"agentId"`
	Conversations int64    `json:"conversations"`
	Days          []int64  `json:"days"`         // conversations of each day
	ResolvedRate  *float64 `json:"resolvedRate"` // null if no conversation had a question
	Unanswered    int64    `json:"unanswered"`   // questions that the sources did not answer
}

const figureDays = 7

// listFigures lists the figures of those agents in which there was anything to count.
func (s *Service) listFigures(ctx context.Context, in FiguresQuery) ([]AgentFigures, error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	ids := make([]parley.AgentID, len(in.AgentIDs))
	for i, id := range in.AgentIDs {
		ids[i] = parley.AgentID(id)
	}
	to := s.Now().UTC().Truncate(24 * time.Hour)
	from := to.AddDate(0, 0, 1-figureDays)
	days, err := s.DB.SumAgentDays(ctx, account, ids, from, to)
	if err != nil {
		return nil, err
	}
	open, err := s.DB.CountAgentQuestions(ctx, account, ids, from, to.AddDate(0, 0, 1))
	return newFigures(ids, days, open, from), err
}

func newFigures(ids []parley.AgentID, days []store.AgentDay, open map[parley.AgentID]int64,
	from time.Time) []AgentFigures {
	sums := map[parley.AgentID]*store.InsightSums{}
	byDay := map[parley.AgentID]map[string]int64{}
	for _, d := range days {
		if sums[d.Agent] == nil {
			sums[d.Agent], byDay[d.Agent] = &store.InsightSums{}, map[string]int64{}
		}
		sums[d.Agent].Add(d.InsightSums)
		byDay[d.Agent][d.Day] = d.Conversations
	}
	list := []AgentFigures{}
	for _, id := range ids {
		if sums[id] == nil && open[id] == 0 {
			continue
		}
		total := store.InsightSums{}
		if sums[id] != nil {
			total = *sums[id]
		}
		f := AgentFigures{AgentID: string(id), Conversations: total.Conversations, Days: make([]int64, figureDays),
			ResolvedRate: insight.ResolutionRate(total), Unanswered: open[id]}
		for day := range figureDays {
			f.Days[day] = byDay[id][from.AddDate(0, 0, day).Format(time.DateOnly)]
		}
		list = append(list, f)
	}
	return list
}
