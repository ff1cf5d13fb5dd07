package webhook_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/webhook"
)

// Webhooks of the account and of the agent hear; those of other agents and accounts, and those that were removed, do
// not.
func TestSubscribers(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		all, mine, others, removed, foreign := newEndpoint(t), newEndpoint(t), newEndpoint(t), newEndpoint(t), newEndpoint(t)
		w.addWebhook("", all.URL)
		w.addWebhook(w.agent, mine.URL)
		w.addWebhook(w.newAgent(), others.URL)
		removedHook := w.addWebhook(w.agent, removed.URL)
		stranger := newFixture(t, w.DB)
		stranger.addWebhook("", foreign.URL)
		w.must(w.service.Remove(w, w.account, removedHook.ID, "operator"))
		w.addLead("ann@example.org")
		w.addLead("ANN@example.org") // tells nothing new
		w.runSendJobs()
		for name, each := range map[string]struct {
			e *endpoint
			n int
		}{"account": {all, 1}, "agent": {mine, 1}, "another agent": {others, 0}, "removed": {removed, 0},
			"another account": {foreign, 0}} {
			if n := len(each.e.receivedRequests()); n != each.n {
				t.Errorf("%s heard %d, want %d", name, n, each.n)
			}
		}
	})
}

// What did not happen is not told: a lead that is not kept leaves neither a delivery nor a job.
func TestRolledBackLeadIsNotDelivered(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		e := newEndpoint(t)
		w.addWebhook("", e.URL)
		lead := &parley.Lead{ID: parley.NewUUID(), AccountID: w.account, AgentID: w.agent,
			ConversationID: w.conversation, Email: "ann@example.org", CreatedAt: w.clock.Now()}
		failed := parley.NewError(parley.CodeInternal)
		err := w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.AddLead(w, lead); err != nil {
				return err
			}
			return failed
		})
		if !parley.IsCode(err, parley.CodeInternal) || len(w.deliveries("")) != 0 {
			t.Errorf("%v, %d deliveries", err, len(w.deliveries("")))
		}
		w.runSendJobs()
		if len(e.receivedRequests()) != 0 {
			t.Error("it was told")
		}
	})
}

// Removing a webhook takes along what was still to be delivered to it.
func TestRemoveErasesDeliveries(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		e := newEndpoint(t, 500)
		h := w.addWebhook("", e.URL)
		w.addLead("ann@example.org")
		w.runSendJobs()
		if err := w.service.Remove(w, parley.AccountID(parley.NewUUID()), h.ID, "operator"); !parley.IsCode(err,
			parley.CodeNotFound) {
			t.Errorf("another account: %v", err)
		}
		w.must(w.service.Remove(w, w.account, h.ID, "operator"))
		w.clock.Advance(24 * time.Hour)
		w.runSendJobs()
		if len(e.receivedRequests()) != 1 || len(w.deliveries("")) != 0 {
			t.Errorf("%d heard, %d left", len(e.receivedRequests()), len(w.deliveries("")))
		}
	})
}

// Old deliveries are erased when they have come to their end, and not before.
func TestSweep(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		e := newEndpoint(t)
		w.addWebhook("", e.URL)
		for i := range 210 { // more than a chunk
			w.addLead("ann" + strings.Repeat("n", i%50) + string(rune('a'+i/50)) + "@example.org")
		}
		w.follow()
		for len(w.deliveries(parley.DeliveryPending)) > 0 {
			w.runSendJobs()
		}
		w.clock.Advance(webhook.DeliveryRetention / 2)
		e.setStatuses(500)
		w.addLead("bob@example.org")
		w.runSendJobs()
		w.must(w.sender.Sweep(w))
		if n := len(w.deliveries("")); n != 211 {
			t.Errorf("%d deliveries after half the time", n)
		}
		w.clock.Advance(webhook.DeliveryRetention/2 + time.Second)
		w.must(w.sender.Sweep(w))
		if list := w.deliveries(""); len(list) != 1 || list[0].State != parley.DeliveryPending {
			t.Errorf("%d deliveries are left", len(list))
		}
	})
}

// An account has so many webhooks and no more, also when many are made at a time, and none for an agent that is gone.
func TestWebhookLimit(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		ask := webhook.NewWebhook{Endpoint: "https://example.org", Events: []string{parley.EventLeadsSubmit}}
		errs := make(chan error, 110)
		for range 110 {
			go func() {
				_, secret, err := w.service.Add(w, w.account, ask)
				if err == nil && len(secret) < 30 {
					t.Errorf("the secret %q is short", secret)
				}
				errs <- err
			}()
		}
		refused := 0
		for range 110 {
			if err := <-errs; parley.IsCode(err, parley.CodeInvalidBody) {
				refused++
			} else {
				w.must(err)
			}
		}
		list, err := w.DB.Webhooks(w, w.account.AgentRef(""))
		w.must(err)
		if len(list) != 100 || refused != 10 {
			t.Errorf("%d webhooks, %d refused", len(list), refused)
		}
		ask.AgentID = "nobody"
		if _, _, err := w.service.Add(w, w.account, ask); !parley.IsCode(err, parley.CodeAgentNotFound) {
			t.Errorf("%v", err)
		}
	})
}
