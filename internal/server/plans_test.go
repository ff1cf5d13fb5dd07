package server_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// statementLog collects the statements that a server runs.
type statementLog struct {
	mu      sync.Mutex
	queries map[string]bool
}

func (l *statementLog) add(query string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queries[query] = true
}

func (l *statementLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.queries)
}

func (l *statementLog) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.queries))
}

func (l *statementLog) contains(part string) bool {
	return slices.ContainsFunc(l.list(), func(q string) bool { return strings.Contains(q, part) })
}

// TestNoHotStatementReadsATable checks that all statements that run for each turn, page, search, event or second use an
// index: none reads or sorts a table that grows.
func TestNoHotStatementReadsATable(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkHotStatements(t, explainSQLite) })
	t.Run("postgres", func(t *testing.T) { checkHotStatements(t, explainPostgres, testkit.WithPostgres()) })
}

func checkHotStatements(t *testing.T, explain func(testing.TB, *sqldb.DB, string) []string, options ...testkit.Option) {
	log, clock := &statementLog{queries: map[string]bool{}}, clock.New()
	s := testkit.Open(t, append(options, testkit.WithClock(clock), testkit.WithModel(&scripted.Model{}),
		testkit.WithConfig(func(c *server.Config) { c.OnStatement = log.add }))...)
	agent := s.NewAgent(t, s.Key, "Parcels are sent from the warehouse in Bremen.")
	testkit.Eventually(t, "a server that is ready", func() bool { return s.Ready.Check(t.Context()).Reason == "" })
	testkit.Eventually(t, "the start of the index", func() bool { return log.contains("a.tokens <") })
	log.reset() // statements of a start and an import are not hot
	useServer(t, s, agent)
	clock.Advance(time.Minute)
	for _, part := range []string{"from jobs", "event_positions", "conversation_insights", "search_docs",
		"lease_until <"} {
		testkit.Eventually(t, "a statement on "+part, func() bool { return log.contains(part) })
	}
	for _, query := range log.list() {
		if mayCollect.MatchString(query) {
			continue
		}
		for _, step := range explain(t, s.DB.SQL(), query) {
			t.Errorf("%s\n%s", step, query)
		}
	}
}

// useServer sends the requests that a busy server gets constantly.
func useServer(t *testing.T, s *testkit.Server, agent string) {
	t.Helper()
	chat := "/agents/" + agent + "/chat"
	var reply struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	s.Do(t, "POST", chat, s.Key, map[string]any{"message": "Where do parcels come from?"}).Decode(t, 200, &reply)
	conversation := reply.Data.Metadata.ConversationID
	s.Do(t, "POST", chat, s.Key, map[string]any{"message": "And when?", "conversationId": conversation})
	s.Do(t, "POST", chat, s.Key, map[string]any{"message": "Where?", "stream": true})
	conversations := "/agents/" + agent + "/conversations"
	for _, path := range []string{conversations, conversations + "/" + conversation,
		conversations + "/" + conversation + "/messages", "/agents", "/me"} {
		s.Do(t, "GET", path, s.Key, nil)
	}
	showSources(t, s, agent)
	showInbox(t, s, agent, conversation)
}

