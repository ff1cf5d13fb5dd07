package v2

import (
	"context"
	"net/http"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/ingest"
)

// WrittenSource is the record of a source in the reply to a request that wrote it.
type WrittenSource struct {
	Source
	Data *UploadedID `json:"data,omitempty" doc:"Of an upload: the id once more, for clients that look for it here."`
}

// UploadedID names the source that an upload has written.
type UploadedID struct {
	ID string `json:"id" format:"uuid"`
}

// Bytes of an uploaded file (docs/interface/sources.md#uploads).
const (
	minFileBytes = 50
	maxFileBytes = 20 << 20
)

const fileSizeMessage = "From 50 bytes to 20 MB: PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB or " +
	"JSON, told by its content."

var (
	newFileForm = &httpapi.Form{RequiredPart: "file", MinFileBytes: minFileBytes, MaxFileBytes: maxFileBytes,
		FileDescription: fileSizeMessage}
	changedFileForm = &httpapi.Form{MinFileBytes: minFileBytes, MaxFileBytes: maxFileBytes,
		FileDescription: fileSizeMessage}
)

func newWrittenSource(src *parley.Source, up *httpapi.Upload) *WrittenSource {
	return &WrittenSource{newSource(src), newUploadedID(src, up)}
}

// newUploadedID returns nil if there was no upload.
func newUploadedID(src *parley.Source, up *httpapi.Upload) *UploadedID {
	if up == nil {
		return nil
	}
	return &UploadedID{string(src.ID)}
}

// uploadFolder counts an upload and checks its agent. It returns the folder that the upload is written to.
func (s *server) uploadFolder(ctx context.Context, r *http.Request, caller any) (string, error) {
	account := caller.(*access.Caller).Account.ID // every operation that takes uploads needs a key
	if err := s.Ingest.CountUpload(ctx, account); err != nil {
		return "", err
	}
	if err := s.checkAgent(ctx, caller, httpapi.PathParam(r, "agentId")); err != nil {
		return "", err
	}
	return s.Ingest.Files.Incoming()
}

func (s *server) addFile(ctx context.Context, c *call, agent string, up *httpapi.Upload) (*parley.Source, error) {
	name := up.File.Name
	if up.Name != nil {
		name = *up.Name
	}
	if name == "" {
		return nil, parley.Invalid("name", "is required where the file has none")
	}
	caller := callerOf(c)
	return s.Ingest.AddFile(ctx, caller.Account, caller.Plan, parley.AgentID(agent),
		parley.ClipText(name, maxTextNameLength), *uploadedFile(up))
}

func (s *server) changeFile(ctx context.Context, c *call, src *parley.Source, name *string,
	file *ingest.File) (*parley.Source, error) {
	caller := callerOf(c)
	return s.Ingest.ChangeFile(ctx, caller.Account, caller.Plan, src.AgentID, src.ID,
		ingest.FileChange{Name: name, File: file})
}

// uploadedFile returns the file of an upload, or nil.
func uploadedFile(up *httpapi.Upload) *ingest.File {
	if up == nil || up.File == nil {
		return nil
	}
	return &ingest.File{Name: up.File.Name, Path: up.File.Path, Size: up.File.Size, Hash: up.File.Hash}
}
