package chat_test

import (
	"log/slog"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// BenchmarkTurn is a whole turn of a new conversation without the wire: both transactions, a model that answers at once.
func BenchmarkTurn(b *testing.B) {
	db, err := store.Open(b.Context(), sqldb.Config{URL: dbs.File(b)})
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
	table, err := llm.NewTable(llm.TableConfig{Builtin: &llm.Scripted{Answer: func(llm.Request) []llm.Step {
		return []llm.Step{llm.Say("An answer of a few words."), llm.Stop()}
	}}})
	if err != nil {
		b.Fatal(err)
	}
	e := &chat.Engine{DB: db, Library: &retrieval.Library{DB: db.SQL()}, Models: table, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Owner: "b"}
	b.SetParallelism(8)
	before := processorTime(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			t, err := e.Start(b.Context(), account, parley.Plan{}, "g", chat.Request{Message: "A question?", Channel: parley.ChannelAPI})
			if err == nil {
				_, err = t.Wait(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
