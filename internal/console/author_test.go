package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley"
)

// A member writes to a ticket in their own name only, by whichever of the two APIs. A program with a key writes in that
// of any member.
func TestMembersWriteToTicketsInTheirOwnNames(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ids := ct.newResources(ct.Account, ct.Key)
		ct.newMember(ct.Account, parley.RoleAgent, "bo@shop.example")
		b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
		rest := "POST /v2/agents/" + ids["agentId"] + "/helpdesk/tickets/1/messages"
		note := func(field, author string) string {
			return fmt.Sprintf(`{"type":"note","content":"Call back.",%q:%q}`, field, author)
		}
		const refused = "422 TEAM_MEMBER_NOT_FOUND"
		for _, c := range [][3]string{
			{"201", "authorEmail", "Kim@shop.example"},
			{"201", "authorId", strings.ToUpper(ct.userID("kim@shop.example"))},
			{refused, "authorEmail", "bo@shop.example"},
			{refused, "authorId", ct.userID("bo@shop.example")},
			{refused, "authorEmail", "nobody@shop.example"},
			{refused, "authorId", "00000000-0000-4000-8000-000000000000"},
		} {
			got := b.want(c[0], rest, note(c[1], c[2]))
			if c[0] == refused && !strings.Contains(got.body, "in their own name only") {
				t.Error(got)
			}
		}
		b.want("404 TICKET_NOT_FOUND", strings.Replace(rest, "/1/", "/999/", 1), note("authorEmail", "bo@shop.example"))
		operators := "POST /v1/agents/" + ids["agentId"] + "/tickets/1/messages"
		b.want(refused, operators, `{"type":"note","text":"Call back.","member":"bo@shop.example"}`)
		ct.Do(t, "POST", "/agents/"+ids["agentId"]+"/helpdesk/tickets/1/messages", ct.Key, map[string]any{
			"type": "note", "content": "Call back.", "authorEmail": "bo@shop.example"}).
			Decode(t, http.StatusCreated, &struct{}{})
	})
}
