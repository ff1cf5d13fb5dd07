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

// The limits of what visitors and members upload.
const (
	MaxSentFiles       = 5        // with one message
	MaxVisitorFile     = 10 << 20 // bytes
	maxUnsentFiles     = 20       // of a visitor, or of a member for an agent
	maxUnsentBytes     = 1 << 30  // of all visitors of an agent, and of all members
	unsentLifetime     = 24 * time.Hour
	uploadSweepPause   = time.Hour
	maxPictureSide     = 10_000 // pixels; a larger one is no picture that a browser is to show
	pictureHeaderBytes = 256 << 10
	readTextTimeout    = 10 * time.Second
)

// AddVisitorFile stores a file that a visitor has uploaded, until it is sent with a message. Fails with
// VALIDATION_INVALID_BODY, and with RATE_LIMIT_TOO_MANY_REQUESTS where too much was uploaded and not sent.
func (s *Service) AddVisitorFile(ctx context.Context, v *parley.Visitor, f File) (*parley.Attachment, error) {
	if err := s.checkUpload(f); err != nil {
		return nil, err
	}
	if err := checkUnsent(f.Size)(s.DB.VisitorFileUse(ctx, v)); err != nil {
		return nil, err
	}
	ref := v.AccountID.AgentRef(v.AgentID)
	return s.storeUpload(ctx, ref, f, func(tx *store.DB, file *parley.Attachment) error {
		mustRedact, err := tx.AgentRedacts(ctx, ref)
		if err != nil {
			return err
		}
		if mustRedact {
			file.Text = redact.Text(file.Text)
		}
		return tx.CreateVisitorFile(ctx, v, file)
	}, func(kind string) string { return s.readText(ctx, v.AgentID, f, kind) })
}

// AddMemberFile stores a file that a member has uploaded, until it is sent with a reply or a note. It fails as
// AddVisitorFile does, and with AGENT_NOT_FOUND.
func (s *Service) AddMemberFile(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	f File) (*parley.Attachment, error) {
	if err := s.checkUpload(f); err != nil {
		return nil, err
	}
	if err := checkUnsent(f.Size)(s.DB.MemberFileUse(ctx, ref, member)); err != nil {
		return nil, err
	}
	return s.storeUpload(ctx, ref, f, func(tx *store.DB, file *parley.Attachment) error {
		return tx.CreateMemberFile(ctx, ref, member, file)
	}, func(string) string { return "" })
}

// checkUpload fails with VALIDATION_INVALID_BODY of a file that is not taken.
func (s *Service) checkUpload(f File) error {
	switch {
	case s.StoreFiles == nil:
		return parley.Invalid("file", "cannot be kept here")
	case f.Size < 1 || f.Size > MaxVisitorFile:
		return parley.Invalid("file", "must have 1 byte to 10 MB")
	}
	return nil
}

// storeUpload stores an uploaded file. textOf returns its text by its media type, and create writes its row.
func (s *Service) storeUpload(ctx context.Context, ref parley.AgentRef, f File,
	create func(*store.DB, *parley.Attachment) error, textOf func(kind string) string) (*parley.Attachment, error) {
	kind, err := uploadMediaType(f.Path)
	if err != nil {
		return nil, err
	}
	now, name := s.now(), fileName(f.Name)
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent, Hash: f.Hash, Size: f.Size,
		MediaType: kind, Name: name, CreatedAt: now}
	file := &parley.Attachment{ID: parley.AttachmentID(parley.NewUUID()), BlobID: blob.ID, Name: name, MediaType: kind,
		Size: f.Size, CreatedAt: now, Text: textOf(kind)}
	err = s.StoreFiles(ctx, []string{f.Path}, []*store.Blob{blob}, func(tx *store.DB) error {
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
		return create(tx, file)
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

// checkUnsent returns a check of how much was uploaded and not sent, with a further file of the size.
func checkUnsent(size int64) func(files int, bytes int64, err error) error {
	return func(files int, bytes int64, err error) error {
		if err != nil || files < maxUnsentFiles && bytes+size <= maxUnsentBytes {
			return err
		}
		e := parley.NewErrorf(parley.CodeTooManyRequests, "Too many files were uploaded and not sent.")
		e.RetryAfter, e.Limit = uploadSweepPause, maxUnsentFiles
		return e
	}
}

// uploadMediaType returns the type of a file by its content. A picture that cannot be read as one is none.
func uploadMediaType(path string) (string, error) {
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
	return findUnsent(ids, func() ([]parley.Attachment, error) { return s.DB.VisitorFiles(ctx, v, ids) })
}

// FindMemberFiles returns the files that a member wants to send, in their order. It fails as FindVisitorFiles does.
func (s *Service) FindMemberFiles(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	ids []parley.AttachmentID) ([]parley.Attachment, error) {
	return findUnsent(ids, func() ([]parley.Attachment, error) { return s.DB.MemberFiles(ctx, ref, member, ids) })
}

// RemoveMemberFile deletes a file that a member has not sent. Fails with RESOURCE_NOT_FOUND.
func (s *Service) RemoveMemberFile(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	id parley.AttachmentID) error {
	err := s.DB.DeleteMemberFile(ctx, ref, member, id)
	if err == nil && s.DeleteUnusedFiles != nil {
		err = s.DeleteUnusedFiles(ctx, ref)
	}
	return err
}

// findUnsent puts the files that were found into the order of the ids, each of which must be one of them.
func findUnsent(ids []parley.AttachmentID, find func() ([]parley.Attachment, error)) ([]parley.Attachment, error) {
	if len(ids) > MaxSentFiles {
		return nil, parley.Invalid("fileIds", fmt.Sprintf("must be at most %d", MaxSentFiles))
	}
	found, err := find()
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
