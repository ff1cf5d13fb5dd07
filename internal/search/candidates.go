package search

import (
	"context"
	"slices"

	"parley/internal/sqldb"
)

const (
	maxRanked     = 1000 // conversations that are ranked; those behind come from the newest
	findBatchSize = 1000 // rows that the index is asked for
)

// docLoader is loadDocs or loadSummaries.
type docLoader = func(ctx context.Context, db *sqldb.DB, agent int64, numbers []int64) (map[int64]*doc, error)

// candidates finds conversations below a number that match, from the newest, at most so many, as far as they are read.
// rest is the number below which there may be more; 0 is the end.
func (s *searchRun) candidates(ctx context.Context, on *agentPartition, below int64, limit int,
	read docLoader) (list []doc, rest int64, err error) {
	e := s.plan.expr(on.hasMultipleBuckets)
	for top := below - 1; top > 0; {
		ids, err := s.index.Find(ctx, s.DB.SQL(), bucketTable, e, conversationRange(on.number, 1, top), findBatchSize)
		if err != nil || len(ids) == 0 {
			return list, 0, err
		}
		numbers := numbersOf(ids)
		docs, err := read(ctx, s.DB.SQL(), on.number, numbers)
		if err != nil {
			return nil, 0, err
		}
		list = slices.Grow(list, min(len(numbers), limit-len(list)))
		for _, n := range numbers {
			d, ok := docs[n]
			if ok {
				ok, err = s.matches(ctx, d)
			}
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				continue
			}
			if list = append(list, *d); len(list) == limit {
				return list, n, nil
			}
		}
		if len(ids) < findBatchSize {
			return list, 0, nil
		}
		top = numbers[len(numbers)-1] - 1
	}
	return list, 0, nil
}

// numbersOf returns the conversations of rows, each once, in their order.
func numbersOf(ids []int64) []int64 {
	var list []int64
	for _, id := range ids {
		if n := conversationOfRow(id); len(list) == 0 || list[len(list)-1] != n {
			list = append(list, n)
		}
	}
	return list
}

// matches reports whether a conversation that the index has found is one that the search asks for.
func (s *searchRun) matches(ctx context.Context, d *doc) (bool, error) {
	if !s.plan.isInPeriod(d) || !d.needsCheck {
		return s.plan.isInPeriod(d), nil
	}
	docs, err := loadDocs(ctx, s.DB.SQL(), d.agent, []int64{d.number})
	if full, ok := docs[d.number]; err != nil || !ok || !s.plan.matches(full) || full.seq == seqDeleting {
		return false, err
	}
	for _, w := range s.plan.words {
		ids, err := s.index.Find(ctx, s.DB.SQL(), messageTable, expr{groups: [][]string{w.forms}},
			conversationRange(d.agent, d.number, d.number), 1)
		if err != nil || len(ids) == 0 {
			return false, err
		}
	}
	return true, nil
}
