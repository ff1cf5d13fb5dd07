package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"parley"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// fileKind is the kind of sources that are uploaded files: their text is found by a job of its own, before they are
// trained.
var fileKind = sourceKind{
	newJob: func(s *parley.Source) jobs.Job { return newJob(FileJob, s) },
	pieces: textKind.pieces,
}

// Bytes of an uploaded file (docs/interface/sources.md#uploads).
const (
	MinFileBytes = 50
	MaxFileBytes = 20 << 20
)

// File is an uploaded file that lies on the disk of Files. It is moved from there when it is accepted.
type File struct {
	Name string // its own
	Path string
	Size int64
	Hash string // SHA-256 of its bytes, hex
}

// FileChange is a change of a file; nil fields stay.
type FileChange struct {
	Name *string
	File *File
}

// AddFile adds a file to the agent's sources; it is read and trained by jobs. Fails with VALIDATION_INVALID_BODY,
// naming the file, for one that is of no kind that is read, with AGENT_NOT_FOUND, with SOURCE_DUPLICATE for the bytes
// of a file of the same name, or with SOURCE_SIZE_LIMIT_EXCEEDED.
func (s *Service) AddFile(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	name string, f File) (*parley.Source, error) {
	u, err := s.newUpload(caller.AgentRef(agent), FileChange{&name, &f})
	if err != nil {
		return nil, err
	}
	return s.addSource(ctx, u.draft, caller.Plan)
}

// PutFile is PutText of a file.
func (s *Service) PutFile(ctx context.Context, caller parley.Caller, agent parley.AgentID, key, name string,
	f File) error {
	u, err := s.newUpload(caller.AgentRef(agent), FileChange{&name, &f})
	if err != nil {
		return err
	}
	return s.putDraft(ctx, caller, agent, key, u.draft)
}

// ChangeFile replaces a file by another one, or renames it. The earlier version answers until the new one is trained; a
// change that changes nothing leaves no trace, unless the file could not be read: then it is read again. Fails as
// AddFile does, with SOURCE_NOT_FOUND for a source that is no file, or with SOURCE_PENDING_DELETION.
func (s *Service) ChangeFile(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	id parley.SourceID, change FileChange) (*parley.Source, error) {
	u, err := s.newUpload(caller.AgentRef(agent), change)
	if err != nil {
		return nil, err
	}
	return s.changeSource(ctx, u.draft, id, caller.Plan)
}

// upload is a file on its way into the database.
type upload struct {
	*draft
	blob        *store.Blob // nil if only the name changes
	versionBlob *store.Blob // of the version: blob, or that of the version before
}

func (s *Service) newUpload(ref parley.AgentRef, change FileChange) (*upload, error) {
	u := &upload{draft: s.emptyDraft(ref, parley.SourceFile, change.Name)}
	u.fillVersion, u.isDuplicate, u.storeExtra = u.fillFile, u.isSameFile, u.linkBlob
	if change.File == nil {
		return u, nil
	}
	kind, err := s.sniffKind(change.File)
	if err != nil {
		return nil, err
	}
	f := change.File
	u.source.Size = f.Size
	u.blob = &store.Blob{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent, Hash: f.Hash, Size: f.Size,
		MediaType: mediaTypes[kind], Name: parley.StorableText(f.Name), CreatedAt: u.version.CreatedAt}
	u.versionBlob = u.blob
	u.transact = func(ctx context.Context, write func(tx *store.DB) error) error {
		return s.StoreFile(ctx, f.Path, u.blob, write)
	}
	return u, nil
}

// sniffKind returns the kind of a file by its content. Files are sniffed a few at a time, since each is in memory
// meanwhile.
func (s *Service) sniffKind(f *File) (extract.Kind, error) {
	defer s.sniffSlots.acquire()()
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	kind, err := extract.Sniff(f.Name, data)
	if err != nil {
		e := parley.WrapError(parley.CodeInvalidBody, err)
		e.Details = map[string]string{"file": "is refused: " + err.Error()}
		return "", e
	}
	return kind, nil
}

// StoreFile moves a file to its place, which it notes in the blob, and then has its row written; without the row it
// does not stay.
func (s *Service) StoreFile(ctx context.Context, path string, blob *store.Blob, write func(tx *store.DB) error) error {
	return s.StoreFiles(ctx, []string{path}, []*store.Blob{blob}, write)
}

var mediaTypes = map[extract.Kind]string{
	extract.PDF:  "application/pdf",
	extract.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	extract.DOC:  "application/msword",
	extract.TXT:  "text/plain",
	extract.MD:   "text/markdown",
	extract.HTML: "text/html",
	extract.CSV:  "text/csv",
	extract.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	extract.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	extract.ODT:  "application/vnd.oasis.opendocument.text",
	extract.EPUB: "application/epub+zip",
	extract.JSON: "application/json",
	extract.EML:  "message/rfc822",
	extract.VCF:  "text/vcard",
	extract.ICS:  "text/calendar",
	extract.SRT:  "application/x-subrip",
	extract.RST:  "text/x-rst",
	extract.TEX:  "application/x-tex",
}

// fillFile returns the file of the new version. Where it has the bytes of the version before, its text is known
// already.
func (u *upload) fillFile(ctx context.Context, tx *store.DB, before *parley.Source,
	old, v *parley.Version) (int64, error) {
	blob, err := tx.VersionBlob(ctx, before.AgentRef(), before.WantedVersion)
	if err != nil {
		return 0, err
	}
	if u.blob != nil && u.blob.Hash != blob.Hash {
		u.versionBlob = u.blob
		return u.blob.Size, nil
	}
	if before.Status != parley.SourceFailed && !u.isRenamed(before) {
		return 0, errUnchanged
	}
	u.versionBlob, v.Text, v.Hash = blob, old.Text, old.Hash
	return max(blob.Size, int64(len(v.Text))), nil
}

