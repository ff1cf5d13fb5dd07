package person_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/person"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// markerPlaces are where a marker of a person may be, each written as the program writes it. user is the person's id.
var markerPlaces = []struct {
	name  string
	plant func(f *fixture, c *parley.Conversation, marker, user string)
}{
	{"message", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.AddMessage(f, f.agent, newMessage(c, "My name is "+marker+".", f.clock.Now()), nil); err != nil {
				return err
			}
			return tx.RecordEvents(f, f.agent.Account, f.clock.Now(), store.NewEvent{Kind: parley.EventMessageCreated,
				AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID)})
		}))
	}},
	{"trace", func(f *fixture, c *parley.Conversation, marker, _ string) { f.plantRow("turns", c.ID, marker) }},
	{"tool call", func(f *fixture, c *parley.Conversation, marker, _ string) { f.plantRow("tool_calls", c.ID, marker) }},
	{"event", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
			return tx.RecordEvents(f, f.agent.Account, f.clock.Now(), store.NewEvent{Kind: parley.EventToolAnswered,
				AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID), Payload: map[string]any{"text": marker}})
		}))
	}},
	{"delivery", func(f *fixture, c *parley.Conversation, marker, user string) {
		f.Must(f.DB.Transact(f, sqldb.Bulk, func(tx *store.DB) error {
			return tx.AddDelivery(f, &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()),
				AccountID: f.agent.Account, AgentID: f.agent.Agent, WebhookID: "w", Event: parley.EventLeadsSubmit,
				Body:  fmt.Sprintf(`{"payload":{"customerEmail":%q,"customerName":%q}}`, user+"@x.example", marker),
				DueAt: f.clock.Now(), CreatedAt: f.clock.Now()})
		}))
	}},
	{"draft", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.Must(f.DB.SaveDraft(f, c.Ref(), &store.Draft{UserID: "member", Kind: "reply", Text: "Dear " + marker,
			UpdatedAt: f.clock.Now()}))
	}},
	{"recording", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.plantRow("voice_sessions", c.ID, marker+"-session")
		f.plantRowWith("voice_recordings", c.ID, marker, map[string]any{"blob_id": f.plantFile(marker)})
	}},
	{"mail queue", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.exec(`insert into jobs (id, kind, key, account_id, payload, state, run_at, attempts, max_attempts, backoff_ms,
			last_error, created_at, updated_at) values (?, 'mail.reply', ?, ?, ?, 'dead', 0, 9, 9, 0, ?, 0, 0)`,
			parley.NewTimedUUID(), string(c.ID), f.agent.Account, []byte(fmt.Sprintf(`{"conversation":%q}`, c.ID)),
			"refused: "+marker+"@x.example")
	}},
	{"lead", func(f *fixture, c *parley.Conversation, marker, user string) {
		f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
			ConversationID: c.ID, Name: marker, Email: user + "@x.example", Phone: marker, CreatedAt: f.clock.Now()}))
	}},
	{"ticket", func(f *fixture, c *parley.Conversation, marker, _ string) {
		number := dbs.CountRows(f.TB, f.DB.SQL(), `select count(*) from tickets`) + 1
		f.exec(`insert into tickets (id, account_id, agent_id, number, subject, description, status_id, category, is_open,
			person_id, metadata, channel, conversation_id, priority, created_at, updated_at)
			values (?, ?, ?, ?, ?, ?, 's', 'new', 1, 'p', '{}', 'api', ?, 'none', 0, 0)`, string(c.ID), f.agent.Account,
			f.agent.Agent, number, marker, "Says "+marker, string(c.ID)) // the ticket of a conversation has its id
		f.exec(`insert into ticket_words (agent_id, word, ticket_id, account_id, weight) values (?, ?, ?, ?, 1)`,
			f.agent.Agent, marker, string(c.ID), f.agent.Account)
	}},
	{"kept reply", func(f *fixture, c *parley.Conversation, marker, user string) {
		f.exec(`insert into idempotency_keys (account_id, key, request_hash, status, reply, created_at)
			values (?, ?, 'h', 200, ?, 0)`, f.agent.Account, user+marker, fmt.Sprintf(`{"conversationId":%q,"text":%q}`, c.ID,
			marker))
	}},
	{"attached file", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.plantRowWith("attachments", c.ID, marker, map[string]any{"blob_id": f.plantFile(marker)})
	}},
	{"file that was not sent", func(f *fixture, c *parley.Conversation, marker, user string) {
		f.exec(`insert into visitor_files (id, account_id, agent_id, visitor_id, blob_id, name, media_type, size, created_at,
			content_text) values (?, ?, ?, ?, ?, ?, 'text/plain', 1, 0, ?)`, parley.NewUUID(), f.agent.Account, f.agent.Agent,
			f.addVisitor(c, marker, user), f.plantFile(marker), marker+".txt", "Says "+marker)
	}},
	{"browser", func(f *fixture, c *parley.Conversation, marker, user string) { f.addVisitor(c, marker, user) }},
	{"note and comment", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
			return tx.AddMessage(f, f.agent, newMessage(c, "Good.", f.clock.Now()), nil)
		}))
		f.exec(`update messages set feedback = 'negative', feedback_comment = ?, about = ? where conversation_id = ?`, marker,
			`{"eventType":"note","to":"`+marker+`"}`, string(c.ID))
	}},
	{"procedure", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.plantRow("procedure_runs", c.ID, marker)
	}},
	{"insight", func(f *fixture, c *parley.Conversation, marker, _ string) { f.plantInsight(c, marker) }},
	{"page and title", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.exec(`update conversations set title = ?, embed_origin = ? where id = ?`, marker, "https://x.example/"+marker,
			string(c.ID))
	}},
}

