package doctor_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/datadir"
	"parley/internal/doctor"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/tinymodel"
	"parley/internal/vault"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

const secretKey = "an installation's key for tests"

// installation is a data folder with a little of everything, and what examines it.
type installation struct {
	check.T
	*doctor.Doctor
	dir     string
	clock   *clock.Clock
	account parley.AccountID
	upload  string // path of an uploaded file
}

// newInstallation makes an installation in which all is well, on SQLite or on the database of the URL.
func newInstallation(t *testing.T, databaseURL string) *installation {
	t.Helper()
	in := &installation{T: check.T{TB: t}, dir: filepath.Join(t.TempDir(), "data"), clock: clock.New()}
	in.Must(os.Mkdir(in.dir, 0o700))
	cfg := server.Config{Now: in.clock.Now, Logger: slog.New(slog.DiscardHandler)}
	cfg.Data, cfg.DatabaseURL, cfg.SecretKey = in.dir, databaseURL, secretKey
	cfg.Listen, cfg.RateLimit, cfg.OpenTurns, cfg.FilePrograms = "127.0.0.1:0", 100, 200, []string{"none"}
	cfg.TTS, cfg.STT = "none", "none"
	in.Doctor = &doctor.Doctor{
		Config: cfg, Settings: []string{"PARLEY_DATA", "PARLEY_LISTEN", "PARLEY_MODEL_URL"},
		Environ:   []string{"HOME=/", "PARLEY_DATA=" + in.dir},
		FreeSpace: func(string) (uint64, uint64, error) { return 40 << 30, 100 << 30, nil },
	}
	if databaseURL == "" {
		dbs.WriteMigratedSQLite(t, cfg.Database())
	}
	in.change(in.fill)
	return in
}

// change opens the database, has it changed and closes it.
func (in *installation) change(do func(db *store.DB)) {
	in.Helper()
	db, err := store.Open(in.Context(), sqldb.Config{URL: in.Config.Database(), Logger: in.Config.Logger})
	in.Must(err)
	do(db)
	in.Must(db.Close())
}

// run runs a statement on the database.
func (in *installation) run(statement string, args ...any) {
	in.Helper()
	in.change(func(db *store.DB) {
		_, err := db.SQL().Exec(in.Context(), statement, args...)
		in.Must(err)
	})
}

// fill stores an account with an agent, a conversation, an uploaded file and a secret.
func (in *installation) fill(db *store.DB) {
	now := in.clock.Now()
	account := dbs.CreateAccount(in, db, "standard", now)
	in.account = account.ID
	agent := dbs.NewAgent(account.ID, now)
	dbs.CreateAgent(in, db, agent)
	conversation := dbs.CreateConversation(in, db, account.ID.AgentRef(agent.ID), now)
	in.Must(db.Transact(in.Context(), sqldb.Interactive, func(tx *store.DB) error {
		return tx.RecordEvents(in.Context(), account.ID, now, store.NewEvent{Kind: "conversation.created",
			AgentID: agent.ID, ConversationID: conversation, Subject: string(conversation)})
	}))
	content := []byte("what was uploaded")
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	blob := &store.Blob{ID: "blob", AccountID: account.ID, AgentID: agent.ID, Hash: hash, Size: int64(len(content)),
		MediaType: "text/plain", Name: "a.txt", Location: "disk:" + hash, CreatedAt: now}
	if in.Config.DatabaseURL != "" {
		blob.Location = "data:" + hash
		in.Must(db.PutBlobData(in.Context(), hash, strings.NewReader(string(content))))
	} else {
		in.upload = filepath.Join(in.dir, "blobs", hash[:2], hash)
		in.Must(os.MkdirAll(filepath.Dir(in.upload), 0o700))
		in.Must(os.WriteFile(in.upload, content, 0o600))
	}
	in.Must(db.CreateBlob(in.Context(), blob))
	key, err := vault.New(secretKey)
	in.Must(err)
	sealed, err := key.Seal(account.ID, []byte("a secret"))
	in.Must(err)
	in.Must(db.CreateWebhook(in.Context(), &parley.Webhook{ID: "hook", AccountID: account.ID, AgentID: agent.ID,
		Endpoint: "https://example.com", SealedSigningKeys: sealed, CreatedAt: now, UpdatedAt: now}))
	for _, reader := range []string{"search", "insight", "webhook"} {
		_, err := db.SQL().Exec(in.Context(), `
			insert into event_positions (name, account_id, seq)
			select ?, id, event_seq
			from accounts
			where true
			on conflict (name, account_id) do update set seq = excluded.seq`, reader)
		in.Must(err)
	}
}

