package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/eval"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

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
				if got.Forecast == nil || int(*got.Forecast*10) != 85 || got.ReachesAt == nil || got.ReachesAt.Day() != 15 {
					t.Errorf("forecast %v, reached at %v", got.Forecast, got.ReachesAt)
				}
			}
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
