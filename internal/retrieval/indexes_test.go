package retrieval_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// The columns of the store's tables that Indexes reads and writes (the store is a package above this one).
const tables = `
create table sources (
	id text primary key,
	agent_id text not null,
	name text not null,
	url text not null,
	live_version text,
	live_in bigint not null,
	kind text not null
);
create table source_versions (id text primary key, agent_id text not null, hash text not null);
create table passages (
	id text primary key,
	account_id text not null,
	agent_id text not null,
	source_id text not null,
	version_id text not null,
	ordinal integer not null,
	heading text not null,
	start_byte integer not null,
	end_byte integer not null,
	text text not null,
	hash text not null
)`

// testIndexes is Indexes over a database with the source "manual" in two versions.
type testIndexes struct {
	t  *testing.T
	db *sqldb.DB
	*retrieval.Indexes
}

func newTestIndexes(t *testing.T, db *sqldb.DB) testIndexes {
	s := testIndexes{t, db, &retrieval.Indexes{DB: db}}
	s.transact(func(tx *sqldb.DB) error {
		for _, q := range append(splitStatements(tables),
			`insert into sources values ('manual', 'agent', 'Manual', 'https://example.com/m', null, 0, 'text')`,
			`insert into source_versions values ('v1', 'agent', 'h1'), ('v2', 'agent', 'h2')`) {
			if _, err := tx.Exec(t.Context(), q); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

func (s testIndexes) transact(fn func(tx *sqldb.DB) error) {
	s.t.Helper()
	if err := s.db.Transact(s.t.Context(), sqldb.Bulk, fn); err != nil {
		s.t.Fatal(err)
	}
}

// putPassages writes the passages of a version of the source, which is live from the passage version on.
func (s testIndexes) putPassages(version int64, of parley.VersionID, texts ...string) {
	s.t.Helper()
	s.transact(func(tx *sqldb.DB) error {
		var all []parley.Passage
		for i, text := range texts {
			all = append(all, parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s-%d", of, i)), SourceID: "manual",
				VersionID: of, Ordinal: i, End: len(text), Text: text})
		}
		return s.Put(s.t.Context(), tx, parley.AccountID("account").AgentRef("agent"), all)
	})
	s.setLive(version, string(of))
}

// setLive makes another version the live one from the passage version on; nil takes the source out.
func (s testIndexes) setLive(version int64, of any) {
	s.t.Helper()
	s.transact(func(tx *sqldb.DB) error {
		_, err := tx.Exec(s.t.Context(), `update sources set live_version = ?, live_in = ? where id = 'manual'`, of, version)
		return err
	})
}

func (s testIndexes) findTexts(version int64, question string) (texts []string) {
	s.t.Helper()
	hits, err := s.Nearest(s.t.Context(), "agent", version, retrieval.Query{Text: question})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range hits {
		texts = append(texts, h.Passage.Text)
	}
	return texts
}

func TestIndexFollowsThePassageVersion(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		if got := s.findTexts(0, "tea"); got != nil {
			t.Errorf("an agent without sources: %v", got)
		}
		s.putPassages(1, "v1", "Green tea is hot.", "Black coffee is cold.")
		if diff := cmp.Diff([]string{"Green tea is hot."}, s.findTexts(1, "tea")); diff != "" {
			t.Error(diff)
		}
		s.putPassages(2, "v2", "Green tea is cold.")
		if diff := cmp.Diff([]string{"Green tea is hot."}, s.findTexts(1, "tea")); diff != "" {
			t.Error("the earlier version answers until the later is asked for", diff)
		}
		if diff := cmp.Diff([]string{"Green tea is cold."}, s.findTexts(2, "tea")); diff != "" {
			t.Error(diff)
		}
		again := testIndexes{t, db, &retrieval.Indexes{DB: db}} // another node, or this one after a restart
		if diff := cmp.Diff([]string{"Green tea is cold."}, again.findTexts(1, "tea")); diff != "" {
			t.Error("a node that reads late shows what is there by then", diff)
		}
		s.setLive(3, nil)
		if err := s.Warm(t.Context(), "agent", 3); err != nil {
			t.Error(err)
		}
		if got := s.findTexts(3, "tea"); got != nil {
			t.Errorf("after the source went: %v", got)
		}
		if got := again.findTexts(3, "tea"); got != nil {
			t.Errorf("on the other node: %v", got)
		}
	})
}

func TestHitNamesItsSource(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		s.putPassages(1, "v1", "Green tea is hot.")
		hits, err := s.Nearest(t.Context(), "agent", 1, retrieval.Query{Text: "green tea"})
		if err != nil || len(hits) != 1 {
			t.Fatal(hits, err)
		}
		want := parley.Passage{ID: "v1-0", SourceID: "manual", SourceName: "Manual", SourceURL: "https://example.com/m",
			VersionID: "v1", VersionHash: "h1",
			End: 17, Text: "Green tea is hot."}
		if diff := cmp.Diff(want, hits[0].Passage); diff != "" {
			t.Error(diff)
		}
		if other, err := s.Nearest(t.Context(), "another", 1, retrieval.Query{Text: "green tea"}); len(other) != 0 ||
			err != nil {
			t.Errorf("another agent's passages: %v %v", other, err)
		}
	})
}

