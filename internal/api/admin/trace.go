package admin

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/eval"
	"parley/internal/retrieval"
)

// ConversationRef names a conversation.
type ConversationRef struct {
	ID string `path:"conversationId"`
}

// TurnTrace is what one turn did.
type TurnTrace struct {
	parley.Trace
	StartedAt time.Time         `json:"startedAt"`
	Answer    string            `json:"answer,omitempty"` // as stored, while the message is there
	Citations []parley.Citation `json:"citations,omitempty"`
	Passages  []PassageTrace    `json:"passages"`
}

// PassageTrace is a passage that the model was offered, as it was then.
type PassageTrace struct {
	parley.TracePassage
	Text string `json:"text,omitempty"` // while the source has it
}

func (s *Service) traceConversation(ctx context.Context, in ConversationRef) ([]TurnTrace, error) {
	turns, err := s.DB.TurnTraces(ctx, parley.ConversationID(in.ID))
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, parley.NewErrorf(parley.CodeConversationNotFound, "No turn belongs to the conversation %q.", in.ID)
	}
	list := make([]TurnTrace, len(turns))
	for i, t := range turns {
		list[i] = TurnTrace{Trace: t.Trace, StartedAt: t.StartedAt}
		if list[i].Passages, err = s.addPassageTexts(ctx, t.Trace.Passages); err != nil {
			return nil, err
		}
	}
	return list, s.addAnswers(ctx, list)
}

// addAnswers adds the answer of each turn.
func (s *Service) addAnswers(ctx context.Context, turns []TurnTrace) error {
	ids := make([]parley.MessageID, len(turns))
	for i, t := range turns {
		ids[i] = t.MessageID
	}
	for part := range slices.Chunk(ids, 200) {
		messages, err := s.DB.MessagesByID(ctx, part)
		if err != nil {
			return err
		}
		for _, m := range messages {
			t := &turns[slices.Index(ids, m.ID)]
			t.Answer, t.Citations = m.Text(), m.Citations
		}
	}
	return nil
}

// addPassageTexts adds the texts of the passages that a turn was offered. The text of a source that was changed or
// deleted is not there any more.
func (s *Service) addPassageTexts(ctx context.Context, offered []parley.TracePassage) ([]PassageTrace, error) {
	ids := make([]parley.PassageID, len(offered))
	for i, o := range offered {
		ids[i] = o.ID
	}
	known, err := retrieval.PassagesByID(ctx, s.DB.SQL(), ids)
	if err != nil {
		return nil, err
	}
	list := make([]PassageTrace, len(offered))
	for i, o := range offered {
		list[i] = PassageTrace{TracePassage: o}
		for _, p := range known {
			if p.ID == o.ID {
				list[i].Text = p.Text
			}
		}
	}
	return list, nil
}

// ReplayRequest asks for an agent's newest questions to be answered again.
type ReplayRequest struct {
	ID    string `path:"agentId" json:"-"`
	Limit int    `json:"limit"` // most of them
}

func (s *Service) replay(ctx context.Context, in ReplayRequest) (eval.Replay, error) {
	agent, err := s.DB.AgentInAnyAccount(ctx, parley.AgentID(in.ID), s.Now())
	if err != nil {
		return eval.Replay{}, err
	}
	replayer := eval.Replayer{DB: s.DB, Indexes: s.Indexes, Questions: s.Questions, Reranker: s.Reranker}
	result, err := replayer.Run(ctx, agent, max(in.Limit, 1))
	if err != nil {
		return eval.Replay{}, err
	}
	return *result, nil
}
