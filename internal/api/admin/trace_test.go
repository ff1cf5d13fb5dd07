package admin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/eval"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// The trace quotes what the answer cites, word for word, even after the source was deleted.
func TestTraceRemainsAfterItsSourceIsDeleted(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.",
		"# Returns\n\nSend parcels back within thirty days.")
	var reply struct {
		Data struct {
			Metadata struct {
				ConversationID string
				Citations      []struct{ SourceID string }
			}
		}
	}
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, `{"message":"When are parcels delivered?"}`).Decode(t,
		http.StatusOK, &reply)
	cited := reply.Data.Metadata.Citations
	if len(cited) == 0 {
		t.Fatal("an answer without citations")
	}
	before := citedPassage(t, srv, reply.Data.Metadata.ConversationID)
	if before.Text == "" || !before.IsCited || string(before.SourceID) != cited[0].SourceID {
		t.Errorf("before the source is deleted: %+v", before)
	}
	if r := srv.Do(t, "DELETE", "/agents/"+agent+"/sources/"+cited[0].SourceID, srv.Key, nil); r.Status >= 300 {
		t.Fatalf("delete: %d %s", r.Status, r.Body)
	}
	if err := srv.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := citedPassage(t, srv, reply.Data.Metadata.ConversationID)
	if after.Text != "" || after.Name != "Text" || !strings.Contains(after.Heading, "Deliveries") ||
		after.Score != before.Score || len(after.Quotes) != 1 ||
		!strings.Contains(after.Quotes[0], "between eight and ten") {
		t.Errorf("without the source: %+v", after)
	}
}

// citedPassage returns the cited passage of the conversation's only turn.
func citedPassage(t *testing.T, srv *testkit.Server, conversation string) admin.PassageTrace {
	t.Helper()
	turns, err := admin.RunOn(t.Context(), srv.AdminService, admin.Trace, admin.ConversationRef{ID: conversation})
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

// A changed source changes only the answers that cited it.
func TestReplayShowsWhichAnswersChange(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkReplay(t, testkit.Open(t)) })
	t.Run("postgres", func(t *testing.T) { checkReplay(t, testkit.Open(t, testkit.WithPostgres())) })
}

func checkReplay(t *testing.T, srv *testkit.Server) {
	agent := srv.NewAgent(t, srv.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.",
		"# Returns\n\nSend parcels back within thirty days.")
	ask := func(body string) (conversation, source string) {
		t.Helper()
		var reply struct {
			Data struct {
				Metadata struct {
					ConversationID string
					Citations      []struct{ SourceID string }
				}
			}
		}
		srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, body).Decode(t, http.StatusOK, &reply)
		if len(reply.Data.Metadata.Citations) == 0 {
			t.Fatalf("%s: no citations", body)
		}
		return reply.Data.Metadata.ConversationID, reply.Data.Metadata.Citations[0].SourceID
	}
	conversation, deliveries := ask(`{"message": "When are parcels delivered?"}`)
	ask(`{"message": "Within how many days do I send parcels back?", "conversationId": "` + conversation + `"}`)
	ask(`{"message": "When are parcels delivered in the morning?"}`)
	if r := replayAgent(t, srv, agent, 10); len(r.Turns) != 3 || r.Same != 3 || r.Skipped != 0 {
		t.Fatalf("before any change: %+v", r)
	}
	if r := srv.Do(t, "PUT", "/agents/"+agent+"/sources/"+deliveries, srv.Key,
		`{"content": "# Deliveries\n\nParcels are delivered between one and three in the morning."}`); r.Status != 200 {
		t.Fatalf("change: %d %s", r.Status, r.Body)
	}
	if err := srv.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := replayAgent(t, srv, agent, 10)
	if len(r.Turns) != 3 || r.Same != 1 {
		t.Fatalf("after the change: %+v", r)
	}
	for _, turn := range r.Turns {
		if isAffected := strings.Contains(turn.Question, "delivered"); isAffected != (turn.State == eval.ReplayChanged) ||
			isAffected != strings.Contains(turn.Now, "one and three") {
			t.Errorf("%q: %s, now %q", turn.Question, turn.State, turn.Now)
		}
	}
	if newest := replayAgent(t, srv, agent, 1); len(newest.Turns) != 1 ||
		newest.Turns[0].ConversationID == r.Turns[2].ConversationID {
		t.Errorf("the newest alone: %+v", newest)
	}
	if r := srv.Do(t, "DELETE", "/agents/"+agent+"/sources/"+deliveries, srv.Key, nil); r.Status >= 300 {
		t.Fatalf("delete: %d %s", r.Status, r.Body)
	}
	if newest := replayAgent(t, srv, agent, 1); newest.Turns[0].State == eval.ReplaySame ||
		strings.Contains(newest.Turns[0].Now, "delivered") {
		t.Errorf("without the source: %+v", newest)
	}
	if _, err := admin.RunOn(t.Context(), srv.AdminService, admin.Replay,
		admin.ReplayRequest{ID: "nobody", Limit: 1}); err == nil {
		t.Error("a missing agent has past questions")
	}
}

