package quote_test

import (
	"net/http"
	"slices"
	"testing"

	"parley/internal/testkit"
)

// The same sources and the same questions give the same answers, byte for byte, on both databases.
func TestBothDatabasesAnswerAlike(t *testing.T) {
	answers := func(t *testing.T, options ...testkit.Option) []string {
		h := testkit.Open(t, options...)
		var made struct{ ID string }
		h.Do(t, "POST", "/agents", h.Key, map[string]any{"name": "Shop"}).Decode(t, http.StatusCreated, &made)
		for _, content := range []string{
			"# Plans\n\n| Plan | Price a month |\n|---|---|\n| Basic | 4 EUR |\n| Pro | 12 EUR |\n| Team | 30 EUR |\n",
			"# Reset your password\n\n1. Open **Sign in**.\n2. Press **Forgot password**.\n3. Follow the link in the email.\n",
			"# Versand\n\nWir liefern innerhalb von drei Tagen nach Österreich und in die Schweiz. Der Versand kostet fünf Euro.\n",
			"# Devoluciones\n\nPuede devolver un paquete durante treinta días. El reembolso llega en una semana.\n",
		} {
			h.Do(t, "POST", "/agents/"+made.ID+"/sources", h.Key, map[string]any{"type": "text", "name": "help", "content": content}).Decode(t, http.StatusCreated, &struct{}{})
		}
		if err := h.Runner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, questions := range [][]string{{"What does the Pro plan cost?", "And the Team plan?"}, {"How do I reset my password?"}, {"Was kostet der Versand in die Schweiz?"},
			{"¿Cuánto tiempo puedo devolver un paquete?"}, {"Who painted the chapel?"}, {"cost?"}, {"Are you a bot?"}} {
			all = append(all, chatAnswers(t, h, made.ID, questions)...)
		}
		return all
	}
	first := answers(t)
	if second := answers(t, testkit.WithPostgres()); !slices.Equal(first, second) {
		t.Errorf("%q\n%q", first, second)
	}
	t.Logf("%q", first)
}
