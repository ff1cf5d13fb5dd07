package person_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/person"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// fixture is an account with an agent, and what exports and erases.
type fixture struct {
	check.T
	context.Context
	DB      *store.DB
	clock   *clock.Clock
	service *person.Service
	agent   parley.AgentRef
	files   *ingest.Files
	tables  map[string]map[string]string // the columns of each table with their types, once they were read
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		f := &fixture{T: check.T{TB: t}, Context: t.Context(), DB: db, clock: clock.New()}
		conversations := &chat.Conversations{DB: db, Queue: &jobs.Queue{Now: f.clock.Now}, Hub: &chat.Hub{},
			Now: f.clock.Now, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
		f.files = &ingest.Files{Dir: t.TempDir(), InDatabase: db.SQL().Dialect() == sqldb.Postgres}
		sources := &ingest.Service{DB: db, Now: f.clock.Now, Files: f.files}
		insights := &insight.Service{DB: db, Now: f.clock.Now}
		f.service = &person.Service{DB: db, Now: f.clock.Now, MarkKey: []byte("key"),
			DeleteConversations: conversations.Delete,
			ReadFile:            func(context.Context, *store.Blob) ([]byte, error) { return []byte("planted"), nil },
			DeleteUnusedFiles:   sources.RemoveUnusedFiles,
			ForgetWords:         insights.ForgetWords,
			PurgeSearch:         func(context.Context, parley.AccountID) error { return nil }}
		account := dbs.CreateAccount(t, db, "unlimited", f.clock.Now()).ID
		f.agent = account.AgentRef(dbs.CreateAgent(t, db, dbs.NewAgent(account, f.clock.Now())))
		do(f)
	})
}

const (
	conversationsOfEach = 20
	messagesOfEach      = 20
)

// plant stores a person with the marker in all that is held of them.
func (f *fixture) plant(marker, user string) {
	f.Helper()
	now := f.clock.Now()
	f.addPerson(&parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: f.agent.Account,
		AgentID: f.agent.Agent, Email: user + "@x.example", ExternalID: user, Name: marker, Phone: marker,
		Attributes: []byte(`{"note":"` + marker + `"}`), CreatedAt: now, UpdatedAt: now})
	v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: f.agent.Account, AgentID: f.agent.Agent,
		UserID: parley.EndUserID(user), FirstPage: "https://x.example/" + marker, Locale: "en", CreatedAt: now,
		LastSeenAt: now}
	f.Must(f.DB.CreateVisitor(f, v))
	for i := range conversationsOfEach {
		c := f.plantConversation(marker, user, v.ID, i)
		f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
			ConversationID: c.ID, Name: marker, Email: strings.ToUpper(user) + "@x.example", Phone: marker, CreatedAt: now}))
		for _, table := range []string{"tool_calls", "procedure_runs", "turns", "attachments", "voice_recordings",
			"voice_sessions"} {
			f.plantRow(table, c.ID, fmt.Sprint(marker, "-", i))
		}
		f.exec(`
			insert into idempotency_keys (account_id, key, request_hash, status, reply, created_at)
			values (?, ?, 'h', 200, ?, 0)`, f.agent.Account, fmt.Sprint(user, i),
			fmt.Sprintf(`{"conversationId":%q,"text":%q}`, c.ID, marker))
		f.plantDelivery(marker, user)
		_, err := f.DB.ClaimMailNotice(f, store.MailNotice{Conversation: c.Ref(), Recipient: "customer", Kind: "reply"}, now,
			time.Minute)
		f.Must(err)
	}
}

// plantDelivery stores what a webhook is sent of a lead.
func (f *fixture) plantDelivery(marker, user string) {
	f.Helper()
	now := f.clock.Now()
	f.Must(f.DB.Transact(f, sqldb.Bulk, func(tx *store.DB) error {
		return tx.AddDelivery(f, &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()),
			AccountID: f.agent.Account, AgentID: f.agent.Agent, WebhookID: "w", Event: parley.EventLeadsSubmit,
			Body:  fmt.Sprintf(`{"payload":{"customerEmail":%q,"customerName":%q}}`, user+"@X.example", marker),
			DueAt: now, CreatedAt: now})
	}))
}