// expect runs the checks, and fails the test unless one has found this.
func (in *installation) expect(name string, status doctor.Status, text string) {
	in.Helper()
	found := in.Run(in.Context())
	for _, f := range found {
		if f.Check == name && f.Status == status && strings.Contains(f.Found+" "+f.Advice, text) {
			if (f.Advice == "") != (status == doctor.OK) {
				in.Errorf("advice for %s: %q", f.Found, f.Advice)
			}
			return
		}
	}
	in.Errorf("no %s of %s says %q, but:", status, name, text)
	for _, f := range found {
		if f.Check == name {
			in.Errorf("%+v", f)
		}
	}
}

// canFence is the one check whose outcome is the machine's.
const canFence = "file readers"

func TestAllIsWell(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			url := ""
			if database == "postgres" {
				url = dbs.SharedPostgres(t).NewStore(t)
			}
			in := newInstallation(t, url)
			before := listFolder(t, in.dir)
			if database == "postgres" {
				in.clock.Advance(realTimeFrom(in.clock))
			}
			for _, deep := range []bool{false, true} {
				in.Deep = deep
				for _, f := range in.Run(t.Context()) {
					if f.Status != doctor.OK && f.Check != canFence {
						t.Errorf("%+v", f)
					}
				}
			}
			if after := listFolder(t, in.dir); after != before {
				t.Errorf("the folder was changed from %s to %s", before, after)
			}
		})
	}
}

// realTimeFrom returns how far the machine's clock is ahead of the one that tests turn.
func realTimeFrom(c *clock.Clock) time.Duration { return time.Since(c.Now()) }

// listFolder lists the names in a folder.
func listFolder(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	check.Must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, dir))
		return err
	}))
	return strings.Join(names, " ")
}

// plantedFault is something that can be wrong: how it is brought about, and what must be found.
type plantedFault struct {
	name   string
	plant  func(in *installation)
	check  string
	status doctor.Status
	text   string
}

