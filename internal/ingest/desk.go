// Package ingest turns what an agent shall read into passages it can answer from.
package ingest

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/store"
)

// Desk holds the verbs on sources.
type Desk struct {
	DB      *store.DB
	Library *retrieval.Library
	Queue   *jobs.Queue
	Now     func() time.Time

	// For links; nil where none are read.
	Crawler  *crawl.Crawler
	ReadPage PageReader
	Plan     func(name string) (parley.Plan, bool) // plans by their names

	// For files; nil where none are taken.
	Files    *Files
	ReadFile FileReader

	Embedder llm.Embedder // gives passages vectors; nil where they are found by words alone

	Busy   func() bool  // whether somebody is being answered right now; nil where nobody can tell
	Logger *slog.Logger // nil for slog.Default()

	reading, sniffing slots
}

// AddText gives the agent a text to read; it is trained right away by a chore. Fails with AGENT_NOT_FOUND, with SOURCE_DUPLICATE
// when the agent has a source of the same name and text, or with SOURCE_SIZE_LIMIT_EXCEEDED when its sources would outgrow the
// plan, exactly, however many are added at a time.
func (d *Desk) AddText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, name, content string) (*parley.Source, error) {
	return d.add(ctx, d.draft(account, agent, TextChange{&name, &content}), plan)
}

// storable takes out NUL, which PostgreSQL cannot store. Positions in a source's text count in what is left.
func storable(s string) string { return strings.ReplaceAll(s, "\x00", "") }

func event(kind string, s *parley.Source) store.Event {
	return store.Event{Kind: kind, AgentID: s.AgentID, Subject: string(s.ID), Payload: map[string]any{"status": s.Status}}
}

// subject is what a chore on a source needs beside the source's id, which is its key.
type subject struct {
	Agent parley.AgentID `json:"agent"`
}

// attempts of a chore on a source: half a minute in all, for whoever has written a source is waiting for it.
const attempts = 5

func chore(kind string, s *parley.Source) jobs.Job {
	payload, err := json.Marshal(subject{s.AgentID})
	if err != nil {
		panic(err) // a string always encodes
	}
	return jobs.Job{Kind: kind, Key: string(s.ID), AccountID: s.AccountID, Payload: payload, Size: s.Size, MaxAttempts: attempts}
}
