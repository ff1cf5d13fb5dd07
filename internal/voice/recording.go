package voice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"parley"
	"parley/internal/store"
)

// Archive keeps recordings.
type Archive struct {
	Incoming func() (folder string, err error) // where files lie until they are kept
	// Keep moves a file to its place, which it notes in the blob, and then has its rows written; without them it does not stay.
	Keep func(ctx context.Context, path string, blob *store.Blob, write func(tx *store.DB) error) error
}

// record begins to record, where the agent's settings say so.
func (t *talk) record() {
	if !t.set.Recordings.Enabled || t.Archive == nil || t.tape != nil {
		return
	}
	dir, err := t.Archive.Incoming()
	if err == nil {
		t.tape, err = newTape(dir, t.Now())
	}
	if err != nil {
		t.Logger.Error("a voice session cannot be recorded", "session", t.live.ID, "err", err)
	}
}

// taped does something to the recording, if there is one.
func (t *talk) taped(do func(*tape)) {
	if t.tape != nil {
		do(t.tape)
	}
}

// write goes on with the recording. One that cannot go on is given up.
func (t *talk) write(now time.Time) {
	if t.tape == nil {
		return
	}
	if err := t.tape.advance(now); err != nil {
		t.Logger.Error("the recording of a voice session breaks off", "session", t.live.ID, "err", err)
		t.tape.drop()
		t.tape = nil
	}
}

// keepTime is how long the keeping of a recording may take.
const keepTime = time.Minute

// keep ends the recording and keeps it.
func (t *talk) keep() {
	if t.tape == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), keepTime)
	defer stop()
	path, length, err := t.tape.close(t.Now())
	if err == nil {
		err = t.archive(ctx, path, length)
	}
	if err != nil {
		t.Logger.Error("the recording of a voice session is lost", "session", t.live.ID, "err", err)
		_ = os.Remove(path)
	}
}

func (t *talk) archive(ctx context.Context, path string, length time.Duration) error {
	now := t.Now()
	hash, size, err := hashOf(path)
	if err != nil {
		return err
	}
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: t.live.AccountID, AgentID: t.live.AgentID, Hash: hash, Size: size, MediaType: "audio/wav",
		Name: string(t.live.ID) + ".wav", CreatedAt: now}
	r := &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: t.live.AccountID, AgentID: t.live.AgentID, ConversationID: t.live.ConversationID,
		SessionID: t.live.ID, Blob: blob.ID, Length: length, CreatedAt: now}
	return t.Archive.Keep(ctx, path, blob, func(tx *store.DB) error {
		// A deleted conversation's rows are being erased: nothing may be added to it.
		if _, err := tx.LockConversation(ctx, r.AccountID, r.AgentID, r.ConversationID); err != nil {
			return err
		}
		return errors.Join(tx.CreateBlob(ctx, blob), tx.CreateRecording(ctx, r))
	})
}

func hashOf(path string) (hash string, size int64, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	size, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), size, errors.Join(err, file.Close())
}
