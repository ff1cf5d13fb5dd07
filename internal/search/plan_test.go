package search_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// TestSQLitePlans checks that every statement of a search begins in the index that it was written for, on the driver
// that is shipped, with statistics and without: a plan that walks a table and asks the text index row by row is twenty
// times slower.
func TestSQLitePlans(t *testing.T) {
	db := dbs.NewSQLiteStore(t)
	ts := newTestSearch(t, db)
	for range 50 {
		ts.startConversation("alpha bravo")
	}
	ts.runIndexer()
	queries := search.ExplainStatements()
	for _, n := range []int{16, 128} {
		places := make([]any, 0, 2*n+2)
		for range n {
			places = append(places, "c", 1)
		}
		queries[store.IndexableMessagesAtQuery(n)] = append(places, "agent", "account")
	}
	queries[store.ConversationsByIDQuery(2)] = []any{"agent", "account", "c", "d"}
	for query, args := range store.BuildStatements() {
		queries[query] = args
	}
	for n, query := range store.FacetsQueries() {
		facets := make([]any, 5*(n+2))
		for i := range facets {
			facets[i] = "a"
		}
		steps := strings.Join(explainPlan(ts, query, facets), "\n")
		if !strings.Contains(steps, "messages_marked") || strings.Contains(steps, "SCAN") ||
			strings.Count(steps, "conversation_id=?") != 5 {
			t.Errorf("facets of %d are not found by their indexes: %s", n, steps)
		}
	}
	good := regexp.MustCompile(`VIRTUAL TABLE INDEX \d+:M1><|SEARCH .* USING (PRIMARY KEY|INTEGER PRIMARY KEY|` +
		`COVERING INDEX|INDEX)`)
	walks := regexp.MustCompile(`USING INDEX conversations_`) // of all that an agent has
	allowed := regexp.MustCompile(`^(SCAN (p|v|\d+ CONSTANT ROWS?|\(subquery-\d+\))|CO-ROUTINE \S+|USE TEMP ` +
		`B-TREE FOR (DISTINCT|ORDER BY)|MATERIALIZE \S+|SCAN .* CONSTANT ROWS)$`)
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			if _, err := db.SQL().Exec(ts, "analyze"); err != nil {
				t.Fatal(err)
			}
		}
		for query, args := range queries {
			steps := explainPlan(ts, query, args)
			found := false
			for _, step := range steps {
				if good.MatchString(step) && !walks.MatchString(step) {
					found = true
				} else if !allowed.MatchString(step) {
					t.Errorf("%s\n%q is not what it was written for, in %q", query, step, steps)
				}
			}
			if !found {
				t.Errorf("%s\nuses no index: %q", query, steps)
			}
		}
	}
}

func explainPlan(ts *testSearch, query string, args []any) []string {
	ts.Helper()
	steps, err := sqldb.All(ts, ts.db.SQL(), func(scan sqldb.Scan) (string, error) {
		var id, parent, unused int
		var detail string
		err := scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "explain query plan "+query, args...)
	ts.must(err)
	return steps
}

// TestPostgresPlan checks that PostgreSQL takes its text index, too.
func TestPostgresPlan(t *testing.T) {
	ts := newTestSearch(t, dbs.NewStore(t, dbs.Open(t, dbs.SharedPostgres(t).NewStore(t))))
	if _, err := ts.db.SQL().Exec(ts,
		`insert into search_messages (id, words) select i, array_to_tsvector(array['x' || i % 5000, 'common'])
			from generate_series(1, 50000) i`); err != nil {
		t.Fatal(err)
	}
	if _, err := ts.db.SQL().Exec(ts, "analyze search_messages"); err != nil {
		t.Fatal(err)
	}
	query, text := search.PostgresFind(1, "x7")
	steps, err := sqldb.All(ts, ts.db.SQL(), sqldb.Column[string], "explain "+query, text, 0, 1<<62, 100)
	ts.must(err)
	if plan := strings.Join(steps, "\n"); !strings.Contains(plan, "search_messages_words") {
		t.Error(plan)
	}
}

// TestBothDatabasesAgree checks that the same conversations have the same order on both databases.
func TestBothDatabasesAgree(t *testing.T) {
	pg := newTestSearch(t, dbs.NewStore(t, dbs.Open(t, dbs.SharedPostgres(t).NewStore(t))))
	lite := newTestSearch(t, dbs.NewSQLiteStore(t))
	lines := []string{"the parcel is late", "my parcel, the late one, is lost and late", "late", "parcel",
		"Late Parcel", "is the shop open late for a parcel of mine", "nothing"}
	id := func(i int) parley.ConversationID {
		return parley.ConversationID(fmt.Sprintf("01900000-0000-7000-8000-%012d", i))
	}
	for _, ts := range []*testSearch{lite, pg} {
		for i := range 120 {
			tc := ts.startConversation(lines[i%len(lines)], func(c *parley.Conversation) { c.ID = id(i) })
			tc.addMessage(parley.AuthorAssistant, lines[i*5%len(lines)]+" "+lines[i*3%len(lines)])
		}
		ts.runIndexer()
	}
	for _, query := range []string{"parcel", "late parcel", "Late", "the late parcel", "shop open", "lost"} {
		q := search.Query{Text: query, Limit: 25}
		a, b := lite.readAllPages(q, nil), pg.readAllPages(q, nil)
		if fmt.Sprint(a) != fmt.Sprint(b) || len(a) == 0 {
			t.Errorf("%s:\n%v\n%v", query, a, b)
		}
		x, y := lite.find(q), pg.find(q)
		for i := range x.Hits {
			if fmt.Sprint(x.Hits[i].Snippet) != fmt.Sprint(y.Hits[i].Snippet) {
				t.Errorf("%s: snippets %v and %v", query, x.Hits[i].Snippet, y.Hits[i].Snippet)
			}
		}
	}
}