func replayAgent(t *testing.T, srv *testkit.Server, agent string, limit int) eval.Replay {
	t.Helper()
	done, err := admin.RunOn(t.Context(), srv.AdminService, admin.Replay, admin.ReplayRequest{ID: agent, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// What answers cost is counted on its day, and a forecast is a straight line through the month so far.
func TestUsageOfAMonthIsTheSumOfItsDays(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			now := clock.New() // noon of the tenth
			srv := testkit.Open(t, append(options, testkit.WithClock(now))...)
			credits := int64(4)
			account, key := srv.NewAccount(t, admin.NewAccount{Name: "Shop", Plan: "pro", Credits: &credits})
			agent := srv.NewAgent(t, key, "# Sky\n\nThe sky is blue.")
			ask := func() {
				reply := srv.Do(t, "POST", "/agents/"+agent+"/chat", key, `{"message":"What colour is the sky?"}`)
				reply.Decode(t, http.StatusOK, new(any))
			}
			ask()
			now.Advance(24 * time.Hour)
			ask()
			ask()
			ctx := t.Context()
			for _, id := range []string{"", agent} {
				got, err := admin.RunOn(ctx, srv.AdminService, admin.GetUsage, admin.UsageQuery{AccountID: account, AgentID: id})
				if err != nil {
					t.Fatal(err)
				}
				days := got.Days
				if len(days) != 11 || days[9] != (admin.CreditDay{Day: "2026-11-10", Credits: 1}) ||
					days[10] != (admin.CreditDay{Day: "2026-11-11", Credits: 2}) || got.Used != 3 || *got.Limit != 4 ||
					!got.OwnLimit || got.Agents != 1 || got.Plan.Name != "pro" {
					t.Errorf("of %q: %+v", id, got)
				}
				if len(got.Models) != 1 || got.Models[0] != (admin.ModelUsage{Kind: "answer", Model: got.Models[0].Model,
					Credits: 3, Charges: 3}) || got.Models[0].Model == "" {
					t.Errorf("models of %q: %+v", id, got.Models)
				}
				if got.Forecast == nil || int(*got.Forecast*10) != 85 || got.ReachesAt == nil || got.ReachesAt.Day() != 15 {
					t.Errorf("forecast %v, reached at %v", got.Forecast, got.ReachesAt)
				}
			}
			checkUncountedModels(t, srv, account)
			checkVoiceUsage(t, srv, account, agent)
			checkAgentForecast(t, srv, account, agent, key)
			october := admin.UsageQuery{AccountID: account, Month: "2026-10"}
			past, err := admin.RunOn(ctx, srv.AdminService, admin.GetUsage, october)
			if err != nil || past.Used != 0 || len(past.Days) != 31 || past.Forecast != nil {
				t.Errorf("October: %+v %v", past, err)
			}
			for _, month := range []string{"2026-12", "soon", "2026-1"} {
				_, err := admin.RunOn(ctx, srv.AdminService, admin.GetUsage, admin.UsageQuery{AccountID: account, Month: month})
				if !parley.IsCode(err, parley.CodeInvalidBody) {
					t.Errorf("month %s: %v", month, err)
				}
			}
		})
	}
}

// checkVoiceUsage checks that the voice sessions of a month are those that have ended in it.
func checkVoiceUsage(t *testing.T, srv *testkit.Server, account, agent string) {
	t.Helper()
	if _, err := srv.DB.SQL().Exec(t.Context(), `
		insert into voice_days (account_id, agent_id, day, reason, sessions, joined, seconds, minutes)
		values (?, ?, 20757, 'error', 1, 0, 0, 0), (?, ?, 20758, 'silence', 1, 0, 0, 0),
		  (?, ?, 20787, 'client_left', 2, 2, 90, 3), (?, ?, 20788, 'error', 1, 0, 0, 0)`, // 1 November is 20758
		account, agent, account, agent, account, agent, account, agent); err != nil {
		t.Fatal(err)
	}
	read := func(agent string) admin.VoiceUsage {
		got, err := admin.RunOn(t.Context(), srv.AdminService, admin.GetVoiceUsage,
			admin.UsageQuery{AccountID: account, AgentID: agent})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := admin.VoiceUsage{Month: "2026-11", Sessions: 3, Joined: 2, Seconds: 90, Minutes: 3,
		Ends: []admin.VoiceEnd{{Reason: "client_left", Sessions: 2}, {Reason: "silence", Sessions: 1}}}
	if diff := cmp.Diff(want, read(agent)); diff != "" {
		t.Error(diff)
	}
	if got := read(""); got.Sessions != 0 {
		t.Errorf("of the account: %+v", got)
	}
}

// checkUncountedModels checks that what was used on a day on which models were not counted yet is told apart.
func checkUncountedModels(t *testing.T, srv *testkit.Server, account string) {
	t.Helper()
	if _, err := srv.DB.SQL().Exec(t.Context(), `delete from credit_models where day = '2026-11-10'`); err != nil {
		t.Fatal(err)
	}
	got, err := admin.RunOn(t.Context(), srv.AdminService, admin.GetUsage, admin.UsageQuery{AccountID: account})
	if err != nil || len(got.Models) != 2 || got.Models[0].Credits != 2 ||
		got.Models[1] != (admin.ModelUsage{Kind: "uncounted", Credits: 1}) {
		t.Errorf("models: %+v %v", got.Models, err)
	}
}

// checkAgentForecast checks the straight line of an agent, and when it reaches a limit of its own.
func checkAgentForecast(t *testing.T, srv *testkit.Server, account, agent, key string) {
	t.Helper()
	read := func() admin.AgentUsage {
		page, err := admin.RunOn(t.Context(), srv.AdminService, admin.ListAgentUsage,
			admin.AgentUsageQuery{AccountID: account})
		if err != nil || len(page.Data) != 1 {
			t.Fatal(page, err)
		}
		return page.Data[0]
	}
	if got := read(); got.Forecast == nil || int(*got.Forecast*10) != 85 || got.ReachesAt != nil {
		t.Errorf("without a limit: %+v", got)
	}
	srv.Do(t, "PUT", "/agents/"+agent, key, `{"creditLimit":4}`).Decode(t, http.StatusOK, new(any))
	if got := read(); got.ReachesAt == nil || got.ReachesAt.Day() != 15 {
		t.Errorf("with a limit: %+v", got)
	}
}

// inboxIDs returns the conversations of a view of the inbox, in its order.
func inboxIDs(mt *memberTest, m parley.Member, view string) (ids []string) {
	mt.t.Helper()
	path := "GET /accounts/" + mt.Account + "/inbox?limit=1&view=" + view + "&cursor="
	for cursor := ""; ; {
		page := get[admin.Page[admin.InboxRow]](mt, m, path+cursor, "")
		for _, row := range page.Data {
			ids = append(ids, row.ID)
		}
		if page.Pagination.Cursor == nil {
			return ids
		}
		cursor = *page.Pagination.Cursor
	}
}

// chatAt asks an agent as a customer, and returns the conversation.
func chatAt(mt *memberTest, agent, message string) string {
	mt.t.Helper()
	var answer struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	mt.Do(mt.t, "POST", "/agents/"+agent+"/chat", mt.Key, map[string]any{"message": message, "userId": "jo",
		"stream": false}).Decode(mt.t, http.StatusOK, &answer)
	return answer.Data.Metadata.ConversationID
}

// A conversation is in the views that say what it waits for, whoever its agent is, and leaves them when somebody acts.
func TestInboxHasTheConversationsOfAllAgents(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		first := chatAt(mt, mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue."), "What colour is the sky?")
		second := chatAt(mt, mt.NewAgent(mt.t, mt.Key, "# Sea\n\nThe sea is green."), "What colour is the sea?")
		check := func(view string, want ...string) {
			mt.t.Helper()
			got := inboxIDs(mt, kim, view)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				mt.t.Errorf("%s has %v, want %v", view, got, want)
			}
		}
		check("all", first, second)
		check("live", first, second)
		check("waiting")
		run(mt, admin.MoveConversation, admin.StateChange{ID: first, Step: "takeover"})
		check("waiting", first)
		check("unassigned", first)
		get[admin.Conversation](mt, kim, "PUT /conversations/"+first+"/claim", `{}`)
		check("mine", first)
		check("unassigned")
		check("waiting", first)
		counts := get[admin.InboxCounts](mt, kim, "GET /accounts/"+mt.Account+"/inbox/counts", "")
		if want := (admin.InboxCounts{Waiting: 1, Mine: 1, Unread: 1}); counts != want {
			mt.t.Errorf("the counts are %+v", counts)
		}
		get[admin.MessageRef](mt, kim, "POST /conversations/"+first+"/messages",
			`{"member":"kim@shop.example","text":"It is blue."}`)
		check("waiting")
		run(mt, admin.MoveConversation, admin.StateChange{ID: first, Step: "end"})
		check("mine")
		check("ended", first)
		check("live", second)
	})
}

