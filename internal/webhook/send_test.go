package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/rig"
	"parley/internal/vault"
	"parley/internal/webhook"
)

func mac(fresh func() hash.Hash, key, text string) string {
	m := hmac.New(fresh, []byte(key))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

// A lead is told once, in the form of the interface, with signatures that a receiver finds right.
func TestALeadIsDelivered(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t, http.StatusNoContent)
		h := w.hook(w.agent, e.URL+"/hooks?token=1")
		w.lead("ann@example.org")
		w.send()
		w.send()
		all := e.all()
		if len(all) != 1 || all[0].path != "POST /hooks?token=1" {
			t.Fatalf("%+v", all)
		}
		got := all[0]
		want := fmt.Sprintf(`{"eventType":"leads.submit","chatbotId":%q,"payload":{"conversationId":%q,"customerEmail":"ann@example.org","customerName":"Ann <&> Co","customerPhone":"+44 1"}}`, w.agent, w.talk)
		if got.body != want {
			t.Errorf("body\n%s\nwant\n%s", got.body, want)
		}
		if sum := mac(sha1.New, apiKey, got.body); got.header.Get("x-chatbase-signature") != sum {
			t.Errorf("signed %s, want %s", got.header.Get("x-chatbase-signature"), sum)
		}
		at := fmt.Sprint(w.clock.Now().Unix())
		if sum := "t=" + at + ",v1=" + mac(sha256.New, apiKey, at+"."+got.body); got.header.Get("X-Parley-Signature") != sum {
			t.Errorf("signed %s, want %s", got.header.Get("X-Parley-Signature"), sum)
		}
		list := w.deliveries("")
		if len(list) != 1 || list[0].State != parley.DeliveryDelivered || list[0].Attempts != 1 || list[0].LastStatus != 204 || list[0].DeliveredAt == nil || list[0].WebhookID != h.ID {
			t.Errorf("%+v", list)
		}
		if got.header.Get("X-Parley-Delivery") != string(list[0].ID) || got.header.Get("X-Parley-Event") != "leads.submit" || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%v", got.header)
		}
		if got.header.Get("Authorization") != "" || strings.Contains(h.Signing, apiKey) {
			t.Error("the API key is told or stored")
		}
	})
}

// Every status but 2xx is tried again, later each time; a redirect is not followed; the delivery is the same one.
func TestFailuresAreTriedAgain(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t, 500, 302, 404)
		w.hook("", e.URL)
		w.lead("ann@example.org")
		for i, wait := range []time.Duration{0, 34 * time.Second, 3 * time.Minute, 12 * time.Minute} {
			w.clock.Turn(wait)
			w.send()
			w.send()
			if n := len(e.all()); n != i+1 {
				t.Fatalf("%d attempts after %v, want %d", n, wait, i+1)
			}
		}
		for _, one := range e.all() {
			if one.body != e.all()[0].body || one.header.Get("X-Parley-Delivery") != e.all()[0].header.Get("X-Parley-Delivery") || one.path != "POST /" {
				t.Errorf("%+v", one)
			}
		}
		if list := w.deliveries(parley.DeliveryDelivered); len(list) != 1 || list[0].Attempts != 4 || list[0].LastError != "" {
			t.Errorf("%+v", list)
		}
	})
}

// A delivery that never works is dead after about a day, and goes out again when somebody wants it to.
func TestDeadAndRedelivered(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t, 500, 500, 500, 500, 500, 500, 500, 503)
		w.hook("", e.URL)
		w.lead("ann@example.org")
		began := w.clock.Now()
		for len(w.deliveries(parley.DeliveryDead)) == 0 {
			w.send()
			if w.clock.Turn(10 * time.Second); w.clock.Now().Sub(began) > 48*time.Hour {
				t.Fatal("it is not dead after two days")
			}
			if list := w.deliveries(parley.DeliveryPending); len(list) == 1 {
				w.clock.Turn(list[0].DueAt.Sub(w.clock.Now()))
			}
		}
		if took := w.clock.Now().Sub(began); took < 20*time.Hour || took > 28*time.Hour || len(e.all()) != 8 {
			t.Errorf("dead after %v and %d attempts", took, len(e.all()))
		}
		dead := w.deliveries(parley.DeliveryDead)[0]
		if dead.LastStatus != 503 || dead.LastError != "the endpoint answered with status 503" || dead.DeliveredAt != nil {
			t.Errorf("%+v", dead)
		}
		w.clock.Turn(time.Hour)
		w.send()
		if len(e.all()) != 8 {
			t.Error("a dead delivery was sent")
		}
		if _, err := w.desk.Redeliver(w, parley.AccountID(parley.NewUUID()), dead.ID); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("another account: %v", err)
		}
		again, err := w.desk.Redeliver(w, w.account, dead.ID)
		w.must(err)
		w.send()
		last := e.all()[len(e.all())-1]
		if list := w.deliveries(parley.DeliveryDelivered); len(list) != 1 || list[0].Attempts != 1 || again.ID != dead.ID || last.header.Get("X-Parley-Delivery") != string(dead.ID) || len(e.all()) != 9 {
			t.Errorf("%+v", list)
		}
	})
}

