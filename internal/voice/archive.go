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

// Archive stores recordings.
type Archive struct {
	IncomingFolder func() (folder string, err error) // where files are until they are stored
	// StoreFile moves a file to its place, which it sets in the blob, and then calls write for its rows; if that fails,
	// the file is removed again.
	StoreFile func(ctx context.Context, path string, blob *store.Blob, write func(tx *store.DB) error) error
}

// startRecording begins to record if the agent's settings say so.
func (t *dialog) startRecording() {
	if !t.settings.Recordings.Enabled || t.Archive == nil || t.recording != nil {
		return
	}
	dir, err := t.Archive.IncomingFolder()
	if err == nil {
		t.recording, err = newRecording(dir, t.Now())
	}
	if err != nil {
		t.Logger.Error("a voice session cannot be recorded", "session", t.session.ID, "err", err)
	}
}

// writeRecording writes the recording up to now. One that cannot be written is discarded.
func (t *dialog) writeRecording(now time.Time) {
	if t.recording == nil {
		return
	}
	if err := t.recording.writeUntil(now.Add(-recordingDelay)); err != nil {
		t.Logger.Error("the recording of a voice session breaks off", "session", t.session.ID, "err", err)
		t.recording.discard()
		t.recording = nil
	}
}

// archiveTimeout limits the storing of a recording.
const archiveTimeout = time.Minute

func (t *dialog) finishRecording() {
	if t.recording == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), archiveTimeout)
	defer stop()
	path, length, err := t.recording.close(t.Now())
	if err == nil {
		err = t.archiveRecording(ctx, path, length)
	}
	if err != nil {
		t.Logger.Error("the recording of a voice session is lost", "session", t.session.ID, "err", err)
		_ = os.Remove(path)
	}
}

func (t *dialog) archiveRecording(ctx context.Context, path string, length time.Duration) error {
	now := t.Now()
	hash, size, err := hashFile(path)
	if err != nil {
		return err
	}
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: t.session.AccountID, AgentID: t.session.AgentID, Hash: hash,
		Size: size, MediaType: "audio/wav", Name: string(t.session.ID) + ".wav", CreatedAt: now}
	r := &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: t.session.AccountID, AgentID: t.session.AgentID,
		ConversationID: t.session.ConversationID, SessionID: t.session.ID, BlobID: blob.ID, Duration: length,
		CreatedAt: now}
	return t.Archive.StoreFile(ctx, path, blob, func(tx *store.DB) error {
		// The rows of a deleted conversation are being erased: nothing may be added to it.
		if _, err := tx.LockConversation(ctx, r.ConversationRef()); err != nil {
			return err
		}
		return errors.Join(tx.CreateBlob(ctx, blob), tx.CreateRecording(ctx, r))
	})
}

func hashFile(path string) (hash string, size int64, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	size, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), size, errors.Join(err, file.Close())
}

const (
	sweepInterval    = time.Hour
	sweepBatchSize   = 200
	maxRetentionDays = 36_500 // a century counts as for ever
)

// DeleteExpiredRecordings deletes the recordings whose retention is over, and their files. Several servers may call it
// at once.
func (d *Sessions) DeleteExpiredRecordings(ctx context.Context) error {
	agents, err := d.DB.RecordingRetentions(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range agents {
		if k.Days > 0 {
			errs = append(errs, d.deleteExpired(ctx, k))
		}
	}
	return errors.Join(errs...)
}

func (d *Sessions) deleteExpired(ctx context.Context, k store.RecordingRetention) error {
	before := d.Now().AddDate(0, 0, -min(k.Days, maxRetentionDays))
	dropped := false
	for {
		n, err := d.DB.DropRecordings(ctx, k.AccountID.AgentRef(k.AgentID), before, sweepBatchSize)
		if err != nil {
			return err
		}
		if dropped = dropped || n > 0; n < sweepBatchSize {
			break
		}
	}
	if !dropped || d.DeleteUnusedFiles == nil {
		return nil
	}
	return d.DeleteUnusedFiles(ctx, k.AccountID.AgentRef(k.AgentID))
}