// Who waits longest comes first if that is asked for. A reply ends the waiting, and the next message begins it again.
func TestInboxHasFirstWhoWaitsLongest(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		ids := []string{chatAt(mt, agent, "What colour is the sky?"), chatAt(mt, agent, "And why?")}
		for i, id := range ids {
			run(mt, admin.MoveConversation, admin.StateChange{ID: id, Step: "takeover"})
			mt.exec(`update conversations set last_activity = last_activity + 1000 where id = ?`, id)
			mt.exec(`update conversations set waiting_since = ? where id = ?`, 1000-i, id)
		}
		path := "GET /accounts/" + mt.Account + "/inbox?limit=1&view=waiting&order="
		read := func(order string) (found []admin.InboxRow) {
			for cursor := ""; ; {
				page := get[admin.Page[admin.InboxRow]](mt, kim, path+order+"&cursor="+cursor, "")
				found = append(found, page.Data...)
				if page.Pagination.Cursor == nil {
					return found
				}
				cursor = *page.Pagination.Cursor
			}
		}
		if got := read("longest"); len(got) != 2 || got[0].ID != ids[1] || got[0].WaitingSince.UnixMilli() != 999 {
			mt.t.Errorf("first who waits longest: %+v", got)
		}
		if got := read("active"); len(got) != 2 {
			mt.t.Errorf("the last active first: %+v", got)
		}
		get[admin.MessageRef](mt, kim, "POST /conversations/"+ids[1]+"/messages",
			`{"member":"kim@shop.example","text":"It scatters light."}`)
		if got := read("longest"); len(got) != 1 || got[0].ID != ids[0] {
			mt.t.Errorf("after an answer: %+v", got)
		}
		mt.Do(mt.t, "POST", "/agents/"+agent+"/conversations/"+ids[1]+"/messages", mt.Key,
			map[string]any{"message": "Thanks, and when?"})
		got := read("longest")
		if len(got) != 2 || got[1].ID != ids[1] || got[1].WaitingSince.UnixMilli() <= 1000 {
			mt.t.Errorf("after another question: %+v", got)
		}
		run(mt, admin.MoveConversation, admin.StateChange{ID: ids[1], Step: "handback"})
		if got := read("longest"); len(got) != 1 {
			mt.t.Errorf("after it was handed back: %+v", got)
		}
	})
}

