// Package ingest turns what an agent shall read into passages it can answer from.
package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Desk holds the verbs on sources.
type Desk struct {
	DB      *store.DB
	Library *retrieval.Library
	Queue   *jobs.Queue
	Now     func() time.Time

	reading slots
}

// AddText gives the agent a text to read; it is trained right away by a chore. Fails with AGENT_NOT_FOUND, with SOURCE_DUPLICATE
// when the agent has a source of the same name and text, or with SOURCE_SIZE_LIMIT_EXCEEDED when its sources would outgrow the
// plan, exactly, however many are added at a time.
func (d *Desk) AddText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, name, content string) (*parley.Source, error) {
	now := d.Now()
	text := storable(content)
	sum := sha256.Sum256([]byte(text))
	s := parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: account.ID, AgentID: agent, Kind: parley.SourceText, Name: storable(name),
		Size: int64(len(text)), Status: parley.SourceUntrained, Wanted: parley.VersionID(parley.NewUUID()), CreatedAt: now, UpdatedAt: now}
	v := parley.Version{ID: s.Wanted, AgentID: agent, SourceID: s.ID, Hash: hex.EncodeToString(sum[:]), Text: text, CreatedAt: now}
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		total, err := tx.CreateSource(ctx, &s)
		if err != nil {
			return err
		}
		if same, err := tx.HasText(ctx, &s, v.Hash); err != nil {
			return err
		} else if same {
			return parley.Fail(parley.CodeSourceDuplicate)
		}
		if most := plan.StoragePerAgent; most != nil && total > *most {
			return parley.Failf(parley.CodeSourceSize, "The %s plan allows %d bytes of sources for an agent; this one would bring them to %d.", plan.Name, *most, total)
		}
		if err := tx.CreateVersion(ctx, account.ID, &v); err != nil {
			return err
		}
		if err := tx.Did(ctx, "source:"+string(s.ID)); err != nil {
			return err
		}
		if err := d.Queue.Enqueue(ctx, tx.SQL(), chore(TrainJob, &s)); err != nil {
			return err
		}
		return tx.Record(ctx, account.ID, now, event("source.created", &s))
	})
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// Delete takes a source from the agent, at once and for good, also while it trains; what it said is erased by a chore. The
// reply has the status deleted. Fails with AGENT_NOT_FOUND, SOURCE_NOT_FOUND or SOURCE_ALREADY_PENDING_DELETION.
func (d *Desk) Delete(ctx context.Context, account parley.Account, agent parley.AgentID, id parley.SourceID) (*parley.Source, error) {
	now := d.Now()
	var gone *parley.Source
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		s, _, err := tx.UpdateSource(ctx, account.ID, agent, id, func(s *parley.Source) error {
			if s.Status == parley.SourceToBeDeleted {
				return parley.Fail(parley.CodeSourceAlreadyDel)
			}
			s.Status, s.Live, s.Wanted, s.UpdatedAt = parley.SourceDeleted, "", "", now
			return nil
		})
		if err != nil {
			return err
		}
		if err := d.Queue.Enqueue(ctx, tx.SQL(), chore(EraseJob, s)); err != nil {
			return err
		}
		gone = s
		return tx.Record(ctx, account.ID, now, event("source.deleted", s))
	})
	return gone, err
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
	return jobs.Job{Kind: kind, Key: string(s.ID), AccountID: s.AccountID, Payload: payload, MaxAttempts: attempts}
}
