//go:build unix

package hostile_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/api/mcp"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/hostile"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// endpointTest is a server with what its endpoints need: a trained agent, its conversation, its ticket.
type endpointTest struct {
	*testkit.Server
	t                     *testing.T
	agent                 string
	readerAgent           string // an agent that texts are added to
	conversation          string
	takenOverConversation string // a conversation that a person has taken over
	textSource            string // id of a source
	qnaSource             string
}

// endpoint is a request that takes a text of any size, up to its limit in bytes; larger ones are refused.
type endpoint struct {
	name     string
	maxBytes int // limit in bytes; 0 for that of a request
	send     func(d *endpointTest, text string) (status int, reply []byte)
}

const memberEmail = "kim@shop.example"

type fields = map[string]any

var endpoints = []endpoint{
	{"a message", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/chat", fields{"message": text, "stream": false})
	}},
	{"a message in a conversation", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/chat",
			fields{"message": text, "stream": false, "conversationId": d.conversation})
	}},
	{"a streamed message", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/chat", fields{"message": text, "stream": true})
	}},
	{"messages of the first version", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v1/chat", fields{"chatbotId": d.agent, "messages": []fields{{"role": "user",
			"content": text}, {"role": "assistant", "content": text}, {"role": "user", "content": "And when?"}}})
	}},
	{"a text", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("PUT", "/api/v2/agents/"+d.readerAgent+"/sources/"+d.textSource, fields{"content": text})
	}},
	{"an answer to a question", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("PUT", "/api/v2/agents/"+d.readerAgent+"/sources/"+d.qnaSource, fields{"answer": text})
	}},
	{"a question with its answer", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("PUT", "/api/v2/agents/"+d.readerAgent+"/sources/"+d.qnaSource,
			fields{"questions": []string{text}})
	}},
	{"instructions", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("PUT", "/api/v2/agents/"+d.readerAgent, fields{"instructions": text})
	}},
	{"a subject", 500, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets",
			fields{"subject": text, "description": "a", "customer": fields{"email": "jo@example.com"}})
	}},
	{"a description", 10_000, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets",
			fields{"subject": "a", "description": text, "customer": fields{"email": "jo@example.com"}})
	}},
	{"a reply", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/1/messages",
			fields{"type": "reply", "content": text, "authorEmail": memberEmail})
	}},
	{"a note", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/1/messages",
			fields{"type": "note", "content": text, "authorEmail": memberEmail})
	}},
	{"a search for conversations", 512, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("GET", "/api/v2/agents/"+d.agent+"/conversations/search?query="+url.QueryEscape(text), nil)
	}},
	{"a search for tickets", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/search", fields{"query": text})
	}},
	{"a refused result that nobody waits for", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/conversations/"+d.conversation+"/tool-result",
			fields{"toolCallId": "a", "output": text})
	}},
	{"a person's message", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/conversations/"+d.takenOverConversation+"/messages",
			fields{"message": text})
	}},
	{"a contact", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v1/chatbots/"+d.agent+"/contacts",
			fields{"users": []fields{{"external_id": "a", "name": text, "email": "jo@example.com"}}})
	}},
	{"a call of a tool of MCP", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", mcp.Path, fields{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": fields{"name": "service_chat", "arguments": fields{"agentId": d.agent, "message": text}}})
	}},
	{"refused: what is no JSON", 0, func(d *endpointTest, text string) (int, []byte) {
		return d.sendRequest("POST", "/api/v2/agents/"+d.agent+"/chat", text)
	}},
}

// sendRequest sends a request and reads its reply to the end.
func (e *endpointTest) sendRequest(method, path string, body any) (status int, reply []byte) {
	e.t.Helper()
	raw, ok := body.(string)
	if !ok && body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			e.t.Fatal(err)
		}
		raw = string(text)
	}
	req, err := http.NewRequestWithContext(e.t.Context(), method, e.URL+path, strings.NewReader(raw))
	if err != nil {
		e.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+e.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if reply, err = io.ReadAll(res.Body); err != nil {
		e.t.Fatal(err)
	}
	if res.StatusCode >= http.StatusInternalServerError && res.StatusCode != http.StatusServiceUnavailable {
		e.t.Errorf("%s %s answers %d: %.300s", method, path, res.StatusCode, reply)
	}
	return res.StatusCode, reply
}

func newEndpointTest(t *testing.T) *endpointTest {
	d := &endpointTest{Server: testkit.Open(t), t: t}
	d.agent = d.NewAgent(t, d.Key,
		strings.Repeat("# Opening hours\n\nWe open at 9:00 and close at 17:00.\n\n# Prices\n\nIt costs 5 € a "+
			"month, tax included.\n\n", 20))
	d.readerAgent = d.NewAgent(t, d.Key)
	if _, err := admin.RunOn(t.Context(), d.AdminService, admin.AddMember,
		admin.NewMember{AccountID: d.Account, Email: memberEmail, Name: "Kim", Role: "agent"}); err != nil {
		t.Fatal(err)
	}
	var created struct{ ID string }
	d.Do(t, "POST", "/agents/"+d.readerAgent+"/sources", d.Key,
		fields{"type": "text", "name": "a", "content": "a"}).Decode(t, http.StatusCreated, &created)
	d.textSource = created.ID
	d.Do(t, "POST", "/agents/"+d.readerAgent+"/sources", d.Key, fields{"type": "qna", "name": "b",
		"questions": []string{"b"}, "answer": "b"}).Decode(t, http.StatusCreated, &created)
	d.qnaSource = created.ID
	d.conversation, d.takenOverConversation = d.askQuestion("When do you open?"),
		d.askQuestion("I want to talk to a human.")
	d.Do(t, "POST", "/agents/"+d.agent+"/helpdesk/tickets", d.Key, fields{"subject": "a", "description": "a",
		"customer": fields{"email": "jo@example.com"}}).Decode(t, http.StatusCreated, &fields{})
	return d
}

// askQuestion starts a conversation and returns its id.
func (e *endpointTest) askQuestion(question string) (conversation string) {
	var reply struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	e.Do(e.t, "POST", "/agents/"+e.agent+"/chat", e.Key, fields{"message": question, "stream": false}).Decode(e.t,
		http.StatusOK, &reply)
	return reply.Data.Metadata.ConversationID
}

// waitUntilTrained waits until the jobs of a request are done.
func (e *endpointTest) waitUntilTrained() {
	if err := e.Runner.WaitIdle(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
}

// sampleInterval is the interval of kinds of text that are sent to an endpoint, to save time; the next endpoint gets
// others.
const sampleInterval = 8

// The time of every endpoint that takes a text is linear in its size, including the work in the background.
// PARLEY_LONG=1 sends every kind of text to every endpoint.
func TestWorkOfEndpoints(t *testing.T) {
	d, size, step := newEndpointTest(t), 32<<10, sampleInterval
	if os.Getenv("PARLEY_LONG") != "" {
		size, step = 128<<10, 1
	}
	for i, e := range endpoints {
		t.Run(e.name, func(t *testing.T) {
			d := *d
			d.t = t
			if status, reply := e.send(&d, "Good morning"); !strings.Contains(e.name, "refused") &&
				(status >= 300 || bytes.Contains(reply, []byte(`"isError":true`))) {
				t.Fatalf("a common text is answered %d %.300s", status, reply)
			}
			for n := i % step; n < len(hostile.Kinds); n += step {
				hostile.RequireLinear(t, e.limitSize(size), hostile.Kinds[n], func(text string) {
					e.send(&d, strings.ToValidUTF8(text, ""))
					d.waitUntilTrained()
				})
			}
		})
	}
}

// limitSize returns the size for RequireLinear, so that a text of four times that is accepted.
func (e endpoint) limitSize(size int) int {
	if e.maxBytes > 0 {
		return min(size, e.maxBytes/4)
	}
	return size
}