// What is unread is so for one member: until they have read it, and again once the customer writes; what a colleague
// answers is not unread for others.
func TestConversationsAreUnreadForTheirMember(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		id := chatAt(mt, agent, "What colour is the sky?")
		check := func(when string, want map[string]bool) {
			mt.t.Helper()
			for name, m := range map[string]parley.Member{"kim": kim, "bo": bo} {
				if got := mt.unread(m, id); got != want[name] {
					mt.t.Errorf("%s it is unread for %s: %v", when, name, got)
				}
			}
		}
		read := func(m parley.Member, seen int64) bool {
			mt.t.Helper()
			return !get[admin.ReadMarkResult](mt, m, "PUT /conversations/"+id+"/read-mark",
				fmt.Sprintf(`{"unread":false,"seen":%d}`, seen)).IsUnread
		}
		check("at the agent", nil)
		run(mt, admin.MoveConversation, admin.StateChange{ID: id, Step: "takeover"})
		check("handed over", map[string]bool{"kim": true, "bo": true})
		entries := get[admin.Thread](mt, kim, "GET /conversations/"+id+"/thread", "").Entries
		seen := entries[len(entries)-1].Seq
		if !read(kim, seen) {
			mt.t.Error("it was not read")
		}
		check("read by Kim", map[string]bool{"bo": true})
		mt.Do(mt.t, "POST", "/agents/"+agent+"/conversations/"+id+"/messages", mt.Key, map[string]any{"message": "And why?"})
		check("written to again", map[string]bool{"kim": true, "bo": true})
		if read(kim, seen) {
			mt.t.Error("what was not seen was read")
		}
		get[admin.Conversation](mt, kim, "PUT /conversations/"+id+"/claim", `{}`)
		check("claimed", map[string]bool{"kim": true})
		row := get[admin.Page[admin.InboxRow]](mt, kim, "GET /accounts/"+mt.Account+"/inbox?view=mine", "").Data[0]
		if !read(kim, row.LastMessage.Seq) {
			mt.t.Error("what its row shows was read, and it is not")
		}
		check("read in the list", nil)
		get[admin.MessageRef](mt, kim, "POST /conversations/"+id+"/messages",
			`{"member":"kim@shop.example","text":"It scatters light."}`)
		check("answered", nil)
		get[admin.ReadMarkResult](mt, bo, "PUT /conversations/"+id+"/read-mark", `{"unread":true}`)
		check("marked by Bo", map[string]bool{"bo": true})
		viewer := parley.Member{User: parley.UserID(parley.NewUUID()), Account: kim.Account, Role: parley.RoleViewer}
		mt.exec(`update conversations set waiting_since = last_activity where id = ?`, id)
		if mt.unread(viewer, id) {
			mt.t.Error("it is unread for a viewer, who answers nobody")
		}
	})
}

// unread reports whether a conversation, the only one that may be, is unread for a member. Several operations say it.
func (mt *memberTest) unread(m parley.Member, id string) bool {
	mt.t.Helper()
	inbox := "GET /accounts/" + mt.Account + "/inbox"
	thread := get[admin.Thread](mt, m, "GET /conversations/"+id+"/thread", "")
	listed := get[[]admin.UnreadConversation](mt, m, inbox+"/unread?conversationIds="+id+",x", "")
	counts := get[admin.InboxCounts](mt, m, inbox+"/counts", "")
	answers := []bool{thread.IsUnread, len(listed) == 1 && listed[0].ID == id, counts.Unread == 1}
	if m.Role != parley.RoleViewer {
		page := get[admin.Page[admin.InboxRow]](mt, m, inbox+"?view=unread", "").Data
		answers = append(answers, len(page) == 1 && page[0].IsUnread && page[0].ID == id)
	}
	for _, one := range answers {
		if one != thread.IsUnread {
			mt.t.Errorf("some say that it is unread, some do not: %v", answers)
		}
	}
	return thread.IsUnread
}

// A ticket is unread for the member who is given it by somebody else.
func TestTicketsAreUnreadForTheirNewAssignee(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		path := "/agents/" + mt.NewAgent(mt.t, mt.Key) + "/tickets"
		ticket := get[admin.Ticket](mt, kim, "POST "+path, `{"subject":"Help","description":"Please.",`+
			`"email":"jo@mail.example","assignee":"kim@shop.example"}`)
		path = fmt.Sprintf("%s/%d", path, ticket.Number)
		get[admin.MessageRef](mt, kim, "POST "+path+"/messages", `{"type":"reply","member":"kim@shop.example","text":"Yes?"}`)
		get[admin.ReadMarkResult](mt, kim, "PUT /conversations/"+ticket.ConversationID+"/read-mark",
			`{"unread":false,"seen":99}`)
		assign := func(by parley.Member, to string) {
			mt.t.Helper()
			get[admin.Ticket](mt, by, "PATCH "+path, `{"assignee":"`+to+`"}`)
		}
		if mt.unread(kim, ticket.ConversationID) || mt.unread(bo, ticket.ConversationID) {
			mt.t.Error("it is unread before")
		}
		assign(kim, "bo@shop.example")
		if mt.unread(kim, ticket.ConversationID) || !mt.unread(bo, ticket.ConversationID) {
			mt.t.Error("it is not unread for Bo alone, who was given it")
		}
		assign(kim, "none")
		assign(kim, string(kim.User)) // by id
		if mt.unread(kim, ticket.ConversationID) {
			mt.t.Error("it is unread for Kim, who took it")
		}
	})
}

// The tickets of all agents are one list, each with the names of its agent.
func TestTicketsOfAllAgentsAreOneList(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		for _, text := range []string{"# Sky\n\nThe sky is blue.", "# Sea\n\nThe sea is green."} {
			agent := mt.NewAgent(mt.t, mt.Key, text)
			get[admin.Ticket](mt, kim, "POST /agents/"+agent+"/tickets",
				`{"subject":"Help","description":"Please.","email":"jo@mail.example"}`)
		}
		for _, sort := range []string{"updatedAt", "lastMessageAt", "createdAt"} {
			seen := map[string]bool{}
			path := "GET /accounts/" + mt.Account + "/tickets?limit=1&sortBy=" + sort + "&cursor="
			for cursor := ""; ; {
				page := get[admin.Page[admin.AccountTicket]](mt, kim, path+cursor, "")
				for _, one := range page.Data {
					if seen[one.AgentID] || one.AgentName == "" || one.Status == "" || one.Number != 1 {
						mt.t.Errorf("by %s: %+v", sort, one)
					}
					seen[one.AgentID] = true
				}
				if page.Pagination.Cursor == nil {
					break
				}
				cursor = *page.Pagination.Cursor
			}
			if len(seen) != 2 {
				mt.t.Errorf("by %s there are tickets of %d agents", sort, len(seen))
			}
		}
		for query, want := range map[string]int{"help": 2, "hel": 2, "1": 2, "nothing": 0} {
			page := get[admin.Page[admin.AccountTicket]](mt, kim, "GET /accounts/"+mt.Account+"/tickets?query="+query, "")
			if len(page.Data) != want || page.Pagination.HasMore || want > 0 && page.Data[0].AgentName == "" {
				mt.t.Errorf("%s finds %+v, want %d", query, page, want)
			}
		}
		search := "GET /accounts/" + mt.Account + "/tickets?limit=1&query=help"
		first := get[admin.Page[admin.AccountTicket]](mt, kim, search, "")
		if len(first.Data) != 1 || !first.Pagination.HasMore {
			mt.t.Errorf("the first of two that are found: %+v", first)
		}
		path := "GET /accounts/" + mt.Account + "/tickets?assigneeId=none&statusCategories=closed"
		if page := get[admin.Page[admin.AccountTicket]](mt, kim, path, ""); len(page.Data) != 0 {
			mt.t.Errorf("closed ones of nobody: %+v", page.Data)
		}
	})
}

