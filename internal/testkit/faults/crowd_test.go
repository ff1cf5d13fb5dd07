package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// tokensPerAnswer is the number of pieces of an answer.
const tokensPerAnswer = 32

// expectedAnswer returns the model's answer. Each of its pieces names the message, so that answers cannot be confused.
func expectedAnswer(message string) string { return strings.Join(answerPieces(message), "") }

func answerPieces(message string) []string {
	list := make([]string, tokensPerAnswer)
	for i := range list {
		list[i] = fmt.Sprintf("%s.%d ", message, i)
	}
	list[tokensPerAnswer-1] = "end"
	return list
}

// echoAnswers answers each message with its own pieces, with pauses up to slowest, so that turns are running at any
// moment.
func echoAnswers(slowest time.Duration) provider.Behaviour {
	return func(x *provider.Exchange) {
		provider.AnswerSlowly(rand.N(slowest)+time.Microsecond, answerPieces(lastMessage(x))...)(x)
	}
}

func lastMessage(x *provider.Exchange) string {
	messages, _ := x.Request.JSON()["messages"].([]any)
	last, _ := messages[len(messages)-1].(map[string]any)
	text, _ := last["content"].(string)
	return text
}

// clientGroup is a number of clients of one VerifyingClient that chat with one agent at the same time.
type clientGroup struct {
	client    *testkit.VerifyingClient
	agent     string
	clients   []*chatClient
	sentCount atomic.Int64
}

type chatClient struct{ conversation string }

const clientCount = 20

// newClientGroup creates a VerifyingClient of the server with an agent.
func newClientGroup(t *testing.T, url, key string) *clientGroup {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: clientCount}
	t.Cleanup(transport.CloseIdleConnections)
	c := &clientGroup{client: testkit.NewVerifyingClient(url, key, &http.Client{Transport: transport})}
	c.client.ExpectedAnswer = expectedAnswer
	var err error
	if c.agent, err = c.client.CreateAgent(t.Context(), "Agent"); err != nil {
		t.Fatal(err)
	}
	for range clientCount {
		c.clients = append(c.clients, &chatClient{})
	}
	return c
}

// chatUntil makes all clients chat until enough is closed or the server cannot be reached; then it returns the error.
func (c *clientGroup) chatUntil(ctx context.Context, stop <-chan struct{}) []error {
	var all sync.WaitGroup
	failures := make(chan error, clientCount)
	for _, m := range c.clients {
		all.Go(func() {
			for !isClosed(stop) {
				if err := c.sendMessage(ctx, m); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	var list []error
	for err := range failures {
		list = append(list, err)
	}
	return list
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sendMessage sends one message: in a new conversation or the last one, for JSON or a stream.
func (c *clientGroup) sendMessage(ctx context.Context, m *chatClient) error {
	if rand.N(4) == 0 {
		m.conversation = ""
	}
	message := testkit.Message{Agent: c.agent, Conversation: m.conversation,
		Text: fmt.Sprintf("m%d", c.sentCount.Add(1)), Stream: rand.N(2) == 0}
	a, err := c.client.SendMessage(ctx, message)
	if err == nil {
		m.conversation = a.Conversation
		return nil
	}
	if rand.N(2) == 0 { // otherwise the next message is sent to the conversation in which this one may have been lost
		m.conversation = ""
	}
	var refusal *testkit.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
	return nil
}

// requireConsistent verifies what was acknowledged, and that there were no other refusals than these.
func (c *clientGroup) requireConsistent(t *testing.T, allowed ...string) {
	t.Helper()
	began := time.Now()
	if err := c.client.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	refusals := c.client.Refusals()
	for _, code := range allowed {
		delete(refusals, code)
	}
	if len(refusals) > 0 {
		t.Errorf("refusals: %v", refusals)
	}
	t.Logf("%d messages sent, %d answers acknowledged, refusals %v, read back in %v", c.sentCount.Load(),
		c.client.Acknowledged(), c.client.Refusals(), time.Since(began))
}