// plantedFaults are those of the settings, the machine and the data.
var plantedFaults = []plantedFault{
	{"a setting that is refused", func(in *installation) { in.Config.RateLimit = 0 },
		"settings", doctor.Fault, "--rate-limit"},
	{"a key without its server", func(in *installation) { in.Config.ModelKey = "k" },
		"settings", doctor.Fault, "--model-key"},
	{"a name that is no setting", func(in *installation) { in.Environ = []string{"PARLEY_LISTN=x"} },
		"variables", doctor.Warning, "Did you mean PARLEY_LISTEN?"},
	{"keys that travel unencrypted", func(in *installation) { in.Config.BaseURL = "http://support.example.com" },
		"address", doctor.Warning, "not encrypted"},
	{"an address that nobody knows", func(in *installation) { in.Config.Listen = "0.0.0.0:8080" },
		"address", doctor.Warning, "PARLEY_BASE_URL is not set"},
	{"a folder that is not there", func(in *installation) { in.Config.Data += "x" },
		"data folder", doctor.Warning, "does not exist"},
	{"a file in place of uploads", func(in *installation) {
		in.Must(os.RemoveAll(filepath.Join(in.dir, "blobs")))
		in.Must(os.WriteFile(filepath.Join(in.dir, "blobs"), nil, 0o600))
	}, "data folder", doctor.Fault, "is not a folder"},
	{"uploads without their database", func(in *installation) { in.Must(os.Remove(in.Config.Database())) },
		"data folder", doctor.Fault, "empty or missing"},
	{"uploads beside an empty database", func(in *installation) { in.Must(os.Truncate(in.Config.Database(), 0)) },
		"database", doctor.Fault, "empty or missing"},
	{"uploads whose database is missing", func(in *installation) { in.Must(os.Remove(in.Config.Database())) },
		"database", doctor.Fault, "a backup"},
	{"a database that others may read", func(in *installation) { in.Must(os.Chmod(in.Config.Database(), 0o644)) },
		"permissions", doctor.Warning, "chmod go-rwx"},
	{"a full disk", func(in *installation) {
		in.FreeSpace = func(string) (uint64, uint64, error) { return 50 << 20, 100 << 30, nil }
	}, "disk", doctor.Fault, "50 MB of 102400 MB are free"},
	{"a disk that is nearly full", func(in *installation) {
		in.FreeSpace = func(string) (uint64, uint64, error) { return 1 << 30, 100 << 30, nil }
	}, "disk", doctor.Warning, "1024 MB of 102400 MB are free"},
	{"a full quota", func(in *installation) { in.Config.DatabaseQuota = in.countPages() },
		"disk", doctor.Fault, "the database is full: "},
	{"a quota that is nearly full", func(in *installation) { in.Config.DatabaseQuota = in.countPages() + 20 },
		"disk", doctor.Warning, "of PARLEY_DATABASE_QUOTA are free"},
	{"a program for files that is missing", func(in *installation) {
		in.Config.FilePrograms = []string{"/nosuch/pdftotext"}
	}, "settings", doctor.Fault, "/nosuch/pdftotext"},
	{"a process that hangs", func(in *installation) {
		lock, err := datadir.TryLock(in.dir, "parley serve")
		in.Must(err)
		in.Cleanup(func() { _ = lock.Unlock() })
	}, "server", doctor.Fault, "held by parley serve"},
	{"a port in use", func(in *installation) {
		listener, err := (&net.ListenConfig{}).Listen(in.Context(), "tcp", "127.0.0.1:0")
		in.Must(err)
		in.Cleanup(func() { _ = listener.Close() })
		in.Config.Listen = listener.Addr().String()
	}, "server", doctor.Fault, "another program listens"},
	{"a text in place of the database", func(in *installation) {
		in.Must(os.WriteFile(in.Config.Database(), []byte(strings.Repeat("not a database ", 1000)), 0o600))
	}, "database", doctor.Fault, "not a database"},
	{"a damaged page", damageDatabase, "database", doctor.Fault, "restore a backup"},
	{"a lost log", func(in *installation) {
		in.Must(os.WriteFile(in.Config.Database()+"-unmerged", []byte("0000999999\n"), 0o600))
	}, "database", doctor.Fault, "is missing or not the one that belongs to"},
	{"a newer database", func(in *installation) {
		in.run(`insert into goose_db_version (version_id, is_applied) values (9999, 1)`)
	}, "schema", doctor.Fault, "newer"},
	{"an older database", func(in *installation) {
		in.run(`delete from goose_db_version where version_id > 30`)
	}, "schema", doctor.Warning, "brings the database up to date"},
	{"a changed migration", func(in *installation) {
		in.run(`update migration_sums set hash = 'x' where version = 3`)
	}, "schema", doctor.Fault, "has changed since"},
	{"an index that was dropped", func(in *installation) { in.run(`drop index tickets_open_updated`) },
		"schema", doctor.Fault, "create index tickets_open_updated on tickets (agent_id, updated_at, number)"},
	{"a slow clock", func(in *installation) { in.clock.Advance(-time.Hour) },
		"clock", doctor.Fault, "1h0m0s later"},
	{"a missing upload", func(in *installation) { in.Must(os.Remove(in.upload)) },
		"files", doctor.Fault, "is missing"},
	{"a short upload", func(in *installation) { in.Must(os.Truncate(in.upload, 3)) },
		"files", doctor.Fault, "has 3 bytes instead of 17"},
	{"a changed upload", func(in *installation) {
		in.Deep = true
		in.Must(os.WriteFile(in.upload, []byte("What was uploaded"), 0o600))
	}, "files", doctor.Fault, "another content"},
	{"backups that are not made any more", func(in *installation) {
		in.Config.BackupTo, in.Config.BackupEvery, in.Config.BackupKeep = in.TempDir(), 24*time.Hour, 7
		in.Must(os.Mkdir(filepath.Join(in.Config.BackupTo, "parley-20261107T120000Z"), 0o700))
	}, "backups", doctor.Fault, "is 72h0m0s old"},
	{"a bucket that is refused", func(in *installation) {
		in.Config.BackupTo, in.Config.BackupEvery, in.Config.BackupKeep = "s3://backups/shop", 24*time.Hour, 7
		in.Config.S3Endpoint, in.Config.S3Key, in.Config.S3Secret = in.refuse(), "k", "s"
	}, "backups", doctor.Fault, "refuses with status 401"},
	{"a lost key", func(in *installation) { in.Config.SecretKey = "" },
		"secrets", doctor.Fault, "PARLEY_SECRET_KEY is not set"},
	{"a wrong key", func(in *installation) { in.Config.SecretKey += "x" },
		"secrets", doctor.Fault, "cannot be opened with this PARLEY_SECRET_KEY, first that of the webhook hook"},
	{"a plan that is gone", func(in *installation) { in.run(`update accounts set plan = 'gold'`) },
		"plans", doctor.Fault, `the plan "gold"`},
	{"a source that could not be read", func(in *installation) { in.addSource("failed", "") },
		"sources", doctor.Warning, "1 source could not be read"},
	{"a source without passages", func(in *installation) { in.addSource("trained", "A text.") },
		"sources", doctor.Fault, "1 live source has no passage"},
	{"a reader that has stopped", func(in *installation) {
		in.run(`update event_positions set seq = 0 where name = 'search'`)
		in.serve()
		in.clock.Advance(time.Hour)
	}, "index", doctor.Fault, "the search of conversations is more than"},
	{"an index that is half built", func(in *installation) {
		in.run(`insert into search_accounts (account_id, seq, generation, building) values (?, 0, 1, 2)
			on conflict (account_id) do update set building = 2`, in.account)
	}, "index", doctor.Warning, "parley reindex"},
	{"a job that never succeeded", func(in *installation) {
		in.run(`insert into jobs (id, kind, key, payload, state, run_at, attempts, max_attempts, backoff_ms, created_at,
			  updated_at) values ('j', 'k', 'k', '{}', 'dead', 0, 9, 9, 0, 0, 0)`)
	}, "jobs", doctor.Warning, "1 job was given up"},
	{"an import that was stopped", func(in *installation) {
		in.run(`insert into account_imports (account_id, archive, salt, agents, users, step, place, owner, started_at,
			  updated_at) values ('a', 'x', '', '[]', '', 'messages', '200', 'o', 0, 0)`)
	}, "imports", doctor.Warning, "1 import of an archive has stopped"},
	{"a delivery that was given up", func(in *installation) {
		in.run(`insert into webhook_deliveries (id, account_id, webhook_id, event, body, state, attempts, due_at,
			  created_at, updated_at) values ('d', ?, 'hook', 'e', '{}', 'dead', 8, 0, 0, ?)`, in.account,
			in.clock.Now().UnixMilli())
	}, "webhooks", doctor.Warning, "1 delivery to a webhook was given up"},
	{"a model server that is down", func(in *installation) {
		in.Config.ModelURL, in.Config.ModelID = "http://127.0.0.1:1/v1", "m"
	}, "models", doctor.Fault, "does not answer"},
	{"a model server that refuses the key", func(in *installation) {
		in.Config.ModelURL, in.Config.ModelID = in.refuse(), "m"
	}, "models", doctor.Fault, "refuses the key (status 401)"},
	{"an embedding server that refuses the key", func(in *installation) {
		in.Config.EmbedURL, in.Config.EmbedModel = in.refuse(), "e"
	}, "embedding", doctor.Fault, "does not embed"},
	{"a folder without an embedding model", func(in *installation) {
		in.Config.EmbeddingModel = in.dir
	}, "embedding", doctor.Fault, "lacks the file config.json"},
	{"a reranking server that refuses the key", func(in *installation) {
		in.Config.RerankURL, in.Config.RerankModel = in.refuse(), "r"
	}, "reranking", doctor.Fault, "does not rank"},
	{"a speech program that is missing", func(in *installation) {
		in.Setenv("PATH", in.dir)
		in.Config.TTS = "espeak"
	}, "speech", doctor.Warning, "espeak"},
}