func (f *fixture) addPerson(p *parley.Person) {
	f.Helper()
	f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error { return tx.AddPerson(f, p) }))
}

func (f *fixture) plantConversation(marker, user string, visitor parley.VisitorID, n int) *parley.Conversation {
	f.Helper()
	now := f.clock.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: f.agent.Account,
		AgentID: f.agent.Agent, API: parley.APIV2, Channel: parley.ChannelWidget, Status: parley.ConversationOngoing,
		Title: marker, EmbedTitle: marker, CreatedAt: now, UpdatedAt: now}
	switch n % 3 { // the others are theirs by the lead that they leave
	case 0:
		c.UserID = parley.EndUserID(user)
	case 1:
		c.VisitorID = visitor
	}
	f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(f, c, newMessage(c, marker, now), false); err != nil {
			return err
		}
		for range messagesOfEach - 1 {
			if err := tx.AddMessage(f, f.agent, newMessage(c, marker, now), nil); err != nil {
				return err
			}
		}
		return tx.RecordEvents(f, f.agent.Account, now, store.NewEvent{Kind: parley.EventConversationCreated,
			AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID)})
	}))
	return c
}

func newMessage(c *parley.Conversation, text string, now time.Time) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: now}
}

func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	_, err := f.DB.SQL().Exec(f, query, args...)
	f.Must(err)
}

// columns reads the columns of every table and their types from the database itself, but for SQLite's own index of the
// search, which is read as a file.
func (f *fixture) columns() map[string]map[string]string {
	f.Helper()
	if f.tables != nil {
		return f.tables
	}
	query := `select m.name, c.name, c.type from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
		and m.name not like 'sqlite_%'`
	if f.DB.SQL().Dialect() == sqldb.Postgres {
		query = `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'`
	}
	tables := map[string]map[string]string{}
	_, err := sqldb.All(f, f.DB.SQL(), func(scan sqldb.Scan) (struct{}, error) {
		var table, column, kind string
		err := scan(&table, &column, &kind)
		isIndex := kind == "" || strings.HasPrefix(table, "search_") && f.DB.SQL().Dialect() == sqldb.SQLite
		if tables[table] == nil && !isIndex {
			tables[table] = map[string]string{}
		}
		if tables[table] != nil {
			tables[table][column] = strings.ToLower(kind)
		}
		return struct{}{}, err
	}, query)
	f.Must(err)
	f.tables = tables
	return tables
}

// plantRow writes a row of a conversation with the marker in every other column of text.
func (f *fixture) plantRow(table string, c parley.ConversationID, marker string) {
	f.Helper()
	f.plantRowWith(table, c, marker, nil)
}

// plantRowWith is plantRow with values of some columns.
func (f *fixture) plantRowWith(table string, c parley.ConversationID, marker string, values map[string]any) {
	f.Helper()
	var names []string
	var args []any
	for name, kind := range f.columns()[table] {
		var value any = 1
		switch {
		case values[name] != nil:
			value = values[name]
		case name == "conversation_id":
			value = c
		case name == "agent_id":
			value = f.agent.Agent
		case name == "account_id":
			value = f.agent.Account
		case name == "state":
			value = "done"
		case kind == "text":
			value = marker
		case kind == "blob" || kind == "bytea":
			value = []byte(marker)
		}
		names, args = append(names, name), append(args, value)
	}
	f.exec(`insert into `+table+` (`+strings.Join(names, ", ")+`) values (?`+strings.Repeat(", ?", len(names)-1)+`)`,
		args...)
}

// holdsText reports whether a column of a type can hold words.
func holdsText(kind string) bool {
	return kind == "text" || kind == "blob" || kind == "bytea" || kind == "tsvector" || kind == "jsonb"
}