// The names of the statuses of a page of tickets are read at once, of however many agents they are.
func TestNamesOfStatusesAreOneStatement(t *testing.T) {
	var count atomic.Int64
	counting := testkit.WithConfig(func(c *server.Config) {
		c.OnStatement = func(query string) {
			if strings.Contains(query, "from ticket_statuses") {
				count.Add(1)
			}
		}
	})
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		for range 3 {
			get[admin.Ticket](mt, kim, "POST /agents/"+mt.NewAgent(mt.t, mt.Key)+"/tickets",
				`{"subject":"Help","description":"Please.","email":"jo@mail.example"}`)
		}
		before := count.Load()
		page := get[admin.Page[admin.AccountTicket]](mt, kim, "GET /accounts/"+mt.Account+"/tickets", "")
		if n := count.Load() - before; n != 1 || len(page.Data) != 3 {
			mt.t.Errorf("%d statements for tickets of %d agents", n, len(page.Data))
		}
		for _, one := range page.Data {
			if one.Status == "" || one.TeamID != "" && one.Team == "" {
				mt.t.Errorf("names are missing: %+v", one)
			}
		}
	}, counting)
}

// A ticket has its newest messages, and those before them by their numbers.
func TestTicketIsReadInPages(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		ticket := "/agents/" + ids["agentId"] + "/tickets/" + ids["ticketNumber"]
		for _, text := range []string{"one", "two", "three"} {
			get[admin.MessageRef](mt, kim, "POST "+ticket+"/messages",
				`{"type":"note","member":"kim@shop.example","text":"`+text+`"}`)
		}
		newest := get[admin.TicketDetails](mt, kim, "GET "+ticket+"?limit=2", "")
		if m := newest.Messages; !newest.HasEarlier || len(m) != 2 || m[0].Text != "two" || m[1].Text != "three" {
			mt.t.Fatalf("the newest: %+v", newest)
		}
		before := fmt.Sprintf("GET %s?limit=200&before=%d", ticket, newest.Messages[0].Seq)
		earlier := get[admin.TicketDetails](mt, kim, before, "")
		if m := earlier.Messages; earlier.HasEarlier || len(m) == 0 || m[len(m)-1].Text != "one" {
			mt.t.Errorf("before: %+v", earlier)
		}
	})
}

// A thread has what was said, what happened and who did it, page by page.
func TestThreadHasMessagesAndEvents(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		id := chatAt(mt, mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue."), "What colour is the sky?")
		get[admin.Conversation](mt, kim, "PUT /conversations/"+id+"/claim", `{}`)
		get[admin.MessageRef](mt, kim, "POST /conversations/"+id+"/messages",
			`{"member":"kim@shop.example","text":"Deep blue."}`)
		thread := get[admin.Thread](mt, kim, "GET /conversations/"+id+"/thread", "")
		if thread.ClaimedBy == nil || thread.ClaimedBy.Name != "Kim" || thread.TicketNumber == 0 || thread.HasEarlier ||
			thread.IsAnswering || thread.Status != "taken_over" {
			mt.t.Errorf("the thread is %+v", thread)
		}
		var replies []string
		isTold := false
		for i, e := range thread.Entries {
			if i > 0 && e.Seq <= thread.Entries[i-1].Seq {
				mt.t.Errorf("entry %d is out of order", i)
			}
			if e.Type == "reply" {
				replies = append(replies, e.Author)
			}
			isTold = isTold || e.Event != nil && e.Event.Kind == "escalated" && e.Name == "Kim"
		}
		if !slices.Equal(replies, []string{"user", "assistant", "human"}) || !isTold {
			mt.t.Errorf("the entries are %+v", thread.Entries)
		}
		isReply := func(e admin.ThreadEntry) bool { return e.Type == "reply" && e.Author == "human" }
		reply := thread.Entries[slices.IndexFunc(thread.Entries, isReply)]
		if reply.Name != "Kim" || len(reply.Parts) != 1 || reply.Parts[0].Text != "Deep blue." {
			mt.t.Errorf("the reply is %+v", reply)
		}
		before := fmt.Sprintf("GET /conversations/%s/thread?limit=1&before=%d", id, thread.Entries[1].Seq)
		earlier := get[admin.Thread](mt, kim, before, "")
		if len(earlier.Entries) != 1 || earlier.Entries[0].ID != thread.Entries[0].ID || earlier.HasEarlier {
			mt.t.Errorf("before the second entry are %+v", earlier.Entries)
		}
	})
}

