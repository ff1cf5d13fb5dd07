package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"parley"
)

const (
	firstScan        = 100 // conversations that a list looks at, after as many as it shows, before it asks the index
	secondScan       = 500 // where the first has shown that many match
	minHitsForRescan = 3
	longScanBatch    = 2000 // that it looks at at a time afterwards
	maxSorted        = 2000 // that are sorted by activity; more are so many that looking at all finds them soon
)

// listPage finds conversations without words: the latest active first.
func (s *searchRun) listPage(ctx context.Context, at *cursorPosition) (*Page, error) {
	found, err := s.listDocs(ctx, at)
	if err != nil {
		return nil, err
	}
	page := &Page{}
	if len(found) > s.plan.limit {
		found = found[:s.plan.limit]
		last := found[len(found)-1]
		page.Cursor = s.sealCursor(cursorPosition{cursorList, last.active, string(last.id)})
	}
	page.Hits, err = s.loadHits(ctx, found)
	return page, err
}

// listDocs finds conversations without words behind a place, the latest active first: more than a page of them, or all.
func (s *searchRun) listDocs(ctx context.Context, at *cursorPosition) ([]doc, error) {
	on, err := findLivePartition(ctx, s.DB.SQL(), s.account.AgentRef(s.agent))
	if err != nil || on == nil {
		return nil, err
	}
	before := parley.Cursor{SortValue: s.plan.active.before, ID: ""}
	if at != nil {
		before = parley.Cursor{SortValue: at.value, ID: at.id}
	}
	var found []doc
	end := false
	for _, step := range []int{s.plan.limit + 1, firstScan, secondScan} {
		if len(found) > s.plan.limit || end || step == secondScan && len(found) < minHitsForRescan {
			break
		}
		var more []doc
		if more, before, end, err = s.scanByActivity(ctx, on, before, step, step); err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if len(found) <= s.plan.limit && !end {
		more, err := s.listRest(ctx, on, before)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// listRest finds what a glance has not: where few match the index names them all, where many do looking on finds some
// soon.
func (s *searchRun) listRest(ctx context.Context, on *agentPartition, before parley.Cursor) ([]doc, error) {
	if len(s.plan.filters)+len(s.plan.days) > 0 {
		few, rest, err := s.candidates(ctx, on, on.lastNumber+1, maxSorted, loadDocs)
		if err != nil {
			return nil, err
		}
		if rest == 0 {
			few = slices.DeleteFunc(few, func(d doc) bool { return !isAfterMark(&d, before) })
			slices.SortFunc(few, compareActivity)
			return few, nil
		}
	}
	found, _, _, err := s.scanByActivity(ctx, on, before, longScanBatch, math.MaxInt)
	return found, err
}

// scanByActivity goes through conversations by their activity until it has more than a page or has looked at so many.
// It returns where it stopped, and whether that is the end.
func (s *searchRun) scanByActivity(ctx context.Context, on *agentPartition, before parley.Cursor, step,
	limit int) (found []doc, stop parley.Cursor, end bool, err error) {
	for looked := 0; looked < limit; {
		list, err := newestDocs(ctx, s.DB.SQL(), on.number, before, s.plan.active.from, step)
		if err != nil {
			return nil, before, false, err
		}
		for i := range list {
			if s.plan.matches(&list[i]) {
				found = append(found, list[i])
			}
		}
		if len(list) < step {
			return found, before, true, nil
		}
		before = parley.Cursor{SortValue: list[len(list)-1].active, ID: string(list[len(list)-1].id)}
		if looked += len(list); len(found) > s.plan.limit {
			break
		}
	}
	return found, before, false, nil
}

// compareActivity orders conversations by their activity, the latest first, and then by id.
func compareActivity(a, b doc) int {
	return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(b.id, a.id))
}

func isAfterMark(d *doc, m parley.Cursor) bool {
	return d.active < m.SortValue || d.active == m.SortValue && string(d.id) < m.ID
}

// loadHits reads the conversations as they are now. Those that have been deleted are left out.
func (s *searchRun) loadHits(ctx context.Context, docs []doc) ([]Hit, error) {
	ids := make([]parley.ConversationID, len(docs))
	for i, d := range docs {
		ids[i] = d.id
	}
	list, err := s.DB.ConversationsByID(ctx, s.account.AgentRef(s.agent), ids)
	if err != nil {
		return nil, err
	}
	byID := map[parley.ConversationID]parley.Conversation{}
	for _, c := range list {
		byID[c.ID] = c
	}
	var hits []Hit
	for _, d := range docs {
		if c, ok := byID[d.id]; ok {
			hits = append(hits, Hit{Conversation: c})
		}
	}
	return hits, nil
}

const (
	maxCustomers      = 10 // of an agent, whose name or address begins with what is searched
	maxOfOneCustomer  = 5  // conversations
	maxByCustomerHits = MaxLimit
)

// addCustomers puts before what a search has found the conversations of the customers of agents whose name or address
// begins with its text, the last active first.
func (f *Finder) addCustomers(ctx context.Context, page *Page, account parley.AccountID, agents []parley.AgentID,
	text string) error {
	found, err := f.findByCustomer(ctx, account, agents, text)
	if err != nil || len(found) == 0 {
		return err
	}
	known := map[parley.ConversationID]bool{}
	for i := range found {
		known[found[i].ID] = true
	}
	others := slices.DeleteFunc(page.Hits, func(h Hit) bool { return known[h.ID] })
	page.Hits = append(found, others...)
	return nil
}

func (f *Finder) findByCustomer(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	text string) (found []Hit, err error) {
	for _, agent := range agents {
		ref := account.AgentRef(agent)
		people, err := f.DB.FindCustomers(ctx, ref, text, maxCustomers)
		if err != nil {
			return nil, err
		}
		for _, id := range people {
			list, err := f.DB.ConversationsOfPerson(ctx, ref, id, maxOfOneCustomer)
			if err != nil {
				return nil, err
			}
			for _, c := range list {
				found = append(found, Hit{Conversation: c})
			}
		}
	}
	slices.SortFunc(found, func(x, y Hit) int { return y.UpdatedAt.Compare(x.UpdatedAt) })
	return found[:min(len(found), maxByCustomerHits)], nil
}
