package model

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// SpeechServer is a server of speech, reached over HTTP.
type SpeechServer struct {
	BaseURL string       // up to and including the version, e.g. https://host/v1
	Key     string       // empty sends none
	HTTP    *http.Client // nil takes a pool of its own that Close empties

	FirstByteTimeout time.Duration // longest wait for the first byte of an answer; 0 is 8 s
	IdleTimeout      time.Duration // longest silence inside an answer; 0 is 5 s
	Backoff          time.Duration // wait before the one retry; 0 is 200 ms

	once   sync.Once
	client *http.Client
}

// maxSpeechRetries are few: somebody is waiting on the line.
const maxSpeechRetries = 1

// Close drops the idle connections of the server's own pool.
func (s *SpeechServer) Close() {
	if s.HTTP == nil {
		s.httpClient().CloseIdleConnections()
	}
}

func (s *SpeechServer) httpClient() *http.Client {
	if s.HTTP != nil {
		return s.HTTP
	}
	s.once.Do(func() { s.client = newHTTPClient() })
	return s.client
}

// endpoint is the address of a path such as /audio/speech; a base URL that holds it already is taken too.
func (s *SpeechServer) endpoint(path string) string {
	return strings.TrimSuffix(strings.TrimRight(s.BaseURL, "/"), path) + path
}

// speechResponse is an answer that is being read.
type speechResponse struct {
	*providerCall
	responseHeader http.Header
}

// post sends a request until the server accepts it; it repeats once what a repetition can cure.
func (s *SpeechServer) post(ctx context.Context, path, kind, accept string, body []byte) (*speechResponse, error) {
	timing := OpenAI{Backoff: s.Backoff}
	for attempt := 0; ; attempt++ {
		a, err := s.tryOnce(ctx, path, kind, accept, body)
		if err == nil || ctx.Err() != nil || attempt == maxSpeechRetries {
			return a, err
		}
		pause, again := timing.retryDelay(attempt, err)
		if !again {
			return nil, err
		}
		if err := sleepContext(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func (s *SpeechServer) tryOnce(parent context.Context, path, kind, accept string, body []byte) (*speechResponse, error) {
	c := &providerCall{parent: parent, readTimeout: durationOr(s.FirstByteTimeout, 8*time.Second), idleTimeout: durationOr(s.IdleTimeout, 5*time.Second)}
	c.ctx, c.cancel = context.WithCancelCause(parent)
	c.timer = time.AfterFunc(c.readTimeout, func() { c.cancel(errProviderSilent) })
	resp, err := s.send(c.ctx, path, kind, accept, body) //nolint:bodyclose // the call closes it, here or when it has been read
	c.timer.Stop()
	if err != nil {
		err = c.causeOf(err)
		c.cancel(nil)
		return nil, err
	}
	c.body = resp.Body
	if resp.StatusCode == http.StatusOK {
		return &speechResponse{providerCall: c, responseHeader: resp.Header}, nil
	}
	defer c.close()
	c.readTimeout, c.idleTimeout = finishTimeout, finishTimeout
	text, _ := io.ReadAll(io.LimitReader(c, maxErrorBodyBytes)) // what there is of it is enough
	return nil, &statusError{status: resp.StatusCode, body: text, retryAfter: parseRetryAfter(resp.Header)}
}

func (s *SpeechServer) send(ctx context.Context, path, kind, accept string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint(path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", accept)
	r.Header.Set("User-Agent", "parley")
	setBearer(r.Header, s.Key)
	return s.httpClient().Do(r)
}
