package quote_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

const storeManifest = `{"agent":{"key":"store"},"settings":{"name":"Store"},"actions":[{"key":"track","kind":"custom-button","name":"track_order",
	"description":"Shows where an order is.","triggers":["track order {number}"],
	"inputs":[{"name":"number","type":"string","description":"the order number","required":true}],
	"config":{"label":"Your order","url":"https://shop.example/orders/{number}"}}]}`

// In a whole house an ordinary question is answered alike at the beginning and behind an order.
func TestAnOrdinaryQuestionBehindAnOrder(t *testing.T) {
	h := testkit.Open(t)
	done, err := admin.RunOn(t.Context(), h.AdminService, admin.Apply, admin.ApplyManifest{AccountID: h.Account, Documents: []json.RawMessage{json.RawMessage(storeManifest)}})
	if err != nil {
		t.Fatal(err)
	}
	agent := string(done.Agents[0].Agent)
	source := map[string]any{"type": "text", "name": "Hours", "content": "# Hours\n\nThe shop is open from Monday to Friday, from 9 to 17.\n"}
	h.Do(t, "POST", "/agents/"+agent+"/sources", h.Key, source).Decode(t, http.StatusCreated, &struct{}{})
	if err := h.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, before := range [][]string{nil, {"track order 4711"}, {"track order 4711", "track order 4712"}} {
		said := chatAnswers(t, h, agent, append(before, "When are you open?"))
		if last := said[len(said)-1]; last != "The shop is open from Monday to Friday, from 9 to 17." {
			t.Errorf("%q: %q", before, said)
		}
	}
}

// chatAnswers says one message after the other in one conversation and gives the answers.
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
