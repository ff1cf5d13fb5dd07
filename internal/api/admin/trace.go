package admin

import (
	"context"
	"encoding/json"
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
	Text  string `json:"text,omitempty"`  // while the source has it, as the next two
	Start *int   `json:"start,omitempty"` // byte span in the text of the source's version
	End   *int   `json:"end,omitempty"`
}

func (s *Service) traceConversation(ctx context.Context, in ConversationRef) ([]TurnTrace, error) {
	if s.member != nil {
		if _, err := s.findConversation(ctx, in.ID); err != nil {
			return nil, err
		}
	}
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
	return s.eachAnswer(ctx, turns, func(i int, m *parley.Message) {
		turns[i].Answer, turns[i].Citations = m.Text(), m.Citations
	})
}

// eachAnswer calls add with each turn's stored answer, while that is there.
func (s *Service) eachAnswer(ctx context.Context, turns []TurnTrace, add func(i int, m *parley.Message)) error {
	ids := make([]parley.MessageID, len(turns))
	for i, t := range turns {
		ids[i] = t.MessageID
	}
	for part := range slices.Chunk(ids, 200) {
		messages, err := s.DB.MessagesByID(ctx, part)
		if err != nil {
			return err
		}
		for i := range messages {
			add(slices.Index(ids, messages[i].ID), &messages[i])
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
		for j := range known {
			if p := &known[j]; p.ID == o.ID {
				list[i].Text, list[i].Start, list[i].End = p.Text, &p.Start, &p.End
			}
		}
	}
	return list, nil
}

// ExplainQuery asks why a conversation was answered as it was.
type ExplainQuery struct {
	ID        string `path:"conversationId"`
	MessageID string `query:"messageId" doc:"Explains this answer alone."`
}

// Explanation says why a conversation was answered as it was, the oldest answer first.
type Explanation struct {
	ConversationID string            `json:"conversationId"`
	Turns          []TurnExplanation `json:"turns"`
}

// TurnExplanation says what one turn did, and why.
type TurnExplanation struct {
	TurnTrace
	Score *float64       `json:"score,omitempty"` // how sure the answer is, 0 to 1
	Tools []ToolExchange `json:"tools"`           // in the order of their calls
}

// ToolExchange is a tool call with its result.
type ToolExchange struct {
	ID     string          `json:"toolCallId"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"` // absent while there is none
}

func (s *Service) explainConversation(ctx context.Context, in ExplainQuery) (Explanation, error) {
	if _, err := s.findConversation(ctx, in.ID); err != nil {
		return Explanation{}, err
	}
	traces, err := s.traceConversation(ctx, ConversationRef{in.ID})
	if err != nil && !parley.IsCode(err, parley.CodeConversationNotFound) { // no turn has run in it yet
		return Explanation{}, err
	}
	if in.MessageID != "" {
		traces = slices.DeleteFunc(traces, func(t TurnTrace) bool { return string(t.MessageID) != in.MessageID })
		if len(traces) == 0 {
			return Explanation{}, parley.NewError(parley.CodeMessageNotFound)
		}
	}
	out := Explanation{ConversationID: in.ID, Turns: make([]TurnExplanation, len(traces))}
	for i := range traces {
		out.Turns[i] = TurnExplanation{TurnTrace: traces[i], Tools: []ToolExchange{}}
	}
	return out, s.eachAnswer(ctx, traces, func(i int, m *parley.Message) {
		out.Turns[i].Score, out.Turns[i].Tools = m.Score, toolExchanges(m.Parts)
	})
}

// toolExchanges returns the tool calls of an answer with their results.
func toolExchanges(parts []parley.Part) []ToolExchange {
	list := []ToolExchange{}
	for _, p := range parts {
		i := slices.IndexFunc(list, func(t ToolExchange) bool { return t.ID == p.ToolCallID })
		switch {
		case p.Type == "tool-call":
			list = append(list, ToolExchange{ID: p.ToolCallID, Name: p.ToolName, Input: p.Input})
		case p.Type == "tool-result" && i >= 0:
			list[i].Output = p.Output
		}
	}
	return list
}

// ReplayRequest asks for an agent's newest questions to be answered again.
type ReplayRequest struct {
	ID    string `path:"agentId" json:"-"`
	Limit int    `json:"limit"` // most of them
}

func (s *Service) replay(ctx context.Context, in ReplayRequest) (eval.Replay, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return eval.Replay{}, err
	}
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return eval.Replay{}, err
	}
	replayer := eval.Replayer{DB: s.DB, Indexes: s.Indexes, Questions: s.Chat.QueryEmbedderOf(ctx, ref.Account),
		Reranker: s.Chat.QueryRerankerOf(ctx, ref.Account)}
	result, err := replayer.Run(ctx, agent, max(in.Limit, 1))
	if err != nil {
		return eval.Replay{}, err
	}
	return *result, nil
}