// countMarks counts the marker in all rows, and names the columns that hold it.
func (f *fixture) countMarks(marker string) (n int, places []string) {
	f.Helper()
	for table, columns := range f.columns() {
		for column, kind := range columns {
			if !holdsText(kind) {
				continue
			}
			text := `cast(` + column + ` as text)`
			if kind == "bytea" {
				text = `encode(` + column + `, 'escape')`
			}
			found := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from `+table+` where `+text+` like ?`,
				"%"+marker+"%")
			if n += found; found > 0 {
				places = append(places, fmt.Sprint(table, ".", column, ": ", found))
			}
		}
	}
	return n, places
}

func TestNothingIsLeftOfAnErasedPerson(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.plant("plantedann", "ann")
		f.plant("plantedbo", "bo")
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		before, places := f.countMarks("plantedann")
		if before < 500 {
			f.Fatalf("%d markers are planted: %v", before, places)
		}
		others, _ := f.countMarks("plantedbo")
		out, err := f.service.Erase(f, person.Who{Account: f.agent.Account, Email: "Ann@x.example", Actor: "operator"})
		f.Must(err)
		if !out.IsComplete || out.Conversations != conversationsOfEach || out.People != 1 || out.Visitors != 1 ||
			out.Leads != conversationsOfEach || out.Texts != 2*conversationsOfEach {
			f.Errorf("erased: %+v", out)
		}
		if n, places := f.countMarks("plantedann"); n > 0 {
			f.Errorf("%d markers are left in %v", n, places)
		}
		if n, places := f.countMarks("plantedbo"); n != others {
			f.Errorf("%d of %d markers of somebody else are left, in %v", n, others, places)
		}
		for _, column := range []string{"actor", "action", "subject", "details"} {
			query := `select count(*) from audit_events where lower(` + column + `) like '%ann%'`
			if n := dbs.CountRows(f.TB, f.DB.SQL(), query); n > 0 {
				f.Errorf("the audit chain says who it was, in %s", column)
			}
		}
		if n := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from audit_events where action = ?`,
			store.PersonErased); n != 1 {
			f.Errorf("%d entries in the audit chain", n)
		}
	})
}

// The audit log has the same mark for the same person, and nobody without the key of the installation can tell whose
// it is, not even from an address that they guess.
func TestAMarkDoesNotTellWhoItIs(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		ann := person.Who{Account: f.agent.Account, Email: "Ann@x.example"}
		again, bo := ann, ann
		again.Email, bo.Email = " ann@X.example", "bo@x.example"
		for _, one := range []person.Who{ann, again, bo} {
			_, err := f.service.Erase(f, one)
			f.Must(err)
		}
		f.service.MarkKey = []byte("of another installation")
		_, err := f.service.Erase(f, ann)
		f.Must(err)
		events, err := f.DB.AuditEvents(f, f.agent.Account, 0, 10)
		f.Must(err)
		var marks []string
		for _, e := range events {
			if e.Action == store.PersonErased {
				marks = append(marks, e.Subject)
			}
		}
		if len(marks) != 4 || marks[0] != marks[1] || marks[0] == marks[2] || marks[0] == marks[3] {
			f.Errorf("marks: %q", marks)
		}
	})
}

// An erasure that was stopped is made up for by the next one, and so is what webhooks were sent behind it.
func TestAnErasureIsRepeated(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.plant("plantedann", "ann")
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		ann, deleteFiles := person.Who{Account: f.agent.Account, Email: "Ann@x.example"}, f.service.DeleteUnusedFiles
		f.service.DeleteUnusedFiles = func(context.Context, parley.AgentRef) error { return errors.New("stopped") }
		if _, err := f.service.Erase(f, ann); err == nil {
			f.Fatal("it was not stopped")
		}
		f.service.DeleteUnusedFiles = deleteFiles
		f.plantDelivery("plantedann", "ann")
		out, err := f.service.Erase(f, ann)
		f.Must(err)
		if !out.IsComplete || out.Texts != 1 {
			f.Errorf("erased: %+v", out)
		}
		if n, places := f.countMarks("plantedann"); n > 0 {
			f.Errorf("%d markers are left in %v", n, places)
		}
	})
}

