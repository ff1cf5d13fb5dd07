package chatapi

import (
	"context"
	"errors"

	"parley"
	"parley/internal/api/once"
	"parley/internal/chat"
)

// newRunner returns what answers requests with an Idempotency-Key, which belongs to the visitor.
func (s *server) newRunner() *once.Runner {
	return &once.Runner{DB: s.DB, Now: s.Now, Logger: s.Logger, Rules: s.newReplayRules(), OwnerOf: keyOwner,
		FindTurn: s.findTurn}
}

func keyOwner(c *call) once.Owner {
	from := callerOf(c)
	return once.Owner{Account: from.agent.AccountID, Name: "visitor " + string(from.visitor.ID)}
}

// findTurn looks up a turn that an earlier request has begun.
func (s *server) findTurn(ctx context.Context, c *call, _ any, turn parley.TurnID) error {
	_, err := s.Chat.ReplayTurn(ctx, callerOf(c).agent.Ref(), turn)
	return err
}

// newReplayRules returns the rule of each POST by the name of its operation. A POST without a rule has no effect and is
// Repeatable.
func (s *server) newReplayRules() map[string]once.Rule {
	return map[string]once.Rule{
		"sendMessage":    {Render: s.replayTurn},
		"retryAnswer":    {Render: s.replayTurn},
		"sendToolResult": {StoresReply: true, Render: replaySuccess},
		"writeToPerson":  {Render: s.replayMessage},

		"submitForm":        {StoresReply: true, Render: replaySuccess},
		"startVoiceSession": {Render: s.replayVoice},
	}
}

func replaySuccess(context.Context, *call, any, once.Effect) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

// replayTurn streams the answer that the request has begun, whether it is being written or stored.
func (s *server) replayTurn(ctx context.Context, c *call, _ any, done once.Effect) (any, error) {
	release, err := s.countStream(callerOf(c))
	if err != nil {
		return nil, err
	}
	defer release()
	turn, err := s.begunTurn(ctx, callerOf(c).agent.Ref(), done)
	if err != nil {
		return nil, err
	}
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, turn.ConversationID)
	if err != nil {
		return nil, err
	}
	return nil, s.streamTurn(ctx, c, turn, conv.Channel)
}

func (s *server) begunTurn(ctx context.Context, ref parley.AgentRef, done once.Effect) (*chat.Turn, error) {
	switch done.Kind {
	case "turn":
		turn, err := s.Chat.ReplayTurn(ctx, ref, parley.TurnID(done.ID))
		if parley.IsCode(err, parley.CodeKeyInUse) { // it runs
			return s.Chat.FindTurn(ctx, ref, parley.TurnID(done.ID))
		}
		return turn, err
	case "paused":
		return s.Chat.ReplayUnanswered(ctx, ref, done.ID)
	}
	return nil, errors.New("chatapi: a message has done " + done.Kind)
}

// replayMessage returns the message that the request has written.
func (s *server) replayMessage(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor,
		parley.ConversationID(in.(*PersonRequest).ConversationID))
	if err != nil {
		return nil, err
	}
	m, err := s.DB.Message(ctx, conv.Ref(), parley.MessageID(done.ID))
	if err != nil {
		return nil, err
	}
	return &Data[Message]{s.newMessage(m, newMessageView(callerOf(c).agent, conv))}, nil
}
