package v1_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/v1"
	"parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/testkit"
)

// isolationCase is a route with the query and the body that make it succeed. Ids are written as {chatbotId} and so on
// wherever a client can put them.
type isolationCase struct{ route, query, body string }

// isolationCases lists every route. The test goes through the list in order: what deletes comes last.
var isolationCases = []isolationCase{
	// Chat and conversations.
	{"POST /chat", "",
		`{"chatbotId": "{chatbotId}", "messages": [{"role": "user", "content": "Hello"}], "conversationId": "a"}`},
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
	{"POST /webhooks", "",
		`{"endpoint": "https://example.org/hook", "events": ["leads.submit"], "chatbotId": "{chatbotId}"}`},
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

// idParameters are the parameters that hold ids.
var idParameters = []string{"chatbotId", "externalId", "attributeName", "webhookId"}

// malformedIDs are ids that do not exist, in forms that could break a server.
var malformedIDs = []string{"x", "%00", "%27%20or%201=1--", "..%2F..", "%F0%9F%98%80",
	"00000000-0000-0000-0000-00000000000g", strings.Repeat("a", 3000)}

// unknownIDs are valid ids that do not exist.
var unknownIDs = resourceIDs{"chatbotId": "AAAAAAAAAAAAAAAAAAAAA", "externalId": "nobody", "attributeName": "nothing",
	"webhookId": "00000000-0000-4000-8000-000000000000"}

type resourceIDs = testkit.ResourceIDs

// target returns the method and the path, with its query.
func (ic isolationCase) target() string {
	if ic.query == "" {
		return ic.route
	}
	return ic.route + "?" + ic.query
}

// TestIsolation checks that no account can reach, or even detect, objects of another one: the reply to their ids equals
// the reply to ids that do not exist, byte for byte.
func TestIsolation(t *testing.T) {
	srv := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.SecretKey = "a key of enough bytes" }))
	ids, foreignIDs := createResources(t, srv, srv.Key), createResources(t, srv, srv.OtherKey)
	for _, row := range isolationCases {
		for _, name := range idParameters {
			if !strings.Contains(row.target()+row.body, "{"+name+"}") {
				continue
			}
			stranger, missing := requestForComparison(t, srv, row, ids.With(name, foreignIDs[name])),
				requestForComparison(t, srv, row, ids.With(name, unknownIDs[name]))
			if stranger != missing || !strings.HasPrefix(missing, "404 ") {
				t.Errorf("%s with another account's %s:\n%s\nwith an unknown one:\n%s", row.route, name, stranger, missing)
			}
			for _, id := range malformedIDs {
				if got := requestForComparison(t, srv, row, ids.With(name, id)); got != missing {
					t.Errorf("%s with %s %q:\n%s\nwith an unknown one:\n%s", row.route, name, id, got, missing)
				}
			}
		}
		got := requestForComparison(t, srv, row, ids)
		if !strings.HasPrefix(got, "2") {
			t.Errorf("%s with our own ids: %s", row.route, got)
		}
		for name, id := range foreignIDs {
			if strings.Contains(got, id) {
				t.Errorf("%s shows another account's %s", row.route, name)
			}
		}
	}
	if status, _ := sendAs(t, srv, srv.OtherKey, "GET", v2.Base+"/agents/"+foreignIDs["chatbotId"], ""); status != 200 {
		t.Errorf("the other account's chatbot did not survive: %d", status)
	}
}

// createResources creates one object of each kind in the key's account.
func createResources(t *testing.T, srv *testkit.Server, key string) resourceIDs {
	t.Helper()
	var agent struct{ ID string }
	status, reply := sendAs(t, srv, key, "POST", v2.Base+"/agents", `{"name": "Agent"}`)
	if err := json.Unmarshal([]byte(reply), &agent); err != nil || status != 201 {
		t.Fatal(status, reply)
	}
	th := resourceIDs{"chatbotId": agent.ID, "externalId": "person-" + agent.ID,
		"attributeName": "a" + strings.ReplaceAll(agent.ID, "-", "_")}
	for _, one := range []struct{ path, body string }{
		{"/chatbots/{chatbotId}/contacts", `{"users": [{"external_id": "{externalId}"}]}`},
		{"/chatbots/{chatbotId}/custom-attributes", `{"name": "{attributeName}", "type": "text"}`},
		{"/webhooks", `{"endpoint": "https://example.org/hook", "events": ["leads.submit"], "chatbotId": "{chatbotId}"}`},
	} {
		status, reply := sendAs(t, srv, key, "POST", v1.Base+th.Substitute(one.path), th.Substitute(one.body))
		var created struct{ ID string }
		if err := json.Unmarshal([]byte(reply), &created); err != nil || status != 200 {
			t.Fatal(status, reply)
		}
		th["webhookId"] = created.ID // of the last one
	}
	return th
}

// requestForComparison sends a route's request with our key and returns all of the reply that another account could
// compare.
func requestForComparison(t *testing.T, srv *testkit.Server, r isolationCase, ids resourceIDs) string {
	t.Helper()
	method, path, _ := strings.Cut(r.target(), " ")
	status, reply := sendAs(t, srv, srv.Key, method, v1.Base+ids.Substitute(path), ids.Substitute(r.body))
	return fmt.Sprint(status, " ", reply)
}

func sendAs(t *testing.T, srv *testkit.Server, key, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	testkit.SetFormContentType(req, body)
	resp, err := srv.Client.Do(req)
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
