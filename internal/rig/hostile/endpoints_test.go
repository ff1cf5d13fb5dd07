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

	"parley/internal/admin"
	"parley/internal/mcp"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/hostile"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// door is a house with what its endpoints need: an agent that has read something, its conversation, its ticket.
type door struct {
	*rig.House
	t     *testing.T
	agent string
	other string // an agent that texts are given to read
	conv  string
	taken string // a conversation that a person has taken over
	text  string // id of a source
	qna   string
}

// endpoint takes a text of any size, up to its limit in bytes; what it refuses is answered as well.
type endpoint struct {
	name string
	most int // bytes that it takes, 0 for what one request may hold
	send func(d *door, text string) (status int, reply []byte)
}

const member = "kim@shop.example"

type fields = map[string]any

var endpoints = []endpoint{
	{"a message", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/chat", fields{"message": text, "stream": false})
	}},
	{"a message in a conversation", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/chat", fields{"message": text, "stream": false, "conversationId": d.conv})
	}},
	{"a streamed message", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/chat", fields{"message": text, "stream": true})
	}},
	{"messages of the first version", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v1/chat", fields{"chatbotId": d.agent, "messages": []fields{{"role": "user", "content": text}, {"role": "assistant", "content": text}, {"role": "user", "content": "And when?"}}})
	}},
	{"a text", 0, func(d *door, text string) (int, []byte) {
		return d.do("PUT", "/api/v2/agents/"+d.other+"/sources/"+d.text, fields{"content": text})
	}},
	{"an answer to a question", 0, func(d *door, text string) (int, []byte) {
		return d.do("PUT", "/api/v2/agents/"+d.other+"/sources/"+d.qna, fields{"answer": text})
	}},
	{"a question with its answer", 0, func(d *door, text string) (int, []byte) {
		return d.do("PUT", "/api/v2/agents/"+d.other+"/sources/"+d.qna, fields{"questions": []string{text}})
	}},
	{"instructions", 0, func(d *door, text string) (int, []byte) {
		return d.do("PUT", "/api/v2/agents/"+d.other, fields{"instructions": text})
	}},
	{"a subject", 500, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets", fields{"subject": text, "description": "a", "customer": fields{"email": "jo@example.com"}})
	}},
	{"a description", 10_000, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets", fields{"subject": "a", "description": text, "customer": fields{"email": "jo@example.com"}})
	}},
	{"a reply", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/1/messages", fields{"type": "reply", "content": text, "authorEmail": member})
	}},
	{"a note", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/1/messages", fields{"type": "note", "content": text, "authorEmail": member})
	}},
	{"a search for conversations", 512, func(d *door, text string) (int, []byte) {
		return d.do("GET", "/api/v2/agents/"+d.agent+"/conversations/search?query="+url.QueryEscape(text), nil)
	}},
	{"a search for tickets", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/helpdesk/tickets/search", fields{"query": text})
	}},
	{"a refused result that nobody waits for", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/conversations/"+d.conv+"/tool-result", fields{"toolCallId": "a", "output": text})
	}},
	{"a person's message", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v2/agents/"+d.agent+"/conversations/"+d.taken+"/messages", fields{"message": text})
	}},
	{"a contact", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", "/api/v1/chatbots/"+d.agent+"/contacts", fields{"users": []fields{{"external_id": "a", "name": text, "email": "jo@example.com"}}})
	}},
	{"a call of a tool of MCP", 0, func(d *door, text string) (int, []byte) {
		return d.do("POST", mcp.Path, fields{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": fields{"name": "service_chat", "arguments": fields{"agentId": d.agent, "message": text}}})
	}},
	{"refused: what is no JSON", 0, func(d *door, text string) (int, []byte) { return d.do("POST", "/api/v2/agents/"+d.agent+"/chat", text) }},
}

// do sends a request and reads its reply to the end.
func (d *door) do(method, path string, body any) (status int, reply []byte) {
	d.t.Helper()
	raw, ok := body.(string)
	if !ok && body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			d.t.Fatal(err)
		}
		raw = string(text)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.URL+path, strings.NewReader(raw))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if reply, err = io.ReadAll(res.Body); err != nil {
		d.t.Fatal(err)
	}
	if res.StatusCode >= http.StatusInternalServerError && res.StatusCode != http.StatusServiceUnavailable {
		d.t.Errorf("%s %s answers %d: %.300s", method, path, res.StatusCode, reply)
	}
	return res.StatusCode, reply
}

func open(t *testing.T) *door {
	d := &door{House: rig.Open(t), t: t}
	d.agent = d.NewAgent(t, d.Key, strings.Repeat("# Opening hours\n\nWe open at 9:00 and close at 17:00.\n\n# Prices\n\nIt costs 5 € a month, tax included.\n\n", 20))
	d.other = d.NewAgent(t, d.Key)
	if _, err := admin.Do(t.Context(), d.Operator, admin.AddMember, admin.NewMember{AccountID: d.Account, Email: member, Name: "Kim", Role: "agent"}); err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	d.Do(t, "POST", "/agents/"+d.other+"/sources", d.Key, fields{"type": "text", "name": "a", "content": "a"}).Decode(t, http.StatusCreated, &made)
	d.text = made.ID
	d.Do(t, "POST", "/agents/"+d.other+"/sources", d.Key, fields{"type": "qna", "name": "b", "questions": []string{"b"}, "answer": "b"}).Decode(t, http.StatusCreated, &made)
	d.qna = made.ID
	d.conv, d.taken = d.asks("When do you open?"), d.asks("I want to talk to a human.")
	d.Do(t, "POST", "/agents/"+d.agent+"/helpdesk/tickets", d.Key, fields{"subject": "a", "description": "a", "customer": fields{"email": "jo@example.com"}}).Decode(t, http.StatusCreated, &fields{})
	return d
}

// asks begins a conversation.
func (d *door) asks(question string) (conversation string) {
	var said struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	d.Do(d.t, "POST", "/agents/"+d.agent+"/chat", d.Key, fields{"message": question, "stream": false}).Decode(d.t, http.StatusOK, &said)
	return said.Data.Metadata.ConversationID
}

// settle waits until what a request has left to be done is done.
func (d *door) settle() {
	if err := d.Runner.Idle(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// oneIn is how many kinds are passed over for each that an endpoint is sent, where time is short; the next endpoint
// is sent others.
const oneIn = 8

// The work of every endpoint that takes a text grows with the text, and no more than that, with all that is left to
// be done behind it. PARLEY_LONG=1 sends every kind of text to every endpoint.
func TestWorkOfEndpoints(t *testing.T) {
	d, size, step := open(t), 32<<10, oneIn
	if os.Getenv("PARLEY_LONG") != "" {
		size, step = 128<<10, 1
	}
	for i, e := range endpoints {
		t.Run(e.name, func(t *testing.T) {
			d := *d
			d.t = t
			if status, reply := e.send(&d, "Good morning"); !strings.Contains(e.name, "refused") && (status >= 300 || bytes.Contains(reply, []byte(`"isError":true`))) {
				t.Fatalf("a common text is answered %d %.300s", status, reply)
			}
			for n := i % step; n < len(hostile.Kinds); n += step {
				hostile.Linear(t, e.size(size), hostile.Kinds[n], func(text string) {
					e.send(&d, strings.ToValidUTF8(text, ""))
					d.settle()
				})
			}
		})
	}
}

// size is how large the smallest text is: one of four times the size is taken as well.
func (e endpoint) size(size int) int {
	if e.most > 0 {
		return min(size, e.most/4)
	}
	return size
}
