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
func (c *VerifyingClient) SendMessage(ctx context.Context, m Message) (*Answer, error) {
	s, err := c.addMessage(m)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"message": m.Text, "stream": m.Stream}
	if m.Conversation != "" {
		body["conversationId"] = m.Conversation
	}
	resp, err := c.send(ctx, http.MethodPost, "/agents/"+m.Agent+"/chat", body)
	if err != nil {
		c.markStored(s, err)
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	c.markStored(s, nil)
	read := readReply
	if m.Stream {
		read = readStream
	}
	a, err := read(resp)
	if a != nil {
		c.acknowledge(s, a)
	}
	var broken *brokenReply
	if errors.As(err, &broken) {
		return a, c.addFault(fmt.Errorf("the answer to %q: %w", m.Text, err))
	}
	return a, err
}

func (c *VerifyingClient) addMessage(m Message) (*sentMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.messages[m.Text] != nil {
		return nil, fmt.Errorf("the client has sent %q before", m.Text)
	}
	c.messageCount++
	s := &sentMessage{agent: m.Agent, conversation: m.Conversation, text: m.Text, order: c.messageCount}
	c.messages[m.Text] = s
	return s, nil
}

// markStored notes that the message must be stored: a reply has begun, or the failure names the conversation.
func (c *VerifyingClient) markStored(s *sentMessage, failure error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var r *Refusal
	if failure == nil {
		s.mustBeStored = true
	} else if errors.As(failure, &r) && r.Details["conversationId"] != "" {
		s.mustBeStored, s.conversation = true, r.Details["conversationId"]
	}
}

func (c *VerifyingClient) acknowledge(s *sentMessage, a *Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.acknowledged, s.conversation = a, a.Conversation
}
