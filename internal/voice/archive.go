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
func (d *dialog) startRecording() {
	if !d.settings.Recordings.Enabled || d.Archive == nil || d.recording != nil {
		return
	}
	dir, err := d.Archive.IncomingFolder()
	if err == nil {
		d.recording, err = newRecording(dir, d.Now())
	}
	if err != nil {
		d.Logger.Error("a voice session cannot be recorded", "session", d.session.ID, "err", err)
	}
}

// writeRecording writes the recording up to now. One that cannot be written is discarded.
func (d *dialog) writeRecording(now time.Time) {
	if d.recording == nil {
		return
	}
	if err := d.recording.writeUntil(now.Add(-recordingDelay)); err != nil {
		d.Logger.Error("the recording of a voice session breaks off", "session", d.session.ID, "err", err)
		d.recording.discard()
		d.recording = nil
	}
}

// archiveTimeout limits the storing of a recording.
const archiveTimeout = time.Minute

func (d *dialog) finishRecording() {
	if d.recording == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(d.ctx), archiveTimeout)
	defer stop()
	path, length, err := d.recording.close(d.Now())
	if err == nil {
		err = d.archiveRecording(ctx, path, length)
	}
	if err != nil {
		d.Logger.Error("the recording of a voice session is lost", "session", d.session.ID, "err", err)
		_ = os.Remove(path)
	}
}

func (d *dialog) archiveRecording(ctx context.Context, path string, length time.Duration) error {
	now := d.Now()
	hash, size, err := hashFile(path)
	if err != nil {
		return err
	}
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: d.session.AccountID, AgentID: d.session.AgentID, Hash: hash,
		Size: size, MediaType: "audio/wav", Name: string(d.session.ID) + ".wav", CreatedAt: now}
	r := &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: d.session.AccountID, AgentID: d.session.AgentID,
		ConversationID: d.session.ConversationID, SessionID: d.session.ID, BlobID: blob.ID, Duration: length,
		CreatedAt: now}
	return d.Archive.StoreFile(ctx, path, blob, func(tx *store.DB) error {
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
	maxRetentionDays = 36_500 // a century counts as forever
)

// DeleteExpiredRecordings deletes the recordings whose retention is over, and their files. Several servers may call it
// at once.
func (ss *Sessions) DeleteExpiredRecordings(ctx context.Context) error {
	agents, err := ss.DB.RecordingRetentions(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range agents {
		if k.Days > 0 {
			errs = append(errs, ss.deleteExpired(ctx, k))
		}
	}
	return errors.Join(errs...)
}

func (ss *Sessions) deleteExpired(ctx context.Context, k store.RecordingRetention) error {
	now, ref := ss.Now(), k.AccountID.AgentRef(k.AgentID)
	before := now.AddDate(0, 0, -min(k.Days, maxRetentionDays))
	dropped := 0
	for {
		n, err := ss.DB.DropRecordings(ctx, ref, before, sweepBatchSize)
		if err != nil {
			return err
		}
		if dropped += int(n); n < sweepBatchSize {
			break
		}
	}
	if dropped == 0 {
		return nil
	}
	err := ss.DB.NoteExpired(ctx, ref, now, before, "recordings", dropped)
	if ss.DeleteUnusedFiles == nil {
		return err
	}
	return errors.Join(err, ss.DeleteUnusedFiles(ctx, ref))
}
