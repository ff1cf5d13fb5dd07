// Package ingest turns the sources of an agent into passages that it can answer from.
package ingest

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/store"
)

// Service adds, changes, trains and deletes sources.
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

	Embedder model.Embedder // for vectors of passages; nil where they are found by words alone

	IsBusy func() bool  // whether somebody is being answered right now; nil where nobody can tell
	Logger *slog.Logger // nil for slog.Default()

	readSlots, sniffSlots slots
}

func sourceEvent(kind string, s *parley.Source) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: s.AgentID, Subject: string(s.ID),
		Payload: map[string]any{"status": s.Status}}
}

// jobPayload is what a job on a source needs beside the source's id, which is its key.
type jobPayload struct {
	Agent parley.AgentID `json:"agent"`
}

// jobAgent returns the agent that a job is about.
func jobAgent(job jobs.Job) (parley.AgentID, error) {
	payload, err := jobs.DecodePayload[jobPayload](job)
	return payload.Agent, err
}

// maxJobAttempts of a job on a source: half a minute in all, for whoever has written a source is waiting for it.
const maxJobAttempts = 5

func newTrainJob(s *parley.Source) jobs.Job { return newJob(TrainJob, s) }

// newJob returns a job on a source.
func newJob(kind string, s *parley.Source) jobs.Job {
	payload, err := json.Marshal(jobPayload{s.AgentID})
	if err != nil {
		panic(err) // a string always encodes
	}
	return jobs.Job{Kind: kind, Key: string(s.ID), AccountID: s.AccountID, Payload: payload, Size: s.Size,
		MaxAttempts: maxJobAttempts}
}

// slots bounds how many sources are read at a time to half the processors: reading is all computation, and turns come
// first.
type slots struct {
	once   sync.Once
	tokens chan struct{}
}

// acquire waits for a slot and returns the function that releases it.
func (s *slots) acquire() func() {
	s.once.Do(func() { s.tokens = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) })
	s.tokens <- struct{}{}
	return func() { <-s.tokens }
}

// A source being read waits between its steps for answers that are being made, up to maxPause for each step.
const (
	pauseStep = time.Millisecond
	maxPause  = 12 * pauseStep
)

// nextChunkSize lets answers go first, and returns how many passages may be written then.
func (d *Service) nextChunkSize(ctx context.Context) int {
	if d.yieldToTurns(ctx) {
		return smallChunkSize
	}
	return chunkSize
}

// yieldToTurns lets answers go first, and reports whether there were any.
func (d *Service) yieldToTurns(ctx context.Context) (busy bool) {
	for waited := time.Duration(0); d.IsBusy != nil && waited < maxPause && ctx.Err() == nil &&
		d.IsBusy(); waited += pauseStep {
		<-time.After(pauseStep)
		busy = true
	}
	return busy
}
