package load

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

// NewClient returns a client that keeps all its connections open.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}}
}

// Request is one message to a target.
type Request struct {
	Message      string
	Model        string
	Stream       bool
	Conversation string // continued when it is given
}

// Answer is an answer with its times.
type Answer struct {
	Text         string
	conversation string
	FirstToken   time.Duration // to the first token; of a JSON, the whole
	Total        time.Duration
}

// Target is a server that answers questions.
type Target struct {
	Name   string
	Key    string
	Client *http.Client
	Post   func(Request) (url string, body any)
}

// Reply is an answer as one JSON: the interface's, or the model's.
type Reply struct {
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

func (r *Reply) Text() string {
	var text strings.Builder
	for _, p := range r.Data.Parts {
		text.WriteString(p.Text)
	}
	for _, c := range r.Choices {
		text.WriteString(c.Message.Content)
	}
	return text.String()
}

// Ask sends a question and reads the answer to its end.
func (t *Target) Ask(ctx context.Context, q Request) (Answer, error) {
	began := time.Now()
	resp, err := t.OpenResponse(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	var a Answer
	if !q.Stream {
		var r Reply
		err = json.NewDecoder(resp.Body).Decode(&r)
		_, _ = io.Copy(io.Discard, resp.Body)
		a.Total = time.Since(began)
		a.Text, a.conversation, a.FirstToken = r.Text(), r.Data.Metadata.ConversationID, a.Total
		return a, err
	}
	var text strings.Builder
	err = readEvents(bufio.NewReader(resp.Body), func(s string) {
		if text.Len() == 0 {
			a.FirstToken = time.Since(began)
		}
		text.WriteString(s)
	})
	a.Total, a.Text = time.Since(began), text.String()
	return a, err
}

// OpenResponse sends the question; the response has status 200.
func (t *Target) OpenResponse(ctx context.Context, q Request) (*http.Response, error) {
	url, v := t.Post(q)
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+t.Key)
	resp, err := t.Client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		reply, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return nil, fmt.Errorf("%s: %s: %s", t.Name, resp.Status, reply)
	}
	return resp, nil
}

// AskExactly asks and fails unless the answer is exactly want.
func (t *Target) AskExactly(ctx context.Context, q Request, want string) (Answer, error) {
	a, err := t.Ask(ctx, q)
	if err == nil && a.Text != want {
		err = fmt.Errorf("%s: the answer is %q, want %q", t.Name, a.Text, want)
	}
	return a, err
}