func TestPlantedFaultsAreFound(t *testing.T) {
	for _, c := range slices.Concat(plantedFaults, networkFaults) {
		t.Run(c.name, func(t *testing.T) {
			in := newInstallation(t, "")
			c.plant(in)
			in.expect(c.check, c.status, c.text)
		})
	}
}

func TestEmbeddingModelIsDescribed(t *testing.T) {
	in := newInstallation(t, "")
	in.Config.EmbeddingModel = filepath.Join(t.TempDir(), "tiny")
	tinymodel.WriteStatic(t, in.Config.EmbeddingModel, map[string][]float64{"when": {1, 0, 0, 0, 0, 0, 0, 0}})
	in.run(`insert into sources (id, account_id, agent_id, kind, name, size, status, live_version, live_in, created_at,
			updated_at)
		select 's', account_id, id, 'text', 's', 0, 'trained', 'v', 1, 0, 0
		from agents`)
	in.run(`insert into passages (id, account_id, agent_id, source_id, version_id, ordinal, heading, text, start_byte,
			end_byte, hash)
		select 'p', account_id, id, 's', 'v', 0, '', 'When?', 0, 5, 'h'
		from agents`)
	in.expect("embedding", doctor.OK, "tiny@")
	in.expect("embedding", doctor.OK, "vectors of 8 numbers, 0 MB; 0 of 1 passages have theirs")
}

