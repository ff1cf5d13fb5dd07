package person_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
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
		f.plantRow("voice_recordings", c.ID, marker)
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
		f.plantRow("attachments", c.ID, marker)
	}},
	{"page and title", func(f *fixture, c *parley.Conversation, marker, _ string) {
		f.exec(`update conversations set title = ?, embed_origin = ? where id = ?`, marker, "https://x.example/"+marker,
			string(c.ID))
	}},
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

// Of markers in everything that is held of a person none is left: in no row, in no word of the search, and in no byte
// of the database's file, what was freed in it included. What is held of somebody else stays.
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
