package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/insight"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// SourceListQuery asks for a page of an agent's sources.
type SourceListQuery struct {
	AgentID  string   `path:"agentId"`
	Types    []string `query:"types" max:"50" item:"enum=@sourceKind,name=SourceType" doc:"None is all."`
	Statuses []string `query:"statuses" max:"50" item:"enum=@sourceStatus,name=SourceStatus" doc:"None is all."`
	Name     string   `query:"name" doc:"Part of the name; case does not matter."`
	Paging
}

// SourceRow is a source in a list, with how far it is read.
type SourceRow struct {
	Source
	URL       string          `json:"url,omitempty"` // of a link
	CreatedAt time.Time       `json:"createdAt"`
	Metadata  json.RawMessage `json:"metadata" doc:"As in REST v2: null unless the source is a link."`
	Progress  *SourceProgress `json:"progress" doc:"Null unless it is being read."`
}

// SourceProgress says how far the reading of a source is.
type SourceProgress struct {
	Unit  string `json:"unit" enum:"pages,bytes"`
	Done  int64  `json:"done"`
	Total int64  `json:"total" doc:"As far as it is known; 0 while a file is opened."`
}

func (s *Service) listSourcePage(ctx context.Context, in SourceListQuery) (Page[SourceRow], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[SourceRow]{}, err
	}
	filter := store.SourceFilter{Name: in.Name}
	for _, kind := range in.Types {
		filter.Kinds = append(filter.Kinds, parley.SourceKind(kind))
	}
	for _, status := range in.Statuses {
		filter.Statuses = append(filter.Statuses, parley.SourceStatus(status))
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Source], error) {
		return s.DB.Sources(ctx, ref, filter, p)
	}
	convert := func(found []parley.Source) ([]SourceRow, error) { return s.newSourceRows(ctx, found) }
	purpose := []string{"sources", in.AgentID, strings.Join(in.Types, ","), strings.Join(in.Statuses, ","), in.Name}
	return readPage(s, in.Paging, purpose, read, convert)
}

// newSourceRows describes sources of one agent with their progress. What it asks of the database does not grow with
// their number.
func (s *Service) newSourceRows(ctx context.Context, found []parley.Source) ([]SourceRow, error) {
	sources, err := s.newSources(ctx, found)
	if err != nil {
		return nil, err
	}
	rows := make([]SourceRow, len(found))
	for i := range found {
		rows[i] = SourceRow{Source: sources[i], URL: found[i].URL, CreatedAt: found[i].CreatedAt,
			Metadata: found[i].Metadata}
	}
	return rows, s.addProgress(ctx, rows, found)
}

func (s *Service) newSourceRow(ctx context.Context, src *parley.Source) (SourceRow, error) {
	rows, err := s.newSourceRows(ctx, []parley.Source{*src})
	if err != nil {
		return SourceRow{}, err
	}
	return rows[0], nil
}

// addProgress adds how far those sources are that are being read.
func (s *Service) addProgress(ctx context.Context, rows []SourceRow, found []parley.Source) error {
	var links []parley.SourceID
	var versions []parley.VersionID
	for i := range found {
		switch src := &found[i]; {
		case !isBeingRead(src):
		case src.Kind.HasPages():
			links = append(links, src.ID)
		default:
			versions = append(versions, src.WantedVersion)
		}
	}
	if len(links)+len(versions) == 0 {
		return nil
	}
	pages, err := s.DB.CrawlsProgress(ctx, found[0].AgentRef(), links)
	if err != nil {
		return err
	}
	texts, err := s.DB.VersionsProgress(ctx, found[0].AgentRef(), versions)
	if err != nil {
		return err
	}
	for i := range found {
		rows[i].Progress = newProgress(&found[i], pages, texts)
	}
	return nil
}

func isBeingRead(src *parley.Source) bool {
	return src.Status == parley.SourceUntrained || src.Status == parley.SourceUpdated
}

