package insight

import (
	"context"

	"parley"
)

const (
	eraseBatchSize   = 100
	analyzeBatchSize = 100
)

// Progress is how far the insight of an agent has been rebuilt. The caller repeats the call until it is done.
type Progress struct {
	Erased   bool          `json:"forgotten"` // the previous insight is erased
	After    parley.Cursor `json:"after"`     // the last conversation that was analyzed
	Analyzed int64         `json:"judged"`
	Done     bool          `json:"done"`
}

// Rebuild takes a step of analyzing all conversations of an agent again: first all insight is erased, then they are
// analyzed one by one, then grouped. The figures are incomplete meanwhile. Fails with AGENT_NOT_FOUND.
func (s *Service) Rebuild(ctx context.Context, ref parley.AgentRef, at Progress) (Progress, error) {
	if !at.Erased {
		done, err := s.DB.EraseInsights(ctx, ref, eraseBatchSize)
		at.Erased = done
		return at, err
	}
	list, err := s.DB.ConversationsCreatedAfter(ctx, ref, at.After, analyzeBatchSize)
	if err != nil {
		return at, err
	}
	for _, m := range list {
		if err := s.Analyze(ctx, ref.ConversationRef(parley.ConversationID(m.ID))); err != nil {
			return at, err
		}
		at.After, at.Analyzed = m, at.Analyzed+1
	}
	if len(list) == analyzeBatchSize {
		if at.Analyzed%groupBatchSize == 0 { // those that follow join what there is
			return at, s.Group(ctx, ref)
		}
		return at, nil
	}
	at.Done = true
	return at, s.Group(ctx, ref)
}
