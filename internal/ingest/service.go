// Package ingest turns the sources of an agent into passages that it can answer from.
package ingest

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"runtime"
	"strings"
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

	// For links; nil if none are read.
	Crawler  *crawl.Crawler
	ReadPage PageReader
	Plan     func(name string) (parley.Plan, bool) // plans by their names

	// For files; nil if none are taken.
	Files    *Files
	ReadFile FileReader

	Embedder model.Embedder // for vectors of passages; nil if accounts have their own, or passages are found by words

	// Of accounts that have their own where Embedder is nil. EmbedderOf returns it as it is this moment, nil for none;
	// MayEmbed reports whether any account may have one, without asking the database. Both are nil if none has.
	EmbedderOf func(ctx context.Context, account parley.AccountID) (model.Embedder, error)
	MayEmbed   func() bool

	IsBusy func() bool  // whether somebody is being answered right now; nil if nobody can tell
	Logger *slog.Logger // nil for slog.Default()

	readSlots, sniffSlots slots
	progress              progressLimiter
}

func sourceEvent(kind parley.EventKind, s *parley.Source) store.NewEvent {
	payload := map[string]any{"status": s.Status}
	if s.ParentID != "" {
		payload["parent"] = s.ParentID
	}
	return store.NewEvent{Kind: kind, AgentID: s.AgentID, Subject: string(s.ID), Payload: payload}
}

// jobPayload is what a job on a source needs beside the source's id, which is its key.
type jobPayload struct {
	Agent parley.AgentID `json:"agent"`
}

// jobSource returns the agent and the source that a job is about.
func jobSource(job jobs.Job) (parley.AgentRef, parley.SourceID, error) {
	payload, err := jobs.DecodePayload[jobPayload](job)
	return job.AccountID.AgentRef(payload.Agent), parley.SourceID(job.Key), err
}

// maxJobAttempts of a job on a source: half a minute in all, for whoever has written a source is waiting for it.
const maxJobAttempts = 5

func newTrainJob(s *parley.Source) jobs.Job { return newJob(TrainJob, s) }

// newJob returns a job on a source.
func newJob(kind string, s *parley.Source) jobs.Job {
	return jobs.Job{Kind: kind, Key: string(s.ID), AccountID: s.AccountID,
		Payload: jobs.EncodePayload(jobPayload{s.AgentID}), Size: s.Size, MaxAttempts: maxJobAttempts}
}

// encodeRecord encodes a record of strings and numbers, which always succeeds.
func encodeRecord(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// storableUTF8 returns a text as every database stores it.
func storableUTF8(text string) string {
	return strings.ToValidUTF8(parley.StorableText(text), "\ufffd")
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
func (s *Service) nextChunkSize(ctx context.Context) int {
	if s.yieldToTurns(ctx) {
		return smallChunkSize
	}
	return chunkSize
}

// yieldToTurns lets answers go first, and reports whether there were any.
func (s *Service) yieldToTurns(ctx context.Context) (busy bool) {
	for waited := time.Duration(0); s.IsBusy != nil && waited < maxPause && ctx.Err() == nil &&
		s.IsBusy(); waited += pauseStep {
		<-time.After(pauseStep)
		busy = true
	}
	return busy
}

// sourceKind is what is particular to one kind of source.
type sourceKind struct {
	// newJob returns the job that trains the wanted version of a source, or brings it nearer to that.
	newJob func(s *parley.Source) jobs.Job

	// pieces cuts the text of a version into passages.
	pieces func(s *parley.Source, v *parley.Version) (iter.Seq[Piece], error)
}

// kinds is the registry of the kinds of source: a kind is a row here and a file of its own.
var kinds = map[parley.SourceKind]sourceKind{
	parley.SourceText: textKind,
	parley.SourceQnA:  qnaKind,
	parley.SourceLink: linkKind,
	parley.SourceFile: fileKind,
}

// NewTrainJob returns the job that trains the source's wanted version, for services that create sources in another way.
// A link is read again, a file where its text is not known yet.
func NewTrainJob(s *parley.Source) jobs.Job { return kinds[s.Kind].newJob(s) }
