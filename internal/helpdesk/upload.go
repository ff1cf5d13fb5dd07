package helpdesk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // is checked
	_ "image/jpeg" // is checked
	_ "image/png"  // is checked
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// The limits of what visitors upload.
const (
	MaxSentFiles       = 5        // with one message
	MaxVisitorFile     = 10 << 20 // bytes
	maxUnsentFiles     = 20       // of a visitor
	maxUnsentBytes     = 1 << 30  // of all visitors of an agent
	unsentLifetime     = 24 * time.Hour
	uploadSweepPause   = time.Hour
	maxPictureSide     = 10_000 // pixels; a larger one is no picture that a browser is to show
	pictureHeaderBytes = 256 << 10
	readTextTimeout    = 10 * time.Second
)

// AddVisitorFile stores a file that a visitor has uploaded, until it is sent with a message. Fails with
// VALIDATION_INVALID_BODY, and with RATE_LIMIT_TOO_MANY_REQUESTS where too much was uploaded and not sent.
func (s *Service) AddVisitorFile(ctx context.Context, v *parley.Visitor, f File) (*parley.Attachment, error) {
	switch {
	case s.StoreFiles == nil:
		return nil, parley.Invalid("file", "cannot be kept here")
	case f.Size < 1 || f.Size > MaxVisitorFile:
		return nil, parley.Invalid("file", "must have 1 byte to 10 MB")
	}
	if err := s.checkUnsent(ctx, v, f.Size); err != nil {
		return nil, err
	}
	kind, err := visitorMediaType(f.Path)
	if err != nil {
		return nil, err
	}
	now, name := s.now(), fileName(f.Name)
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: v.AccountID, AgentID: v.AgentID, Hash: f.Hash, Size: f.Size,
		MediaType: kind, Name: name, CreatedAt: now}
	file := &parley.Attachment{ID: parley.AttachmentID(parley.NewUUID()), BlobID: blob.ID, Name: name, MediaType: kind,
		Size: f.Size, CreatedAt: now, Text: s.readText(ctx, v.AgentID, f, kind)}
	err = s.StoreFiles(ctx, []string{f.Path}, []*store.Blob{blob}, func(tx *store.DB) error {
		mustRedact, err := tx.AgentRedacts(ctx, v.AccountID.AgentRef(v.AgentID))
		if err != nil {
			return err
		}
		if mustRedact {
			file.Text = redact.Text(file.Text)
		}
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
		return tx.CreateVisitorFile(ctx, v, file)
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// readText returns the beginning of the text of a file, for models; empty for a file without one that can be read in
// time.
func (s *Service) readText(ctx context.Context, agent parley.AgentID, f File, kind string) string {
	if s.ReadText == nil || slices.Contains(shownPictures, kind) {
		return ""
	}
	timed, stop := context.WithTimeout(ctx, readTextTimeout)
	defer stop()
	text, err := s.ReadText(timed, agent, f)
	if err != nil {
		s.Logger.DebugContext(ctx, "a visitor's file has no text for models", "agent", agent, "err", err)
		return ""
	}
	return parley.ClipBytes(strings.TrimSpace(parley.StorableText(text)), parley.MaxFileText)
}

func (s *Service) checkUnsent(ctx context.Context, v *parley.Visitor, size int64) error {
	files, bytes, err := s.DB.VisitorFileUse(ctx, v)
	if err != nil {
		return err
	}
	if files < maxUnsentFiles && bytes+size <= maxUnsentBytes {
		return nil
	}
	e := parley.NewErrorf(parley.CodeTooManyRequests, "Too many files were uploaded and not sent.")
	e.RetryAfter, e.Limit = uploadSweepPause, maxUnsentFiles
	return e
}

// visitorMediaType returns the type of a file by its content. A picture that cannot be read as one is none.
func visitorMediaType(path string) (string, error) {
	kind, err := sniffMediaType(path)
	if err != nil || !slices.Contains(readPictures, kind) {
		return kind, err
	}
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	head := make([]byte, pictureHeaderBytes)
	n, readErr := file.Read(head)
	if err := errors.Join(readErr, file.Close()); err != nil {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(head[:n]))
	if err != nil || max(size.Width, size.Height) > maxPictureSide || min(size.Width, size.Height) < 1 {
		return "application/octet-stream", nil //nolint:nilerr // it is a file like any other
	}
	return kind, nil
}

// readPictures are the pictures whose headers are read; shownPictures are all that browsers are to show.
var (
	readPictures  = []string{"image/png", "image/jpeg", "image/gif"}
	shownPictures = append([]string{"image/webp"}, readPictures...)
)

// FindVisitorFiles returns the files that a visitor wants to send, in their order. Fails with VALIDATION_INVALID_BODY,
// also for files of somebody else.
func (s *Service) FindVisitorFiles(ctx context.Context, v *parley.Visitor,
	ids []parley.AttachmentID) ([]parley.Attachment, error) {
	if len(ids) > MaxSentFiles {
		return nil, parley.Invalid("fileIds", fmt.Sprintf("must be at most %d", MaxSentFiles))
	}
	found, err := s.DB.VisitorFiles(ctx, v, ids)
	if err != nil {
		return nil, err
	}
	list := make([]parley.Attachment, 0, len(ids))
	for i, id := range ids {
		at := slices.IndexFunc(found, func(f parley.Attachment) bool { return f.ID == id })
		if at < 0 || slices.Contains(ids[:i], id) {
			return nil, parley.Invalid(fmt.Sprintf("fileIds.%d", i), "is no file that waits to be sent")
		}
		list = append(list, found[at])
	}
	return list, nil
}

// visitorFileKind keeps signatures of visitors' files apart from others.
const visitorFileKind = "visitor-file"

// VisitorFileLink returns the address of a visitor's file, below that of the agent in the public chat API. It works as
// long as the file exists: its token takes the place of the visitor's, for pictures are fetched without one.
func (s *Service) VisitorFileLink(agent parley.AgentID, id parley.AttachmentID) string {
	return "/files/" + url.PathEscape(string(id)) + "?token=" + s.sign(visitorFileKind, string(agent), string(id))
}

// VisitorFile returns a file of which the address is known. Fails with RESOURCE_NOT_FOUND.
func (s *Service) VisitorFile(ctx context.Context, ref parley.AgentRef, id parley.AttachmentID,
	token string) (*ServedFile, error) {
	if s.ReadFile == nil || !s.isSigned(token, visitorFileKind, string(ref.Agent), string(id)) {
		return nil, parley.NewError(parley.CodeResourceNotFound)
	}
	f, blob, err := s.DB.FileOfAgent(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	data, err := s.ReadFile(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read a visitor's file: %w", err)
	}
	h := fileHeaders(f)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	if slices.Contains(shownPictures, f.MediaType) {
		h.Del("Content-Disposition")
	}
	return &ServedFile{data, h}, nil
}

// RunUploadSweeper deletes files that were uploaded a day ago and never sent, now and then until ctx is done.
func (s *Service) RunUploadSweeper(ctx context.Context) error {
	return jobs.RunEvery(ctx, uploadSweepPause, s.Logger, "unsent files were not deleted", s.SweepUploads)
}

// SweepUploads deletes files that were uploaded a day ago and never sent.
func (s *Service) SweepUploads(ctx context.Context) error {
	for {
		agents, err := s.DB.DeleteUnsentFiles(ctx, s.now().Add(-unsentLifetime))
		if err != nil || len(agents) == 0 {
			return err
		}
		deleted := map[parley.AgentRef]bool{}
		for _, ref := range agents {
			if !deleted[ref] && s.DeleteUnusedFiles != nil {
				err = errors.Join(err, s.DeleteUnusedFiles(ctx, ref))
			}
			deleted[ref] = true
		}
		if err != nil {
			return err
		}
	}
}
