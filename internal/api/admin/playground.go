package admin

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/api/uistream"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// PlaygroundQuestion is a message to an agent, asked with a draft of its settings.
type PlaygroundQuestion struct {
	AgentID        string `path:"agentId" json:"-"`
	Message        string `json:"message,omitempty" max:"20000"`
	ConversationID string `json:"conversationId,omitempty" doc:"Continues a conversation of the playground."`
	Retry          string `json:"retry,omitempty" doc:"Answers this message again, in place of a new one."`
	Draft          *Draft `json:"draft,omitempty"`
}

// Comparison is a message to an agent, asked with two drafts of its settings.
type Comparison struct {
	AgentID string           `path:"agentId" json:"-"`
	Message string           `json:"message" min:"1" max:"20000"`
	Lanes   []ComparisonLane `json:"lanes" min:"2" max:"2" doc:"Their answers are the lanes a and b of the stream."`
}

// ComparisonLane is one of the two sides of a comparison, each with a conversation of its own.
type ComparisonLane struct {
	ConversationID string `json:"conversationId,omitempty" doc:"Continues a conversation of the playground."`
	Draft          *Draft `json:"draft,omitempty"`
}

// laneNames are the names of the sides of a comparison in its events.
var laneNames = []string{"a", "b"}

// streamAnswer answers with the events of a turn.
func (s *Service) streamAnswer(ctx context.Context, c *httpapi.Call, in PlaygroundQuestion) error {
	if (in.Message == "") == (in.Retry == "") {
		return parley.Invalid("message", "is required, or else retry")
	}
	turn, err := s.startTurn(ctx, in, "playground.ask")
	if err != nil {
		return err
	}
	r := turn.Reader()
	isLate, err := httpapi.Await(ctx, uistream.OpenDelay, turn.WaitForText)
	if err != nil {
		r.Close()
		return err
	}
	out := c.StreamUIMessages()
	w := uistream.NewWriter(out, turn, r, s.answerDescriber(ctx, turn))
	w.Begin(startOf(turn))
	if isLate {
		w.Flush()
	}
	c.Follow(out, uistream.KeepAliveInterval, w)
	return nil
}

// streamComparison answers with the events of two turns.
func (s *Service) streamComparison(ctx context.Context, c *httpapi.Call, in Comparison) error {
	turns := make([]*chat.Turn, len(in.Lanes))
	for i, lane := range in.Lanes {
		var err error
		turns[i], err = s.startTurn(ctx, PlaygroundQuestion{AgentID: in.AgentID, Message: in.Message,
			ConversationID: lane.ConversationID, Draft: lane.Draft}, "playground.compare")
		if err != nil {
			for _, t := range turns[:i] {
				t.Reader().Close() // nobody is going to read it: that stops it
			}
			return err
		}
	}
	out := c.StreamUIMessages()
	writers := make([]*uistream.Writer, len(turns))
	for i, t := range turns {
		writers[i] = uistream.NewWriter(out, t, t.Reader(), s.answerDescriber(ctx, t)).InLane(laneNames[i])
		writers[i].Begin(startOf(t))
	}
	c.Follow(out, uistream.KeepAliveInterval, uistream.NewLanes(out, writers...))
	return nil
}

func startOf(t *chat.Turn) uistream.Start {
	return uistream.Start{UserMessageID: string(t.UserMessageID), ConversationID: string(t.ConversationID)}
}

