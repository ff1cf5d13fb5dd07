package retrieval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// coldLoad is what it costs to load an agent that is only in the database.
type coldLoad struct {
	duration              time.Duration
	heapBytes, indexBytes float64 // bytes, by the runtime and by the index
}

const coldAgent, coldAccount = "agent", "account"

// loadCold writes the passages into a new SQLite file and loads them as the first question after a start does.
func loadCold(ctx context.Context, dir string, list []parley.Passage) (c coldLoad, err error) {
	dir, err = os.MkdirTemp(dir, "cold-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, sqldb.Config{URL: filepath.Join(dir, "parley.db")})
	if err != nil {
		return c, err
	}
	defer db.Close()
	if err := insertPassages(ctx, db.SQL(), list); err != nil {
		return c, err
	}
	before := heapInUse()
	l := &retrieval.Indexes{DB: db.SQL(), Budget: 1 << 40}
	began := time.Now()
	if err := l.Warm(ctx, coldAgent, 1); err != nil {
		return c, err
	}
	c.duration = time.Since(began)
	c.heapBytes, c.indexBytes = heapInUse()-before, float64(l.MemoryBytes())
	runtime.KeepAlive(l)
	return c, nil
}

// insertPassages writes the sources of the passages, each in a transaction.
func insertPassages(ctx context.Context, db *sqldb.DB, list []parley.Passage) error {
	for first := 0; first < len(list); {
		end := first + 1
		for end < len(list) && list[end].SourceID == list[first].SourceID {
			end++
		}
		of := list[first:end]
		if err := db.Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error { return fillSource(ctx, tx, of) }); err != nil {
			return fmt.Errorf("write passages: %w", err)
		}
		first = end
	}
	return nil
}

func fillSource(ctx context.Context, tx *sqldb.DB, of []parley.Passage) error {
	p := of[0]
	if _, err := tx.Exec(ctx,
		`insert into sources (id, account_id, agent_id, kind, name, size, status, live_version, live_in, created_at,
			updated_at)
		values (?, ?, ?, 'text', ?, 0, 'trained', ?, 1, 0, 0)`, string(p.SourceID), coldAccount, coldAgent,
		p.SourceName, string(p.VersionID)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx,
		`insert into source_versions (id, account_id, agent_id, source_id, hash, text, state, created_at)
		values (?, ?, ?, ?, ?, '', 'trained', 0)`, string(p.VersionID), coldAccount, coldAgent, string(p.SourceID),
		p.VersionHash); err != nil {
		return err
	}
	return (&retrieval.Indexes{}).Put(ctx, tx, parley.AccountID(coldAccount).AgentRef(coldAgent), of)
}

func heapInUse() float64 {
	runtime.GC()
	runtime.GC() // what pools still held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