// Files of another user are found by who may make such files.
func TestForeignFilesAreFound(t *testing.T) {
	in := newInstallation(t, "")
	if err := os.Chown(in.upload, 12345, -1); err != nil {
		t.Skip("SKIP: ", err)
	}
	in.expect("permissions", doctor.Fault, "chown -R")
}

func TestPlantedFaultsOfPostgresAreFound(t *testing.T) {
	shared := dbs.SharedPostgres(t)
	t.Run("no server", func(t *testing.T) {
		in := newInstallation(t, shared.NewStore(t))
		in.Config.DatabaseURL = strings.Replace(in.Config.DatabaseURL, "/test", "/no-test", 1)
		in.expect("database", doctor.Fault, "cannot be reached")
		in.expect("plans", doctor.OK, "not checked")
	})
	t.Run("commits that are not durable", func(t *testing.T) {
		in := newInstallation(t, shared.NewStore(t))
		in.Config.DatabaseURL += "&synchronous_commit=off"
		in.expect("database", doctor.Fault, "synchronous_commit is off")
	})
	t.Run("another clock", func(t *testing.T) {
		in := newInstallation(t, shared.NewStore(t))
		in.clock.Advance(realTimeFrom(in.clock) + time.Hour)
		in.expect("clock", doctor.Warning, "of this machine and of PostgreSQL differ by")
	})
	t.Run("an index that was dropped", func(t *testing.T) {
		in := newInstallation(t, shared.NewStore(t))
		in.run(`drop index tickets_open_updated`)
		in.expect("schema", doctor.Fault, "the index tickets_open_updated is missing")
	})
	t.Run("a file that is not whole", func(t *testing.T) {
		in := newInstallation(t, shared.NewStore(t))
		in.run(`delete from blob_data`)
		in.expect("files", doctor.Fault, "1 file in the database")
	})
}

// A server that runs is seen, and its data are examined beside it.
func TestRunningServerIsSeen(t *testing.T) {
	in := newInstallation(t, "")
	in.serve()
	in.expect("server", doctor.OK, "a server runs")
	in.expect("database", doctor.OK, "whole")
}

// serve listens on the admin socket as a server does.
func (in *installation) serve() {
	listener, err := datadir.Listen(in.dir)
	in.Must(err)
	in.Cleanup(func() { _ = listener.Close() })
}

// refuse returns the address of a server that takes no key.
func (in *installation) refuse() string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
	}))
	in.Cleanup(web.Close)
	return web.URL + "/v1"
}

// countPages counts the pages of the database that hold something.
func (in *installation) countPages() (n int) {
	in.change(func(db *store.DB) {
		var err error
		n, err = sqldb.One(in.Context(), db.SQL(), sqldb.Column[int], `
			select page_count - freelist_count
			from pragma_page_count, pragma_freelist_count`)
		in.Must(err)
	})
	return n
}

// addSource stores a source that is live with a text, if there is one, and without passages.
func (in *installation) addSource(status, text string) {
	in.change(func(db *store.DB) {
		agent, err := sqldb.One(in.Context(), db.SQL(), sqldb.Column[string], `select id from agents`)
		in.Must(err)
		_, err = db.SQL().Exec(in.Context(), `
			insert into sources (id, account_id, agent_id, kind, name, size, status, live_version, created_at, updated_at)
			values ('s', ?, ?, 'text', 'A', 7, ?, ?, 0, 0)`, in.account, agent, status, "v"+text)
		in.Must(err)
		_, err = db.SQL().Exec(in.Context(), `
			insert into source_versions (id, account_id, agent_id, source_id, hash, text, state, created_at)
			values (?, ?, ?, 's', 'h', ?, 'live', 0)`, "v"+text, in.account, agent, text)
		in.Must(err)
	})
}

// damageDatabase overwrites pages in the middle of the file.
func damageDatabase(in *installation) {
	file, err := os.OpenFile(in.Config.Database(), os.O_RDWR, 0)
	in.Must(err)
	info, err := file.Stat()
	in.Must(err)
	_, err = file.WriteAt([]byte(strings.Repeat("damage", 20_000)), info.Size()/8192*4096)
	in.Must(errors.Join(err, file.Close()))
}

// Whoever interrupts the command gets an end at once.
func TestInterruptEndsTheChecks(t *testing.T) {
	in := newInstallation(t, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if n := len(in.Run(ctx)); n < 20 {
		t.Errorf("%d findings", n)
	}
}
