package v2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// PauseRequest pauses a conversation, or lets it go on.
type PauseRequest struct {
	ConversationRef
	Body PauseBody
}

// PauseBody is the body of a pause (facts 4.3).
type PauseBody struct {
	Paused bool `json:"paused" doc:"While it is true the agent does not answer; messages are kept."`
}

// Standing is how a conversation stands. Only here a pause shows as a status (decision 8).
type Standing struct {
	ID     string `json:"id" format:"uuid"`
	Status string `json:"status" enum:"ongoing,paused"`
}

func (s *server) pauseConversation(ctx context.Context, c *httpapi.Call, in *PauseRequest) (*Data[Standing], error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	if conv, err = s.Conversations.Pause(ctx, conv.AccountID, conv.AgentID, conv.ID, in.Body.Paused); err != nil {
		return nil, fmt.Errorf("pause conversation: %w", err)
	}
	out := Standing{ID: string(conv.ID), Status: string(conv.Status)}
	if conv.Paused {
		out.Status = "paused"
	}
	return &Data[Standing]{out}, nil
}

// CustomerRequest is what a customer writes to the person who has taken the conversation over.
type CustomerRequest struct {
	ConversationRef
	Body CustomerBody
}

// CustomerBody is the body of a customer's message (decision 26).
type CustomerBody struct {
	Message string `json:"message" min:"1"`
}

func (s *server) storeCustomerMessage(ctx context.Context, c *httpapi.Call, in *CustomerRequest) (*Data[Message], error) {
	conv, err := s.findHandoverConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	m, err := s.Conversations.AddCustomerMessage(ctx, conv.AccountID, conv.AgentID, conv.ID, in.Body.Message)
	if err != nil {
		return nil, fmt.Errorf("write to a person: %w", err)
	}
	return &Data[Message]{s.newMessage(m)}, nil
}

// statusEvent is the data of a status event.
type statusEvent struct {
	Status parley.ConversationStatus `json:"status"`
}

// followConversation tells what happens in a conversation as it happens (decision 26): events of the names status and message, the latter with
// the message's number as their id. It ends behind the status ended.
func (s *server) followConversation(ctx context.Context, c *httpapi.Call, in *ConversationRef) (*httpapi.EventStream, error) {
	conv, err := s.findHandoverConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	f, err := s.Conversations.Follow(ctx, conv.AccountID, conv.AgentID, conv.ID, parseLastEventID(c.Request))
	if err != nil {
		return nil, fmt.Errorf("follow conversation: %w", err)
	}
	defer f.Close()
	out := c.StreamEvents()
	for c.Request.Method != http.MethodHead && s.sendUpdates(ctx, out, f) {
		continue
	}
	return nil, nil
}

// parseLastEventID returns the number of the last message that the client has seen. What is no number of ours counts as none.
func parseLastEventID(r *http.Request) *int64 {
	n, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// sendUpdates waits for the next news and sends it; after a silence it sends a sign of life. It reports whether there may be more: not
// after the end, and not when the client has gone, which the record has seen.
func (s *server) sendUpdates(ctx context.Context, out *httpapi.Stream, f *chat.Follower) (more bool) {
	quiet, cancel := context.WithTimeout(ctx, cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval))
	defer cancel()
	news, err := f.Next(quiet)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return out.Ping() == nil
	case errors.Is(err, io.EOF):
		return false
	case err != nil:
		if ctx.Err() == nil {
			s.Logger.Warn("a conversation is not followed any more", "err", err)
		}
		return false
	case news.Status != "":
		err = out.SendEvent("status", 0, statusEvent{news.Status})
	}
	for i := range news.Messages {
		err = errors.Join(err, out.SendEvent("message", news.Messages[i].Seq, s.newMessage(&news.Messages[i])))
	}
	return errors.Join(err, out.Flush()) == nil
}

// replayMessage answers the same request once more from the message that it has written.
func (s *server) replayMessage(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	ref := in.(*CustomerRequest)
	conv, err := s.findHandoverConversation(ctx, c, ref.AgentID, ref.ConversationID)
	if err != nil {
		return nil, err
	}
	m, err := s.DB.Message(ctx, conv.AccountID, conv.AgentID, conv.ID, parley.MessageID(did.id))
	if err != nil {
		return nil, err
	}
	return &Data[Message]{s.newMessage(m)}, nil
}