// showInbox reads what the console shows of conversations, tickets and people, again whenever one of them changes.
func showInbox(t *testing.T, s *testkit.Server, agent, conversation string) {
	t.Helper()
	page := admin.Paging{Limit: 20}
	var all error
	for _, view := range []string{"waiting", "mine", "unassigned", "unread", "live", "ended", "all"} {
		for _, of := range []string{"", agent} {
			for _, order := range []string{"active", "longest"} {
				query := admin.InboxQuery{AccountID: s.Account, View: view, AgentID: of, Order: order, Paging: page}
				_, err := admin.RunOn(t.Context(), s.AdminService, admin.ListInbox, query)
				all = errors.Join(all, err)
			}
		}
	}
	for _, isUnread := range []bool{false, true} {
		mark := admin.NewReadMark{ID: conversation, IsUnread: isUnread, Seen: 2}
		_, err := admin.RunOn(t.Context(), s.AdminService, admin.SaveReadMark, mark)
		all = errors.Join(all, err)
	}
	_, unreadErr := admin.RunOn(t.Context(), s.AdminService, admin.ListUnread,
		admin.UnreadQuery{AccountID: s.Account, IDs: []string{conversation}})
	all = errors.Join(all, unreadErr)
	_, countErr := admin.RunOn(t.Context(), s.AdminService, admin.CountInbox, admin.InboxAccount{AccountID: s.Account})
	for _, before := range []int64{0, 2} {
		query := admin.ThreadQuery{ID: conversation, Before: before, Limit: 50}
		_, err := admin.RunOn(t.Context(), s.AdminService, admin.ReadThread, query)
		all = errors.Join(all, err)
	}
	for _, sort := range []string{"updatedAt", "lastMessageAt", "createdAt"} {
		for _, order := range []string{"asc", "desc"} {
			for _, assignee := range []string{"", "somebody"} {
				query := admin.AccountTicketQuery{AccountID: s.Account, AssigneeID: assignee, SortBy: sort, Order: order,
					Paging: page}
				_, err := admin.RunOn(t.Context(), s.AdminService, admin.ListAccountTickets, query)
				query.Overdue = true
				_, overdueErr := admin.RunOn(t.Context(), s.AdminService, admin.ListAccountTickets, query)
				all = errors.Join(all, err, overdueErr)
			}
		}
	}
	for _, isOverdue := range []bool{false, true} {
		query := admin.TicketPageQuery{AgentID: agent, Overdue: isOverdue, SortBy: "updatedAt", Order: "desc", Paging: page}
		_, err := admin.RunOn(t.Context(), s.AdminService, admin.ListTicketPage, query)
		all = errors.Join(all, err)
	}
	all = errors.Join(all, s.Helpdesk.RecordBreaches(t.Context()))
	_, customerErr := admin.RunOn(t.Context(), s.AdminService, admin.ListCustomers,
		admin.CustomerQuery{AgentID: agent, Limit: 20})
	_, leadErr := admin.RunOn(t.Context(), s.AdminService, admin.ListLeads,
		admin.LeadPageQuery{AgentID: agent, Paging: page})
	if err := errors.Join(all, countErr, customerErr, leadErr); err != nil {
		t.Fatal(err)
	}
	tickets := "/agents/" + agent + "/helpdesk/tickets?status=new,on_you,on_customer,on_hold&sortBy="
	for _, path := range []string{tickets + "updatedAt&order=desc", tickets + "lastMessageAt&order=asc",
		tickets + "createdAt&order=desc&assigneeId=none&teamId=none"} {
		if reply := s.Do(t, "GET", path, s.Key, nil); reply.Status != 200 {
			t.Fatal(reply)
		}
	}
}

// showSources reads what the console shows of an agent's sources, again and again while something is trained.
func showSources(t *testing.T, s *testkit.Server, agent string) {
	t.Helper()
	list, err := admin.RunOn(t.Context(), s.AdminService, admin.ListSources,
		admin.SourceQuery{AgentID: agent, Limit: 1})
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	source := admin.SourceRef{AgentID: agent, SourceID: list[0].ID}
	_, useErr := admin.RunOn(t.Context(), s.AdminService, admin.GetKnowledgeUse, admin.AgentRef{ID: agent})
	_, sourceErr := admin.RunOn(t.Context(), s.AdminService, admin.GetSource, source)
	_, versionErr := admin.RunOn(t.Context(), s.AdminService, admin.ListSourceVersions, source)
	_, passageErr := admin.RunOn(t.Context(), s.AdminService, admin.ListPassages,
		admin.PassageQuery{SourceRef: source, Paging: admin.Paging{Limit: 20}})
	_, dayErr := admin.RunOn(t.Context(), s.AdminService, admin.GetAgentDay, admin.AgentRef{ID: agent})
	_, figuresErr := admin.RunOn(t.Context(), s.AdminService, admin.ListFigures,
		admin.FiguresQuery{AccountID: s.Account, AgentIDs: []string{agent}})
	if err := errors.Join(useErr, sourceErr, versionErr, passageErr, dayErr, figuresErr); err != nil {
		t.Fatal(err)
	}
}

// mayScan is what a statement may read as a whole: its own values, jobs and counts that are bounded by a limit, and
// the few accounts whose index is being built, which have an index.
var mayScan = regexp.MustCompile(`^SCAN (CONSTANT ROW|\d+ CONSTANT ROWS|\d+-ROW VALUES CLAUSE|\(subquery-\d+\)|` +
	`due$|answered$|newest$|found$|search_accounts USING INDEX search_accounts_building)`)

// mayCollect are the statements that may sort: the webhooks of an account (100 at most), its members, the statuses and
// teams of a helpdesk, the groups of questions of an agent, the files of a page of messages, and the agents of an
// account whose index is being built.
var mayCollect = regexp.MustCompile(`from (webhooks|memberships|ticket_statuses|teams|team_members|insight_groups|` +
	`attachments)\b|select id\s+from agents`)

