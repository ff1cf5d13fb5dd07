package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/bench/internal/harness"
	"parley/bench/internal/stub"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// webServer is a server with an owner who is signed in, and the bare pages before it.
type webServer struct {
	*harness.Server
	baseline *http.Server
}

const (
	ownerEmail    = "owner@shop.example"
	ownerPassword = "a long password for the bench" //nolint:gosec // of a server that lives for minutes
	listRows      = 10_000
)

// start starts a server of its own: pages show whatever other measures have left.
func (w *webRun) start(ctx context.Context) (err error) {
	w.Logf("  web: starting a server, %d rows and %d conversations …", listRows, inboxRows)
	s := &webServer{}
	if s.Server, err = w.NewServer(ctx, "web"); err != nil {
		return err
	}
	w.server = s
	agents := map[string]string{"small": s.Agents[stub.InstantModel]}
	for name, model := range map[string]string{"long": stub.LongModel, "lists": stub.SilentModel,
		"inbox": stub.SilentModel} {
		if agents[name], err = s.CreateAgent(ctx, model); err != nil {
			return err
		}
	}
	if err = w.addOwner(ctx, ownerEmail); err != nil {
		return err
	}
	s.Stop()
	if err = fillList(ctx, s.Server, parley.AgentID(agents["lists"])); err != nil {
		return err
	}
	if w.taken, err = fillInbox(ctx, s.Server, parley.AgentID(agents["inbox"])); err != nil {
		return err
	}
	if s.Server.Server, err = w.StartServer(ctx, w.Binary, s.DataDir); err != nil {
		return err
	}
	return w.describe(ctx, agents)
}

// describe completes what the scripts are told, and starts the bare pages.
func (w *webRun) describe(ctx context.Context, agents map[string]string) error {
	at, err := url.Parse(w.server.URL)
	if err != nil {
		return err
	}
	h, err := newBaseline(at)
	if err != nil {
		return err
	}
	w.job = job{webSizes: usualWeb, Origin: "http://localhost:" + at.Port(), Account: w.server.AccountID,
		Key: w.server.Key, Agents: agents, Taken: w.taken}
	if w.IsQuick() {
		w.job.webSizes = quickWeb
	}
	if w.job.Baseline, err = w.server.startBaseline(h); err != nil {
		return err
	}
	reply, err := w.signIn(ctx, ownerEmail, ownerPassword)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK || len(reply.Cookies()) == 0 {
		return fmt.Errorf("signing in: %s", reply.Status)
	}
	c := reply.Cookies()[0]
	w.job.Cookie = cookie{Name: c.Name, Value: c.Value}
	return nil
}

func (w *webRun) stop() {
	if w.server == nil {
		return
	}
	if w.server.baseline != nil {
		_ = w.server.baseline.Close()
	}
	if p := w.server.OwnProcess(); p != nil {
		p.Stop()
	}
}

// addOwner adds somebody who signs in with a password, with the operator's commands.
func (w *webRun) addOwner(ctx context.Context, email string) error {
	for _, words := range [][]string{{"add", "--name", "Owner", "--role", "owner"}, {"password"}} {
		words = append([]string{"member"}, append(words, "--account", w.server.AccountID, "--email", email, "--data",
			w.server.DataDir)...)
		cmd := exec.CommandContext(ctx, w.Binary, words...)
		cmd.Stdin = strings.NewReader(ownerPassword + "\n")
		if _, err := runCommand(cmd); err != nil {
			return err
		}
	}
	return nil
}

// signIn sends a password as the page does. The caller closes the reply.
func (w *webRun) signIn(ctx context.Context, email, password string) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.job.Origin+"/console/api/v1/session",
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Parley-Console", "1")
	return w.server.Client.Do(r)
}

// fillList writes so many sources of an agent, which the server does not read: 10,000 texts over HTTP would be learned
// for minutes.
func fillList(ctx context.Context, s *harness.Server, agent parley.AgentID) (err error) {
	db, err := openStore(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		if closed := db.Close(); err == nil {
			err = closed
		}
	}()
	return db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now := time.Now()
		for i := range listRows {
			at := now.Add(time.Duration(-i) * time.Minute)
			if _, err := tx.CreateSource(ctx, &parley.Source{ID: parley.SourceID(parley.NewUUID()), AgentID: agent,
				AccountID: parley.AccountID(s.AccountID), Kind: parley.SourceText, Name: fmt.Sprintf("Row %05d", i),
				Size: int64(1000 + i), Status: parley.SourceTrained, CreatedAt: at, UpdatedAt: at}); err != nil {
				return err
			}
		}
		return nil
	})
}

// openStore opens the database of a server that does not run.
func openStore(ctx context.Context, s *harness.Server) (*store.DB, error) {
	return store.Open(ctx, sqldb.Config{URL: filepath.Join(s.DataDir, "parley.db")})
}