// Of several who claim a conversation at once one has it. It can be taken from them by whoever names them, and nobody
// answers a customer without having seen what a colleague wrote.
func TestOneMemberHasAConversation(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		id := chatAt(mt, mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue."), "What colour is the sky?")
		claim, reply := "PUT /conversations/"+id+"/claim", "POST /conversations/"+id+"/messages"
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		var answers [2]string
		var both sync.WaitGroup
		for i, m := range []parley.Member{kim, bo} {
			both.Go(func() { answers[i] = mt.send(m, claim, `{}`) })
		}
		both.Wait()
		winner, loser, email := kim, bo, "bo@shop.example"
		if answers[1][0] == '2' {
			winner, loser, email = bo, kim, "kim@shop.example"
		}
		slices.Sort(answers[:])
		if answers[0][:3] != "200" || !strings.Contains(answers[1], string(parley.CodeClaimed)) {
			mt.t.Errorf("the claims: %v", answers)
		}
		seen := get[admin.Thread](mt, loser, "GET /conversations/"+id+"/thread", "")
		if seen.ClaimedBy == nil || seen.ClaimedBy.UserID != string(winner.User) {
			mt.t.Errorf("the loser is told of %+v", seen.ClaimedBy)
		}
		mt.requireCode(loser, parley.CodeClaimed, claim, `{"former":"`+parley.NewUUID()+`"}`)
		mt.requireCode(loser, parley.CodeClaimed, "PUT /conversations/"+id+"/state", `{"step":"takeover"}`)
		run(mt, admin.MoveConversation, admin.StateChange{ID: id, Step: "takeover"}) // nobody is put in the winner's place
		if stored := get[admin.Thread](mt, loser, "GET /conversations/"+id+"/thread", ""); stored.ClaimedBy == nil ||
			stored.ClaimedBy.UserID != string(winner.User) {
			mt.t.Errorf("the conversation was taken from who has it: %+v", stored.ClaimedBy)
		}
		get[admin.Conversation](mt, loser, claim, `{"former":"`+string(winner.User)+`"}`)

		last := seen.Entries[len(seen.Entries)-1].Seq
		body := func(seen int64) string {
			return fmt.Sprintf(`{"member":%q,"text":"Blue.","seen":%d}`, email, seen)
		}
		get[admin.MessageRef](mt, loser, reply, body(last))
		other := "kim@shop.example"
		if winner.User == bo.User {
			other = "bo@shop.example"
		}
		late := fmt.Sprintf(`{"member":%q,"text":"It is blue.","seen":%d}`, other, last)
		mt.requireCode(winner, parley.CodeAnswered, reply, late)
		now := get[admin.Thread](mt, winner, "GET /conversations/"+id+"/thread", "")
		get[admin.MessageRef](mt, winner, reply, fmt.Sprintf(`{"member":%q,"text":"It is blue.","seen":%d}`, other,
			now.Entries[len(now.Entries)-1].Seq))
	})
}

// What is given to a member is theirs, with its ticket, and unread. Nobody loses a conversation to whoever has not seen
// that they have it.
func TestConversationsAreGivenToMembers(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		id := chatAt(mt, agent, "What colour is the sky?")
		route := "PUT /conversations/" + id + "/assignee"
		body := func(to, former parley.UserID) string { return fmt.Sprintf(`{"memberId":%q,"former":%q}`, to, former) }
		check := func(when, view string, m parley.Member, assignee parley.UserID) {
			mt.t.Helper()
			thread := get[admin.Thread](mt, m, "GET /conversations/"+id+"/thread", "")
			path := fmt.Sprintf("GET /agents/%s/tickets/%d", agent, thread.TicketNumber)
			ticket := get[admin.TicketDetails](mt, m, path, "")
			if got := inboxIDs(mt, m, view); !slices.Equal(got, []string{id}) || ticket.AssigneeID != string(assignee) {
				mt.t.Errorf("%s %s has %v, and the ticket is with %q", when, view, got, ticket.AssigneeID)
			}
		}
		if c := get[admin.Conversation](mt, kim, route, body(bo.User, "")); c.Status != "taken_over" {
			mt.t.Errorf("the agent goes on: %+v", c)
		}
		check("given to Bo,", "mine", bo, bo.User)
		if mt.unread(kim, id) || !mt.unread(bo, id) {
			mt.t.Error("it is not unread for Bo alone")
		}
		get[admin.Conversation](mt, kim, route, body(bo.User, kim.User)) // once more
		mt.requireCode(kim, parley.CodeClaimed, route, body(kim.User, ""))
		get[admin.Conversation](mt, kim, route, body(kim.User, bo.User))
		check("taken by Kim,", "mine", kim, kim.User)
		get[admin.Conversation](mt, kim, route, body("", kim.User))
		check("given to nobody,", "unassigned", bo, "")
		var events []string
		for _, e := range get[admin.Thread](mt, bo, "GET /conversations/"+id+"/thread", "").Entries {
			if e.Event != nil {
				events = append(events, e.Event.Kind+" to "+e.Event.AssignedTo)
			}
		}
		if want := []string{"escalated to ", "assign to " + string(kim.User), "assign to "}; !slices.Equal(events, want) {
			mt.t.Errorf("the events are %q, want %q", events, want)
		}
		viewer := run(mt, admin.AddMember, admin.NewMember{AccountID: mt.Account, Email: "vi@shop.example", Name: "Vi",
			Role: string(parley.RoleViewer)})
		mt.requireCode(kim, parley.CodeMemberNotFound, route, body(parley.UserID(viewer.UserID), ""))
		get[admin.Conversation](mt, kim, "PUT /conversations/"+id+"/state", `{"step":"end"}`)
		mt.requireCode(kim, parley.CodeNotOngoing, route, body(bo.User, ""))
	})
}