// Nothing is sent to addresses inside, whatever they are called; the failure tells no address.
func TestInsideIsRefused(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		w.sender.HTTP.Allow = nil
		port := e.URL[strings.LastIndex(e.URL, ":"):]
		targets := []string{e.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port, "http://2130706433" + port, "http://0.0.0.0" + port,
			"http://169.254.169.254/latest/meta-data", "http://10.0.0.1", "http://[fd00::1]/"}
		for _, target := range targets {
			w.hook("", target)
		}
		w.lead("ann@example.org")
		w.send()
		list := w.deliveries(parley.DeliveryPending)
		if len(list) != len(targets) || len(e.all()) != 0 {
			t.Errorf("%d pending, %d heard", len(list), len(e.all()))
		}
		for _, d := range list {
			if d.Attempts != 1 || d.LastStatus != 0 || d.LastError == "" || strings.Contains(d.LastError, "127.") {
				t.Errorf("%+v", d)
			}
		}
	})
}

// One endpoint that does not answer keeps nobody else waiting, however much is to be sent to it.
func TestASlowEndpointHoldsNobodyUp(t *testing.T) {
	each(t, func(w *world) {
		release := make(chan struct{})
		slow, quick := newEndpoint(t), newEndpoint(t)
		slow.meets = func(r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		w.hook("", slow.URL)
		for i := range 20 {
			w.lead(fmt.Sprintf("ann%d@example.org", i))
		}
		w.hook("", quick.URL)
		w.runner.Workers = 2
		ctx, stop := context.WithCancel(w)
		ended := make(chan error, 1)
		go func() { ended <- w.runner.Run(ctx) }()
		rig.Eventually(t, "the slow endpoint is being sent to", func() bool { return len(slow.all()) > 0 })
		w.lead("bob@example.org")
		rig.Eventually(t, "the quick one has heard", func() bool { return len(quick.all()) == 1 })
		if n := len(slow.all()); n > 4 {
			t.Errorf("%d at a time", n)
		}
		close(release)
		rig.Eventually(t, "all is delivered", func() bool { return len(w.deliveries(parley.DeliveryDelivered)) == 22 })
		stop()
		w.must(<-ended)
	})
}

// A server that stops in the middle of an attempt has not made it: the delivery goes out again, under the same id.
func TestAStopCostsNoAttempt(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		e.meets = func(r *http.Request) { <-r.Context().Done() }
		w.hook("", e.URL)
		w.lead("ann@example.org")
		ctx, stop := context.WithCancel(w)
		ended := make(chan error, 1)
		go func() { ended <- w.runner.Run(ctx) }()
		rig.Eventually(t, "the endpoint has heard", func() bool { return len(e.all()) == 1 })
		stop()
		w.must(<-ended)
		if list := w.deliveries(parley.DeliveryPending); len(list) != 1 || list[0].Attempts != 0 {
			t.Fatalf("%+v", list)
		}
		e.mu.Lock()
		e.meets = nil
		e.mu.Unlock()
		w.send()
		if all := e.all(); len(all) != 2 || all[0].header.Get("X-Parley-Delivery") != all[1].header.Get("X-Parley-Delivery") || len(w.deliveries(parley.DeliveryDelivered)) != 1 {
			t.Errorf("%+v", all)
		}
	})
}

// A server that is killed between the reply and its own note of it leaves the chore behind: another one sends the delivery again.
func TestAKilledServerLeavesItsChore(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		w.hook("", e.URL)
		w.lead("ann@example.org")
		if _, err := w.DB.SQL().Exec(w, `update jobs set state = 'running', attempts = 1, lease_owner = 'dead', lease_until = ?`, w.clock.Now().Add(time.Minute).UnixMilli()); err != nil {
			t.Fatal(err)
		}
		w.send()
		if len(e.all()) != 0 {
			t.Fatal("two servers send")
		}
		w.clock.Turn(2 * time.Minute)
		w.send()
		if len(e.all()) != 1 || len(w.deliveries(parley.DeliveryDelivered)) != 1 {
			t.Errorf("%+v", e.all())
		}
	})
}

// With another key for secrets nothing can be signed, and nothing is sent unsigned.
func TestNothingIsSentUnsigned(t *testing.T) {
	each(t, func(w *world) {
		e := newEndpoint(t)
		w.hook("", e.URL)
		w.lead("ann@example.org")
		other, err := vault.New("sixteen other bytes")
		w.must(err)
		w.sender.Vault = other
		w.send()
		if list := w.deliveries(parley.DeliveryPending); len(e.all()) != 0 || len(list) != 1 || !strings.Contains(list[0].LastError, "PARLEY_SECRET_KEY") {
			t.Errorf("%+v", list)
		}
		w.desk.Vault = &vault.Vault{}
		if _, _, err := w.desk.Add(w, w.account, webhook.New{Endpoint: e.URL, Events: []string{parley.LeadsSubmit}}); !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("without a key: %v", err)
		}
	})
}