func TestSearchFindsNothingOfAnErasedPerson(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.plant("plantedann", "ann")
		f.plant("plantedbo", "bo")
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		indexer := &search.Indexer{DB: f.DB, Now: f.clock.Now, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
		finder := &search.Finder{DB: f.DB, Cursors: httpapi.Cursors{Key: []byte("0123456789abcdef")}, Now: f.clock.Now,
			Timeout: time.Minute}
		find := func(text string) int {
			f.Helper()
			for more := true; more; {
				var err error
				more, err = indexer.StepAll(f)
				f.Must(err)
			}
			account, err := f.DB.Account(f, f.agent.Account)
			f.Must(err)
			agent, err := f.DB.Agent(f, f.agent, f.clock.Now())
			f.Must(err)
			page, err := finder.Find(f, account, agent, search.Query{Text: text})
			f.Must(err)
			return len(page.Hits)
		}
		if find("plantedann") == 0 || find("plantedbo") == 0 {
			f.Fatal("nothing is found before")
		}
		_, err := f.service.Erase(f, person.Who{Account: f.agent.Account, UserID: "ann"})
		f.Must(err)
		if n := find("plantedann"); n > 0 {
			f.Errorf("%d conversations of somebody who was erased are found", n)
		}
		if find("plantedbo") == 0 {
			f.Error("nothing of somebody else is found")
		}
	})
}

func TestAPersonIsExportedWithAllThatIsHeldOfThem(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.plant("plantedann", "ann")
		f.plant("plantedbo", "bo")
		f.exec(`delete from attachments`) // their files are nowhere
		f.exec(`delete from voice_recordings`)
		out, err := f.service.Export(f, person.Who{Account: f.agent.Account, UserID: "ann", Actor: "operator"})
		f.Must(err)
		if out.Format != person.Format || len(out.Agents) != 1 {
			f.Fatalf("exported: %+v", out)
		}
		a := out.Agents[0]
		if len(a.Conversations) != conversationsOfEach || len(a.People) != 1 || len(a.Leads) != conversationsOfEach ||
			len(a.Visitors) != 1 || len(a.Conversations[0].Messages) != messagesOfEach ||
			a.Conversations[0].Messages[0].Text != "plantedann" || a.People[0].Name != "plantedann" {
			f.Errorf("exported: %+v", a)
		}
		none, err := f.service.Export(f, person.Who{Account: f.agent.Account, Email: "nobody@x.example"})
		f.Must(err)
		if len(none.Agents) != 0 {
			f.Errorf("exported of nobody: %+v", none)
		}
		_, err = f.service.Export(f, person.Who{Account: f.agent.Account})
		f.WantCode(err, parley.CodeInvalidBody, "email")
	})
}

// An export has what an agent has asked other programs about the person, what was found out, and accounts elsewhere.
func TestAnExportHasCallsInsightsAndAccounts(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		now := f.clock.Now()
		f.addPerson(&parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: f.agent.Account,
			AgentID: f.agent.Agent, ExternalID: "ann", Attributes: []byte(`{}`), CreatedAt: now, UpdatedAt: now})
		f.plantInsight(f.plantConversation("plantedann", "ann", "", 0), "plantedann")
		f.exec(`update people set stripe_accounts = ?`, `[{"label":"shop","stripe_id":"cus_1"}]`)
		f.exec(`update messages set parts = ?`, `[{"type":"tool-call","toolCallId":"c1","toolName":"order",`+
			`"input":{"number":7}},{"type":"tool-result","toolCallId":"c1","toolName":"order","output":{"state":"sent"}},`+
			`{"type":"text","text":"It was sent."}]`)
		out, err := f.service.Export(f, person.Who{Account: f.agent.Account, UserID: "ann"})
		f.Must(err)
		text, err := json.Marshal(out)
		f.Must(err)
		for _, part := range []string{`"stripeAccounts":[{"label":"shop","stripe_id":"cus_1"}]`,
			`"insight":{"topic":"Topic of plantedann"}`, `"text":"It was sent."`,
			`"toolCalls":[{"name":"order","input":{"number":7},"output":{"state":"sent"}}]`} {
			if !strings.Contains(string(text), part) {
				f.Errorf("the export lacks %s: %.2000s", part, text)
			}
		}
	})
}

