package admin

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/store"
)

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

// AgentDay is what there is to say of an agent today.
type AgentDay struct {
	// milliseconds until the first text of half of today's answers; null without answers. Of the newest 1,000.
	FirstText *float64 `json:"firstTextMillis"`
	// conversations with a person in which the customer wrote last, of the newest 1,000
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
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return AgentDay{}, err
	}
	work, err := s.DB.OpenWork(ctx, ref, s.Now().UTC().Truncate(24*time.Hour), maxAnswers)
	if err != nil {
		return AgentDay{}, err
	}
	failed, err := s.DB.Sources(ctx, ref, store.SourceFilter{Statuses: []parley.SourceStatus{parley.SourceFailed}},
		parley.PageRequest{Limit: maxNamedFailures})
	out := AgentDay{FirstText: median(work.FirstWords), Waiting: work.Waiting, FailedCount: failed.Total,
		Failed: make([]FailedSource, len(failed.Items))}
	for i := range failed.Items {
		src := &failed.Items[i]
		out.Failed[i] = FailedSource{string(src.ID), src.Name, src.Failure, ingest.ReasonCode(src.Failure)}
	}
	return out, err
}

// median returns a number that half of those in the list are not above; nil for none.
func median(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(list))
	return &sorted[(len(sorted)-1)/2]
}
