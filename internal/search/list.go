package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"parley"
)

const (
	glance       = 100 // conversations that a list looks at, after as many as it shows, before it asks the index
	secondGlance = 500 // where the first has shown that many match
	worthAnother = 3
	longLook     = 2000 // that it looks at at a time afterwards
	mostSorted   = 2000 // that are sorted by activity; more are so many that looking at all finds them soon
)

// list finds conversations without words: the latest active first.
func (s *search) list(ctx context.Context, at *place) (*Page, error) {
	on, err := liveShelf(ctx, s.DB.SQL(), s.account, s.agent)
	if err != nil || on == nil {
		return &Page{}, err
	}
	before := parley.Mark{At: s.plan.active.before, ID: ""}
	if at != nil {
		before = parley.Mark{At: at.at, ID: at.id}
	}
	var found []doc
	end := false
	for _, step := range []int{s.plan.limit + 1, glance, secondGlance} {
		if len(found) > s.plan.limit || end || step == secondGlance && len(found) < worthAnother {
			break
		}
		var more []doc
		if more, before, end, err = s.look(ctx, on, before, step, step); err != nil {
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
	page := &Page{}
	if len(found) > s.plan.limit {
		found = found[:s.plan.limit]
		last := found[len(found)-1]
		page.Cursor = s.seal(place{inList, last.active, string(last.id)})
	}
	page.Hits, err = s.hydrate(ctx, found)
	return page, err
}

// listRest finds what a glance has not: where few match the index names them all, where many do looking on finds some soon.
func (s *search) listRest(ctx context.Context, on *shelf, before parley.Mark) ([]doc, error) {
	if len(s.plan.filters)+len(s.plan.days) > 0 {
		few, rest, err := s.candidates(ctx, on, on.last+1, mostSorted, docsAt)
		if err != nil {
			return nil, err
		}
		if rest == 0 {
			few = slices.DeleteFunc(few, func(d doc) bool { return !behindMark(&d, before) })
			slices.SortFunc(few, latest)
			return few, nil
		}
	}
	found, _, _, err := s.look(ctx, on, before, longLook, math.MaxInt)
	return found, err
}

// look goes through conversations by their activity until it has more than a page or has looked at so many. It gives where it
// stopped, and whether that is the end.
func (s *search) look(ctx context.Context, on *shelf, before parley.Mark, step, most int) (found []doc, stop parley.Mark, end bool, err error) {
	for looked := 0; looked < most; {
		list, err := newest(ctx, s.DB.SQL(), on.number, before, s.plan.active.from, step)
		if err != nil {
			return nil, before, false, err
		}
		for i := range list {
			if s.plan.allows(&list[i]) {
				found = append(found, list[i])
			}
		}
		if len(list) < step {
			return found, before, true, nil
		}
		before = parley.Mark{At: list[len(list)-1].active, ID: string(list[len(list)-1].id)}
		if looked += len(list); len(found) > s.plan.limit {
			break
		}
	}
	return found, before, false, nil
}

// latest orders conversations by their activity, the latest first, and then by id.
func latest(a, b doc) int {
	return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(b.id, a.id))
}

func behindMark(d *doc, m parley.Mark) bool {
	return d.active < m.At || d.active == m.At && string(d.id) < m.ID
}

// hydrate reads the conversations as they are now. Those that have been deleted are left out.
func (s *search) hydrate(ctx context.Context, docs []doc) ([]Hit, error) {
	ids := make([]parley.ConversationID, len(docs))
	for i, d := range docs {
		ids[i] = d.id
	}
	list, err := s.DB.ConversationsByID(ctx, s.account, s.agent, ids)
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
