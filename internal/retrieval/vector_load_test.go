package retrieval_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

// BenchmarkCold reads an agent into memory from SQLite: its passages alone, and with vectors of some lengths.
func BenchmarkCold(b *testing.B) {
	const passages = 20_000
	db, err := sqldb.Open(b.Context(), sqldb.Config{URL: filepath.Join(b.TempDir(), "parley.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	dbs.NewStore(b, db)
	lengths := []int{384, 1536}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(db.Transact(b.Context(), sqldb.Bulk, func(tx *sqldb.DB) error {
		for _, q := range []string{
			`insert into sources (id, account_id, agent_id, kind, name, size, status, live_version, live_in, created_at,
				updated_at) values ('s', 'acc', 'a', 'text', 'S', 1, 'trained', 'v', 1, 1, 1)`,
			`insert into source_versions (id, account_id, agent_id, source_id, hash, text, state, created_at)
				values ('v', 'acc', 'a', 's', 'h', '', 'new', 1)`,
		} {
			if _, err := tx.Exec(b.Context(), q); err != nil {
				return err
			}
		}
		return nil
	}))
	r := rand.New(rand.NewPCG(1, 1))
	library := &retrieval.Indexes{DB: db}
	const perBatch = 200
	for range passages / perBatch {
		var list []parley.Passage
		for range perBatch {
			n := r.IntN(1 << 30)
			text := fmt.Sprintf("Step %d of matter %d: press the button %x, wait for the light %x and note what "+
				"thing %d shows on the panel beside door %x.",
				n%97, n, n*7, n*11, n%1009, n*13)
			list = append(list, parley.Passage{ID: parley.PassageID(parley.NewTimedUUID()), SourceID: "s",
				VersionID: "v", Ordinal: n, End: len(text), Text: text})
		}
		must(db.Transact(b.Context(), sqldb.Bulk, func(tx *sqldb.DB) error {
			return library.Put(b.Context(), tx, "a", "acc", list)
		}))
	}
	for _, dims := range lengths {
		library.VectorModel = fmt.Sprint(dims)
		fillVectors(b, db, library, dims, r)
	}
	for _, model := range []string{"", "384", "1536"} {
		b.Run("vectors "+model, func(b *testing.B) {
			for b.Loop() {
				l := &retrieval.Indexes{DB: db, VectorModel: model, Budget: 1 << 40}
				must(l.Warm(b.Context(), "a", 2))
			}
		})
	}
}

// fillVectors returns all passages vectors by chance.
func fillVectors(b *testing.B, db *sqldb.DB, l *retrieval.Indexes, dims int, r *rand.Rand) {
	b.Helper()
	var last *retrieval.Unembedded
	for {
		list, err := l.Unembedded(b.Context(), parley.AgentRef{Account: "acc", Agent: "a"}, last, 200)
		if err != nil {
			b.Fatal(err)
		}
		if len(list) == 0 {
			return
		}
		packed := map[string][]byte{}
		for _, u := range list {
			v := make([]float32, dims)
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
			packed[u.Hash] = retrieval.PackVector(v)
		}
		if err := db.Transact(b.Context(), sqldb.Bulk, func(tx *sqldb.DB) error {
			return l.PutVectors(b.Context(), tx, "a", 2, packed)
		}); err != nil {
			b.Fatal(err)
		}
		last = &list[len(list)-1]
	}
}
