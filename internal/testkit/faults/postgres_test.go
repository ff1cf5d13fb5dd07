package faults

import (
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/provider"
)

// While its database is down the server runs and returns errors; when the database is up again, the server works again
// by itself, and nothing that it acknowledged is lost.
func TestKillPostgres(t *testing.T) {
	check.SkipUnderRace(t)
	t.Parallel()
	database := dbs.StartPostgres(t)
	model := provider.Start(t, echoAnswers(3*time.Millisecond))
	s := testkit.Open(t, testkit.WithDatabase("", database.NewDatabase(t)), withProvider(model), withTestLog(t))
	c := newClientGroup(t, s.URL, s.Key)
	stop := make(chan struct{})
	ended := make(chan []error, 1)
	go func() { ended <- c.chatUntil(t.Context(), stop) }()
	var longest time.Duration
	for range cycleCount(t, 5, 200) {
		c.waitForAnswers(t, 50)
		database.Kill(t)
		c.waitForRefusals(t, 50)
		c.requireHealthy(t)
		database.Start(t)
		longest = max(longest, c.waitForAnswers(t, clientCount))
		model.ClearRequests()
	}
	close(stop)
	t.Logf("the server was back after %v at most", longest)
	for _, err := range <-ended {
		t.Errorf("the server could not be reached: %v", err)
	}
	c.requireConsistent(t, errDatabaseAway, errConversationBusy)
	requireNothingOpenOn(t, s)
}

const (
	errDatabaseAway     = "503 SERVICE_UNDER_MAINTENANCE"
	errConversationBusy = "409 CHAT_CONVERSATION_BUSY"
)

// withProvider makes the provider answer for every model name.
func withProvider(model *provider.Server) testkit.Option {
	return testkit.WithConfig(func(c *server.Config) { c.ModelURL, c.ModelID = model.URL, "echo" })
}

// withTestLog shows the server's log if the test fails, without the refusals that the test causes.
func withTestLog(t *testing.T) testkit.Option {
	last := &lastOutput{ignoredWord: "SERVICE_UNDER_MAINTENANCE"}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server logged:\n%s", last.String())
		}
	})
	return testkit.WithConfig(func(c *server.Config) {
		c.Logger = slog.New(slog.NewTextHandler(last, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
}

// waitForAnswers waits until n more answers are acknowledged and returns how long that took.
func (c *clientGroup) waitForAnswers(t *testing.T, n int) time.Duration {
	t.Helper()
	began, before := time.Now(), c.client.Acknowledged()
	testkit.Eventually(t, "more answers", func() bool { return c.client.Acknowledged() >= before+n })
	return time.Since(began)
}

// waitForRefusals waits until reads are refused and n more requests as well. Refused messages alone would not do: all
// clients may be waiting for answers that the server keeps until it can store them.
func (c *clientGroup) waitForRefusals(t *testing.T, n int) {
	t.Helper()
	refused := 0
	testkit.Eventually(t, "refusals", func() bool {
		var refusal *testkit.Refusal
		if err := c.client.Do(t.Context(), http.MethodGet, "/agents", nil, new(struct{})); errors.As(err, &refusal) {
			refused++
		}
		return refused >= n
	})
}

// requireHealthy checks that the server answers requests that need no database.
func (c *clientGroup) requireHealthy(t *testing.T) {
	t.Helper()
	var health struct{ Status string }
	if err := c.client.Do(t.Context(), http.MethodGet, "/health", nil, &health); err != nil || health.Status != "ok" {
		t.Errorf("health: %q, %v", health.Status, err)
	}
}
