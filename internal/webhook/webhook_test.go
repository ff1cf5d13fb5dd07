package webhook_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
	"parley/internal/webhook"
)

// Webhooks of the account and of the agent get an event; those of others, and removed ones, do not.
func TestSubscribers(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		everything, ofAgent, ofOther, removed, foreign := newEndpoint(t), newEndpoint(t), newEndpoint(t),
			newEndpoint(t), newEndpoint(t)
		f.addWebhook("", everything.URL)
		f.addWebhook(f.agent, ofAgent.URL)
		f.addWebhook(f.newAgent(), ofOther.URL)
		removedHook := f.addWebhook(f.agent, removed.URL)
		stranger := newFixture(t, f.DB)
		stranger.addWebhook("", foreign.URL)
		f.Must(f.service.Remove(f, f.account, removedHook.ID, "operator"))
		f.addLead("ann@example.org")
		f.addLead("ANN@example.org") // without new information
		f.runSendJobs()
		for name, each := range map[string]struct {
			e *endpoint
			n int
		}{"account": {everything, 1}, "agent": {ofAgent, 1}, "another agent": {ofOther, 0}, "removed": {removed, 0},
			"another account": {foreign, 0}} {
			if n := len(each.e.receivedRequests()); n != each.n {
				t.Errorf("%s got %d, want %d", name, n, each.n)
			}
		}
	})
}

// A lead whose transaction is rolled back leaves neither a delivery nor a job.
func TestRolledBackLeadIsNotDelivered(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.addWebhook("", e.URL)
		lead := &parley.Lead{ID: parley.NewUUID(), AccountID: f.account, AgentID: f.agent,
			ConversationID: f.conversation, Email: "ann@example.org", CreatedAt: f.clock.Now()}
		failed := parley.NewError(parley.CodeInternal)
		err := f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.AddLead(f, lead); err != nil {
				return err
			}
			return failed
		})
		if !parley.IsCode(err, parley.CodeInternal) || len(f.deliveries("")) != 0 {
			t.Errorf("%v, %d deliveries", err, len(f.deliveries("")))
		}
		f.runSendJobs()
		if len(e.receivedRequests()) != 0 {
			t.Error("a delivery was sent")
		}
	})
}

