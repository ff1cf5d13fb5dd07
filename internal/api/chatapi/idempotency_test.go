package chatapi_test

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"parley/internal/testkit/scripted"
)

// sendWithKey sends a message with an Idempotency-Key.
func (f *chatFixture) sendWithKey(token, key string, body fields) *http.Response {
	f.Helper()
	f.header = http.Header{"Idempotency-Key": {key}}
	defer func() { f.header = nil }()
	return f.open(http.MethodPost, f.agent+"/messages", token, body)
}

func (f *chatFixture) creditsUsed() (used struct{ CreditsUsed float64 }) {
	f.Helper()
	r := f.server.Do(f, http.MethodGet, "/agents/"+f.agent, f.server.Key, nil)
	f.decode(r.Body, &used)
	return used
}

func TestMessageThatIsSentAgainIsAnsweredOnce(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, barrier := f.newVisitor(), scripted.NewBarrier()
		f.model.AddScript(scripted.Text("It left "), scripted.Step{Barrier: barrier}, scripted.Text("on Monday."),
			scripted.Stop())
		body := fields{"message": "Where is it?"}
		first := f.stream(f.sendWithKey(token, "k1", body))
		begun := first.readUntil("text-delta")
		again := f.sendWithKey(token, "k1", body) // while the answer is being written
		if again.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the repeat is not marked")
		}
		second := f.stream(again)
		second.readUntil("text-delta")
		barrier.Release()
		whole, repeated := first.readUntil(toTheEnd), second.readUntil(toTheEnd)
		stored := f.stream(f.sendWithKey(token, "k1", body)).readUntil(toTheEnd)
		if whole.text != "It left on Monday." || whole.turn != begun.turn || repeated != whole || stored != whole {
			t.Errorf("first %+v, repeated %+v, afterwards %+v", whole, repeated, stored)
		}
		if h := f.history(token, begun.conversation); len(h.Messages) != 2 {
			t.Errorf("%d messages, want 2", len(h.Messages))
		}
		if used := f.creditsUsed(); used.CreditsUsed != 1 {
			t.Errorf("%v credits, want 1", used.CreditsUsed)
		}
	})
}

func TestKeysBelongToVisitors(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		first, second := f.newVisitor(), f.newVisitor()
		a := f.stream(f.sendWithKey(first, "k1", fields{"message": "Hello"})).readUntil(toTheEnd)
		b := f.stream(f.sendWithKey(second, "k1", fields{"message": "Hello"})).readUntil(toTheEnd)
		if a.turn == b.turn || a.conversation == b.conversation {
			t.Error("two visitors with one key have one answer")
		}
		var body bytes.Buffer
		res := f.sendWithKey(first, "k1", fields{"message": "Something else"})
		if _, err := body.ReadFrom(res.Body); err != nil {
			f.Fatal(err)
		}
		if code := (reply{body: body.Bytes()}).code(); code != "IDEMPOTENCY_KEY_REUSED" {
			t.Errorf("another message with the key: %s", body.Bytes())
		}
	})
}

func TestFailedAnswerIsAskedForAgainWithItsKey(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		f.model.AddScript(scripted.Step{Err: errors.New("broken")})
		failed := f.sendWithKey(token, "k1", fields{"message": "Hello"})
		if failed.StatusCode/100 == 2 {
			t.Fatal("the broken model has answered")
		}
		a := f.stream(f.sendWithKey(token, "k1", fields{"message": "Hello"})).readUntil(toTheEnd)
		if h := f.history(token, a.conversation); len(h.Messages) != 2 || h.Messages[1].Parts[0].Text != "Hello" {
			t.Errorf("%+v", h.Messages)
		}
	})
}
