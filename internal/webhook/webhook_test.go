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

// Webhooks of the account and of the agent hear; those of other agents and accounts, and those that were removed, do not.
func TestWhoHears(t *testing.T) {
	each(t, func(w *world) {
		all, mine, others, removed, foreign := newEndpoint(t), newEndpoint(t), newEndpoint(t), newEndpoint(t), newEndpoint(t)
		w.hook("", all.URL)
		w.hook(w.agent, mine.URL)
		w.hook(w.newAgent(), others.URL)
		gone := w.hook(w.agent, removed.URL)
		stranger := newWorld(t, w.DB)
		stranger.hook("", foreign.URL)
		w.must(w.desk.Remove(w, w.account, gone.ID, "operator"))
		w.lead("ann@example.org")
		w.lead("ANN@example.org") // tells nothing new
		w.send()
		for name, each := range map[string]struct {
			e *endpoint
			n int
		}{"account": {all, 1}, "agent": {mine, 1}, "another agent": {others, 0}, "removed": {removed, 0}, "another account": {foreign, 0}} {
			if n := len(each.e.all()); n != each.n {
				t.Errorf("%s heard %d, want %d", name, n, each.n)
			}
		}
	})
}

// What did not happen is not told: a lead that is not kept leaves neither a delivery nor a chore.
func TestNothingIsToldOfAFailure(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		w.hook("", e.URL)
		lead := &parley.Lead{ID: parley.NewUUID(), AccountID: w.account, AgentID: w.agent, ConversationID: w.talk, Email: "ann@example.org", CreatedAt: w.clock.Now()}
		failed := parley.Fail(parley.CodeInternal)
		err := w.DB.Transact(w, sqldb.Turns, func(tx *store.DB) error {
			if err := tx.AddLead(w, lead, w.desk.Tell); err != nil {
				return err
			}
			return failed
		})
		if !parley.IsCode(err, parley.CodeInternal) || len(w.deliveries("")) != 0 {
			t.Errorf("%v, %d deliveries", err, len(w.deliveries("")))
		}
		w.send()
		if len(e.all()) != 0 {
			t.Error("it was told")
		}
	})
}

// Removing a webhook takes along what was still to be delivered to it.
func TestRemovedWithWhatIsWaiting(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t, 500)
		h := w.hook("", e.URL)
		w.lead("ann@example.org")
		w.send()
		if err := w.desk.Remove(w, parley.AccountID(parley.NewUUID()), h.ID, "operator"); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("another account: %v", err)
		}
		w.must(w.desk.Remove(w, w.account, h.ID, "operator"))
		w.clock.Turn(24 * time.Hour)
		w.send()
		if len(e.all()) != 1 || len(w.deliveries("")) != 0 {
			t.Errorf("%d heard, %d left", len(e.all()), len(w.deliveries("")))
		}
	})
}

// Old deliveries are erased when they have come to their end, and not before.
func TestSweep(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		w.hook("", e.URL)
		for i := range 210 { // more than a chunk
			w.lead("ann" + strings.Repeat("n", i%50) + string(rune('a'+i/50)) + "@example.org")
		}
		for len(w.deliveries(parley.DeliveryPending)) > 0 {
			w.send()
		}
		w.clock.Turn(webhook.Kept / 2)
		e.answer(500)
		w.lead("bob@example.org")
		w.send()
		w.must(w.sender.Sweep(w))
		if n := len(w.deliveries("")); n != 211 {
			t.Errorf("%d deliveries after half the time", n)
		}
		w.clock.Turn(webhook.Kept/2 + time.Second)
		w.must(w.sender.Sweep(w))
		if list := w.deliveries(""); len(list) != 1 || list[0].State != parley.DeliveryPending {
			t.Errorf("%d deliveries are left", len(list))
		}
	})
}

// An account has so many webhooks and no more, also when many are made at a time, and none for an agent that is gone.
func TestWebhooksAreCounted(t *testing.T) {
	each(t, func(w *world) {
		ask := webhook.New{Endpoint: "https://example.org", Events: []string{parley.LeadsSubmit}}
		errs := make(chan error, 110)
		for range 110 {
			go func() {
				_, secret, err := w.desk.Add(w, w.account, ask)
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
		list, err := w.DB.Webhooks(w, w.account, "")
		w.must(err)
		if len(list) != 100 || refused != 10 {
			t.Errorf("%d webhooks, %d refused", len(list), refused)
		}
		ask.Agent = "nobody"
		if _, _, err := w.desk.Add(w, w.account, ask); !parley.IsCode(err, parley.CodeAgentNotFound) {
			t.Errorf("%v", err)
		}
	})
}
