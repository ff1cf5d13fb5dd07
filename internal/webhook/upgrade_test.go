package webhook_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
	"parley/internal/webhook"
)

// migrationsUpTo returns the migrations of an older program: those up to a number.
func migrationsUpTo(t *testing.T, last string) fstest.MapFS {
	t.Helper()
	names, err := fs.Glob(store.Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range names {
		if number, _, _ := strings.Cut(name, "_"); number <= last {
			text, err := fs.ReadFile(store.Migrations(), name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	return files
}

// enqueueDirectly writes the delivery of the lead that was recorded last, with its job, as programs did before webhooks
// followed the event log: in the transaction that recorded the lead.
func (w *fixture) enqueueDirectly(h *parley.Webhook, state parley.DeliveryState) {
	w.Helper()
	now := w.clock.Now()
	d := &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()), AccountID: w.account, AgentID: w.agent,
		WebhookID: h.ID,
		Event:     parley.EventLeadsSubmit, Body: "{}", DueAt: now, CreatedAt: now}
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddDelivery(w, d); err != nil || state != parley.DeliveryPending {
			return err
		}
		return w.queue.Enqueue(w, tx.SQL(),
			jobs.Job{Kind: webhook.SendJobKind, Key: string(h.ID), AccountID: w.account, RunAt: now})
	}))
	if d.State = state; state != parley.DeliveryPending {
		d.Attempts, d.LastStatus, d.DeliveredAt, d.UpdatedAt = 1, 200, &now, now
		w.must(w.DB.SaveDeliveryAttempt(w, d))
	}
}

// TestUpgrade holds that a lead that the program before recorded is delivered exactly once, be its delivery still
// waiting or done; that what happened while there was no webhook is not delivered to a later one; and that what follows
// is delivered.
func TestUpgrade(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		if err := sqldb.Migrate(t.Context(), db, migrationsUpTo(t, "0014")); err != nil {
			t.Fatal(err)
		}
		w := newFixture(t, store.New(db))
		e, late := newEndpoint(t), newEndpoint(t)
		h := w.addWebhook("", e.URL)
		w.addLead("delivered@example.org")
		w.enqueueDirectly(h, parley.DeliveryDelivered)
		w.addLead("waiting@example.org")
		w.enqueueDirectly(h, parley.DeliveryPending)
		w.addWebhook("", late.URL)

		w.must(sqldb.Migrate(w, db, store.Migrations()))
		for range 3 {
			w.runSendJobs()
		}
		if n := len(w.deliveries("")); n != 2 || len(e.receivedRequests()) != 1 || len(late.receivedRequests()) != 0 {
			t.Errorf("%d deliveries, %d and %d requests", n, len(e.receivedRequests()), len(late.receivedRequests()))
		}
		w.addLead("new@example.org")
		for range 3 {
			w.runSendJobs()
		}
		if n := len(w.deliveries(parley.DeliveryDelivered)); n != 4 || len(e.receivedRequests()) != 2 ||
			len(late.receivedRequests()) != 1 {
			t.Errorf("%d deliveries, %d and %d requests", n, len(e.receivedRequests()), len(late.receivedRequests()))
		}
	})
}
