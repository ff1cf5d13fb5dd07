package ready_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"parley/internal/ready"
)

func ask(t *testing.T, s *ready.State, method string) (int, ready.Reply) {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, ready.Path, nil))
	var reply ready.Reply
	if w.Code != http.StatusMethodNotAllowed {
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
	}
	return w.Code, reply
}

func requireReason(t *testing.T, s *ready.State, want string) {
	t.Helper()
	status, reply := ask(t, s, http.MethodGet)
	if isReady := want == ""; isReady != (status == http.StatusOK) || isReady != (reply.Status == "ready") ||
		reply.Reason != want || isReady != (reply.Message == "") {
		t.Errorf("answered %d %+v, want the reason %q", status, reply, want)
	}
}

// A server is ready in one of its phases only, and phases never go back.
func TestOnlyAServingServerIsReady(t *testing.T) {
	s := &ready.State{Now: time.Now, CheckDatabase: func(context.Context) error { return nil }}
	requireReason(t, s, "starting")
	s.Enter(ready.Warming)
	requireReason(t, s, "warming")
	s.Enter(ready.Serving)
	requireReason(t, s, "")
	s.Enter(ready.Draining)
	requireReason(t, s, "draining")
	s.Enter(ready.Serving)
	requireReason(t, s, "draining")
}

// A server whose database does not answer is not ready. The database is asked once a second at most, whoever asks the
// server how often.
func TestDatabaseIsAskedNowAndThen(t *testing.T) {
	var failure error
	now, queries := time.Unix(1_800_000_000, 0), 0
	s := &ready.State{Now: func() time.Time { return now }, CheckDatabase: func(context.Context) error {
		queries++
		return failure
	}}
	s.Enter(ready.Serving)
	requireReason(t, s, "")
	failure = errors.New("connection refused")
	requireReason(t, s, "")
	now = now.Add(time.Second)
	requireReason(t, s, "database")
	requireReason(t, s, "database")
	failure = nil
	now = now.Add(time.Second)
	requireReason(t, s, "")
	if queries != 3 {
		t.Errorf("the database was asked %d times", queries)
	}
}

// A client that leaves while the database is asked makes nobody else believe that the database is away.
func TestClientThatLeavesIsNoFailureOfTheDatabase(t *testing.T) {
	s := &ready.State{Now: time.Now, CheckDatabase: func(ctx context.Context) error { return ctx.Err() }}
	s.Enter(ready.Serving)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if reply := s.Check(ctx); reply.Reason != "" {
		t.Errorf("%+v", reply)
	}
}

func TestOnlyReadsAreAnswered(t *testing.T) {
	s := &ready.State{Now: time.Now, CheckDatabase: func(context.Context) error { return nil }}
	for method, want := range map[string]int{http.MethodHead: http.StatusServiceUnavailable,
		http.MethodPost: http.StatusMethodNotAllowed} {
		if status, _ := ask(t, s, method); status != want {
			t.Errorf("%s is answered with %d", method, status)
		}
	}
}
