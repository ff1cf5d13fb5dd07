package llm

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
)

const (
	maxCause = 2 << 10 // bytes of a cause kept for the log
	maxHeard = 8 << 10 // bytes of a provider's words read for it: more, so that no key is cut before it is recognised
)

var (
	errStopped = errors.New("the consumer stopped")
	errSilent  = errors.New("the provider was silent for too long")
	errCut     = errors.New("the provider's stream ended in the middle of the answer")
	errEmpty   = errors.New("the provider's answer is empty")
	errLine    = errors.New("the provider sent a line that is too long")
	errEndless = errors.New("the provider's stream does not end")
)

// refusal is an answer of the provider that is not 200.
type refusal struct {
	status int
	body   []byte
	after  time.Duration
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the provider answered %d%s: %s", r.status, hint(r.status), bytes.TrimSpace(r.body))
}

func hint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return " (is the model key right?)"
	case http.StatusNotFound:
		return " (are the model URL and the model's name right?)"
	}
	return ""
}

// complaint is a failure that the provider reported inside its stream, or bytes of it that make no sense.
type complaint struct {
	what string
	said []byte
}

func (s *complaint) Error() string { return fmt.Sprintf("%s: %s", s.what, s.said) }

func garbled(what string, line []byte) error {
	return &complaint{what: what, said: bytes.Clone(line[:min(len(line), maxHeard)])}
}

// cause is what went wrong in words fit for a log: short, valid text without the key.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.err }

func (o *OpenAI) failed(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if o.Key != "" {
		text = strings.ReplaceAll(text, o.Key, "***")
	}
	failure := parley.Because(parley.CodeChatStreaming, &cause{text: trimmed(text, maxCause), err: err})
	var r *refusal
	if errors.As(err, &r) {
		failure.RetryAfter = r.after
	}
	return failure
}

func trimmed(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
