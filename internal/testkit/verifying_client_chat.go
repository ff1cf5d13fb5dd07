package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Message is one message to an agent of the client.
type Message struct {
	Agent        string
	Conversation string // empty for a new one
	Text         string
	Stream       bool
}

// Answer is what the server acknowledged: a JSON reply, or a stream whose finish event was seen.
type Answer struct {
	Conversation string
	UserMessage  string // id
	ID           string
	Text         string
	Reason       string // stop, or error when the answer was not made or was cut short
	Failure      string // what the stream's error event said, if it had one
	Credits      float64
}

// SendMessage sends the message and waits for the answer. It fails with a *Refusal, or with whatever kept the answer
// from arriving whole; the message may be stored all the same, and a refusal that names its conversation says that it
// is.
func (l *VerifyingClient) SendMessage(ctx context.Context, m Message) (*Answer, error) {
	s, err := l.addMessage(m)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"message": m.Text, "stream": m.Stream}
	if m.Conversation != "" {
		body["conversationId"] = m.Conversation
	}
	resp, err := l.send(ctx, http.MethodPost, "/agents/"+m.Agent+"/chat", body)
	if err != nil {
		l.markStored(s, err)
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	l.markStored(s, nil)
	read := readReply
	if m.Stream {
		read = readStream
	}
	a, err := read(resp)
	if a != nil {
		l.acknowledge(s, a)
	}
	var broken *brokenReply
	if errors.As(err, &broken) {
		return a, l.addFault(fmt.Errorf("the answer to %q: %w", m.Text, err))
	}
	return a, err
}

func (l *VerifyingClient) addMessage(m Message) (*sentMessage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.messages[m.Text] != nil {
		return nil, fmt.Errorf("the ledger has sent %q before", m.Text)
	}
	l.messageCount++
	s := &sentMessage{agent: m.Agent, conversation: m.Conversation, text: m.Text, order: l.messageCount}
	l.messages[m.Text] = s
	return s, nil
}

// markStored notes that the message must be stored: a reply has begun, or the failure names the conversation.
func (l *VerifyingClient) markStored(s *sentMessage, failure error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var r *Refusal
	if failure == nil {
		s.mustBeStored = true
	} else if errors.As(failure, &r) && r.Details["conversationId"] != "" {
		s.mustBeStored, s.conversation = true, r.Details["conversationId"]
	}
}

func (l *VerifyingClient) acknowledge(s *sentMessage, a *Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.acknowledged, s.conversation = a, a.Conversation
}
