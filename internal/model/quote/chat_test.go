package quote_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

const storeManifest = `{"agent":{"key":"store"},"settings":{"name":"Store"},
	"actions":[{"key":"track","kind":"custom-button","name":"track_order",
	"description":"Shows where an order is.","triggers":["track order {number}"],
	"inputs":[{"name":"number","type":"string","description":"the order number","required":true}],
	"config":{"label":"Your order","url":"https://shop.example/orders/{number}"}}]}`

// In a whole server an ordinary question is answered alike at the beginning and behind an order.
func TestAnOrdinaryQuestionBehindAnOrder(t *testing.T) {
	h := testkit.Open(t)
	done, err := admin.RunOn(t.Context(), h.AdminService, admin.Apply,
		admin.ApplyManifest{AccountID: h.Account, Documents: []json.RawMessage{json.RawMessage(storeManifest)}})
	if err != nil {
		t.Fatal(err)
	}
	agent := string(done.Agents[0].Agent)
	source := map[string]any{"type": "text", "name": "Hours",
		"content": "# Hours\n\nThe shop is open from Monday to Friday, from 9 to 17.\n"}
	h.Do(t, "POST", "/agents/"+agent+"/sources", h.Key, source).Decode(t, http.StatusCreated, &struct{}{})
	if err := h.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, before := range [][]string{nil, {"track order 4711"}, {"track order 4711", "track order 4712"}} {
		answers := chatAnswers(t, h, agent, append(before, "When are you open?"))
		if last := answers[len(answers)-1]; last != "The shop is open from Monday to Friday, from 9 to 17." {
			t.Errorf("%q: %q", before, answers)
		}
	}
}

// chatAnswers sends one message after the other in one conversation and returns the answers.
func chatAnswers(t *testing.T, h *testkit.Server, agent string, messages []string) (answers []string) {
	t.Helper()
	conversation := ""
	for _, m := range messages {
		body := map[string]any{"message": m}
		if conversation != "" {
			body["conversationId"] = conversation
		}
		var out struct {
			Data struct {
				Parts    []struct{ Type, Text string }
				Metadata struct{ ConversationID string }
			}
		}
		h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, body).Decode(t, http.StatusOK, &out)
		var text strings.Builder
		for _, p := range out.Data.Parts {
			text.WriteString(p.Text)
		}
		conversation, answers = out.Data.Metadata.ConversationID, append(answers, text.String())
	}
	return answers
}

// The same sources and the same questions give the same answers, byte for byte, on both databases.
func TestBothDatabasesAnswerAlike(t *testing.T) {
	answers := func(t *testing.T, options ...testkit.Option) []string {
		h := testkit.Open(t, options...)
		var created struct{ ID string }
		h.Do(t, "POST", "/agents", h.Key, map[string]any{"name": "Shop"}).Decode(t, http.StatusCreated, &created)
		for _, content := range []string{
			"# Plans\n\n| Plan | Price a month |\n|---|---|\n| Basic | 4 EUR |\n| Pro | 12 EUR |\n| Team | 30 EUR |\n",
			"# Reset your password\n\n1. Open **Sign in**.\n2. Press **Forgot password**.\n3. Follow the link in the email.\n",
			"# Versand\n\nWir liefern innerhalb von drei Tagen nach Österreich und in die Schweiz. Der Versand " +
				"kostet fünf Euro.\n",
			"# Devoluciones\n\nPuede devolver un paquete durante treinta días. El reembolso llega en una semana.\n",
		} {
			h.Do(t, "POST", "/agents/"+created.ID+"/sources", h.Key, map[string]any{"type": "text", "name": "help",
				"content": content}).Decode(t, http.StatusCreated, &struct{}{})
		}
		if err := h.Runner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, questions := range [][]string{{"What does the Pro plan cost?", "And the Team plan?"},
			{"How do I reset my password?"}, {"Was kostet der Versand in die Schweiz?"},
			{"¿Cuánto tiempo puedo devolver un paquete?"}, {"Who painted the chapel?"}, {"cost?"}, {"Are you a bot?"}} {
			all = append(all, chatAnswers(t, h, created.ID, questions)...)
		}
		return all
	}
	first := answers(t)
	if second := answers(t, testkit.WithPostgres()); !slices.Equal(first, second) {
		t.Errorf("%q\n%q", first, second)
	}
	t.Logf("%q", first)
}

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }
