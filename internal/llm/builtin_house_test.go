package llm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/admin"
	"parley/internal/rig"
)

const storeManifest = `{"agent":{"key":"store"},"settings":{"name":"Store"},"actions":[{"key":"track","kind":"custom-button","name":"track_order",
	"description":"Shows where an order is.","triggers":["track order {number}"],
	"inputs":[{"name":"number","type":"string","description":"the order number","required":true}],
	"config":{"label":"Your order","url":"https://shop.example/orders/{number}"}}]}`

// In a whole house an ordinary question is answered alike at the beginning and behind an order.
func TestAnOrdinaryQuestionBehindAnOrder(t *testing.T) {
	h := rig.Open(t)
	done, err := admin.Do(t.Context(), h.Operator, admin.Apply, admin.ApplyManifest{AccountID: h.Account, Documents: []json.RawMessage{json.RawMessage(storeManifest)}})
	if err != nil {
		t.Fatal(err)
	}
	agent := string(done.Agents[0].Agent)
	source := map[string]any{"type": "text", "name": "Hours", "content": "# Hours\n\nThe shop is open from Monday to Friday, from 9 to 17.\n"}
	h.Do(t, "POST", "/agents/"+agent+"/sources", h.Key, source).Decode(t, http.StatusCreated, &struct{}{})
	if err := h.Runner.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, before := range [][]string{nil, {"track order 4711"}, {"track order 4711", "track order 4712"}} {
		said := chat(t, h, agent, append(before, "When are you open?"))
		if last := said[len(said)-1]; last != "The shop is open from Monday to Friday, from 9 to 17." {
			t.Errorf("%q: %q", before, said)
		}
	}
}

// chat says one message after the other in one conversation and gives the answers.
func chat(t *testing.T, h *rig.House, agent string, messages []string) (said []string) {
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
		conversation, said = out.Data.Metadata.ConversationID, append(said, text.String())
	}
	return said
}
