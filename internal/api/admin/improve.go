package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/ingest"
)

// BetterAnswer is what an agent should have answered.
type BetterAnswer struct {
	AgentID        string `path:"agentId" json:"-"`
	ConversationID string `path:"conversationId" json:"-"`
	MessageID      string `path:"messageId" json:"-"`
	Question       string `json:"question" min:"1" max:"2000" doc:"As customers ask it."`
	Answer         string `json:"answer" min:"1" max:"20000"`
	SourceID       string `json:"sourceId,omitempty"`
}

// FieldDocs returns the docs that are too long for tags.
func (BetterAnswer) FieldDocs() map[string]string {
	return map[string]string{
		"answer":   "Plain or Markdown; it is quoted as it is.",
		"sourceId": "A source of questions and answers, which gets the question and the answer; a new one is made without.",
	}
}

// Improvement is what became of a better answer.
type Improvement struct {
	Source Source          `json:"source"`
	Before ImprovedAnswer  `json:"before"`
	After  *ImprovedAnswer `json:"after"` // to the same question; null while the source is not trained yet
}

// ImprovedAnswer is an answer as it was, or as it would be now.
type ImprovedAnswer struct {
	Text      string             `json:"text"`
	Score     *float64           `json:"score"` // 0 to 1
	State     parley.AnswerState `json:"answerState,omitempty"`
	Citations []parley.Citation  `json:"citations"`
	Credits   float64            `json:"credits"` // that asking again has cost
}

func newImprovedAnswer(m *parley.Message, cost parley.Credits) ImprovedAnswer {
	return ImprovedAnswer{Text: m.Text(), Score: m.Score, State: m.AnswerState,
		Citations: append([]parley.Citation{}, m.Citations...), Credits: cost.Float()}
}

// improveAnswer keeps a better answer, and asks the question again without storing that.
func (s *Service) improveAnswer(ctx context.Context, in BetterAnswer) (Improvement, error) {
	caller, agent, err := s.findCaller(ctx, in.AgentID)
	if err != nil {
		return Improvement{}, err
	}
	ref := caller.AgentRef(agent)
	answer, err := s.findAnswer(ctx, ref, in)
	if err != nil {
		return Improvement{}, err
	}
	src, err := s.keepAnswer(ctx, caller, agent, in)
	if err != nil {
		return Improvement{}, err
	}
	src, isTrained, err := s.awaitTraining(ctx, src)
	if err != nil {
		return Improvement{}, err
	}
	out := Improvement{Before: newImprovedAnswer(answer, 0)}
	if out.Source, err = s.newSource(ctx, src); err != nil || !isTrained {
		return out, err
	}
	out.After, err = s.askAgain(ctx, caller, ref.ConversationRef(answer.ConversationID), answer.ID)
	return out, err
}

// findAnswer finds an answer of an agent. It fails with CONVERSATION_NOT_FOUND or MESSAGE_NOT_FOUND.
func (s *Service) findAnswer(ctx context.Context, ref parley.AgentRef, in BetterAnswer) (*parley.Message, error) {
	c, err := s.findAgentConversation(ctx, ref, in.ConversationID)
	if err != nil {
		return nil, err
	}
	found, err := s.DB.MessagesByID(ctx, []parley.MessageID{parley.MessageID(in.MessageID)})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].ConversationID != c.ID || found[0].Author != parley.AuthorAssistant {
		return nil, parley.NewError(parley.CodeMessageNotFound)
	}
	return &found[0], nil
}

// keepAnswer makes a source of the answer, or adds it to one.
func (s *Service) keepAnswer(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	in BetterAnswer) (*parley.Source, error) {
	better := ingest.BetterAnswer{Message: parley.MessageID(in.MessageID), Question: in.Question, Answer: in.Answer}
	if in.SourceID != "" {
		return s.Ingest.ImproveQnA(ctx, caller, agent, parley.SourceID(in.SourceID), better)
	}
	return s.Ingest.AddBetterAnswer(ctx, caller, agent, better)
}

// What is trained is looked for so often, and so long, before it is left to be trained.
const (
	trainingInterval = 50 * time.Millisecond
	trainingTimeout  = 15 * time.Second
)

// awaitTraining waits until answers rest on the newest version of a source, for a while.
func (s *Service) awaitTraining(ctx context.Context, src *parley.Source) (*parley.Source, bool, error) {
	timeout := time.NewTimer(trainingTimeout)
	defer timeout.Stop()
	for {
		now, err := s.DB.Source(ctx, src.AgentRef(), src.ID)
		if err != nil {
			return nil, false, err
		}
		if now.Status != parley.SourceUntrained && now.Status != parley.SourceUpdated {
			return now, now.Status == parley.SourceTrained, nil
		}
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-timeout.C:
			return now, false, nil
		case <-time.After(trainingInterval):
		}
	}
}

// askAgain asks what an answer was given to again, after the same messages, and stores nothing of it. It is nil for a
// question that has been replaced.
func (s *Service) askAgain(ctx context.Context, caller parley.Caller, ref parley.ConversationRef,
	answer parley.MessageID) (*ImprovedAnswer, error) {
	user, err := s.DB.UserMessageAnsweredBy(ctx, ref, answer)
	if parley.IsCode(err, parley.CodeRetryNotFound) || parley.IsCode(err, parley.CodeRetryNoUser) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := s.DB.RecentMessages(ctx, ref, user.Seq, chat.MaxHistoryMessages)
	if err != nil {
		return nil, err
	}
	turn, err := s.Chat.Start(ctx, caller, ref.Agent, chat.Request{Message: user.Text(), Channel: parley.ChannelPlayground,
		ToolNames: []string{}, ClientConversation: &chat.ClientConversation{API: parley.APIV2, Before: before}})
	if err != nil {
		return nil, err
	}
	end, err := turn.Wait(ctx)
	if err != nil || end.Message == nil {
		return nil, err
	}
	again := newImprovedAnswer(end.Message, end.Credits)
	return &again, nil
}

// AnswerRating rates an answer.
type AnswerRating struct {
	AgentID        string  `path:"agentId" json:"-"`
	ConversationID string  `path:"conversationId" json:"-"`
	MessageID      string  `path:"messageId" json:"-"`
	Feedback       *string `json:"feedback" enum:"@rating" name:"Rating" doc:"Null takes the rating back."`
}

// rateAnswer rates an answer of a conversation of any origin.
func (s *Service) rateAnswer(ctx context.Context, in AnswerRating) (AnswerRating, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return in, err
	}
	c, err := s.findAgentConversation(ctx, ref, in.ConversationID)
	if err != nil {
		return in, err
	}
	rating := ""
	if in.Feedback != nil {
		rating = *in.Feedback
	}
	_, err = s.Conversations.Rate(ctx, ref.ConversationRef(c.ID), parley.MessageID(in.MessageID), rating)
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	return in, err
}