// A conversation that is deleted while the event log is not followed keeps its rows until its leads are delivered to
// all webhooks. Other conversations are erased at once.
func TestDeletedConversationLosesNoLead(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		all, own := newEndpoint(t), newEndpoint(t)
		f.addWebhook("", all.URL)
		f.addWebhook(f.agent, own.URL)
		f.addLead("followed@example.org")
		f.follow()
		ref, other := f.account.AgentRef(f.agent), f.newConversation(f.agent)
		f.addLead("ann@example.org")
		f.Must(f.DB.Transact(f, sqldb.Bulk, func(tx *store.DB) error {
			ids := []parley.ConversationID{f.conversation, other}
			_, err := tx.DeleteConversations(f, ref, ids, nil, f.clock.Now())
			return err
		}))
		erased, err := f.DB.EraseConversations(f, ref)
		f.Must(err)
		if n := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from conversations`); erased || n != 1 {
			t.Errorf("erased %v, %d remain", erased, n)
		}
		f.runSendJobs()
		if n, m := len(all.receivedRequests()), len(own.receivedRequests()); n != 2 || m != 2 {
			t.Errorf("%d and %d requests", n, m)
		}
		erased, err = f.DB.EraseConversations(f, ref)
		f.Must(err)
		if n := dbs.CountRows(f.TB, f.DB.SQL(),
			`select count(*) from events where conversation_id is not null`); !erased || n != 0 {
			t.Errorf("erased %v, %d events remain", erased, n)
		}
	})
}

// A deleted agent takes its leads with it: what is not delivered by then is not written any more, so that nothing of it
// is left when its rows have been erased.
func TestDeletedAgentLeavesNoDelivery(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e, ref := newEndpoint(t, 500), f.account.AgentRef(f.agent)
		f.addWebhook("", e.URL)
		f.addLead("pending@example.org")
		f.runSendJobs()
		f.addLead("ann@example.org")
		f.Must(f.DB.DeleteAgent(f, ref, f.clock.Now()))
		f.follow()
		if n := len(f.deliveries("")); n != 1 {
			t.Errorf("%d deliveries before the agent is erased", n)
		}
		erased, err := f.DB.EraseAgent(f, ref)
		f.Must(err)
		f.clock.Advance(time.Hour)
		f.runSendJobs()
		if n := len(f.deliveries("")); !erased || n != 0 || len(e.receivedRequests()) != 1 {
			t.Errorf("erased %v, %d deliveries, %d requests", erased, n, len(e.receivedRequests()))
		}
		f.agent = f.newAgent()
		f.conversation = f.newConversation(f.agent)
		f.addLead("bob@example.org")
		f.runSendJobs()
		if n := len(e.receivedRequests()); n != 2 {
			t.Errorf("%d requests after a lead of another agent", n)
		}
	})
}

// Removing a webhook erases its pending deliveries.
func TestRemoveErasesDeliveries(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t, 500)
		h := f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		f.runSendJobs()
		if err := f.service.Remove(f, parley.AccountID(parley.NewUUID()), h.ID, "operator"); !parley.IsCode(err,
			parley.CodeNotFound) {
			t.Errorf("another account: %v", err)
		}
		f.Must(f.service.Remove(f, f.account, h.ID, "operator"))
		f.clock.Advance(24 * time.Hour)
		f.runSendJobs()
		if len(e.receivedRequests()) != 1 || len(f.deliveries("")) != 0 {
			t.Errorf("%d received, %d remain", len(e.receivedRequests()), len(f.deliveries("")))
		}
	})
}

// Old deliveries are erased once they are finished, and not before.
func TestSweep(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.addWebhook("", e.URL)
		for i := range 210 { // more than a chunk
			f.addLead("ann" + strings.Repeat("n", i%50) + string(rune('a'+i/50)) + "@example.org")
		}
		f.follow()
		for len(f.deliveries(parley.DeliveryPending)) > 0 {
			f.runSendJobs()
		}
		f.clock.Advance(webhook.DeliveryRetention / 2)
		e.setStatuses(500)
		f.addLead("bob@example.org")
		f.runSendJobs()
		f.Must(f.sender.Sweep(f))
		if n := len(f.deliveries("")); n != 211 {
			t.Errorf("%d deliveries after half the time", n)
		}
		f.clock.Advance(webhook.DeliveryRetention/2 + time.Second)
		f.Must(f.sender.Sweep(f))
		if list := f.deliveries(""); len(list) != 1 || list[0].State != parley.DeliveryPending {
			t.Errorf("%d deliveries remain", len(list))
		}
	})
}

// The limit of webhooks holds for concurrent requests too; a deleted agent gets none.
func TestWebhookLimit(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		ask := webhook.NewWebhook{Endpoint: "https://example.org", Events: []string{string(parley.EventLeadsSubmit)}}
		errs := make(chan error, 110)
		for range 110 {
			go func() {
				_, secret, err := f.service.Add(f, f.account, ask)
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
				f.Must(err)
			}
		}
		list, err := f.DB.AccountWebhooks(f, f.account)
		f.Must(err)
		if len(list) != 100 || refused != 10 {
			t.Errorf("%d webhooks, %d refused", len(list), refused)
		}
		ask.AgentID = "nobody"
		if _, _, err := f.service.Add(f, f.account, ask); !parley.IsCode(err, parley.CodeAgentNotFound) {
			t.Errorf("%v", err)
		}
	})
}

// A webhook that is off hears of nothing, and of what waited once it is on again; another address and another secret
// count from the next attempt on; a test is a delivery as any other.
func TestWebhookIsChangedAndTried(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		old, next := newEndpoint(t, 500), newEndpoint(t)
		h := f.addWebhook("", old.URL)
		f.addLead("waits@example.org")
		f.runSendJobs()
		on, off := true, false
		changed, err := f.service.Change(f, f.account, h.ID, webhook.Change{Enabled: &off, Actor: "operator"})
		f.Must(err)
		if changed.DisabledAt == nil {
			t.Error("it is on")
		}
		f.addLead("unheard@example.org")
		f.clock.Advance(time.Hour)
		f.runSendJobs()
		if n, m := len(f.deliveries("")), len(old.receivedRequests()); n != 1 || m != 1 {
			t.Errorf("while it is off: %d deliveries, %d requests", n, m)
		}
		secret, err := f.service.RotateSecret(f, f.account, h.ID, "operator")
		f.Must(err)
		_, err = f.service.Change(f, f.account, h.ID, webhook.Change{Endpoint: &next.URL, Enabled: &on, Actor: "operator"})
		f.Must(err)
		_, err = f.service.SendTest(f, f.account, h.ID)
		f.Must(err)
		f.runSendJobs()
		got := next.receivedRequests()
		if len(got) != 2 || len(f.deliveries(parley.DeliveryDelivered)) != 2 {
			t.Fatalf("%d requests", len(got))
		}
		for _, r := range got {
			mac := hmac.New(sha1.New, []byte(secret))
			mac.Write([]byte(r.body))
			if want := hex.EncodeToString(mac.Sum(nil)); r.header.Get("X-Chatbase-Signature") != want {
				t.Errorf("signed with another secret: %s", r.body)
			}
		}
		wrong := "ftp://shop.example"
		if _, err := f.service.Change(f, f.account, h.ID, webhook.Change{Endpoint: &wrong}); !parley.IsCode(err,
			parley.CodeInvalidBody) {
			t.Error(err)
		}
		if _, err := f.service.RotateSecret(f, "another", h.ID, ""); !parley.IsCode(err, parley.CodeNotFound) {
			t.Error(err)
		}
	})
}
