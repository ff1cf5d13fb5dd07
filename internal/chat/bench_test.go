package chat_test

import (
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/hostile"
	"parley/internal/testkit/scripted"
)

// BenchmarkTurn measures a whole turn of a new conversation without HTTP: both transactions, and a model that answers
// at once.
func BenchmarkTurn(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkTurn(b, dbs.NewSQLitePath(b)) })
	b.Run("postgres", func(b *testing.B) { benchmarkTurn(b, dbs.StartPostgres(b).NewDatabase(b)) })
}

func benchmarkTurn(b *testing.B, url string) {
	db, err := store.Open(b.Context(), sqldb.Config{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	now := time.Now()
	account := parley.Account{ID: "a", Name: "Ours", Plan: "unlimited", CreatedAt: now}
	agent := parley.Agent{ID: "g", AccountID: "a", Name: "Help", Model: "auto", CreatedAt: now, UpdatedAt: now}
	if err := db.CreateAccount(b.Context(), &account); err != nil {
		b.Fatal(err)
	}
	if err := db.CreateAgent(b.Context(), &agent); err != nil {
		b.Fatal(err)
	}
	table := model.NewRegistry(model.RegistryConfig{
		Builtin: &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
			return []scripted.Step{scripted.Text("An answer of a few words."), scripted.Stop()}
		}}})
	e := &chat.Engine{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Models: table, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler), Owner: "b"}
	b.SetParallelism(8)
	b.ResetTimer()
	before := hostile.CPUTime()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			t, err := e.Start(b.Context(), parley.Caller{Account: account}, "g",
				chat.Request{Message: "A question?", Channel: parley.ChannelAPI})
			if err == nil {
				_, err = t.Wait(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64((hostile.CPUTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// A turn takes only a few round trips to PostgreSQL. With one round trip for each statement there would be 20 in a new
// conversation, and 24 in an existing one.
func TestRoundTripsOfATurn(t *testing.T) {
	const atMostNew, atMostContinued = 5, 10
	url, trips := dbs.CountRoundTrips(t, dbs.SharedPostgres(t).NewStore(t))
	d := newTestEngine(t, store.New(dbs.Open(t, url)))
	count := func(message string, in parley.ConversationID) (int, parley.ConversationID) {
		d.model.AddScript(scripted.Text("An answer."), scripted.Stop())
		before := trips.Count()
		turn := d.start(message, in)
		d.finish(turn)
		<-turn.Done()
		return trips.Count() - before, turn.ConversationID
	}
	var fewestNew, fewestContinued int
	for i := range 5 { // in the first ones, statements are prepared
		n, c := count("A question?", "")
		more, _ := count("Another one?", c)
		if i == 0 {
			fewestNew, fewestContinued = n, more
		}
		fewestNew, fewestContinued = min(fewestNew, n), min(fewestContinued, more)
	}
	if fewestNew > atMostNew || fewestContinued > atMostContinued {
		t.Errorf("%d round trips in a new conversation, want at most %d; %d in an existing one, want at most %d",
			fewestNew, atMostNew, fewestContinued, atMostContinued)
	}
}