func (u *upload) isSameFile(ctx context.Context, tx *store.DB, s *parley.Source, _ *parley.Version) (bool, error) {
	return tx.HasFileWithHash(ctx, s, u.versionBlob.Hash)
}

// linkBlob joins the version to its file, which is written down where it is new.
func (u *upload) linkBlob(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) error {
	if u.versionBlob == u.blob {
		if err := tx.CreateBlob(ctx, u.blob); err != nil {
			return err
		}
	}
	return tx.SetVersionBlob(ctx, s.AgentRef(), v.ID, u.versionBlob.ID)
}

// FileJob is the kind of the job that finds the text in a file; its key is the source's id. TrainJob follows.
const FileJob = "source.file"

// FileReader returns the text of a file. The reason of an *extract.Error is for the operator.
type FileReader func(ctx context.Context, kind extract.Kind, name string, data []byte) (text string, err error)

// FileHandlers returns the handlers of jobs that read files. They have a runner of their own, so that a file that takes
// long does not delay texts.
func (s *Service) FileHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{FileJob: s.ExtractFile}
}

// ExtractFile handles FileJob: the text of the wanted version is found and written down, and its training is left to a
// job. When it fails for good the source is failed, and the version that was live stays so.
func (s *Service) ExtractFile(ctx context.Context, job jobs.Job) error {
	return s.advance(ctx, job, s.extractFile)
}

func (s *Service) extractFile(ctx context.Context, src *parley.Source) error {
	v, err := s.DB.Version(ctx, src.AgentRef(), src.ID, src.WantedVersion)
	if err != nil {
		return err
	}
	known := v.Text != ""
	if !known {
		if err := s.recordBegin(ctx, src); err != nil {
			return err
		}
		text, err := s.fileText(ctx, src, v)
		if err != nil {
			return err
		}
		setText(v, parley.StorableText(text))
	}
	plan, err := s.accountPlan(ctx, src.AccountID)
	if err != nil {
		return err
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		now, err := s.updateFileSize(ctx, tx, plan, src, int64(len(v.Text)))
		if err != nil {
			return err
		}
		if !known {
			if err := tx.SetVersionText(ctx, src.AccountID, v); err != nil {
				return err
			}
		}
		return s.Queue.Enqueue(ctx, tx.SQL(), newJob(TrainJob, now))
	})
}

// accountPlan returns the plan of an account; one without limits, where the service knows no plans.
func (s *Service) accountPlan(ctx context.Context, account parley.AccountID) (plan parley.Plan, err error) {
	if s.Plan == nil {
		return plan, nil
	}
	owner, err := s.DB.Account(ctx, account)
	if err != nil {
		return plan, err
	}
	plan, _ = s.Plan(owner.Plan) // without a plan nobody can ask anything of the agent either
	return plan, nil
}

// updateFileSize counts a file with the bytes of its text where these are more than its own, as they are of one that is
// packed. Fails with SOURCE_SIZE_LIMIT_EXCEEDED where the plan does not allow them.
func (s *Service) updateFileSize(ctx context.Context, tx *store.DB, plan parley.Plan, src *parley.Source,
	bytes int64) (*parley.Source, error) {
	agent, err := tx.AgentForUpdate(ctx, src.AgentRef(), s.Now()) // before the source's row, always
	if err != nil {
		return nil, err
	}
	now, err := tx.LockSource(ctx, src.AgentRef(), src.ID)
	if err != nil {
		return nil, err
	}
	if now.WantedVersion != src.WantedVersion {
		return nil, errStale
	}
	if bytes <= now.Size {
		return now, nil
	}
	if err := plan.CheckStorage(agent.Size + bytes - now.Size); err != nil {
		return nil, err
	}
	now, _, err = tx.UpdateSource(ctx, src.AgentRef(), src.ID, func(current *parley.Source) error {
		current.Size = bytes
		return nil
	})
	return now, err
}

// fileText reads the file of a version.
func (s *Service) fileText(ctx context.Context, src *parley.Source, v *parley.Version) (string, error) {
	blob, err := s.DB.VersionBlob(ctx, src.AgentRef(), v.ID)
	if err != nil {
		return "", err
	}
	data, err := s.FileBytes(ctx, blob)
	if err != nil {
		return "", fmt.Errorf("the file of source %s: %w", src.ID, err)
	}
	kind, err := extract.Sniff(blob.Name, data)
	if err != nil {
		return "", err
	}
	return s.ReadFile(extract.WithOwner(ctx, string(src.AccountID)), kind, blob.Name, data)
}

// isPermanent reports whether another attempt would fail in the same way.
func isPermanent(err error) bool {
	var extractErr *extract.Error
	return errors.Is(err, errNoText) || errors.As(err, &extractErr) || parley.IsCode(err, parley.CodeSourceSize)
}

// What an account may upload (docs/interface/sources.md#uploads).
const (
	MaxUploads   = 10
	UploadWindow = time.Minute
)

// CountUpload counts an upload that arrives, whatever becomes of it. Fails with RATE_LIMIT_TOO_MANY_REQUESTS, and then
// it does not count.
func (s *Service) CountUpload(ctx context.Context, account parley.AccountID) error {
	wait, err := s.DB.CountUpload(ctx, account, s.Now(), MaxUploads, UploadWindow)
	if err != nil {
		return fmt.Errorf("count an upload: %w", err)
	}
	if wait <= 0 {
		return nil
	}
	e := parley.NewErrorf(parley.CodeTooManyRequests, "An account may upload %d files a minute.", MaxUploads)
	e.RetryAfter, e.Limit = wait, MaxUploads
	return e
}