func TestLeastRecentlyUsedIndexIsDropped(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		s.Budget = 1 // every index is too large: only the one in use stays
		s.putPassages(1, "v1", "Green tea is hot.")
		for range 3 {
			for _, agent := range []parley.AgentID{"agent", "another"} {
				if _, err := s.Nearest(t.Context(), agent, 1, retrieval.Query{Text: "tea"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := s.findTexts(1, "tea"); len(got) != 1 {
			t.Errorf("after it was dropped: %v", got)
		}
		s.Drop("agent")
		s.Drop("agent")
		if got := s.findTexts(1, "tea"); len(got) != 1 {
			t.Errorf("after Drop: %v", got)
		}
	})
}

func TestConcurrentSearchesBuildOneIndex(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		s.putPassages(1, "v1", "Green tea is hot.", "Black coffee is cold.")
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				if got := s.findTexts(1, "coffee"); len(got) != 1 {
					t.Errorf("%v", got)
				}
			})
		}
		group.Wait()
	})
}

// An index that mostly holds what is gone is built again while it answers: no question waits for that, and none is
// answered wrong.
func TestFragmentedIndexIsRebuilt(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		texts := make([]string, 600)
		edition := func(n int64) {
			of := parley.VersionID(fmt.Sprint("edition", n))
			s.transact(func(tx *sqldb.DB) error {
				_, err := tx.Exec(t.Context(), `insert into source_versions values (?, 'agent', ?)`, string(of), string(of))
				return err
			})
			for i := range texts {
				texts[i] = fmt.Sprintf("Parcel %d of edition %d lies in hall %d.", i, n, i%40)
			}
			s.putPassages(n, of, texts...)
		}
		ask := func(n int64) {
			if got := s.findTexts(n, fmt.Sprint("Where lies parcel 7 of edition ", n, "?")); len(got) == 0 ||
				got[0] != texts[7] {
				t.Fatalf("edition %d: %v", n, got)
			}
		}
		edition(1)
		ask(1)
		for n := int64(2); n < 5; n++ {
			edition(n)
			ask(n)
		}
		check.Eventually(t, "an index without what is old", func() bool { return s.VectorRows("agent") <= 2*len(texts) })
		ask(4)
	})
}

func TestFailureIsNotCached(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		s.putPassages(1, "v1", "Green tea is hot.")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Nearest(ctx, "agent", 1, retrieval.Query{Text: "tea"}); err == nil {
			t.Error("no error from a dead context")
		}
		if got := s.findTexts(1, "tea"); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
}

func splitStatements(statements string) (all []string) {
	start := 0
	for i := range len(statements) {
		if statements[i] == ';' {
			all, start = append(all, statements[start:i]), i+1
		}
	}
	return append(all, statements[start:])
}

// Agents without a passage are asked too: what is kept for them counts, and goes in its turn.
func TestIndexesOfEmptyAgentsAreBounded(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		s := newTestIndexes(t, db)
		s.Budget = 1 << 20
		for i := range 5000 {
			if _, err := s.Nearest(t.Context(), parley.AgentID(fmt.Sprint("empty ", i)), 0,
				retrieval.Query{Text: "tea"}); err != nil {
				t.Fatal(err)
			}
		}
		if n, bytes := s.AgentCount(), s.MemoryBytes(); n > 1000 || bytes > s.Budget || bytes < int64(n)*512 {
			t.Errorf("%d agents are kept in %d bytes", n, bytes)
		}
	})
}

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
	indexes := &retrieval.Indexes{DB: db}
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
			return indexes.Put(b.Context(), tx, parley.AccountID("acc").AgentRef("a"), list)
		}))
	}
	for _, dims := range lengths {
		indexes.VectorModel = fmt.Sprint(dims)
		fillVectors(b, db, indexes, dims, r)
	}
	for _, model := range []string{"", "384", "1536"} {
		b.Run("vectors "+model, func(b *testing.B) {
			for b.Loop() {
				indexes := &retrieval.Indexes{DB: db, VectorModel: model, Budget: 1 << 40}
				must(indexes.Warm(b.Context(), "a", 2))
			}
		})
	}
}

// fillVectors returns all passages vectors by chance.
func fillVectors(b *testing.B, db *sqldb.DB, indexes *retrieval.Indexes, dims int, r *rand.Rand) {
	b.Helper()
	var last *retrieval.Unembedded
	for {
		list, err := indexes.Unembedded(b.Context(), parley.AgentRef{Account: "acc", Agent: "a"},
			indexes.VectorModel, last, 200)
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
			return indexes.PutVectors(b.Context(), tx, "a", indexes.VectorModel, 2, packed)
		}); err != nil {
			b.Fatal(err)
		}
		last = &list[len(list)-1]
	}
}
