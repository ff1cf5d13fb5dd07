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
	walkLives    = 15 * time.Minute // without a page being asked for
	walkExtended = 5 * time.Minute  // after which a page extends it
)

// walk is the ranking of a search that has several pages: it holds still while they are read.
type walk struct {
	Shelf  string  `json:"shelf"`
	Ranked []int64 `json:"ranked"` // numbers of conversations, the best first
	Rest   int64   `json:"rest"`   // the number below which more may match; 0 for none
}

// keep writes a walk down and gives its id.
func (s *search) keep(ctx context.Context, w *walk) (string, error) {
	id, text, until := parley.NewUUID(), "", s.Now().Add(walkLives).UnixMilli()
	b, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("keep a walk: %w", err)
	}
	text = string(b)
	return id, s.DB.SQL().Transact(ctx, sqldb.Turns, func(tx *sqldb.DB) error {
		_, err := tx.Exec(ctx, `insert into search_walks (id, account_id, agent_id, ranked, keep_until) values (?, ?, ?, ?, ?)`, id, s.account, s.agent, text, until)
		return err
	})
}

// walk reads a walk again, and has it live on. Fails with VALIDATION_INVALID_CURSOR when it is over.
func (s *search) walk(ctx context.Context, id string) (*walk, error) {
	now := s.Now()
	var text string
	var until int64
	err := s.DB.SQL().QueryRow(ctx, `select ranked, keep_until from search_walks where id = ? and account_id = ? and agent_id = ? and keep_until >= ?`,
		id, s.account, s.agent, now.UnixMilli()).Scan(&text, &until)
	if sqldb.NotFound(err) {
		return nil, parley.Failf(parley.CodeInvalidCursor, "The results of this search are no longer kept. Start again without a cursor.")
	}
	if err != nil {
		return nil, err
	}
	w := &walk{}
	if err := json.Unmarshal([]byte(text), w); err != nil {
		return nil, fmt.Errorf("walk %s: %w", id, err)
	}
	if next := now.Add(walkLives).UnixMilli(); next-until > walkExtended.Milliseconds() {
		_, err = s.DB.SQL().Exec(ctx, `update search_walks set keep_until = ? where id = ? and account_id = ?`, next, id, s.account)
	}
	return w, err
}

// walkOn gives a page of a walk.
func (s *search) walkOn(ctx context.Context, at *place) (*Page, error) {
	w, err := s.walk(ctx, at.id)
	if err != nil {
		return nil, err
	}
	on, err := s.onShelf(ctx, w.Shelf)
	if err != nil {
		return nil, err
	}
	if at.at < 0 || at.at > int64(len(w.Ranked)) {
		return nil, parley.Fail(parley.CodeInvalidCursor)
	}
	numbers := w.Ranked[at.at:]
	numbers = numbers[:min(len(numbers), s.plan.limit)]
	docs, err := docsAt(ctx, s.DB.SQL(), on.number, numbers)
	if err != nil {
		return nil, err
	}
	var list []scored
	for _, n := range numbers {
		if d, ok := docs[n]; ok {
			list = append(list, scored{doc: d})
		}
	}
	page, err := s.show(ctx, list)
	if err == nil {
		page.Cursor = s.after(w, at.id, at.at+int64(len(numbers)))
	}
	return page, err
}

// after gives the cursor behind so many of a walk.
func (s *search) after(w *walk, id string, shown int64) *string {
	switch {
	case shown < int64(len(w.Ranked)):
		return s.seal(place{inWalk, shown, id})
	case w.Rest > 0:
		return s.seal(place{inTail, w.Rest, w.Shelf})
	}
	return nil
}

// tail gives a page of those behind the ranked, from the newest.
func (s *search) tail(ctx context.Context, at *place) (*Page, error) {
	on, err := s.onShelf(ctx, at.id)
	if err != nil {
		return nil, err
	}
	found, rest, err := s.candidates(ctx, on, at.at, s.plan.limit, docsAt)
	if err != nil {
		return nil, err
	}
	list := make([]scored, len(found))
	for i, d := range found {
		list[i].doc = d
	}
	page, err := s.show(ctx, list)
	if err == nil && rest > 0 {
		page.Cursor = s.seal(place{inTail, rest, at.id})
	}
	return page, err
}

func (s *search) onShelf(ctx context.Context, id string) (*shelf, error) {
	return s.shelfNamed(func(number, generation int64) (*shelf, error) {
		return shelfNumbered(ctx, s.DB.SQL(), s.account, s.agent, number, generation)
	}, id)
}