// newProgress returns how far a source is; nil if it is not being read, or if another version came in between.
func newProgress(src *parley.Source, pages map[parley.SourceID]store.Progress,
	texts map[parley.VersionID]store.Progress) *SourceProgress {
	if !isBeingRead(src) {
		return nil
	}
	if src.Kind.HasPages() {
		p := pages[src.ID]
		return &SourceProgress{Unit: "pages", Done: p.Done, Total: p.Total}
	}
	p, isThere := texts[src.WantedVersion]
	if !isThere {
		return nil
	}
	return &SourceProgress{Unit: "bytes", Done: p.Done, Total: p.Total}
}

// SourceDetails is a source with what people have written into it.
type SourceDetails struct {
	SourceRow
	Questions []string `json:"questions,omitempty"` // of questions with their answer
	Answer    string   `json:"answer,omitempty"`
	Waiting   string   `json:"waiting,omitempty" doc:"Why it cannot be read at the moment; empty as a rule."`
}

func (s *Service) getSource(ctx context.Context, in SourceRef) (SourceDetails, error) {
	src, err := s.findSource(ctx, in)
	if err != nil {
		return SourceDetails{}, err
	}
	var out SourceDetails
	if out.SourceRow, err = s.newSourceRow(ctx, src); err != nil {
		return out, err
	}
	if isBeingRead(src) {
		out.Waiting = describeOutage(s.Ingest.Outage(src.ID))
	}
	if src.Kind != parley.SourceQnA {
		return out, nil
	}
	content, err := s.DB.VersionContent(ctx, src.AgentRef(), src.ID, src.WantedVersion)
	if err != nil || content == nil {
		return out, err
	}
	if err := json.Unmarshal(content, &out); err != nil {
		return out, fmt.Errorf("content of source %s: %w", src.ID, err)
	}
	return out, nil
}

// describeOutage says for members why a source cannot be read at the moment; empty for nil.
func describeOutage(err error) string {
	switch {
	case err == nil:
		return ""
	case sqldb.IsFull(err):
		return "It waits until there is space: the database is full."
	}
	return "It waits until the database answers again."
}

// SourceVersion is a version of a source that is kept.
type SourceVersion struct {
	Version   string    `json:"version"` // hash, as citations name it
	State     string    `json:"state" enum:"answers,reading,earlier,failed"`
	Bytes     int       `json:"bytes"` // of its text
	CreatedAt time.Time `json:"createdAt"`
}

// SourceVersions lists the versions of a source that are kept, the newest first.
type SourceVersions struct {
	Versions []SourceVersion `json:"versions"`
}

const maxListedVersions = 50

func (s *Service) listSourceVersions(ctx context.Context, in SourceRef) (SourceVersions, error) {
	src, err := s.findSource(ctx, in)
	if err != nil {
		return SourceVersions{}, err
	}
	found, err := s.DB.SourceVersions(ctx, src.AgentRef(), src.ID, maxListedVersions)
	out := SourceVersions{Versions: make([]SourceVersion, len(found))}
	for i, v := range found {
		out.Versions[i] = SourceVersion{Version: v.Hash, State: versionState(src, v.ID), Bytes: v.Size,
			CreatedAt: v.CreatedAt}
	}
	return out, err
}

func versionState(src *parley.Source, id parley.VersionID) string {
	switch {
	case id == src.LiveVersion:
		return "answers"
	case id != src.WantedVersion:
		return "earlier"
	case src.Status == parley.SourceFailed:
		return "failed"
	default:
		return "reading"
	}
}

// PassageQuery asks for the passages of the version of a source that the agent answers from.
type PassageQuery struct {
	SourceRef
	Paging
}

// SourcePassage is a passage of a source.
type SourcePassage struct {
	ID      string `json:"passageId"`
	Number  int    `json:"number"` // from 1, in the order of the text
	Heading string `json:"heading,omitempty"`
	Start   int    `json:"start"` // bytes in the text of the source
	End     int    `json:"end"`
	Text    string `json:"text"`
}