// Of two customers who are one, one stays: with what both wrote, and with what is known of either.
func TestCustomersAreMerged(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAdmin, "kim@shop.example")
		path := "/agents/" + mt.NewAgent(mt.t, mt.Key)
		open := func(customer string) string {
			mt.t.Helper()
			body := `{"subject":"Help","description":"Please.",` + customer + `}`
			return get[admin.Ticket](mt, kim, "POST "+path+"/tickets", body).Customer.ID
		}
		one, two := open(`"email":"one@mail.example"`), open(`"email":"two@mail.example","name":"Jo"`)
		three := open(`"email":"three@mail.example"`)
		mt.exec(`update people set external_id = 'crm-2', attributes = '{"plan":"gold"}' where id = ?`, two)
		mt.exec(`update people set external_id = 'crm-3', attributes = '{"plan":"free"}' where id = ?`, three)
		merge := func(id string) string { return "POST " + path + "/customers/" + id + "/merge" }
		got := get[admin.Customer](mt, kim, merge(one), `{"from":"`+two+`"}`)
		if got.ID != one || got.Name != "Jo" || got.Email != "one@mail.example" || got.ExternalID != "crm-2" {
			mt.t.Errorf("merged: %+v", got)
		}
		details := get[admin.CustomerDetails](mt, kim, "GET "+path+"/customers/"+one, "")
		if details.Customer != got || len(details.Tickets) != 2 {
			mt.t.Errorf("who stays: %+v", details)
		}
		mt.requireCode(kim, parley.CodeNotFound, "GET "+path+"/customers/"+two, "")
		mt.requireCode(kim, parley.CodeNotFound, merge(one), `{"from":"`+two+`"}`)
		mt.requireCode(kim, parley.CodeInvalidBody, merge(one), `{"from":"`+one+`"}`)
		mt.requireCode(kim, parley.CodeInvalidBody, merge(one), `{"from":"`+three+`"}`)
	})
}

// What is put aside is in no list of what waits for somebody, until its time has come or the customer writes.
func TestConversationsAreSnoozed(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		id := chatAt(mt, agent, "What colour is the sky?")
		route := "PUT /conversations/" + id + "/snooze"
		snooze := func() {
			mt.t.Helper()
			get[admin.Conversation](mt, kim, route, `{"until":"`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
		}
		check := func(when string, isAside bool) {
			mt.t.Helper()
			for view, want := range map[string]bool{"snoozed": isAside, "mine": !isAside, "waiting": !isAside, "live": true} {
				if got := inboxIDs(mt, kim, view); slices.Contains(got, id) != want {
					mt.t.Errorf("%s %s has %v", when, view, got)
				}
			}
			until := get[admin.Thread](mt, kim, "GET /conversations/"+id+"/thread", "").SnoozedUntil
			if isAside != (until != nil) {
				mt.t.Errorf("%s it is put aside until %v", when, until)
			}
		}
		mt.requireCode(kim, parley.CodeNotTakenOver, route, `{"until":null}`)
		get[admin.Conversation](mt, kim, "PUT /conversations/"+id+"/claim", `{}`)
		mt.requireCode(kim, parley.CodeInvalidBody, route, `{"until":"2020-01-01T00:00:00Z"}`)
		mt.requireCode(kim, parley.CodeInvalidBody, route, `{"until":"9999-01-01T00:00:00Z"}`)
		snooze()
		check("put aside", true)
		if mt.unread(kim, id) {
			mt.t.Error("it is unread")
		}
		mt.must(mt.Conversations.WakeDue(mt.t.Context()))
		check("before its time", true)
		get[admin.Conversation](mt, kim, route, `{"until":null}`)
		check("taken back", false)
		snooze()
		mt.Do(mt.t, "POST", "/agents/"+agent+"/conversations/"+id+"/messages", mt.Key, map[string]any{"message": "And why?"})
		check("after the customer has written", false)
		get[admin.ReadMarkResult](mt, kim, "PUT /conversations/"+id+"/read-mark", `{"unread":false,"seen":99}`)
		snooze()
		mt.exec(`update conversations set snoozed_until = 1 where id = ?`, id)
		mt.must(mt.Conversations.WakeDue(mt.t.Context()))
		check("at its time", false)
		if !mt.unread(kim, id) {
			mt.t.Error("it is not unread for whoever has it")
		}
		snooze()
		get[admin.Conversation](mt, kim, "PUT /conversations/"+id+"/state", `{"step":"end"}`)
		if got := inboxIDs(mt, kim, "snoozed"); len(got) != 0 {
			mt.t.Errorf("what has ended is put aside: %v", got)
		}
	})
}

// A search finds the conversations of all agents, page by page, with the words that were asked for.
func TestInboxIsSearched(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		var ids []string
		for _, text := range []string{"# Sky\n\nThe sky is blue.", "# Sea\n\nThe sea is green."} {
			ids = append(ids, chatAt(mt, mt.NewAgent(mt.t, mt.Key, text), "Is the water of kim@mail.example wet?"))
		}
		for more := true; more; {
			var err error
			more, err = mt.Indexer.StepAll(mt.t.Context())
			mt.must(err)
		}
		path := "GET /accounts/" + mt.Account + "/inbox/search?limit=1&query=water"
		var found []string
		for cursor := ""; ; {
			page := get[admin.FoundRowPage](mt, kim, path+"&cursor="+cursor, "")
			for _, row := range page.Data {
				found = append(found, row.ID)
				isHit := func(part admin.SnippetPart) bool { return part.IsHit && part.Text == "water" }
				if row.AgentName == "" || row.LastMessage == nil || !slices.ContainsFunc(row.Snippet, isHit) {
					mt.t.Errorf("found %+v", row)
				}
			}
			if page.Pagination.Cursor == nil {
				break
			}
			cursor = *page.Pagination.Cursor
		}
		slices.Sort(found)
		slices.Sort(ids)
		if !slices.Equal(found, ids) {
			mt.t.Errorf("found %v, want %v", found, ids)
		}
		viewer := parley.Member{User: parley.UserID(parley.NewUUID()), Account: kim.Account, Role: parley.RoleViewer}
		if got := mt.send(viewer, path, ""); strings.Contains(got, "mail.example") || !strings.Contains(got, `"snippet":[{`) {
			mt.t.Errorf("a viewer reads %s", got)
		}
		if got := get[admin.FoundRowPage](mt, kim, path+"&escalated=true", ""); len(got.Data) != 0 {
			mt.t.Errorf("found %+v", got)
		}
	})
}