// plantFile stores a file with the marker and returns the id of its row.
func (f *fixture) plantFile(marker string) string {
	f.Helper()
	content := []byte("A letter of " + marker + ".")
	sum := sha256.Sum256(content)
	hash, id := hex.EncodeToString(sum[:]), parley.NewUUID()
	if f.files.InDatabase {
		f.Must(f.DB.PutBlobData(f, hash, bytes.NewReader(content)))
	} else {
		_, err := f.files.Keep(hash, bytes.NewReader(content))
		f.Must(err)
	}
	f.exec(`insert into blobs (id, account_id, agent_id, hash, size, media_type, name, place, created_at)
		values (?, ?, ?, ?, ?, 'text/plain', ?, ?, 0)`, id, f.agent.Account, f.agent.Agent, hash, len(content),
		marker+".txt", f.files.PlaceOf(hash))
	return id
}

// addVisitor adds a browser in which the conversation began.
func (f *fixture) addVisitor(c *parley.Conversation, marker, user string) string {
	f.Helper()
	v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: f.agent.Account, AgentID: f.agent.Agent,
		UserID: parley.EndUserID(user), FirstPage: "https://x.example/" + marker, Locale: "en", CreatedAt: f.clock.Now(),
		LastSeenAt: f.clock.Now()}
	f.Must(f.DB.CreateVisitor(f, v))
	f.exec(`update conversations set visitor_id = ? where id = ?`, string(v.ID), string(c.ID))
	return string(v.ID)
}

// plantInsight stores what is found out about a conversation, and an automatic topic that is found by its words.
func (f *fixture) plantInsight(c *parley.Conversation, marker string) {
	f.Helper()
	terms := map[string]float64{marker + "|" + marker: 1, "ship|shipping": 1}
	f.Must(f.DB.Transact(f, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockInsights(f, f.agent); err != nil {
			return err
		}
		if _, err := tx.SaveInsight(f, &parley.Insight{ConversationID: c.ID, AccountID: c.AccountID, AgentID: c.AgentID,
			Channel: c.Channel, CreatedAt: c.CreatedAt, Topic: "Topic of " + marker, Topics: []string{"Topic of " + marker},
			Terms: terms, GeneratedAt: f.clock.Now()}); err != nil {
			return err
		}
		v, err := tx.Vocabulary(f, f.agent)
		if err != nil {
			return err
		}
		if v.QuestionsByWord == nil {
			v.QuestionsByWord = map[string]int{}
		}
		v.Questions++
		v.QuestionsByWord[marker]++
		v.QuestionsByWord["ship"]++
		if err := tx.SaveVocabulary(f, f.agent, v); err != nil {
			return err
		}
		return tx.AddInsightGroups(f, f.agent, []store.InsightGroup{{Name: "Shipping", Terms: map[string]float64{"ship": 1}},
			{Name: "Only " + marker, Terms: map[string]float64{marker: 1}}}, f.clock.Now())
	}))
	f.exec(`insert into insight_questions (conversation_id, seq, account_id, agent_id, asked_at, text)
		values (?, 1, ?, ?, 0, ?)`, string(c.ID), f.agent.Account, f.agent.Agent, "Where is "+marker+"?")
}

