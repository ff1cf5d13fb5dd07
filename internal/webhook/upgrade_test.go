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
func (f *fixture) enqueueDirectly(h *parley.Webhook, state parley.DeliveryState) {
	f.Helper()
	now := f.clock.Now()
	d := &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()), AccountID: f.account, AgentID: f.agent,
		WebhookID: h.ID,
		Event:     parley.EventLeadsSubmit, Body: "{}", DueAt: now, CreatedAt: now}
	f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddDelivery(f, d); err != nil || state != parley.DeliveryPending {
			return err
		}
		return f.queue.Enqueue(f, tx.SQL(),
			jobs.Job{Kind: webhook.SendJobKind, Key: string(h.ID), AccountID: f.account, RunAt: now})
	}))
	if d.State = state; state != parley.DeliveryPending {
		d.Attempts, d.LastStatus, d.DeliveredAt, d.UpdatedAt = 1, 200, &now, now
		f.Must(f.DB.SaveDeliveryAttempt(f, d))
	}
}

// laterColumns are those that this version's store writes and the version before did not have.
var laterColumns = []string{
	`messages answer_state text`,
	`accounts viewers_see_personal_data integer not null default 0`,
	`accounts only_sso integer not null default 0`,
	`accounts exempt_owner text`,
	`accounts admins_need_passkey integer not null default 0`,
	`accounts no_passwords integer not null default 0`,
	`accounts time_zone text not null default ''`,
	`accounts audit_seq bigint not null default 0`,
	`accounts audit_hash text not null default ''`,
	`audit_events request_id text not null default ''`,
	`audit_events address text not null default ''`,
	`agents identity_secret_old text`,
	`webhooks channel text`,
	`webhooks name text`,
	`webhook_deliveries conversation_id text`,
	`webhook_deliveries event_seq bigint`,
	`agents identity_old_until bigint`,
	`agents widget_limits text`,
	`agents mailed_day text`,
	`agents file_retention_days bigint`,
	`agents visitor_retention_days bigint`,
	`conversations visitor_id text`,
	`conversations claimed_by text`,
	`conversations waiting_since bigint`,
	`conversations snoozed_until bigint`,
	`conversations embed_title text`,
	`conversations embed_locale text`,
	`turns visitor_id text`,
	`webhooks disabled_at bigint`,
	`webhook_deliveries last_millis bigint`,
	`webhook_deliveries last_answer text`,
}

// TestLeadsOfTheVersionBeforeAreDeliveredOnce checks that a lead which the version before has recorded is delivered
// exactly once, whether its delivery was waiting or done; that leads from before a webhook existed are not delivered to
// it; and that later leads are delivered.
func TestLeadsOfTheVersionBeforeAreDeliveredOnce(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		if err := sqldb.Migrate(t.Context(), db, migrationsUpTo(t, "0014")); err != nil {
			t.Fatal(err)
		}
		alter := func(changes ...string) { // what this version's store writes came later
			for _, change := range changes {
				if _, err := db.Exec(t.Context(), `alter table `+change); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, column := range laterColumns {
			alter(strings.Replace(column, " ", " add column ", 1))
		}
		f := newFixture(t, store.New(db))
		e, late := newEndpoint(t), newEndpoint(t)
		h := f.addWebhook("", e.URL)
		f.addLead("delivered@example.org")
		f.enqueueDirectly(h, parley.DeliveryDelivered)
		f.addLead("waiting@example.org")
		f.enqueueDirectly(h, parley.DeliveryPending)
		f.addWebhook("", late.URL)

		for _, column := range laterColumns {
			words := strings.Fields(column)
			alter(words[0] + ` drop column ` + words[1])
		}
		f.Must(sqldb.Migrate(f, db, store.Migrations()))
		for range 3 {
			f.runSendJobs()
		}
		if n := len(f.deliveries("")); n != 2 || len(e.receivedRequests()) != 1 || len(late.receivedRequests()) != 0 {
			t.Errorf("%d deliveries, %d and %d requests", n, len(e.receivedRequests()), len(late.receivedRequests()))
		}
		f.addLead("new@example.org")
		for range 3 {
			f.runSendJobs()
		}
		if n := len(f.deliveries(parley.DeliveryDelivered)); n != 4 || len(e.receivedRequests()) != 2 ||
			len(late.receivedRequests()) != 1 {
			t.Errorf("%d deliveries, %d and %d requests", n, len(e.receivedRequests()), len(late.receivedRequests()))
		}
	})
}