func (s *Service) listPassages(ctx context.Context, in PassageQuery) (Page[SourcePassage], error) {
	src, err := s.findSource(ctx, in.SourceRef)
	if err != nil {
		return Page[SourcePassage]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[store.VersionPassage], error) {
		return s.DB.VersionPassages(ctx, src.AgentRef(), src.ID, src.LiveVersion, p)
	}
	return readPage(s, in.Paging, []string{"passages", in.AgentID, in.SourceID, string(src.LiveVersion)}, read,
		eachBy(func(p *store.VersionPassage) SourcePassage {
			return SourcePassage{ID: string(p.ID), Number: p.Ordinal + 1, Heading: p.Heading, Start: p.Start, End: p.End,
				Text: p.Text}
		}))
}

// PathTrial asks what the settings of a website say of addresses.
type PathTrial struct {
	AgentID          string   `path:"agentId" json:"-"`
	URL              string   `json:"url" min:"1" max:"2000"`
	LinkType         string   `json:"linkType" enum:"crawl,sitemap"`
	ExcludePaths     []string `json:"excludePaths,omitempty" max:"1000" item:"max=2000"`
	IncludeOnlyPaths []string `json:"includeOnlyPaths,omitempty" max:"1000" item:"max=2000"`
	Addresses        []string `json:"addresses" max:"200" item:"max=2000" doc:"May be relative to the url."`
}

// PathTrialResult has a verdict for each address.
type PathTrialResult struct {
	Verdicts []PathVerdict `json:"verdicts"`
}

// PathVerdict says whether an address is read.
type PathVerdict struct {
	Address string        `json:"address"`
	Verdict crawl.Verdict `json:"verdict" enum:"read,leftOut,otherSite,noAddress,startOnly"`
}

func (s *Service) tryPaths(ctx context.Context, in PathTrial) (PathTrialResult, error) {
	if _, err := s.findAgent(ctx, in.AgentID); err != nil {
		return PathTrialResult{}, err
	}
	site := crawl.Site{Start: in.URL, Kind: crawl.Kind(in.LinkType), Exclude: in.ExcludePaths,
		Include: in.IncludeOnlyPaths}
	verdicts, faults := site.Judge(in.Addresses)
	if err := parley.InvalidFields(faults); err != nil {
		return PathTrialResult{}, err
	}
	out := PathTrialResult{Verdicts: make([]PathVerdict, len(verdicts))}
	for i, v := range verdicts {
		out.Verdicts[i] = PathVerdict{in.Addresses[i], v}
	}
	return out, nil
}

// What the use of sources is counted over: the newest answers of the last month, so that it costs the same however long
// an agent has answered.
const (
	usePeriod  = 30 * 24 * time.Hour
	maxAnswers = 1000
)

// KnowledgeUse says how large the sources of an agent are, and which of them its answers rest on.
type KnowledgeUse struct {
	Size    int64       `json:"size"`    // bytes of all sources
	Limit   *int64      `json:"limit"`   // bytes that the plan allows; null for no limit
	Answers int         `json:"answers"` // that were looked at: of the last 30 days, the newest 1,000
	Since   time.Time   `json:"since"`
	Sources []SourceUse `json:"sources"` // that were cited, the most cited first
}

// SourceUse counts the answers that cite a source; the pages of a website count as the website.
type SourceUse struct {
	SourceID string `json:"sourceId"`
	Answers  int    `json:"answers"`
}

func (s *Service) getKnowledgeUse(ctx context.Context, in AgentRef) (KnowledgeUse, error) {
	account, id, err := s.findOwner(ctx, in.ID)
	if err != nil {
		return KnowledgeUse{}, err
	}
	ref := account.ID.AgentRef(id)
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return KnowledgeUse{}, err
	}
	plan, _ := s.Accounts.Plans.Plan(account.Plan)
	out := KnowledgeUse{Size: agent.Size, Limit: plan.StoragePerAgent, Since: s.Now().Add(-usePeriod)}
	cited, err := s.DB.CitedSources(ctx, ref, out.Since, maxAnswers)
	if err != nil {
		return out, err
	}
	out.Answers = len(cited)
	out.Sources, err = s.countUse(ctx, ref, cited)
	return out, err
}