// An address is that of the same person with the host in its own letters and in ASCII.
func TestAPersonIsFoundByEachFormOfTheirAddress(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		now := f.clock.Now()
		f.addPerson(&parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: f.agent.Account,
			AgentID: f.agent.Agent, Email: "ann@xn--bcher-kva.example", ExternalID: "ann", Attributes: []byte(`{}`),
			CreatedAt: now, UpdatedAt: now})
		f.plantConversation("plantedann", "ann", "", 0)
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		out, err := f.service.Erase(f, person.Who{Account: f.agent.Account, Email: "ann@Bücher.example"})
		f.Must(err)
		if out.Conversations != 1 || out.People != 1 {
			f.Errorf("erased: %+v", out)
		}
	})
}

// A file that is gone does not prevent the export of all else, which says so.
func TestAMissingFileIsNamedInTheExport(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		c := f.plantConversation("plantedann", "ann", "", 0)
		f.plantRow("voice_sessions", c.ID, "session")
		f.plantRowWith("voice_recordings", c.ID, "recording", map[string]any{"blob_id": f.plantFile("plantedann")})
		f.service.ReadFile = func(context.Context, *store.Blob) ([]byte, error) {
			return nil, fmt.Errorf("read a file: %w", fs.ErrNotExist)
		}
		out, err := f.service.Export(f, person.Who{Account: f.agent.Account, UserID: "ann"})
		f.Must(err)
		if len(out.Agents) != 1 || len(out.Agents[0].Conversations) != 1 {
			f.Fatalf("exported: %+v", out)
		}
		list := out.Agents[0].Conversations[0].Recordings
		if len(list) != 1 || !list[0].IsMissing || list[0].Data != nil {
			f.Errorf("recordings: %+v", list)
		}
	})
}

// What one agent knows of a person finds what another one holds of them, also when the first attempt was stopped.
func TestAPersonIsFoundByWhatAnotherAgentKnows(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		now, sales := f.clock.Now(), f.agent
		f.addPerson(&parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: sales.Account, AgentID: sales.Agent,
			Email: "eva@x.example", ExternalID: "eva", Attributes: []byte(`{}`), CreatedAt: now, UpdatedAt: now})
		f.agent = sales.Account.AgentRef(dbs.CreateAgent(f.TB, f.DB, dbs.NewAgent(sales.Account, now)))
		f.plantConversation("plantedeva", "eva", "", 0)
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, sales.Account))
		eva := person.Who{Account: sales.Account, Email: "eva@x.example"}
		exported, err := f.service.Export(f, eva)
		f.Must(err)
		if len(exported.Agents) != 2 {
			f.Errorf("exported: %+v", exported.Agents)
		}
		deleteFiles := f.service.DeleteUnusedFiles
		f.service.DeleteUnusedFiles = func(_ context.Context, ref parley.AgentRef) error {
			if ref == sales {
				return errors.New("stopped")
			}
			return nil
		}
		if _, err := f.service.Erase(f, eva); err == nil {
			f.Fatal("it was not stopped")
		}
		f.service.DeleteUnusedFiles = deleteFiles
		_, err = f.service.Erase(f, eva)
		f.Must(err)
		if n, places := f.countMarks("plantedeva"); n > 0 {
			f.Errorf("%d markers are left in %v", n, places)
		}
		if n := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from people`); n != 0 {
			f.Errorf("%d people are left", n)
		}
	})
}

// A lead is found whatever the case of the letters of its address, also of those that are not in ASCII.
func TestLeadsAreFoundWhateverTheirCase(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		c := f.plantConversation("plantedlead", "", "", 2)
		f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
			ConversationID: c.ID, Email: "\u00c4NNE@X.example", CreatedAt: f.clock.Now()}))
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		out, err := f.service.Erase(f, person.Who{Account: f.agent.Account, Email: "\u00e4nne@x.example"})
		f.Must(err)
		if out.Conversations != 1 || out.Leads != 1 {
			f.Errorf("erased: %+v", out)
		}
		if n := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from leads`); n != 0 {
			f.Errorf("%d leads are left", n)
		}
	})
}
