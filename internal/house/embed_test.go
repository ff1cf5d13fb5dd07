package house_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/ingest"
	"parley/internal/rig"
	"parley/internal/rig/provider"
	"parley/internal/sqldb"
)

// embedding puts the house beside an embedding server; a question waits for its vector as long as told.
func embedding(s *provider.EmbeddingServer, wait time.Duration) rig.Option {
	return rig.With(func(c *house.Config) { c.EmbedURL, c.EmbedModel, c.EmbedWait = s.URL, "m", wait })
}

// talk asks the agent and gives the answer with the trace of its turn.
func talk(t *testing.T, h *rig.House, agent, question string) admin.TurnTrace {
	t.Helper()
	var said struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]any{"message": question}).Decode(t, http.StatusOK, &said)
	turns, err := admin.Do(t.Context(), h.Operator, admin.Trace, admin.ConversationRef{ID: said.Data.Metadata.ConversationID})
	if err != nil || len(turns) != 1 {
		t.Fatalf("%v %+v", err, turns)
	}
	return turns[0]
}

func onEach(t *testing.T, f func(t *testing.T, store rig.Option)) {
	t.Run("sqlite", func(t *testing.T) { f(t, rig.With(func(*house.Config) {})) })
	t.Run("postgres", func(t *testing.T) { f(t, rig.OnPostgres()) })
}

// Questions are searched for by words and vectors once the vectors are there, and by words whenever the provider fails or dallies.
func TestATurnTakesTheVectorsItGets(t *testing.T) {
	onEach(t, func(t *testing.T, store rig.Option) {
		s := provider.StartEmbeddings(t, nil)
		h := rig.Open(t, store, embedding(s, 5*time.Second))
		agent := h.NewAgent(t, h.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		if err := h.Vectors.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect := func(question, search string) {
			t.Helper()
			got := talk(t, h, agent, question)
			if !strings.HasPrefix(got.Search, search) || !strings.Contains(got.Answer, "between eight and ten") {
				t.Errorf("%s: searched by %q, answered %q", question, got.Search, got.Answer)
			}
		}
		expect("When are parcels delivered?", "words and vectors")
		s.Play(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
		expect("When are the parcels delivered?", "words; the embedding provider failed")
		expect("When are parcels delivered?", "words and vectors") // asked before, so known
	})
}

func TestATurnDoesNotWaitForALateVector(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	h := rig.Open(t, embedding(s, 30*time.Millisecond))
	agent := h.NewAgent(t, h.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
	if err := h.Vectors.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Play(s.Stall, s.Stall)
	if got := talk(t, h, agent, "When are parcels delivered?"); !strings.Contains(got.Search, "not come in time") || !strings.Contains(got.Answer, "between eight and ten") {
		t.Errorf("searched by %q, answered %q", got.Search, got.Answer)
	}
}

// A passage that nothing but its vector speaks for is not quoted, however near the provider holds it.
func TestVectorsAloneAnswerNothing(t *testing.T) {
	onEach(t, func(t *testing.T, store rig.Option) {
		s := provider.StartEmbeddingsBy(t, func(text string) []float32 {
			if strings.Contains(text, "plant") || strings.Contains(text, "?") {
				return []float32{1, .1, 0}
			}
			return []float32{0, .1, 1}
		})
		h := rig.Open(t, store, embedding(s, 5*time.Second), rig.With(func(c *house.Config) { c.EmbedWeight = .9 }))
		agent := h.NewAgent(t, h.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.",
			"# Office\n\nThe green plant in the corner wants water.")
		if err := h.Vectors.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, question := range []string{"When are parcels delivered?", "Who painted the ceiling of the chapel?"} {
			got := talk(t, h, agent, question)
			if got.Search != "words and vectors" || len(got.Passages) == 0 || !strings.Contains(got.Passages[0].Text, "plant") {
				t.Fatalf("%s: searched by %q, found %+v", question, got.Search, got.Passages)
			}
			if strings.Contains(got.Answer, "plant") || len(got.Citations) > 0 && !strings.Contains(got.Answer, "between eight and ten") {
				t.Errorf("%s: answered %q", question, got.Answer)
			}
		}
		if got := talk(t, h, agent, "When are parcels delivered?"); !strings.Contains(got.Answer, "between eight and ten") {
			t.Errorf("the passage that answers is not quoted: %q", got.Answer)
		}
	})
}

// A server that finds an embedding provider for the first time makes up for what it has read before; one without makes no chores.
func TestVectorsForWhatWasReadBefore(t *testing.T) {
	data := t.TempDir()
	t.Run("without", func(t *testing.T) {
		h := rig.Open(t, rig.At(data, ""))
		h.NewAgent(t, h.Key, "Parcels are delivered between eight and ten in the morning.")
		n, err := sqldb.One(t.Context(), h.DB.SQL(), sqldb.Column[int], `select count(*) from jobs where kind = ?`, ingest.EmbedJob)
		if n != 0 || err != nil || h.Vectors != nil {
			t.Errorf("%d chores, %v", n, err)
		}
	})
	s := provider.StartEmbeddings(t, nil)
	h := rig.Open(t, rig.At(data, ""), embedding(s, 0))
	rig.Eventually(t, "vectors for what was read before", func() bool {
		n, err := sqldb.One(context.Background(), h.DB.SQL(), sqldb.Column[int], `select count(*) from passage_vectors`)
		return err == nil && n > 0
	})
	if s.Texts() != 1 {
		t.Errorf("%d texts", s.Texts())
	}
}