// countUse counts the answers that cite each source, once for each answer.
func (s *Service) countUse(ctx context.Context, ref parley.AgentRef, cited [][]parley.SourceID) ([]SourceUse, error) {
	ids := map[parley.SourceID]bool{}
	for _, sources := range cited {
		for _, id := range sources {
			ids[id] = true
		}
	}
	sites, err := s.DB.SitesOfPages(ctx, ref, slices.Sorted(maps.Keys(ids)))
	if err != nil {
		return nil, err
	}
	counts := map[parley.SourceID]int{}
	for _, sources := range cited {
		inAnswer := map[parley.SourceID]bool{}
		for _, id := range sources {
			inAnswer[cmp.Or(sites[id], id)] = true
		}
		for id := range inAnswer {
			counts[id]++
		}
	}
	list := []SourceUse{}
	for id, n := range counts {
		list = append(list, SourceUse{string(id), n})
	}
	slices.SortFunc(list, func(a, b SourceUse) int {
		return cmp.Or(cmp.Compare(b.Answers, a.Answers), cmp.Compare(a.SourceID, b.SourceID))
	})
	return list, nil
}

// addReadPages adds what the agent knows of addresses that it has read.
func (s *Service) addReadPages(ctx context.Context, site *parley.Source, list []SitePage) error {
	urls := make([]string, len(list))
	for i := range list {
		urls[i] = list[i].URL
	}
	pages, err := s.DB.ReadPages(ctx, site, urls)
	if err != nil {
		return err
	}
	pageOf := map[string]*store.ReadPage{}
	for i := range pages {
		pageOf[pages[i].URL] = &pages[i]
	}
	for i := range list {
		if p := pageOf[list[i].URL]; p != nil {
			list[i].SourceID, list[i].ReadAt, list[i].Passages = string(p.ID), &p.ReadAt, p.Passages
		}
	}
	return nil
}

// AgentDay is what there is to say of an agent today, which is a day by the time zone of the account.
type AgentDay struct {
	store.InsightCounts
	// milliseconds until the first text of half of today's answers; null without answers. Of the newest 1,000.
	FirstText *float64 `json:"firstTextMillis"`
	// conversations in which the customer waits for a person, as the inbox lists them; at most 1,000
	Waiting     int            `json:"waiting"`
	FailedCount int            `json:"failedCount"`   // sources that could not be read
	Failed      []FailedSource `json:"failedSources"` // the newest three of them
}

// FailedSource is a source that could not be read.
type FailedSource struct {
	SourceID string `json:"sourceId"`
	Name     string `json:"name"`
	Reason   string `json:"reason"`
	// of a reason that is known, for texts in other languages
	ReasonCode string `json:"reasonCode,omitempty"`
}

const maxNamedFailures = 3

func (s *Service) getAgentDay(ctx context.Context, in AgentRef) (AgentDay, error) {
	account, agent, err := s.findOwner(ctx, in.ID)
	if err != nil {
		return AgentDay{}, err
	}
	ref, today := account.ID.AgentRef(agent), account.DayStart(s.Now())
	work, err := s.DB.OpenWork(ctx, ref, today, maxAnswers)
	if err != nil {
		return AgentDay{}, err
	}
	counts, err := s.DB.CountInsights(ctx, ref, today)
	if err != nil {
		return AgentDay{}, err
	}
	failed, err := s.DB.Sources(ctx, ref, store.SourceFilter{Statuses: []parley.SourceStatus{parley.SourceFailed}},
		parley.PageRequest{Limit: maxNamedFailures})
	out := AgentDay{InsightCounts: counts, FirstText: median(work.FirstWords), Waiting: work.Waiting,
		FailedCount: failed.Total, Failed: make([]FailedSource, len(failed.Items))}
	for i := range failed.Items {
		src := &failed.Items[i]
		out.Failed[i] = FailedSource{string(src.ID), src.Name, src.Failure, ingest.ReasonCode(src.Failure)}
	}
	return out, err
}

