package faults

import (
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"parley/internal/house"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/provider"
)

// While its database is gone the server stays up and says so in the envelope; when the database is back so is the server, by
// itself, and nothing that it acknowledged is lost.
func TestKillPostgres(t *testing.T) {
	notUnderRace(t)
	t.Parallel()
	database := dbs.StartOwn(t)
	model := provider.Start(t, echo(3*time.Millisecond))
	h := rig.Open(t, rig.At("", database.NewDatabase(t)), answeredBy(model), logging(t))
	c := newCrowd(t, h.URL, h.Key)
	enough := make(chan struct{})
	ended := make(chan []error, 1)
	go func() { ended <- c.talk(t.Context(), enough) }()
	var longest time.Duration
	for range cycles(t, 5, 200) {
		c.moreAnswers(t, 50)
		database.Kill(t)
		c.refuses(t, 50)
		c.healthy(t)
		database.Start(t)
		longest = max(longest, c.moreAnswers(t, clients))
		model.Forget()
	}
	close(enough)
	if t.Logf("the server was back after %v at most", longest); longest > 5*time.Second {
		t.Error("that is too long")
	}
	for _, err := range <-ended {
		t.Errorf("the server could not be reached: %v", err)
	}
	c.settled(t, away, busy)
	nothingOpenIn(t, h)
}

const (
	away = "503 SERVICE_UNDER_MAINTENANCE"
	busy = "409 CHAT_CONVERSATION_BUSY"
)

// answeredBy has the provider answer for every model name.
func answeredBy(model *provider.Server) rig.Option {
	return rig.With(func(c *house.Config) { c.ModelURL, c.ModelID = model.URL, "echo" })
}

// logging shows what the house logged, should the test fail, but for the refusals that the test is about.
func logging(t *testing.T) rig.Option {
	last := &tail{but: "SERVICE_UNDER_MAINTENANCE"}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the house logged:\n%s", last.String())
		}
	})
	return rig.With(func(c *house.Config) {
		c.Logger = slog.New(slog.NewTextHandler(last, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
}

// moreAnswers waits until n more answers are acknowledged and gives how long that took.
func (c *crowd) moreAnswers(t *testing.T, n int) time.Duration {
	t.Helper()
	began, before := time.Now(), c.ledger.Acknowledged()
	rig.Eventually(t, "more answers", func() bool { return c.ledger.Acknowledged() >= before+n })
	return time.Since(began)
}

// refuses waits until reads are refused and n more requests with them. The crowd alone would not do: all of it may be waiting
// for answers that the server keeps until it can store them.
func (c *crowd) refuses(t *testing.T, n int) {
	t.Helper()
	refused := 0
	rig.Eventually(t, "refusals", func() bool {
		var refusal *rig.Refusal
		if err := c.ledger.Do(t.Context(), http.MethodGet, "/agents", nil, new(struct{})); errors.As(err, &refusal) {
			refused++
		}
		return refused >= n
	})
}

// healthy checks that the server answers where no database is needed.
func (c *crowd) healthy(t *testing.T) {
	t.Helper()
	var health struct{ Status string }
	if err := c.ledger.Do(t.Context(), http.MethodGet, "/health", nil, &health); err != nil || health.Status != "ok" {
		t.Errorf("health: %q, %v", health.Status, err)
	}
}
