package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

// The trace names what the answer rests on, word for word, also when the source is gone.
func TestTraceOutlivesItsSource(t *testing.T) {
	h := testkit.Open(t)
	agent := h.NewAgent(t, h.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.", "# Returns\n\nSend parcels back within thirty days.")
	var said struct {
		Data struct {
			Metadata struct {
				ConversationID string
				Citations      []struct{ SourceID string }
			}
		}
	}
	h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, `{"message":"When are parcels delivered?"}`).Decode(t, http.StatusOK, &said)
	cited := said.Data.Metadata.Citations
	if len(cited) == 0 {
		t.Fatal("an answer without citations")
	}
	before := citedPassage(t, h, said.Data.Metadata.ConversationID)
	if before.Text == "" || !before.IsCited || string(before.SourceID) != cited[0].SourceID {
		t.Errorf("while the source is there: %+v", before)
	}
	if r := h.Do(t, "DELETE", "/agents/"+agent+"/sources/"+cited[0].SourceID, h.Key, nil); r.Status >= 300 {
		t.Fatalf("delete: %d %s", r.Status, r.Body)
	}
	if err := h.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := citedPassage(t, h, said.Data.Metadata.ConversationID)
	if after.Text != "" || after.Name != "Text" || !strings.Contains(after.Heading, "Deliveries") || after.Score != before.Score || len(after.Quotes) != 1 ||
		!strings.Contains(after.Quotes[0], "between eight and ten") {
		t.Errorf("without the source: %+v", after)
	}
}

// citedPassage returns the cited passage of the conversation's only turn.
func citedPassage(t *testing.T, h *testkit.Server, conversation string) admin.PassageTrace {
	t.Helper()
	turns, err := admin.RunOn(t.Context(), h.AdminService, admin.Trace, admin.ConversationRef{ID: conversation})
	if err != nil || len(turns) != 1 {
		t.Fatalf("%v %+v", err, turns)
	}
	for _, p := range turns[0].Passages {
		if p.IsCited {
			return p
		}
	}
	t.Fatalf("no passage is cited: %+v", turns[0].Passages)
	return admin.PassageTrace{}
}
