package search

import (
	"context"

	"parley"
	"parley/internal/store"
)

const (
	fewSaid = 16 // messages of a conversation that are all read for a snippet; in a longer one the index is asked for some
	whole   = 4  // messages with all words that are looked at there
	someOf  = 24 // messages with some of them
)

// show makes results of conversations, each with its snippet.
func (s *search) show(ctx context.Context, list []scored) (*Page, error) {
	docs := make([]doc, len(list))
	for i := range list {
		docs[i] = list[i].doc
	}
	hits, err := s.hydrate(ctx, docs)
	if err != nil {
		return nil, err
	}
	if err := s.findBest(ctx, list); err != nil {
		return nil, err
	}
	best := map[parley.ConversationID]*said{}
	for _, c := range list {
		best[c.id] = c.best
	}
	for i := range hits {
		if b := best[hits[i].ID]; b != nil {
			hits[i].Snippet = snippetOf(&b.Said, s.plan.words)
		}
	}
	return &Page{Hits: hits}, nil
}

// findBest finds the best message of those conversations of which it is not known yet.
func (s *search) findBest(ctx context.Context, list []scored) error {
	var places []store.Place
	var unknown []scored
	for i := range list {
		if list[i].best != nil {
			continue
		}
		seqs, err := s.likely(ctx, &list[i].doc)
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			places = append(places, store.Place{Conversation: list[i].id, Seq: seq})
		}
		unknown = append(unknown, list[i])
	}
	if err := s.choose(ctx, unknown, places); err != nil {
		return err
	}
	for i, n := 0, 0; i < len(list); i++ {
		if list[i].best == nil {
			list[i].best, n = unknown[n].best, n+1
		}
	}
	return nil
}

// likely gives the messages of a conversation among which the best is looked for: all of a short one; of a long one the newest
// that hold all words, or else those that hold some.
func (s *search) likely(ctx context.Context, d *doc) (seqs []int64, err error) {
	if d.seq <= fewSaid {
		for seq := int64(1); seq <= d.seq; seq++ {
			seqs = append(seqs, seq)
		}
		return seqs, nil
	}
	in := spanOf(d.agent, d.number, d.number)
	in.from++ // the title is the message 0
	ids, err := s.index.Find(ctx, s.DB.SQL(), byMessage, s.allWords(), in, whole)
	if err == nil && len(ids) == 0 && len(s.plan.words) > 1 {
		ids, err = s.index.Find(ctx, s.DB.SQL(), byMessage, expr{groups: [][]string{s.plan.words}}, in, someOf)
	}
	for _, id := range ids {
		seqs = append(seqs, placeOf(id))
	}
	return seqs, err
}
