package search

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const (
	snapshotTTL         = 15 * time.Minute // without a page being asked for
	snapshotExtendAfter = 5 * time.Minute  // after which a page extends it
)

// rankingSnapshot is the ranking of a search that has several pages: it holds still while they are read.
type rankingSnapshot struct {
	Partition string  `json:"shelf"`
	Ranked    []int64 `json:"ranked"` // numbers of conversations, the best first
	Rest      int64   `json:"rest"`   // the number below which more may match; 0 for none
}

// storeSnapshot writes a walk, a rankingSnapshot or an agentsSnapshot, and returns its id.
func (s *searchRun) storeSnapshot(ctx context.Context, w any) (string, error) {
	id, until := parley.NewUUID(), s.Now().Add(snapshotTTL).UnixMilli()
	b, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("keep a walk: %w", err)
	}
	_, err = s.DB.SQL().Exec(ctx, `
		insert into search_walks (
		  id,
		  account_id,
		  agent_id,
		  ranked,
		  keep_until
		)
		values (?, ?, ?, ?, ?)`, id, s.account, s.agent, string(b), until)
	return id, err
}

// loadSnapshot reads a walk again into w, and has it live on. Fails with VALIDATION_INVALID_CURSOR when it is over.
func (s *searchRun) loadSnapshot(ctx context.Context, id string, w any) error {
	now := s.Now()
	var text string
	var until int64
	err := s.DB.SQL().QueryRow(ctx, `
		select ranked, keep_until
		from search_walks
		where id = ? and account_id = ? and agent_id = ? and keep_until >= ?`,
		id, s.account, s.agent, now.UnixMilli()).Scan(&text, &until)
	if sqldb.IsNotFound(err) {
		return parley.NewErrorf(parley.CodeInvalidCursor,
			"The results of this search are no longer kept. Start again without a cursor.")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), w); err != nil {
		return fmt.Errorf("walk %s: %w", id, err)
	}
	if next := now.Add(snapshotTTL).UnixMilli(); next-until > snapshotExtendAfter.Milliseconds() {
		_, err = s.DB.SQL().Exec(ctx, `
			update search_walks set keep_until = ?
			where id = ? and account_id = ?`, next, id, s.account)
	}
	return err
}

// snapshotPage returns a page of a walk.
func (s *searchRun) snapshotPage(ctx context.Context, at *cursorPosition) (*Page, error) {
	w := &rankingSnapshot{}
	if err := s.loadSnapshot(ctx, at.id, w); err != nil {
		return nil, err
	}
	on, err := s.loadPartition(ctx, w.Partition)
	if err != nil {
		return nil, err
	}
	s.askForTokensOf(on)
	if at.value < 0 || at.value > int64(len(w.Ranked)) {
		return nil, parley.NewError(parley.CodeInvalidCursor)
	}
	numbers := w.Ranked[at.value:]
	numbers = numbers[:min(len(numbers), s.plan.limit)]
	docs, err := loadDocs(ctx, s.DB.SQL(), on.number, numbers)
	if err != nil {
		return nil, err
	}
	var list []rankedDoc
	for _, n := range numbers {
		if d, ok := docs[n]; ok {
			list = append(list, rankedDoc{doc: *d})
		}
	}
	page, err := s.buildPage(ctx, list)
	if err == nil {
		page.Cursor = s.cursorAfter(w, at.id, at.value+int64(len(numbers)))
	}
	return page, err
}

// cursorAfter returns the cursor behind so many of a walk.
func (s *searchRun) cursorAfter(w *rankingSnapshot, id string, shown int64) *string {
	switch {
	case shown < int64(len(w.Ranked)):
		return s.sealCursor(cursorPosition{cursorSnapshot, shown, id})
	case w.Rest > 0:
		return s.sealCursor(cursorPosition{cursorTail, w.Rest, w.Partition})
	}
	return nil
}

// tailPage returns a page of those behind the ranked, from the newest.
func (s *searchRun) tailPage(ctx context.Context, at *cursorPosition) (*Page, error) {
	on, err := s.loadPartition(ctx, at.id)
	if err != nil {
		return nil, err
	}
	s.askForTokensOf(on)
	found, rest, err := s.candidates(ctx, on, at.value, s.plan.limit, loadDocs)
	if err != nil {
		return nil, err
	}
	list := make([]rankedDoc, len(found))
	for i, d := range found {
		list[i].doc = d
	}
	page, err := s.buildPage(ctx, list)
	if err == nil && rest > 0 {
		page.Cursor = s.sealCursor(cursorPosition{cursorTail, rest, at.id})
	}
	return page, err
}

func (s *searchRun) loadPartition(ctx context.Context, id string) (*agentPartition, error) {
	return s.findPartitionByID(func(number, generation int64) (*agentPartition, error) {
		return findPartitionByNumber(ctx, s.DB.SQL(), s.account.AgentRef(s.agent), number, generation)
	}, id)
}