// What is tried in the playground is neither found by the search of the inbox nor taken over: no customer waits in it.
func TestTrialsAreNotInTheInbox(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		answered := chatAt(mt, agent, "What colour is the sky?")
		tried := mt.ask(kim, agent, `{"message":"What colour is the sky?"}`).ConversationID
		for more := true; more; {
			var err error
			more, err = mt.Indexer.StepAll(mt.t.Context())
			mt.must(err)
		}
		path := "GET /accounts/" + mt.Account + "/inbox/search"
		for _, query := range []string{"?query=sky", "", "?query=sky&agentId=" + agent, "?agentId=" + agent} {
			found := get[admin.FoundRowPage](mt, kim, path+query, "").Data
			if len(found) != 1 || found[0].ID != answered {
				mt.t.Errorf("%s finds %+v", query, found)
			}
		}
		if found := get[admin.FoundRowPage](mt, kim, path+"?source=Playground", "").Data; len(found) != 0 {
			mt.t.Errorf("the playground has %+v", found)
		}
		for step, body := range map[string]string{"claim": `{}`, "assignee": `{"memberId":"` + string(kim.User) + `"}`,
			"state": `{"step":"takeover"}`} {
			path := "PUT /conversations/" + tried + "/" + step
			if got := mt.send(kim, path, body); !strings.Contains(got, string(parley.CodeConversationNotFound)) {
				mt.t.Errorf("%s of a trial: %s", step, got)
			}
		}
	})
}

// A search knows customers by the beginning of their name and of their address, unless these are masked.
func TestInboxIsSearchedByCustomers(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		ids := []string{chatAt(mt, agent, "What colour is the sky?"), chatAt(mt, agent, "And at night?")}
		for i, email := range []string{"anna@mail.example", "bert@mail.example"} {
			mt.must(mt.DB.AddLead(mt.t.Context(), &parley.Lead{ID: parley.NewUUID(), AccountID: kim.Account,
				AgentID: parley.AgentID(agent), ConversationID: parley.ConversationID(ids[i]), Name: "Customer Berg",
				Email: email, CreatedAt: time.Now()}))
		}
		find := func(m parley.Member, query string) int {
			mt.t.Helper()
			return len(get[admin.FoundRowPage](mt, m, "GET /accounts/"+mt.Account+"/inbox/search?query="+query, "").Data)
		}
		for query, want := range map[string]int{"Anna@mail": 1, "anna%40mail.example": 1, "customer": 2, "berg": 0,
			"anna&agentId=" + agent: 1, "anna&hasVoice=true": 0} {
			if got := find(kim, query); got != want {
				mt.t.Errorf("%s finds %d, want %d", query, got, want)
			}
		}
		viewer := parley.Member{User: parley.UserID(parley.NewUUID()), Account: kim.Account, Role: parley.RoleViewer}
		if got := find(viewer, "anna"); got != 0 {
			mt.t.Errorf("a viewer finds %d by what is masked", got)
		}
	})
}

// Who takes a conversation over has its ticket, whoever had it.
func TestTicketsFollowWhoTakesTheirConversation(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		waiting, untouched := chatAt(mt, agent, "What colour is the sky?"), chatAt(mt, agent, "And at night?")
		run(mt, admin.MoveConversation, admin.StateChange{ID: waiting, Step: "takeover"})
		check := func(when, id string, want parley.Member) {
			mt.t.Helper()
			ref := want.Account.AgentRef(parley.AgentID(agent)).ConversationRef(parley.ConversationID(id))
			ticket, err := mt.DB.TicketOfConversation(mt.t.Context(), ref)
			if mt.must(err); ticket.AssigneeID != want.User {
				mt.t.Errorf("%s the ticket is of %q, want %q", when, ticket.AssigneeID, want.User)
			}
		}
		get[admin.Conversation](mt, kim, "PUT /conversations/"+waiting+"/claim", `{}`)
		check("claimed by Kim", waiting, kim)
		get[admin.Conversation](mt, bo, "PUT /conversations/"+waiting+"/claim", `{"former":"`+string(kim.User)+`"}`)
		check("taken by Bo", waiting, bo)
		get[admin.Conversation](mt, bo, "PUT /conversations/"+untouched+"/claim", `{}`)
		check("taken from the agent", untouched, bo)
	})
}

// A draft is its member's alone, is replaced and removed, and is not kept where the agent masks personal data.
func TestDraftsAreKeptForTheirMember(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		path := "/conversations/" + chatAt(mt, agent, "What colour is the sky?") + "/drafts"
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAgent, "bo@shop.example")
		save := func(m parley.Member, kind, text string) bool {
			mt.t.Helper()
			body := fmt.Sprintf(`{"kind":%q,"text":%q,"seen":2}`, kind, text)
			return get[admin.ReplyDraftResult](mt, m, "PUT "+path, body).IsKept
		}
		check := func(m parley.Member, want ...string) {
			mt.t.Helper()
			var got []string
			for _, d := range get[admin.ReplyDraftList](mt, m, "GET "+path, "").Drafts {
				got = append(got, d.Kind+" "+d.Text)
			}
			if !slices.Equal(got, want) {
				mt.t.Errorf("the drafts of %s are %q, want %q", m.User, got, want)
			}
		}
		if !save(kim, "reply", "It is b") || !save(kim, "reply", "It is blue") || !save(kim, "note", "Asks often") {
			mt.t.Error("a draft was not kept")
		}
		check(kim, "note Asks often", "reply It is blue")
		check(bo)
		save(kim, "reply", "")
		check(kim, "note Asks often")
		mt.exec(`update agents set redact = 1 where id = ?`, agent)
		if save(kim, "note", "Asks very often") {
			mt.t.Error("a draft was kept of an agent that masks personal data")
		}
		check(kim)
	})
}