// FirstTextQuery asks how soon an agent has answered on some days. Without them it is about the last 30.
type FirstTextQuery struct {
	AgentID string `path:"agentId"`
	From    string `query:"from" doc:"First day (YYYY-MM-DD, UTC), counted whole."`
	To      string `query:"to" doc:"Last day (YYYY-MM-DD, UTC), counted whole."`
}

// FirstText says how soon an agent has answered.
type FirstText struct {
	Millis  *float64 `json:"millis" doc:"Until the first text of half of the answers; null without any."`
	Answers int      `json:"answers" doc:"That were looked at: the newest 1,000."`
}

func (s *Service) getFirstText(ctx context.Context, in FirstTextQuery) (FirstText, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return FirstText{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return FirstText{}, err
	}
	list, err := s.DB.FirstTexts(ctx, ref, from, to.AddDate(0, 0, 1), maxAnswers)
	return FirstText{median(list), len(list)}, err
}

// SentimentQuery asks how customers felt on some days. Without them it is about the last 30.
type SentimentQuery struct {
	AgentID string `path:"agentId"`
	From    string `query:"from" doc:"First day (YYYY-MM-DD, UTC), counted whole."`
	To      string `query:"to" doc:"Last day (YYYY-MM-DD, UTC), counted whole."`
}

// SentimentWeek is how the customers of a week felt, in numbers of conversations.
type SentimentWeek struct {
	From        string `json:"from" doc:"First day, UTC."`
	To          string `json:"to" doc:"Last day, UTC."`
	Positive    int64  `json:"positive"`
	Neutral     int64  `json:"neutral"`
	Negative    int64  `json:"negative"`
	Unspecified int64  `json:"unspecified" doc:"Of which that is not known."`
}

// SentimentWeeks is how customers felt, week by week.
type SentimentWeeks struct {
	Weeks []SentimentWeek `json:"weeks" doc:"From Monday to Sunday, within the days, in their order."`
}

func (s *Service) getSentimentWeeks(ctx context.Context, in SentimentQuery) (SentimentWeeks, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return SentimentWeeks{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return SentimentWeeks{}, err
	}
	days, err := s.DB.CountSentiments(ctx, ref, from, to)
	return SentimentWeeks{sumWeeks(days, from, to)}, err
}

// sumWeeks adds up days, which are in their order.
func sumWeeks(days []store.SentimentDay, from, to time.Time) (weeks []SentimentWeek) {
	for start := from; !start.After(to); {
		end := start.AddDate(0, 0, (7-int(start.Weekday()))%7) // the next Sunday
		if end.After(to) {
			end = to
		}
		week := SentimentWeek{From: start.Format(time.DateOnly), To: end.Format(time.DateOnly)}
		for len(days) > 0 && days[0].Day <= week.To {
			*week.count(parley.Sentiment(days[0].Sentiment)) += days[0].Conversations
			days = days[1:]
		}
		weeks, start = append(weeks, week), end.AddDate(0, 0, 1)
	}
	return weeks
}

// count returns the number of a sentiment.
func (w *SentimentWeek) count(of parley.Sentiment) *int64 {
	switch of {
	case parley.SentimentPositive:
		return &w.Positive
	case parley.SentimentNeutral:
		return &w.Neutral
	case parley.SentimentNegative:
		return &w.Negative
	}
	return &w.Unspecified
}

// median returns a number that half of those in the list are not above; nil for none.
func median(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(list))
	return &sorted[(len(sorted)-1)/2]
}