// wordlessTables are the tables with columns of text that hold nothing of a person, with the reason. A table that is
// neither here nor has a marker planted in it fails the test.
var wordlessTables = map[string]string{
	"account_imports":     "how far imports of archives have come",
	"accounts":            "the company's own",
	"actions":             "the agent's own",
	"agent_versions":      "the agent's own",
	"agents":              "the agent's own",
	"api_keys":            "the company's own",
	"audit_events":        "says that somebody was erased, and not who",
	"conversation_counts": "figures",
	"crawl_pages":         "of websites",
	"credit_days":         "figures",
	"credit_ledger":       "figures",
	"credit_models":       "figures",
	"credit_usage":        "figures",
	"custom_attributes":   "names of what is known of people, not what is",
	"event_positions":     "figures",
	"goose_db_version":    "the schema's own",
	"helpdesks":           "the agent's own",
	"insight_accounts":    "figures",
	"invites":             "of members",
	"mail_notices":        "that a mail was sent, without its words",
	"member_files":        "files of members that were not sent",
	"memberships":         "of members",
	"migration_readers":   "the schema's own",
	"migration_sums":      "the schema's own",
	"model_servers":       "the company's own",
	"move_in_agents":      "names of agents",
	"move_in_deletions":   "ids of conversations that are gone",
	"move_in_items":       "names of sources",
	"move_ins":            "addresses of services",
	"pairings":            "of members",
	"passage_vectors":     "of sources",
	"passages":            "of sources",
	"passkey_challenges":  "of members",
	"passkeys":            "of members",
	"procedures":          "the agent's own",
	"read_marks":          "how far members have read",
	"recovery_codes":      "of members",
	"routing_rules":       "the agent's own",
	"saved_replies":       "written by members, for everybody",
	"saved_views":         "written by members; said in docs/manual/privacy.md",
	"search_accounts":     "how far the index is",
	"search_agents":       "how far the index is",
	"search_walks":        "ids of conversations, for some minutes",
	"settings":            "the installation's own",
	"source_versions":     "of sources",
	"sources":             "of sources; what members made of an answer is said in docs/manual/privacy.md",
	"sso_domains":         "the company's own",
	"sso_links":           "of members",
	"sso_providers":       "the company's own",
	"team_members":        "of members",
	"teams":               "the agent's own",
	"ticket_statuses":     "the agent's own",
	"users":               "of members",
	"visitor_credits":     "figures",
	"voice_days":          "figures",
	"web_sessions":        "of members",
	"webhooks":            "the company's own",
}

// checkPlanted fails if a table of the schema that has text holds no marker and is not known to hold none of a person.
func (f *fixture) checkPlanted(word string) {
	f.Helper()
	isPlanted := map[string]bool{}
	_, places := f.countMarks(word)
	for _, place := range places {
		table, _, _ := strings.Cut(place, ".")
		isPlanted[table] = true
	}
	isPlanted["blob_data"] = isPlanted["blob_data"] || !f.files.InDatabase // in the folder instead
	for table, columns := range f.columns() {
		hasText := false
		for _, kind := range columns {
			hasText = hasText || holdsText(kind)
		}
		isListed := wordlessTables[table] != ""
		switch {
		case hasText && !isListed && !isPlanted[table]:
			f.Errorf("plant a marker in the table %s, or say why it holds nothing of a person", table)
		case isListed && isPlanted[table]:
			f.Errorf("the table %s holds a marker, and is listed as one that holds nothing of a person", table)
		}
	}
}

