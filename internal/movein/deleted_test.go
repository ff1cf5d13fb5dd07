package movein_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/archive"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// What was erased, deleted or kept for long enough here stays away, however often the account moves in. What is new at
// the other service still comes.
func TestWhatWasDeletedStaysAway(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			mt := openMoveTest(t, options...)
			mt.fill(25)
			mt.moveIn(mt.from.URL)
			all := mt.exported(mt.to, mt.to.Key, mt.agent)
			mt.eraseUsers("jo", "user-2")
			others := mt.exported(mt.to, mt.to.Key, mt.agent)
			if len(all) != 26 || len(others) != 24 {
				t.Fatalf("%d conversations, and %d without two", len(all), len(others))
			}
			if state := mt.moveIn(mt.from.URL); state.Conversations != 0 || state.Present != 25 || state.Deleted != 2 {
				t.Errorf("%+v", state)
			}
			if again := mt.exported(mt.to, mt.to.Key, mt.agent); !maps.Equal(others, again) {
				t.Errorf("%d conversations instead of %d", len(again), len(others))
			}
			mt.keepFor(30)
			mt.plant(parley.AgentID(mt.agent), 99) // a new one
			if state := mt.moveIn(mt.from.URL); state.Conversations != 1 || state.Present != 1 || state.Deleted != 26 {
				t.Errorf("%+v", state)
			}
			if left := mt.exported(mt.to, mt.to.Key, mt.agent); len(left) != 1 {
				t.Errorf("%d conversations instead of the new one", len(left))
			}
		})
	}
}

// eraseUsers erases what is held of a user, and deletes the conversations of another one.
func (mt *moveTest) eraseUsers(erased, deleted string) {
	mt.t.Helper()
	person := admin.PersonQuery{AccountID: mt.to.Account, UserID: erased}
	out, err := admin.RunOn(mt.t.Context(), mt.to.AdminService, admin.ErasePerson, person)
	mt.must(err)
	n, err := admin.RunOn(mt.t.Context(), mt.to.AdminService, admin.DeleteConversations,
		admin.Selection{AgentID: mt.agent, UserID: deleted})
	mt.must(err)
	if out.Conversations != 1 || n.Conversations != 1 {
		mt.t.Errorf("erased: %+v, deleted: %+v", out, n)
	}
}

// keepFor deletes the conversations that have been idle for more than some days, as the server does now and then.
func (mt *moveTest) keepFor(days int) {
	mt.t.Helper()
	_, err := mt.to.DB.SQL().Exec(mt.t.Context(), `update agents set retention_days = ? where id = ?`, days, mt.agent)
	mt.must(err)
	mt.must(mt.to.Conversations.Sweep(mt.t.Context()))
	if left := mt.exported(mt.to, mt.to.Key, mt.agent); len(left) != 0 {
		mt.t.Errorf("%d conversations are kept for too long", len(left))
	}
}

// Ids are kept of what may have been taken over alone: neither of what began here later, nor where nobody has moved in.
func TestOnlyIDsOfWhatWasTakenOverAreKept(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(2)
	mt.moveIn(mt.from.URL)
	mt.clock.Advance(48 * time.Hour)
	now := mt.clock.Now()
	late := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AgentID: parley.AgentID(mt.agent),
		AccountID: parley.AccountID(mt.to.Account), API: parley.APIV2, Channel: parley.ChannelWidget,
		Status: parley.ConversationOngoing, UserID: "late", CreatedAt: now, UpdatedAt: now}
	mt.must(mt.to.DB.Transact(t.Context(), sqldb.Bulk, func(tx *store.DB) error {
		return tx.AddMovedConversation(t.Context(), late, "", nil)
	}))
	for user, server := range map[string]*testkit.Server{"late": mt.to, "jo": mt.from} {
		n, err := admin.RunOn(t.Context(), server.AdminService, admin.DeleteConversations,
			admin.Selection{AgentID: mt.agent, UserID: user})
		mt.must(err)
		noted := dbs.CountRows(t, server.DB.SQL(), `select count(*) from move_in_deletions`)
		if n.Conversations != 1 || noted != 0 {
			t.Errorf("%s: %d conversations are deleted, and %d ids kept", user, n.Conversations, noted)
		}
	}
}

// Through another address of the service, and in a copy of the account that has come from an archive, the agents and
// the conversations that were taken over are known, and what was deleted stays away, whatever ids the service has.
func TestWhatWasTakenOverIsKnownElsewhere(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			mt := openMoveTest(t, options...)
			mt.fill(25)
			if state := mt.moveIn(mt.newRenamingFront()); state.Conversations != 27 {
				t.Fatalf("%+v", state)
			}
			mt.eraseUsers("jo", "user-2")
			mt.checkKnown(2)
			path := filepath.Join(t.TempDir(), "account.zip")
			archives := mt.to.AdminService.Archive
			file, err := os.Create(path)
			mt.must(err)
			mt.must(errors.Join(archives.ExportTo(t.Context(), parley.AccountID(mt.to.Account), file), file.Close()))
			done, err := archives.ImportInto(t.Context(), mt.to.DB, path, archive.Options{NewIDs: true, Actor: "operator"})
			mt.must(err)
			mt.to.Account = string(done.Account)
			mt.checkKnown(2)
		})
	}
}

// checkKnown moves in through a new address, and fails if something is taken over once more.
func (mt *moveTest) checkKnown(deleted int64) {
	mt.t.Helper()
	state := mt.moveIn(mt.newRenamingFront())
	if state.Agents != 2 || state.Conversations != 0 || state.Present != 27-deleted || state.Deleted != deleted {
		mt.t.Errorf("%+v", state)
	}
	if n := dbs.CountRows(mt.t, mt.to.DB.SQL(), `select count(*) from agents where account_id = ?`,
		mt.to.Account); n != 2 {
		mt.t.Errorf("%d agents", n)
	}
}

var conversationIDPattern = regexp.MustCompile(`"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"`)

// newRenamingFront returns the address of a server that answers as the other service does, but whose conversations have
// ids that they cannot have here.
func (mt *moveTest) newRenamingFront() string {
	target, err := url.Parse(mt.from.URL)
	mt.must(err)
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(r *http.Response) error {
			text, err := io.ReadAll(r.Body)
			text = conversationIDPattern.ReplaceAll(text, []byte(`"id":"conv-$1"`))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			r.Header.Set("Content-Length", strconv.Itoa(len(text)))
			return err
		},
	})
	mt.t.Cleanup(s.Close)
	return s.URL
}
