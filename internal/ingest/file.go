package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"parley"
	"parley/internal/ingest/extract"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// File is an uploaded file that lies on the disk of Files. It is moved from there when it is accepted.
type File struct {
	Name string // its own
	Path string
	Size int64
	Hash string // SHA-256 of its bytes, hex
}

// FileChange is what is to become of a file; nil fields stay.
type FileChange struct {
	Name *string
	File *File
}

// AddFile returns the agent a file to read; it is read and trained by jobs. Fails with VALIDATION_INVALID_BODY, naming the file,
// for one that is of no kind that is read, with AGENT_NOT_FOUND, with SOURCE_DUPLICATE for the bytes of a file of the same name,
// or with SOURCE_SIZE_LIMIT_EXCEEDED.
func (d *Service) AddFile(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, name string, f File) (*parley.Source, error) {
	u, err := d.newUpload(account, agent, FileChange{&name, &f})
	if err != nil {
		return nil, err
	}
	err = u.commit(ctx, func(tx *store.DB) error {
		if err := u.create(ctx, tx, plan); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, "source:"+string(u.source.ID))
	})
	if err != nil {
		return nil, err
	}
	return &u.source, nil
}

// ChangeFile puts another file in the place of one, or gives it another name. The earlier version answers until the new one is
// trained; a change that changes nothing leaves no trace, unless the file could not be read: then it is read again. Fails as
// AddFile does, with SOURCE_NOT_FOUND for a source that is no file, or with SOURCE_PENDING_DELETION.
func (d *Service) ChangeFile(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, id parley.SourceID, change FileChange) (*parley.Source, error) {
	u, err := d.newUpload(account, agent, change)
	if err != nil {
		return nil, err
	}
	var after *parley.Source
	err = u.commit(ctx, func(tx *store.DB) (err error) {
		after, err = u.applyTo(ctx, tx, id, plan)
		return err
	})
	if errors.Is(err, errUnchanged) {
		return d.DB.Source(ctx, account.ID, agent, id)
	}
	return after, err
}

// upload is a file on its way into the database.
type upload struct {
	*draft
	path        string      // where it lies now
	blob        *store.Blob // nil where only the name changes
	versionBlob *store.Blob // of the version: blob, or that of the version before
}

func (d *Service) newUpload(account parley.Account, agent parley.AgentID, change FileChange) (*upload, error) {
	u := &upload{draft: d.emptyDraft(account, agent, parley.SourceFile, change.Name)}
	u.jobKind, u.fillVersion, u.isDuplicate, u.storeExtra = FileJob, u.fillFile, u.isSameFile, u.linkBlob
	if change.File == nil {
		return u, nil
	}
	kind, err := d.sniffKind(change.File)
	if err != nil {
		return nil, err
	}
	f := change.File
	u.path, u.source.Size = f.Path, f.Size
	u.blob = &store.Blob{ID: parley.NewUUID(), AccountID: account.ID, AgentID: agent, Hash: f.Hash, Size: f.Size, MediaType: mediaTypes[kind],
		Name: stripNUL(f.Name), CreatedAt: u.version.CreatedAt}
	u.versionBlob = u.blob
	return u, nil
}

// sniffKind tells the kind of a file by its content. One after the other: each is in memory meanwhile.
func (d *Service) sniffKind(f *File) (extract.Kind, error) {
	defer d.sniffSlots.acquire()()
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

// commit writes the upload, with its file where there is one.
func (u *upload) commit(ctx context.Context, write func(tx *store.DB) error) error {
	if u.blob == nil {
		return u.service.DB.Transact(ctx, sqldb.Bulk, write)
	}
	return u.service.StoreFile(ctx, u.path, u.blob, write)
}

// StoreFile moves a file to its place, which it notes in the blob, and then has its row written; without the row it does not stay.
func (d *Service) StoreFile(ctx context.Context, path string, blob *store.Blob, write func(tx *store.DB) error) error {
	return d.StoreFiles(ctx, []string{path}, []*store.Blob{blob}, write)
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
}
