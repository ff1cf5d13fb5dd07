package faults

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/provider"
)

// A server that is killed at any moment, during answers and during its own start, loses nothing that it acknowledged,
// stores nothing twice, leaves no turn open and charges exactly what it stored.
func TestKillServer(t *testing.T) {
	check.SkipUnderRace(t)
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "data")
		killServer(t, cycleCount(t, 20, 1000), 300*time.Millisecond, dir, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := dbs.SharedPostgres(t).NewDatabase(t)
		killServer(t, cycleCount(t, 5, 200), 600*time.Millisecond, t.TempDir(), url)
	})
}

// killServer kills a server n times, each time after 20 ms to longest.
func killServer(t *testing.T, n int, longest time.Duration, dir, url string) {
	model := provider.Start(t, echoAnswers(3*time.Millisecond))
	where := []string{"--data", dir}
	if url != "" {
		where = append(where, "--database-url", url)
	}
	args := append(where, "--model-url", model.URL, "--model", "echo")
	var account admin.CreatedAccount
	runCommand(t, &account, append([]string{"account", "create", "--name", "Own"}, where...)...)

	server, address := startServer(t, args...)
	t.Cleanup(func() { server.kill() })
	c := newClientGroup(t, address, account.APIKey)
	for i := range n {
		var work sync.WaitGroup
		work.Go(func() { c.chatUntil(t.Context(), nil) })
		work.Go(func() { c.writeSources(t, fmt.Sprint("cycle ", i)) })
		<-time.After(20*time.Millisecond + rand.N(longest-20*time.Millisecond))
		server.kill()
		work.Wait()
		model.ClearRequests()
		if rand.N(4) == 0 {
			server = startProcess(t, args...)
			<-time.After(rand.N(100 * time.Millisecond))
			server.kill()
		}
		server, address = startServer(t, args...)
		c.client.SetURL(address)
	}
	allowed := ""
	if url != "" { // if another server may be running, a lease must run out, and until then its conversation is busy
		allowed = errConversationBusy
	}
	c.requireConsistent(t, allowed) // after five crashes a job waits before it is retried
	server.kill()
	requireNothingOpen(t, dir, url)
}

// writeSources creates agents and sources until the server is killed.
func (c *clientGroup) writeSources(t *testing.T, name string) {
	for i := 0; ; i++ {
		if i%2 == 0 {
			if _, err := c.client.CreateAgent(t.Context(), fmt.Sprint("Agent of ", name, " ", i)); err != nil {
				return
			}
		}
		text := fmt.Sprintf("# Ferry %s %d\n\nThe ferry of %s leaves at half past %d.\n", name, i, name, i)
		if _, err := c.client.AddSource(t.Context(), c.agent, fmt.Sprint("Ferry of ", name, " ", i), text); err != nil {
			return
		}
		<-time.After(30 * time.Millisecond)
	}
}

// requireNothingOpen checks in the database that soon no turn is open, no credits are reserved, and the accounting is
// consistent.
func requireNothingOpen(t *testing.T, dir, url string) {
	t.Helper()
	requireNothingOpenOn(t, testkit.Open(t, testkit.WithDatabase(dir, url)))
}

func requireNothingOpenOn(t *testing.T, s *testkit.Server) {
	t.Helper()
	count := func(query string) (n int) {
		if err := s.DB.SQL().QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const open = `select count(*) from turns where state = 'open'`
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(testkit.SettleTimeout); count(open) > 0 && time.Now().Before(until); {
		<-tick.C
	}
	if n := count(open); n != 0 {
		t.Errorf("%d turns are open", n)
	}
	if n := count(`select coalesce(sum(reserved), 0) from credit_usage`); n != 0 {
		t.Errorf("%d credits are set aside for nothing", n)
	}
	ofAccounts := count(`select coalesce(sum(used), 0) from credit_usage where agent_id = ''`)
	ofAgents := count(`select coalesce(sum(used), 0) from credit_usage where agent_id <> ''`)
	if booked := count(`select coalesce(sum(amount), 0) from credit_ledger`); ofAccounts != ofAgents ||
		ofAccounts != booked {
		t.Errorf("accounts used %d credits, agents %d, the ledger says %d", ofAccounts, ofAgents, booked)
	}
	if ofModels := count(`select coalesce(sum(used), 0) from credit_models where agent_id = ''`); ofModels != ofAccounts {
		t.Errorf("accounts used %d credits, their models %d", ofAccounts, ofModels)
	}
}
