package model

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
	maxCauseBytes     = 2 << 10 // bytes of a cause kept for the log
	maxErrorBodyBytes = 8 << 10 // bytes of a provider's words read for it: more, so that no key is cut before it is recognised
)

var (
	errConsumerStopped = errors.New("the consumer stopped")
	errProviderSilent  = errors.New("the provider was silent for too long")
	errStreamCut       = errors.New("the provider's stream ended in the middle of the answer")
	errEmptyAnswer     = errors.New("the provider's answer is empty")
	errLineTooLong     = errors.New("the provider sent a line that is too long")
	errStreamTooLong   = errors.New("the provider's stream does not end")
)

// statusError is an answer of the provider that is not 200.
type statusError struct {
	status     int
	body       []byte
	retryAfter time.Duration
}

func (r *statusError) Error() string {
	return fmt.Sprintf("the provider answered %d%s: %s", r.status, statusHint(r.status), bytes.TrimSpace(r.body))
}

func statusHint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return " (is the model key right?)"
	case http.StatusNotFound:
		return " (are the model URL and the model's name right?)"
	}
	return ""
}

// providerError is a failure that the provider reported inside its stream, or bytes of it that make no sense.
type providerError struct {
	problem string
	data    []byte
}

func (s *providerError) Error() string { return fmt.Sprintf("%s: %s", s.problem, s.data) }

func newProviderError(what string, line []byte) error {
	return &providerError{problem: what, data: bytes.Clone(line[:min(len(line), maxErrorBodyBytes)])}
}

// redactedError is what went wrong in words fit for a log: short, valid text without the key.
type redactedError struct {
	text string
	err  error
}

func (c *redactedError) Error() string { return c.text }
func (c *redactedError) Unwrap() error { return c.err }

func (o *OpenAI) wrapError(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if o.Key != "" {
		text = strings.ReplaceAll(text, o.Key, "***")
	}
	failure := parley.WrapError(parley.CodeChatStreaming, &redactedError{text: truncateText(text, maxCauseBytes), err: err})
	var r *statusError
	if errors.As(err, &r) {
		failure.RetryAfter = r.retryAfter
	}
	return failure
}

func truncateText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
