// Package client is the client of Parley's REST interface for Go. It needs nothing but the standard library.
//
//	parley := client.New("https://support.example", key)
//	for event, err := range parley.Stream(ctx, agent, client.Message{Text: "When are you open?"}) {
//		if err != nil { return err }
//		fmt.Print(event.Delta)
//	}
//
// What has no method of its own is called by Do, with the paths of the OpenAPI document.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Version is that of this client.
const Version = "0.1.0"

// basePath is the path of the interface.
const basePath = "/api/v2"

// maxTries is how often a request is sent that the server wants later: after 429 and 503 with Retry-After.
const maxTries = 4

// maxErrorBytes is how much is read of the body of a failure.
const maxErrorBytes = 1 << 20

// Client calls one server with one API key. It may be used by several goroutines.
type Client struct {
	BaseURL string       // of the server, without a path
	Key     string       // API key
	HTTP    *http.Client // nil for one without limits of its own; contexts end requests
}

// New returns a client of the server at an address.
func New(baseURL, key string) *Client {
	return &Client{BaseURL: strings.TrimSuffix(baseURL, "/"), Key: key}
}

// Error is a failure that the server has told.
type Error struct {
	Status     int
	Code       string // such as AGENT_NOT_FOUND
	Message    string
	Details    map[string]string // what is wrong, by field
	RequestID  string            // for the operator of the server
	RetryAfter time.Duration     // 0 where the server does not say
}

func (e *Error) Error() string { return fmt.Sprintf("parley: %d %s: %s", e.Status, e.Code, e.Message) }

// IsCode reports whether an error is a failure with the code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// Do calls an operation: its method and its path below /api/v2, with a body that is encoded as JSON unless it is nil.
// The reply is decoded into out, unless that is nil. A POST has the same effect once, however often it has to be sent.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if out == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("parley: read the reply to %s %s: %w", method, path, err)
	}
	return nil
}

// send sends a request until the server takes it. The caller closes the body of the response, which is a success.
func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("parley: encode the request: %w", err)
		}
	}
	key := rand.Text()
	for try := 1; ; try++ {
		resp, err := c.sendOnce(ctx, method, path, key, body)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < http.StatusBadRequest {
			return resp, nil
		}
		failure := readError(resp)
		if try == maxTries || failure.RetryAfter == 0 || resp.StatusCode != http.StatusTooManyRequests &&
			resp.StatusCode != http.StatusServiceUnavailable {
			return nil, failure
		}
		if err := wait(ctx, failure.RetryAfter); err != nil {
			return nil, errors.Join(err, failure)
		}
	}
}

func (c *Client) sendOnce(ctx context.Context, method, path, key string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.BaseURL+basePath+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("User-Agent", "parley-client-go/"+Version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", key)
	}
	sender := c.HTTP
	if sender == nil {
		sender = &http.Client{}
	}
	return sender.Do(req)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readError reads a failure and closes the response. What is not in the form of the interface, such as the page of a
// proxy, has the status as its code.
func readError(resp *http.Response) *Error {
	defer func() { _ = resp.Body.Close() }()
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var envelope struct {
		Error struct {
			Code    string            `json:"code"`
			Message string            `json:"message"`
			Details map[string]string `json:"details"`
		} `json:"error"`
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes)) // what was read is judged
	if json.Unmarshal(text, &envelope) == nil && envelope.Error.Code != "" {
		e.Code, e.Message, e.Details = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details
		return e
	}
	e.Code, e.Message = "HTTP_"+strconv.Itoa(e.Status), http.StatusText(e.Status)
	return e
}

// escape writes a text as one segment of a path.
func escape(segment string) string { return url.PathEscape(segment) }