func explainSQLite(t testing.TB, db *sqldb.DB, query string) (wrong []string) {
	t.Helper()
	steps, err := sqldb.All(context.Background(), db, func(scan sqldb.Scan) (step string, err error) {
		var n int
		err = scan(&n, &n, &n, &step)
		return step, err
	}, "explain query plan "+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	for _, step := range steps {
		if strings.HasPrefix(step, "SCAN ") && !mayScan.MatchString(step) || strings.Contains(step, "B-TREE FOR ORDER BY") {
			wrong = append(wrong, step)
		}
	}
	return wrong
}

// explainPostgres has the planner avoid reading whole tables, so that it does only where there is no index.
func explainPostgres(t testing.TB, db *sqldb.DB, query string) (wrong []string) {
	t.Helper()
	n := 0
	numbered := regexp.MustCompile(`\?`).ReplaceAllStringFunc(query, func(string) string {
		n++
		return fmt.Sprintf("$%d", n)
	})
	nulls := strings.TrimSuffix(strings.Repeat("null, ", n), ", ")
	var plan []string
	err := db.Transact(context.Background(), sqldb.Interactive, func(tx *sqldb.DB) error {
		for _, setting := range []string{"set local enable_seqscan = off", "set local plan_cache_mode = force_generic_plan",
			"prepare explained as " + numbered} {
			if _, err := tx.Exec(context.Background(), setting); err != nil {
				return err
			}
		}
		execute := "execute explained"
		if n > 0 {
			execute += "(" + nulls + ")"
		}
		var err error
		if plan, err = sqldb.All(context.Background(), tx, sqldb.Column[string], "explain "+execute); err != nil {
			return err
		}
		_, err = tx.Exec(context.Background(), "deallocate explained")
		return err
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	for _, line := range plan {
		if strings.Contains(line, "Seq Scan on ") || strings.Contains(line, "Sort Key") &&
			strings.Contains(query, "order by") {
			wrong = append(wrong, strings.TrimSpace(line))
		}
	}
	return wrong
}

// heartbeatPart is of the statement by which a server looks for the turns of dead servers, every five seconds.
const heartbeatPart = "state = 'open' and lease_until <"

// heartbeatCounter counts statements between two heartbeats of a server.
type heartbeatCounter struct {
	mu     sync.Mutex
	counts map[string]int
	spans  chan map[string]int
}

func (c *heartbeatCounter) add(query string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[strings.Join(strings.Fields(query), " ")]++
	if !strings.Contains(query, heartbeatPart) {
		return
	}
	select {
	case c.spans <- c.counts:
	default: // the test has ended
	}
	c.counts = map[string]int{}
}

func sumCounts(spans ...map[string]int) (sum int) {
	for _, counts := range spans {
		for _, n := range counts {
			sum += n
		}
	}
	return sum
}

// TestIdleServersHardlyAsk checks that a server on which nothing happens asks its database at most three times a
// second, also for those who follow an account: thirty times in two heartbeats. It takes the first that are quiet: what
// began before still asks something.
func TestIdleServersHardlyAsk(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			c := &heartbeatCounter{counts: map[string]int{}, spans: make(chan map[string]int, 100)}
			count := testkit.WithConfig(func(cfg *server.Config) { cfg.OnStatement = c.add })
			s := testkit.Open(t, append(options, count)...)
			for range 100 {
				follower, err := s.Events.Subscribe(t.Context(), parley.AccountID(s.Account), "", func() {})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(follower.Close)
			}
			var previous map[string]int
			latest := check.Receive(t, "a heartbeat", c.spans)
			for range 8 {
				previous, latest = latest, check.Receive(t, "a heartbeat", c.spans)
				if sumCounts(previous, latest) <= 30 {
					return
				}
			}
			var list []string
			for _, query := range slices.Sorted(maps.Keys(latest)) {
				list = append(list, fmt.Sprintf("%d times %s", latest[query], query))
			}
			t.Errorf("%d statements in two heartbeats; in the last one:\n%s", sumCounts(previous, latest),
				strings.Join(list, "\n"))
		})
	}
}

// TestServersTellEachOther checks that two servers on one database hear each other, and that what is switched on one is
// in force on the other.
func TestServersTellEachOther(t *testing.T) {
	url := dbs.SharedPostgres(t).NewStore(t)
	one := testkit.Open(t, testkit.WithDatabase(t.TempDir(), url))
	other := testkit.Open(t, testkit.WithDatabase(t.TempDir(), url))
	testkit.Eventually(t, "a bus that is complete", one.Bus.IsComplete)
	testkit.Eventually(t, "the other's bus that is complete", other.Bus.IsComplete)
	for _, on := range []bool{true, false} {
		_, err := admin.RunOn(t.Context(), one.AdminService, admin.SetMaintenance, admin.MaintenanceState{Enabled: on})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "maintenance on the other server", func() bool {
			return (other.Authenticator.CheckMaintenance() != nil) == on
		})
	}
}
