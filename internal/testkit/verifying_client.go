package testkit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

	v2 "parley/internal/api/v2"
)

// VerifyingClient is a client that records what the server acknowledged, and afterwards reads everything back through
// the public interface: Verify reports what is missing, doubled or different. It is safe for concurrent use. Every
// message, agent and source it sends needs a unique text or name, which identifies it.
type VerifyingClient struct {
	Key            string
	Client         *http.Client
	Price          int64                       // price of an answer, in whole credits
	ExpectedAnswer func(message string) string // returns the expected answer to a message; nil accepts any
	RequireAnswers bool                        // every stored message must have an answer in the end

	mu           sync.Mutex
	url          string
	agents       map[string]*agentRecord // by id
	messages     map[string]*sentMessage // by text
	messageCount int
	refusals     map[string]int
	faults       []error
}

// agentRecord is what the server acknowledged of one agent.
type agentRecord struct {
	name    string
	sources map[string]string // name by id
}

type sentMessage struct {
	agent          string
	conversation   string // empty while it is not known
	text           string
	order          int
	mustBeStored   bool    // the server has begun to answer, so the message must be stored
	acknowledged   *Answer // what the server acknowledged, if it did
	answerVerified bool    // its answer was read back
}

// NewVerifyingClient returns a client of the server at url. Answers cost one credit.
func NewVerifyingClient(url, key string, client *http.Client) *VerifyingClient {
	return &VerifyingClient{Key: key, Client: client, Price: 1, url: url, agents: map[string]*agentRecord{},
		messages: map[string]*sentMessage{}, refusals: map[string]int{}}
}

// SetURL sets the address of the server.
func (c *VerifyingClient) SetURL(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.url = url
}

// Refusal is an error that the server returned.
type Refusal struct {
	Status  int
	Code    string
	Message string
	Details map[string]string
	Header  http.Header
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message) }

// Refusals counts the failures by status and code, as in "503 SERVICE_UNDER_MAINTENANCE".
func (c *VerifyingClient) Refusals() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.refusals)
}

// Acknowledged counts the answers that the server acknowledged.
func (c *VerifyingClient) Acknowledged() (answers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.messages {
		if s.acknowledged != nil {
			answers++
		}
	}
	return answers
}

// CreateAgent creates an agent.
func (c *VerifyingClient) CreateAgent(ctx context.Context, name string) (id string, err error) {
	var created struct{ ID string }
	if err := c.Do(ctx, http.MethodPost, "/agents", map[string]any{"name": name}, &created); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agents[created.ID] = &agentRecord{name: name, sources: map[string]string{}}
	return created.ID, nil
}

// AddSource adds a text to the agent, which this client must have created.
func (c *VerifyingClient) AddSource(ctx context.Context, agent, name, content string) (id string, err error) {
	var created struct{ ID string }
	body := map[string]any{"type": "text", "name": name, "content": content}
	if err := c.Do(ctx, http.MethodPost, "/agents/"+agent+"/sources", body, &created); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agents[agent].sources[created.ID] = name
	return created.ID, nil
}

// Do sends a request to a path under /api/v2 and decodes the reply. It fails with a *Refusal, or with the error that
// interrupted the reply.
func (c *VerifyingClient) Do(ctx context.Context, method, path string, body, out any) error {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return c.addFault(fmt.Errorf("%s %s: the reply is not the JSON it should be: %w\n%.500s", method, path, err, raw))
	}
	return nil
}

// send returns the reply of a request that was not refused.
func (c *VerifyingClient) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var payload io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		payload = bytes.NewReader(raw)
	}
	c.mu.Lock()
	url := c.url
	c.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, method, url+v2.Base+path, payload)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	resp, err := c.Client.Do(req)
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, c.readRefusal(resp)
}

// readRefusal reads an error reply and checks it against the rules for all of them.
func (c *VerifyingClient) readRefusal(resp *http.Response) error {
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var envelope struct{ Error Refusal }
	err = json.Unmarshal(raw, &envelope)
	r := &envelope.Error
	r.Status, r.Header = resp.StatusCode, resp.Header
	if err == nil && (r.Code == "" || r.Message == "") {
		err = errors.New("not the envelope")
	}
	if err := cmp.Or(err, checkHeaders(resp)); err != nil {
		return c.addFault(fmt.Errorf("%s: status %d: %w\n%.500s", resp.Request.URL.Path, resp.StatusCode, err, raw))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusals[fmt.Sprint(r.Status, " ", r.Code)]++
	return r
}

// addFault records a violation, which Verify reports.
func (c *VerifyingClient) addFault(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, err)
	return err
}

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
	Reason       string // stop, or error if the answer failed or was interrupted
	Failure      string // the stream's error event, if it had one
	Credits      float64
}

// SendMessage sends the message and waits for the answer. It fails with a *Refusal, or with the error that interrupted
// the answer. The message may be stored nevertheless; it is stored if a refusal names its conversation.
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

// markStored records that the message must be stored: a reply has begun, or the error names the conversation.
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
