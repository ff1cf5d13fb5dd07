// Package ingest turns what an agent shall read into passages it can answer from.
package ingest

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/store"
)

// Service holds the verbs on sources.
type Service struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Queue   *jobs.Queue
	Now     func() time.Time

	// For links; nil where none are read.
	Crawler  *crawl.Crawler
	ReadPage PageReader
	Plan     func(name string) (parley.Plan, bool) // plans by their names

	// For files; nil where none are taken.
	Files    *Files
	ReadFile FileReader

	Embedder model.Embedder // gives passages vectors; nil where they are found by words alone

	IsBusy func() bool  // whether somebody is being answered right now; nil where nobody can tell
	Logger *slog.Logger // nil for slog.Default()

	readSlots, sniffSlots slots
}

// AddText returns the agent a text to read; it is trained right away by a job. Fails with AGENT_NOT_FOUND, with SOURCE_DUPLICATE
// when the agent has a source of the same name and text, or with SOURCE_SIZE_LIMIT_EXCEEDED when its sources would outgrow the
// plan, exactly, however many are added at a time.
func (d *Service) AddText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, name, content string) (*parley.Source, error) {
	return d.addSource(ctx, d.textDraft(account, agent, TextChange{&name, &content}), plan)
}

// stripNUL takes out NUL, which PostgreSQL cannot store. Positions in a source's text count in what is left.
func stripNUL(s string) string { return strings.ReplaceAll(s, "\x00", "") }

func sourceEvent(kind string, s *parley.Source) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: s.AgentID, Subject: string(s.ID), Payload: map[string]any{"status": s.Status}}
}

// jobPayload is what a job on a source needs beside the source's id, which is its key.
type jobPayload struct {
	Agent parley.AgentID `json:"agent"`
}

// maxJobAttempts of a job on a source: half a minute in all, for whoever has written a source is waiting for it.
const maxJobAttempts = 5

func newJob(kind string, s *parley.Source) jobs.Job {
	return jobs.Job{Kind: kind, Key: string(s.ID), AccountID: s.AccountID, Payload: jobs.EncodePayload(jobPayload{s.AgentID}), Size: s.Size, MaxAttempts: maxJobAttempts}
}
