package apiv1_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api"
	"parley/internal/apiv1"
	"parley/internal/house"
	"parley/internal/rig"
)

// row is a route with the query and the body that make it succeed. Ids stand as {chatbotId} and so on wherever a client can put
// them.
type row struct{ route, query, body string }

// isolation lists every route. The test goes through the list in order: what deletes comes last.
var isolation = []row{
	// Chat and conversations.
	{"POST /chat", "", `{"chatbotId": "{chatbotId}", "messages": [{"role": "user", "content": "Hello"}], "conversationId": "a"}`},
	{"GET /get-conversations", "chatbotId={chatbotId}", ""},

	// Leads, contacts, custom attributes and webhooks.
	{"GET /get-leads", "chatbotId={chatbotId}", ""},
	{"POST /chatbots/{chatbotId}/contacts", "", `{"users": [{"external_id": "new"}]}`},
	{"GET /chatbots/{chatbotId}/contacts", "", ""},
	{"GET /chatbots/{chatbotId}/contacts/{externalId}", "", ""},
	{"PATCH /chatbots/{chatbotId}/contacts/{externalId}", "", `{"data": {"name": "Changed"}}`},
	{"POST /chatbots/{chatbotId}/custom-attributes", "", `{"name": "color", "type": "text"}`},
	{"GET /chatbots/{chatbotId}/custom-attributes", "", ""},
	{"PUT /chatbots/{chatbotId}/custom-attributes/{attributeName}", "", `{"label": "Changed"}`},
	{"DELETE /chatbots/{chatbotId}/contacts/{externalId}", "", ""},
	{"POST /webhooks", "", `{"endpoint": "https://example.org/hook", "events": ["leads.submit"], "chatbotId": "{chatbotId}"}`},
	{"GET /webhooks", "chatbotId={chatbotId}", ""},
	{"DELETE /webhooks/{webhookId}", "", ""},

	// Chatbots, settings and pictures.
	{"GET /get-chatbots", "", ""},
	{"POST /create-chatbot", "", `{"chatbotName": "New"}`},
	{"POST /update-chatbot-settings", "", `{"chatbotId": "{chatbotId}", "name": "Changed"}`},
	{"POST /update-chatbot-data", "", `{"chatbotId": "{chatbotId}", "sourceText": "The sky is grey."}`},
	{"POST /upload-chatbot-icon", "", pictureForm("chatbotIconFile")},
	{"POST /upload-chatbot-profile-picture", "", pictureForm("profilePictureFile")},
	{"DELETE /delete-chatbot-icon", "chatbotId={chatbotId}", ""},
	{"DELETE /delete-chatbot-profile-picture", "", `{"chatbotId": "{chatbotId}"}`},
	{"DELETE /delete-chatbot", "chatbotId={chatbotId}", ""},
}

// ids are the parameters that name things.
var ids = []string{"chatbotId", "externalId", "attributeName", "webhookId"}

// malformed are ids that no thing has, in forms that a careless server trips over.
var malformed = []string{"x", "%00", "%27%20or%201=1--", "..%2F..", "%F0%9F%98%80", "00000000-0000-0000-0000-00000000000g", strings.Repeat("a", 3000)}

// unknown are ids that are well-formed and nobody's.
var unknown = things{"chatbotId": "AAAAAAAAAAAAAAAAAAAAA", "externalId": "nobody", "attributeName": "nothing", "webhookId": "00000000-0000-4000-8000-000000000000"}

type things map[string]string // by the name of their parameter

// target is the method and the path, with its query.
func (r row) target() string {
	if r.query == "" {
		return r.route
	}
	return r.route + "?" + r.query
}

// TestIsolation holds the promise that nobody can reach, or so much as notice, another account's things: the reply to their
// id is the reply to an id that does not exist, byte for byte.
func TestIsolation(t *testing.T) {
	h := rig.Open(t, rig.With(func(c *house.Config) { c.SecretKey = "a key of enough bytes" }))
	ours, theirs := furnish(t, h, h.Key), furnish(t, h, h.OtherKey)
	for _, row := range isolation {
		for _, name := range ids {
			if !strings.Contains(row.target()+row.body, "{"+name+"}") {
				continue
			}
			stranger, nobody := knock(t, h, row, ours.with(name, theirs[name])), knock(t, h, row, ours.with(name, unknown[name]))
			if stranger != nobody || !strings.HasPrefix(nobody, "404 ") {
				t.Errorf("%s with another account's %s:\n%s\nwith an unknown one:\n%s", row.route, name, stranger, nobody)
			}
			for _, id := range malformed {
				if got := knock(t, h, row, ours.with(name, id)); got != nobody {
					t.Errorf("%s with %s %q:\n%s\nwith an unknown one:\n%s", row.route, name, id, got, nobody)
				}
			}
		}
		got := knock(t, h, row, ours)
		if !strings.HasPrefix(got, "2") {
			t.Errorf("%s with our own ids: %s", row.route, got)
		}
		for name, id := range theirs {
			if strings.Contains(got, id) {
				t.Errorf("%s shows another account's %s", row.route, name)
			}
		}
	}
	if status, _ := send(t, h, h.OtherKey, "GET", api.Base+"/agents/"+theirs["chatbotId"], ""); status != 200 {
		t.Errorf("the other account's chatbot did not survive: %d", status)
	}
}

func (th things) with(name, id string) things {
	other := maps.Clone(th)
	other[name] = id
	return other
}

func (th things) in(text string) string {
	for name, id := range th {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// furnish gives the key's account one of each thing.
func furnish(t *testing.T, h *rig.House, key string) things {
	t.Helper()
	var agent struct{ ID string }
	status, reply := send(t, h, key, "POST", api.Base+"/agents", `{"name": "Agent"}`)
	if err := json.Unmarshal([]byte(reply), &agent); err != nil || status != 201 {
		t.Fatal(status, reply)
	}
	th := things{"chatbotId": agent.ID, "externalId": "person-" + agent.ID, "attributeName": "a" + strings.ReplaceAll(agent.ID, "-", "_")}
	for _, one := range []struct{ path, body string }{
		{"/chatbots/{chatbotId}/contacts", `{"users": [{"external_id": "{externalId}"}]}`},
		{"/chatbots/{chatbotId}/custom-attributes", `{"name": "{attributeName}", "type": "text"}`},
		{"/webhooks", `{"endpoint": "https://example.org/hook", "events": ["leads.submit"], "chatbotId": "{chatbotId}"}`},
	} {
		status, reply := send(t, h, key, "POST", apiv1.Base+th.in(one.path), th.in(one.body))
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(reply), &made); err != nil || status != 200 {
			t.Fatal(status, reply)
		}
		th["webhookId"] = made.ID // of the last one
	}
	return th
}

// knock sends a route's request with our key and gives all of the reply that a stranger could compare.
func knock(t *testing.T, h *rig.House, r row, ids things) string {
	t.Helper()
	method, path, _ := strings.Cut(r.target(), " ")
	status, reply := send(t, h, h.Key, method, apiv1.Base+ids.in(path), ids.in(r.body))
	return fmt.Sprint(status, " ", reply)
}

func send(t *testing.T, h *rig.House, key, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	declare(req, body)
	resp, err := h.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