// startTurn begins a turn in a conversation of the playground. It ends when its reader leaves. It fails as
// chat.Engine.Start does.
func (s *Service) startTurn(ctx context.Context, in PlaygroundQuestion, action string) (*chat.Turn, error) {
	caller, agent, err := s.findCaller(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	req := chat.Request{Message: in.Message, Retry: parley.MessageID(in.Retry), Streamed: true, StopsWithReader: true,
		Channel: parley.ChannelPlayground, ConversationID: parley.ConversationID(in.ConversationID)}
	if err := s.checkPlaygroundConversation(ctx, caller.AgentRef(agent), req); err != nil {
		return nil, err
	}
	if err := s.addDraft(ctx, caller.AgentRef(agent), in.Draft, &req); err != nil {
		return nil, err
	}
	if s.member != nil {
		describe := func(turn string) change { return change{action, in.AgentID, map[string]any{"turn": turn}} }
		ctx = store.WithAuditEntry(ctx, s.newEntry(describe, true))
	}
	return s.Chat.Start(ctx, caller, agent, req)
}

// findCaller returns the account of an agent with its plan, and the agent. It fails with AGENT_NOT_FOUND.
func (s *Service) findCaller(ctx context.Context, id string) (parley.Caller, parley.AgentID, error) {
	account, agent, err := s.findOwner(ctx, id)
	if err != nil {
		return parley.Caller{}, agent, err
	}
	caller, err := s.newCaller(account)
	return caller, agent, err
}

// findAccountCaller returns an account with its plan. It fails with ACCOUNT_NOT_FOUND.
func (s *Service) findAccountCaller(ctx context.Context, id string) (parley.Caller, error) {
	account, err := s.DB.Account(ctx, parley.AccountID(id))
	if err != nil {
		return parley.Caller{}, err
	}
	store.SetAuditAccount(ctx, account.ID)
	return s.newCaller(account)
}

// newCaller returns an account with its plan. It fails with PLAN_FEATURE_NOT_AVAILABLE where the plan is unknown.
func (s *Service) newCaller(account *parley.Account) (parley.Caller, error) {
	plan, known := s.Accounts.Plans.Plan(account.Plan)
	if !known {
		return parley.Caller{}, parley.NewErrorf(parley.CodePlanFeature,
			"The account's plan %q is not among the plans of this installation.", account.Plan)
	}
	return parley.Caller{Account: *account, Plan: plan}, nil
}

// checkPlaygroundConversation fails with CONVERSATION_NOT_FOUND for a conversation that did not begin here: a customer
// would read what is tried.
func (s *Service) checkPlaygroundConversation(ctx context.Context, ref parley.AgentRef, req chat.Request) error {
	if req.ConversationID == "" {
		if req.Retry != "" {
			return parley.Invalid("conversationId", "is required with retry")
		}
		return nil
	}
	c, err := s.findAgentConversation(ctx, ref, string(req.ConversationID))
	if err == nil && c.Channel != parley.ChannelPlayground {
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	return err
}

// findAgentConversation finds a conversation of an agent. It fails with CONVERSATION_NOT_FOUND.
func (s *Service) findAgentConversation(ctx context.Context, ref parley.AgentRef,
	id string) (*parley.Conversation, error) {
	if !parley.IsUUID(id) {
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	c, err := s.DB.Conversation(ctx, ref.ConversationRef(parley.ConversationID(id)))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	return c, err
}

// addDraft has a request asked with a draft. A model that the agent has already may stay, even if it is retired.
func (s *Service) addDraft(ctx context.Context, ref parley.AgentRef, d *Draft, req *chat.Request) error {
	if d == nil {
		return nil
	}
	req.Instructions, req.Temperature, req.ToolNames = d.Instructions, d.Temp, d.Actions
	if d.Model == nil || slices.Contains(s.Chat.Models.Settable(), *d.Model) {
		if d.Model != nil {
			req.Model = *d.Model
		}
		return nil
	}
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err == nil && agent.Model != *d.Model {
		err = parley.Invalid("draft.model", unknownModel)
	}
	return err
}

// AnswerMetadata is the metadata of the last event of an answer.
type AnswerMetadata struct {
	MessageID      string             `json:"messageId"`
	UserMessageID  string             `json:"userMessageId"`
	ConversationID string             `json:"conversationId"`
	FinishReason   string             `json:"finishReason"`
	Usage          AnswerCost         `json:"usage"`
	Score          *float64           `json:"score"`
	AnswerState    parley.AnswerState `json:"answerState,omitempty"`
	Citations      []parley.Citation  `json:"citations"`
	Explain        *TurnExplanation   `json:"explain"` // null where it could not be read
}

// AnswerCost is what an answer cost.
type AnswerCost struct {
	Credits float64 `json:"credits"`
}

// explainTimeout bounds the reading of an explanation at the end of an answer.
const explainTimeout = 5 * time.Second

// answerDescriber returns what makes the metadata of a turn's last event. By then the turn is stored.
func (s *Service) answerDescriber(ctx context.Context, t *chat.Turn) func(end *chat.Finish) any {
	ctx = context.WithoutCancel(ctx) // the stream goes on when the handler has returned
	return func(end *chat.Finish) any {
		out := AnswerMetadata{MessageID: string(t.MessageID), UserMessageID: string(t.UserMessageID),
			ConversationID: string(t.ConversationID), FinishReason: end.Reason, Usage: AnswerCost{end.Credits.Float()},
			Score: end.Score, AnswerState: end.AnswerState, Citations: append([]parley.Citation{}, end.Citations...)}
		ctx, cancel := context.WithTimeout(ctx, explainTimeout)
		defer cancel()
		query := ExplainQuery{ID: string(t.ConversationID), MessageID: string(t.MessageID)}
		if x, err := s.explainConversation(ctx, query); err == nil {
			out.Explain = &x.Turns[0]
		}
		return out
	}
}

// PlaygroundQuery asks for the newest conversations of an agent's playground.
type PlaygroundQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"20" min:"1" max:"100" doc:"Most of them."`
}

// PlaygroundList is the newest conversations of an agent's playground.
type PlaygroundList struct {
	Conversations []PlaygroundConversation `json:"conversations"`
}

// PlaygroundConversation is a conversation of the playground in a list.
type PlaygroundConversation struct {
	ID           string    `json:"conversationId"`
	Question     string    `json:"question" doc:"The beginning of what was asked first."`
	Messages     int       `json:"messages"`
	LastActivity time.Time `json:"lastActivity"`
}

// maxListedQuestion is how many bytes of a question a list shows.
const maxListedQuestion = 200

func (s *Service) listPlayground(ctx context.Context, in PlaygroundQuery) (PlaygroundList, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return PlaygroundList{}, err
	}
	filter := store.ConversationFilter{Channel: parley.ChannelPlayground}
	page, err := s.DB.Conversations(ctx, ref, filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return PlaygroundList{}, err
	}
	ids := httpapi.ConvertList(page.Items, func(c *parley.Conversation) parley.ConversationID { return c.ID })
	questions, err := s.DB.FirstQuestions(ctx, ref, ids)
	if err != nil {
		return PlaygroundList{}, err
	}
	return PlaygroundList{httpapi.ConvertList(page.Items, func(c *parley.Conversation) PlaygroundConversation {
		out := PlaygroundConversation{ID: string(c.ID), Messages: c.MessageCount, LastActivity: c.UpdatedAt}
		isFirst := func(m parley.Message) bool { return m.ConversationID == c.ID }
		if i := slices.IndexFunc(questions, isFirst); i >= 0 {
			out.Question = parley.ClipBytes(questions[i].Text(), maxListedQuestion)
		}
		return out
	})}, nil
}

// PlaygroundRef names a conversation of an agent's playground.
type PlaygroundRef struct {
	AgentID        string `path:"agentId"`
	ConversationID string `path:"conversationId"`
}

// PlaygroundRecord is a conversation of the playground as it is stored.
type PlaygroundRecord struct {
	ID          string               `json:"conversationId"`
	IsAnswering bool                 `json:"answering" doc:"An answer is being written that is not in the record yet."`
	Earlier     int                  `json:"earlier" doc:"Messages before those of the record."`
	Exchanges   []PlaygroundExchange `json:"exchanges"`
}

// PlaygroundExchange is a question and what it was answered.
type PlaygroundExchange struct {
	Question      string          `json:"question"`
	UserMessageID string          `json:"userMessageId"`
	State         string          `json:"state" enum:"complete,interrupted,failed" doc:"Of the answer."`
	Parts         []parley.Part   `json:"parts" doc:"Of the answer."`
	Feedback      string          `json:"feedback,omitempty" enum:"@rating" name:"Rating"`
	Answer        *AnswerMetadata `json:"answer" doc:"Null where there is none."`
}

// maxRecordMessages is how many messages a record has, of a long conversation the newest.
const maxRecordMessages = 100

func (s *Service) showPlayground(ctx context.Context, in PlaygroundRef) (PlaygroundRecord, error) {
	agent, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return PlaygroundRecord{}, err
	}
	request := chat.Request{ConversationID: parley.ConversationID(in.ConversationID)}
	if err := s.checkPlaygroundConversation(ctx, agent, request); err != nil {
		return PlaygroundRecord{}, err
	}
	ref := agent.ConversationRef(request.ConversationID)
	open, err := s.DB.OpenTurn(ctx, ref)
	if err != nil {
		return PlaygroundRecord{}, err
	}
	messages, err := s.DB.RecentMessages(ctx, ref, 0, maxRecordMessages)
	if err != nil {
		return PlaygroundRecord{}, err
	}
	out := PlaygroundRecord{ID: in.ConversationID, IsAnswering: open != nil, Exchanges: []PlaygroundExchange{}}
	if len(messages) > 0 {
		out.Earlier = int(messages[0].Seq) - 1
	}
	return out, s.addExchanges(ctx, &out, messages)
}

// addExchanges adds each question with its answer. An answer whose question is not among the messages is left out.
func (s *Service) addExchanges(ctx context.Context, out *PlaygroundRecord, messages []parley.Message) error {
	traces, err := s.DB.TurnTraces(ctx, parley.ConversationID(out.ID))
	if err != nil {
		return err
	}
	costs := map[parley.TurnID]parley.Credits{}
	for _, t := range traces {
		costs[t.TurnID] = t.Charged
	}
	explanation, err := s.explainConversation(ctx, ExplainQuery{ID: out.ID})
	if err != nil {
		return err
	}
	for i := range messages {
		m := &messages[i]
		if m.Author == parley.AuthorUser {
			out.Exchanges = append(out.Exchanges, PlaygroundExchange{Question: m.Text(), UserMessageID: string(m.ID),
				State: string(parley.MessageFailed), Parts: []parley.Part{}})
			continue
		}
		if len(out.Exchanges) == 0 {
			continue
		}
		e := &out.Exchanges[len(out.Exchanges)-1]
		e.State, e.Parts, e.Feedback = string(m.State), append([]parley.Part{}, m.Parts...), m.Feedback
		e.Answer = newStoredMetadata(m, e.UserMessageID, costs[m.TurnID])
		isOf := func(t TurnExplanation) bool { return t.MessageID == m.ID }
		if at := slices.IndexFunc(explanation.Turns, isOf); at >= 0 {
			e.Answer.Explain = &explanation.Turns[at]
		}
	}
	return nil
}

func newStoredMetadata(m *parley.Message, question string, cost parley.Credits) *AnswerMetadata {
	return &AnswerMetadata{MessageID: string(m.ID), UserMessageID: question, ConversationID: string(m.ConversationID),
		FinishReason: m.FinishReason, Usage: AnswerCost{cost.Float()}, Score: m.Score, AnswerState: m.AnswerState,
		Citations: append([]parley.Citation{}, m.Citations...)}
}