// plantMarkers plants as many markers, of the form WORD00001, one in each place after the other, each in a conversation
// of its own.
func (f *fixture) plantMarkers(word, user string, markers int) {
	f.Helper()
	now := f.clock.Now()
	f.addPerson(&parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: f.agent.Account,
		AgentID: f.agent.Agent, Email: user + "@x.example", ExternalID: user, Name: word, Phone: word,
		Attributes: []byte(`{"note":"` + word + `"}`), CreatedAt: now, UpdatedAt: now})
	for i := range markers {
		marker := fmt.Sprintf("%s%05d", word, i)
		c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: f.agent.Account,
			AgentID: f.agent.Agent, API: parley.APIV2, Channel: parley.ChannelWidget, Status: parley.ConversationOngoing,
			UserID: parley.EndUserID(user), CreatedAt: now, UpdatedAt: now}
		f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.CreateConversation(f, c, newMessage(c, "Hello", now), false); err != nil {
				return err
			}
			return tx.RecordEvents(f, f.agent.Account, now, store.NewEvent{Kind: parley.EventConversationCreated,
				AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID)})
		}))
		markerPlaces[i%len(markerPlaces)].plant(f, c, marker, user)
	}
}

// filesWith counts the files in the folder that hold a word.
func (f *fixture) filesWith(word string) (n int) {
	f.Helper()
	f.Must(filepath.WalkDir(f.files.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(word)) {
			n++
		}
		return err
	}))
	return n
}

// file closes the database and returns all bytes of its file; of SQLite only.
func (f *fixture) file() []byte {
	f.Helper()
	path, err := sqldb.One(f, f.DB.SQL(), sqldb.Column[string], `
		select file from pragma_database_list where name = 'main'`)
	f.Must(err)
	f.Must(f.DB.Close())
	content, err := os.ReadFile(path)
	f.Must(err)
	if log, err := os.ReadFile(path + "-wal"); err == nil {
		content = append(content, log...)
	}
	return content
}

// Of markers in everything that is held of a person none is left: in no row, in no word of the search, in no file, and
// in no byte of the database's file, what was freed in it included. What is held of somebody else stays. Where to plant
// is told by the schema: each table with text is planted, or listed with the reason why not.
func TestNoByteIsLeftOfAnErasedPerson(t *testing.T) {
	markers := 50
	if os.Getenv("PARLEY_LONG") == "1" {
		markers = 500
	}
	forEachStore(t, func(f *fixture) {
		indexer := &search.Indexer{DB: f.DB, Now: f.clock.Now, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
		f.service.PurgeSearch = indexer.RequestPurge
		index := func() {
			f.Helper()
			for more := true; more; {
				var err error
				more, err = indexer.StepAll(f)
				f.Must(err)
			}
			f.Must(indexer.Purge(f))
		}
		f.plantMarkers("plantedann", "ann", markers)
		f.plantMarkers("plantedbo", "bo", markers)
		index()
		before, places := f.countMarks("plantedann")
		others, _ := f.countMarks("plantedbo")
		if before < markers {
			f.Fatalf("%d markers are planted: %v", before, places)
		}
		f.checkPlanted("plantedann")
		if !f.files.InDatabase && (f.filesWith("plantedann") == 0 || f.filesWith("plantedbo") == 0) {
			f.Fatal("no file is planted")
		}
		f.Must(f.DB.SkipEvents(f, store.WebhookFollower, f.agent.Account))
		out, err := f.service.Erase(f, person.Who{Account: f.agent.Account, Email: "ann@x.example", Actor: "operator"})
		f.Must(err)
		if !out.IsComplete || out.Conversations != markers {
			f.Errorf("erased: %+v", out)
		}
		index()
		if n, places := f.countMarks("plantedann"); n > 0 {
			f.Errorf("%d markers are left in %v", n, places)
		}
		if n, places := f.countMarks("plantedbo"); n != others {
			f.Errorf("%d of %d markers of somebody else are left, in %v", n, others, places)
		}
		if f.DB.SQL().Dialect() == sqldb.Postgres {
			return
		}
		if n := f.filesWith("plantedann"); n > 0 {
			f.Errorf("%d files are left", n)
		}
		if f.filesWith("plantedbo") == 0 {
			f.Error("no file of somebody else is left")
		}
		content := f.file()
		if n := bytes.Count(content, []byte("plantedann")); n > 0 {
			at := bytes.Index(content, []byte("plantedann"))
			f.Errorf("the file has %d markers, the first one in %q", n, content[max(0, at-200):min(len(content), at+100)])
		}
		if !bytes.Contains(content, []byte("plantedbo")) {
			f.Error("the file has nothing of somebody else")
		}
	})
}
