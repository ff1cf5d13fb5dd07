package api

import (
	"context"
	"net/http"

	"parley"
	"parley/internal/access"
	"parley/internal/ingest"
	"parley/internal/wire"
)

// WrittenSource is the record of a source that a request has written.
type WrittenSource struct {
	Source
	Data *UploadedID `json:"data,omitempty" doc:"Of an upload: the id once more, for clients that look for it here."`
}

// UploadedID names the source that an upload has written.
type UploadedID struct {
	ID string `json:"id" format:"uuid"`
}

// Bytes of an uploaded file (facts 4.11).
const (
	leastFile = 50
	mostFile  = 20 << 20
)

const fileSays = "From 50 bytes to 20 MB: PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB or JSON, told by its content."

var (
	newFile     = &wire.Form{Needs: "file", Least: leastFile, Most: mostFile, Says: fileSays}
	changedFile = &wire.Form{Least: leastFile, Most: mostFile, Says: fileSays}
)

func written(src *parley.Source, up *wire.Upload) *WrittenSource {
	return &WrittenSource{sourceOf(src), uploadedID(src, up)}
}

// uploadedID is nil where there was no upload.
func uploadedID(src *parley.Source, up *wire.Upload) *UploadedID {
	if up == nil {
		return nil
	}
	return &UploadedID{string(src.ID)}
}

// spool counts an upload, and gives the folder that it is written to if the caller has the agent.
func (s *server) spool(ctx context.Context, r *http.Request, by any) (string, error) {
	who := by.(*access.Caller) // every operation that takes uploads needs a key
	if err := s.Ingest.CountUpload(ctx, who.Account.ID); err != nil {
		return "", err
	}
	if err := s.missing(ctx, r, by, nil); err != nil {
		return "", err
	}
	return s.Ingest.Files.Incoming()
}

func (s *server) addFile(ctx context.Context, c *wire.Call, agent string, up *wire.Upload) (*parley.Source, error) {
	if _, err := s.agent(ctx, c, agent); err != nil {
		return nil, err
	}
	name := up.File.Name
	if up.Name != nil {
		name = *up.Name
	}
	if name == "" {
		return nil, wire.Invalid("name", "is required where the file has none")
	}
	if r := []rune(name); len(r) > mostTextName {
		name = string(r[:mostTextName])
	}
	who := caller(c)
	return s.Ingest.AddFile(ctx, who.Account, who.Plan, parley.AgentID(agent), name, *fileOf(up))
}

func (s *server) changeFile(ctx context.Context, c *wire.Call, src *parley.Source, name *string, file *ingest.File) (*parley.Source, error) {
	who := caller(c)
	return s.Ingest.ChangeFile(ctx, who.Account, who.Plan, src.AgentID, src.ID, ingest.FileChange{Name: name, File: file})
}

// fileOf gives the file of an upload, or nil.
func fileOf(up *wire.Upload) *ingest.File {
	if up == nil || up.File == nil {
		return nil
	}
	return &ingest.File{Name: up.File.Name, Path: up.File.Path, Size: up.File.Size, Hash: up.File.Hash}
}
