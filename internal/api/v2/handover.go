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
	"parley/internal/api/once"
	"parley/internal/api/uistream"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// PauseBody is the body of a pause (docs/interface/conversations.md#pause).
type PauseBody struct {
	Paused bool `json:"paused" doc:"While it is true the agent does not answer; messages are kept."`
}

// Standing is the state of a conversation. Only here a pause is a status.
type Standing struct {
	ID     string `json:"id" format:"uuid"`
	Status string `json:"status" enum:"ongoing,paused"`
}

func (s *server) pauseConversation(ctx context.Context, c *call,
	in *ConversationRequest[PauseBody]) (*Data[Standing], error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	if conv, err = s.Conversations.Pause(ctx, conv.Ref(), in.Body.Paused); err != nil {
		return nil, fmt.Errorf("pause conversation: %w", err)
	}
	out := Standing{ID: string(conv.ID), Status: string(conv.Status)}
	if conv.Paused {
		out.Status = "paused"
	}
	return &Data[Standing]{out}, nil
}

// CustomerBody is the body of a customer's message.
type CustomerBody struct {
	Message string `json:"message" min:"1"`
}

func (s *server) storeCustomerMessage(ctx context.Context, c *call,
	in *ConversationRequest[CustomerBody]) (*Data[Message], error) {
	conv, err := s.findHandoverConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	m, err := s.Conversations.AddCustomerMessage(ctx, conv.Ref(), in.Body.Message)
	if err != nil {
		return nil, fmt.Errorf("write to a person: %w", err)
	}
	return &Data[Message]{s.newMessage(m)}, nil
}

// statusEvent is the data of a status event.
type statusEvent struct {
	Status parley.ConversationStatus `json:"status"`
}

// followConversation streams what happens in a conversation: events named status and message. The id of a message
// event is the number of the message. The stream ends after the status ended.
func (s *server) followConversation(ctx context.Context, c *call, in *ConversationRef) (*httpapi.EventStream, error) {
	conv, err := s.findHandoverConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	f, err := s.Conversations.Follow(ctx, conv.Ref(), parseLastEventID(c.Request))
	if err != nil {
		return nil, fmt.Errorf("follow conversation: %w", err)
	}
	out := c.StreamEvents()
	if c.Request.Method == http.MethodHead {
		f.Close()
		return nil, nil
	}
	c.Follow(out, cmp.Or(s.KeepAliveInterval, uistream.KeepAliveInterval), &updateWriter{s, out, f})
	return nil, nil
}

// parseLastEventID returns the number of the last message that the client has seen, or nil if the header is missing
// or invalid.
func parseLastEventID(r *http.Request) *int64 {
	n, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// updateWriter writes what happens in a conversation.
type updateWriter struct {
	server   *server
	out      *httpapi.Stream
	follower *chat.Follower
}

// SendNext implements httpapi.Feed.
func (u *updateWriter) SendNext(ctx context.Context) error {
	update, err := u.follower.Next(ctx)
	switch {
	case err != nil:
		if !errors.Is(err, io.EOF) && ctx.Err() == nil {
			u.server.Logger.Warn("a conversation is not followed any more", "err", err)
		}
		return err
	case update.Status != "":
		err = u.out.SendEvent("status", 0, statusEvent{update.Status})
	}
	for i := range update.Messages {
		err = errors.Join(err, u.out.SendEvent("message", update.Messages[i].Seq,
			u.server.newMessage(&update.Messages[i])))
	}
	return errors.Join(err, u.out.Flush())
}

// Notify implements httpapi.Notifier.
func (u *updateWriter) Notify(wake func()) { u.follower.Notify(wake) }

// Close implements httpapi.Feed.
func (u *updateWriter) Close() { u.follower.Close() }

// replayMessage returns the message that the request has written.
func (s *server) replayMessage(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	ref := in.(*ConversationRequest[CustomerBody])
	conv, err := s.findHandoverConversation(ctx, c, ref.AgentID, ref.ConversationID)
	if err != nil {
		return nil, err
	}
	m, err := s.DB.Message(ctx, conv.Ref(), parley.MessageID(done.ID))
	if err != nil {
		return nil, err
	}
	return &Data[Message]{s.newMessage(m)}, nil
}
