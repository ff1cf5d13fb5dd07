package search

import (
	"context"

	"parley"
	"parley/internal/store"
)

const (
	// messages of a conversation that are all read for a snippet; in a longer one the index is asked for some
	maxReadAllMessages       = 16
	maxSnippetFullMatches    = 4  // messages with all words that are looked at there
	maxSnippetPartialMatches = 24 // messages with some of them
)

// buildPage makes results of conversations, each with its snippet.
func (s *searchRun) buildPage(ctx context.Context, list []rankedDoc) (*Page, error) {
	docs := make([]doc, len(list))
	for i := range list {
		docs[i] = list[i].doc
	}
	hits, err := s.loadHits(ctx, docs)
	if err != nil {
		return nil, err
	}
	if err := s.fillBestMessages(ctx, list); err != nil {
		return nil, err
	}
	best := map[parley.ConversationID]*scoredMessage{}
	for _, c := range list {
		best[c.id] = c.bestMessage
	}
	for i := range hits {
		if b := best[hits[i].ID]; b != nil {
			hits[i].Snippet = newSnippet(&b.IndexableMessage, distinctForms(s.plan.words))
		}
	}
	return &Page{Hits: hits}, nil
}

// fillBestMessages finds the best message of those conversations of which it is not known yet.
func (s *searchRun) fillBestMessages(ctx context.Context, list []rankedDoc) error {
	var places []store.MessageRef
	var unknown []rankedDoc
	for i := range list {
		if list[i].bestMessage != nil {
			continue
		}
		seqs, err := s.candidateMessages(ctx, &list[i].doc)
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			places = append(places, store.MessageRef{Conversation: list[i].id, Seq: seq})
		}
		unknown = append(unknown, list[i])
	}
	if err := s.chooseBest(ctx, unknown, places); err != nil {
		return err
	}
	for i, n := 0, 0; i < len(list); i++ {
		if list[i].bestMessage == nil {
			list[i].bestMessage, n = unknown[n].bestMessage, n+1
		}
	}
	return nil
}

// candidateMessages returns the messages of a conversation among which the best is looked for: all of a short one; of a
// long one the newest that hold all words, or else those that hold some.
func (s *searchRun) candidateMessages(ctx context.Context, d *doc) (seqs []int64, err error) {
	if d.seq <= maxReadAllMessages {
		for seq := int64(1); seq <= d.seq; seq++ {
			seqs = append(seqs, seq)
		}
		return seqs, nil
	}
	in := conversationRange(d.agent, d.number, d.number)
	in.from++ // the title is the message 0
	ids, err := s.index.Find(ctx, s.DB.SQL(), messageTable, s.allWordsExpr(), in, maxSnippetFullMatches)
	if err == nil && len(ids) == 0 && len(s.plan.words) > 1 {
		ids, err = s.index.Find(ctx, s.DB.SQL(), messageTable, expr{groups: [][]string{distinctForms(s.plan.words)}}, in,
			maxSnippetPartialMatches)
	}
	for _, id := range ids {
		seqs = append(seqs, placeOfRow(id))
	}
	return seqs, err
}
