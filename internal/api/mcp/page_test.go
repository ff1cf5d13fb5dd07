package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/model"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

type exportReply struct {
	Data []struct {
		ID        string
		Messages  []struct{ Parts []struct{ Text string } }
		Truncated bool
	}
	Pagination struct {
		Cursor  *string
		HasMore bool
		Total   int
	}
	Truncated bool
}

// Whatever limits a page, following the cursors returns every conversation once.
func TestLargeExportsAreTruncated(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text(strings.Repeat("word ", 8000)), scripted.Stop()}
	}}))
	agent := srv.NewAgent(t, srv.Key)
	session := connect(t, srv, srv.Key)
	send := func(conversation string) string {
		var answer struct {
			Data struct {
				Metadata struct{ ConversationID string }
			}
		}
		args := map[string]string{"agentId": agent, "message": "Tell me"}
		if conversation != "" {
			args["conversationId"] = conversation
		}
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		callToolInto(t, session, "service_chat", string(text), &answer)
		return answer.Data.Metadata.ConversationID
	}
	long := send("")
	for range 9 {
		send(long)
	}
	for range 10 {
		send("")
	}
	ask := func(more string) (page exportReply) {
		callToolInto(t, session, "service_export_conversations",
			`{"agentId": "`+agent+`", "include": "messages"`+more+`}`, &page)
		return page
	}
	seen, cuts := map[string]int{}, 0
	for cursor := ""; ; {
		page := ask(cursor)
		for _, c := range page.Data {
			if seen[c.ID]++; c.Truncated != (c.ID == long) || c.Truncated && len(c.Messages) != 13 {
				t.Errorf("%v: %v, %d messages", c.ID == long, c.Truncated, len(c.Messages))
			}
		}
		if page.Truncated {
			cuts++
		}
		if !page.Pagination.HasMore {
			break
		}
		cursor = fmt.Sprintf(`, "cursor": %q`, *page.Pagination.Cursor)
	}
	if len(seen) != 11 || cuts == 0 {
		t.Error(seen, cuts)
	}
	if page := ask(`, "conversationId": "` + long + `"`); !page.Truncated || len(page.Data) != 1 ||
		page.Pagination.Total != 1 {
		t.Error(page.Truncated, len(page.Data), page.Pagination)
	}
	var page exportReply
	callToolInto(t, session, "service_export_conversations", `{"agentId": "`+agent+`", "limit": 100}`, &page)
	if page.Truncated || len(page.Data) != 11 {
		t.Error(page.Truncated, len(page.Data))
	}
}

func TestLongListsAreTruncated(t *testing.T) {
	srv := testkit.Open(t)
	session := connect(t, srv, srv.Key)
	var agent struct{ ID string }
	for i := range 26 {
		callToolInto(t, session, "service_create_agent", fmt.Sprintf(`{"name": "Agent %d"}`, i), &agent)
	}
	for i := range 51 {
		callToolInto(t, session, "service_create_source",
			fmt.Sprintf(`{"agentId": %q, "type": "text", "name": "Text", "content": "Text %d"}`, agent.ID, i), &struct{}{})
	}
	for _, c := range []struct {
		tool, args string
		items      int
		cut        bool
	}{
		{"service_list_agents", `{"limit": 100}`, 25, true},
		{"service_list_agents", `{"limit": 25}`, 25, false},
		{"service_list_agents", `{}`, 20, false},
		{"service_list_sources", `{"agentId": "` + agent.ID + `", "limit": 51}`, 50, true},
		{"service_list_sources", `{"agentId": "` + agent.ID + `"}`, 20, false},
	} {
		var page exportReply
		callToolInto(t, session, c.tool, c.args, &page)
		if len(page.Data) != c.items || page.Truncated != c.cut || !page.Pagination.HasMore {
			t.Errorf("%s %s: %d items, truncated %v", c.tool, c.args, len(page.Data), page.Truncated)
		}
	}
}
