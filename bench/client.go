package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// newClient makes a client that keeps its connections, as many as it ever needs.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}}
}

// chatRequest is one message to a target.
type chatRequest struct {
	message      string
	model        string
	stream       bool
	conversation string // continued when it is given
}

// chatAnswer is what came back, and when.
type chatAnswer struct {
	text         string
	conversation string
	firstToken   time.Duration // to the first token; of a JSON, the whole
	total        time.Duration
}

// chatTarget is something that answers questions.
type chatTarget struct {
	name   string
	key    string
	client *http.Client
	post   func(chatRequest) (url string, body any)
}

// jsonReply is an answer as one JSON: the interface's, or the model's.
type jsonReply struct {
	Data struct {
		Parts    []struct{ Text string } `json:"parts"`
		Metadata struct {
			ConversationID string `json:"conversationId"`
		} `json:"metadata"`
	} `json:"data"`
	Choices []struct {
		Message struct{ Content string } `json:"message"`
	} `json:"choices"`
}

func (r *jsonReply) text() string {
	var text strings.Builder
	for _, p := range r.Data.Parts {
		text.WriteString(p.Text)
	}
	for _, c := range r.Choices {
		text.WriteString(c.Message.Content)
	}
	return text.String()
}

// ask puts a question and reads the answer to its end.
func (t *chatTarget) ask(ctx context.Context, q chatRequest) (chatAnswer, error) {
	began := time.Now()
	resp, err := t.openResponse(ctx, q)
	if err != nil {
		return chatAnswer{}, err
	}
	defer resp.Body.Close()
	var a chatAnswer
	if !q.stream {
		var r jsonReply
		err = json.NewDecoder(resp.Body).Decode(&r)
		_, _ = io.Copy(io.Discard, resp.Body)
		a.total = time.Since(began)
		a.text, a.conversation, a.firstToken = r.text(), r.Data.Metadata.ConversationID, a.total
		return a, err
	}
	var text strings.Builder
	err = readEvents(bufio.NewReader(resp.Body), func(s string) {
		if text.Len() == 0 {
			a.firstToken = time.Since(began)
		}
		text.WriteString(s)
	})
	a.total, a.text = time.Since(began), text.String()
	return a, err
}

// openResponse sends the question; the response has status 200.
func (t *chatTarget) openResponse(ctx context.Context, q chatRequest) (*http.Response, error) {
	url, v := t.post(q)
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+t.key)
	resp, err := t.client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return nil, fmt.Errorf("%s: %s: %s", t.name, resp.Status, said)
	}
	return resp, nil
}

// askExactly asks and insists on the model's very words.
func (t *chatTarget) askExactly(ctx context.Context, q chatRequest, want string) (chatAnswer, error) {
	a, err := t.ask(ctx, q)
	if err == nil && a.text != want {
		err = fmt.Errorf("%s: the answer is %q, want %q", t.name, a.text, want)
	}
	return a, err
}

// modelTarget is the model itself.
func (b *bench) modelTarget() *chatTarget {
	return &chatTarget{name: "stub", client: newClient(), post: func(q chatRequest) (string, any) {
		return b.stub.url + "/chat/completions", map[string]any{"model": q.model, "stream": q.stream, "messages": []map[string]string{{"role": "user", "content": q.message}}}
	}}
}

// baselineTarget is the floor; change chooses a kind of floor.
func (c *serverProcess) baselineTarget(change func(*baselineRequest)) *chatTarget {
	return &chatTarget{name: "floor", key: baselineKey, client: newClient(), post: func(q chatRequest) (string, any) {
		req := baselineRequest{Message: q.message, Stream: q.stream, Model: q.model}
		if change != nil {
			change(&req)
		}
		return c.url + "/chat", req
	}}
}
