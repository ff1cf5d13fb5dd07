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

	"parley/internal/rig"
	"parley/internal/rig/provider"
)

// tokens is how many pieces an answer has.
const tokens = 32

// answerTo is what the model says: every piece of it names the message, so that no answer can pass for another.
func answerTo(message string) string { return strings.Join(pieces(message), "") }

func pieces(message string) []string {
	list := make([]string, tokens)
	for i := range list {
		list[i] = fmt.Sprintf("%s.%d ", message, i)
	}
	list[tokens-1] = "end"
	return list
}

// echo answers each message with its own pieces, up to slowest apart, so that answers are in the making at any moment.
func echo(slowest time.Duration) provider.Behaviour {
	return func(x *provider.Exchange) {
		provider.Slow(rand.N(slowest)+time.Microsecond, pieces(lastMessage(x))...)(x)
	}
}

func lastMessage(x *provider.Exchange) string {
	messages, _ := x.Asked.JSON()["messages"].([]any)
	last, _ := messages[len(messages)-1].(map[string]any)
	text, _ := last["content"].(string)
	return text
}

// crowd is a number of clients of one ledger that chat with one agent at the same time.
type crowd struct {
	ledger  *rig.Ledger
	agent   string
	members []*member
	sent    atomic.Int64
}

type member struct{ conversation string }

const clients = 20

// newCrowd opens a ledger with the server and an agent in it.
func newCrowd(t *testing.T, url, key string) *crowd {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	t.Cleanup(transport.CloseIdleConnections)
	c := &crowd{ledger: rig.NewLedger(url, key, &http.Client{Transport: transport})}
	c.ledger.Answer = answerTo
	var err error
	if c.agent, err = c.ledger.CreateAgent(t.Context(), "Agent"); err != nil {
		t.Fatal(err)
	}
	for range clients {
		c.members = append(c.members, &member{})
	}
	return c
}

// talk has everybody chat until enough is closed or the server cannot be reached; it gives what kept it from being reached.
func (c *crowd) talk(ctx context.Context, enough <-chan struct{}) []error {
	var all sync.WaitGroup
	failures := make(chan error, clients)
	for _, m := range c.members {
		all.Go(func() {
			for !closed(enough) {
				if err := c.turn(ctx, m); err != nil {
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

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// turn sends one message: in a new conversation or the last one, for JSON or a stream.
func (c *crowd) turn(ctx context.Context, m *member) error {
	if rand.N(4) == 0 {
		m.conversation = ""
	}
	message := rig.Message{Agent: c.agent, Conversation: m.conversation, Text: fmt.Sprintf("m%d", c.sent.Add(1)), Stream: rand.N(2) == 0}
	a, err := c.ledger.Say(ctx, message)
	if err == nil {
		m.conversation = a.Conversation
		return nil
	}
	if rand.N(2) == 0 { // else the next message goes where this one may have been lost
		m.conversation = ""
	}
	var refusal *rig.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
	return nil
}

// settled checks the ledger, and that the refusals were none but these.
func (c *crowd) settled(t *testing.T, allowed ...string) {
	t.Helper()
	began := time.Now()
	if err := c.ledger.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	refusals := c.ledger.Refusals()
	for _, code := range allowed {
		delete(refusals, code)
	}
	if len(refusals) > 0 {
		t.Errorf("refusals: %v", refusals)
	}
	t.Logf("%d messages sent, %d answers acknowledged, refusals %v, read back in %v", c.sent.Load(), c.ledger.Acknowledged(), c.ledger.Refusals(), time.Since(began))
}
