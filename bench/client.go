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

// question is one message to a target.
type question struct {
	message      string
	model        string
	stream       bool
	conversation string // continued when it is given
}

// answer is what came back, and when.
type answer struct {
	text         string
	conversation string
	first        time.Duration // to the first token; of a JSON, the whole
	total        time.Duration
}

// target is something that answers questions.
type target struct {
	name   string
	key    string
	client *http.Client
	post   func(question) (url string, body any)
}

// reply is an answer as one JSON: the interface's, or the model's.
type reply struct {
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

func (r *reply) text() string {
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
func (t *target) ask(ctx context.Context, q question) (answer, error) {
	began := time.Now()
	resp, err := t.open(ctx, q)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	var a answer
	if !q.stream {
		var r reply
		err = json.NewDecoder(resp.Body).Decode(&r)
		_, _ = io.Copy(io.Discard, resp.Body)
		a.total = time.Since(began)
		a.text, a.conversation, a.first = r.text(), r.Data.Metadata.ConversationID, a.total
		return a, err
	}
	var text strings.Builder
	err = events(bufio.NewReader(resp.Body), func(s string) {
		if text.Len() == 0 {
			a.first = time.Since(began)
		}
		text.WriteString(s)
	})
	a.total, a.text = time.Since(began), text.String()
	return a, err
}

// open sends the question; the response has status 200.
func (t *target) open(ctx context.Context, q question) (*http.Response, error) {
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

// exact asks and insists on the model's very words.
func (t *target) exact(ctx context.Context, q question, want string) (answer, error) {
	a, err := t.ask(ctx, q)
	if err == nil && a.text != want {
		err = fmt.Errorf("%s: the answer is %q, want %q", t.name, a.text, want)
	}
	return a, err
}

// direct is the model itself.
func (b *bench) direct() *target {
	return &target{name: "stub", client: newClient(), post: func(q question) (string, any) {
		return b.stub.url + "/chat/completions", map[string]any{"model": q.model, "stream": q.stream, "messages": []map[string]string{{"role": "user", "content": q.message}}}
	}}
}

// ground is the floor; change chooses a kind of floor.
func (c *child) ground(change func(*floorRequest)) *target {
	return &target{name: "floor", key: floorKey, client: newClient(), post: func(q question) (string, any) {
		req := floorRequest{Message: q.message, Stream: q.stream, Model: q.model}
		if change != nil {
			change(&req)
		}
		return c.url + "/chat", req
	}}
}
