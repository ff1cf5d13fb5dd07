package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"parley"
	"parley/internal/store"
)

// File is an uploaded file that lies on the disk of the folder for uploads. It is moved from there when it is accepted.
type File struct {
	Name string // its own
	Path string
	Size int64  // bytes
	Hash string // SHA-256 of its bytes, hex
}

// What a message may carry.
const (
	MaxFiles         = 10
	MaxFileBytes     = 20 << 20 // bytes of each
	maxFileNameRunes = 255      // characters; what is longer is cut
)

func checkFiles(faults map[string]string, files []File) {
	if len(files) > MaxFiles {
		faults["files"] = fmt.Sprintf("must be at most %d", MaxFiles)
	}
	for i, f := range files {
		if f.Size < 1 || f.Size > MaxFileBytes {
			faults[fmt.Sprintf("files.%d", i)] = "must have 1 byte to 20 MB"
		}
	}
}

// prepareFiles makes the rows of the files.
func (w *replyWrite) prepareFiles() error {
	for _, f := range w.Files {
		kind, err := sniffMediaType(f.Path)
		if err != nil {
			return err
		}
		name := fileName(f.Name)
		blob := &store.Blob{ID: parley.NewUUID(), AccountID: w.account, AgentID: w.agent, Hash: f.Hash, Size: f.Size, MediaType: kind, Name: name, CreatedAt: w.now}
		w.paths, w.blobs = append(w.paths, f.Path), append(w.blobs, blob)
		w.files = append(w.files, parley.Attachment{ID: parley.AttachmentID(parley.NewTimedUUID()), MessageID: w.id, BlobID: blob.ID, Name: name, MediaType: kind,
			Size: f.Size, CreatedAt: w.now})
	}
	return nil
}

// storeFiles writes the rows of the files.
func (w *replyWrite) storeFiles(ctx context.Context, tx *store.DB, t *parley.Ticket) error {
	for _, blob := range w.blobs {
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
	}
	return tx.AddAttachments(ctx, w.account, w.agent, t.ConversationID, w.files)
}

// sniffMediaType tells the media type of a file by its first bytes; what the sender called it counts for nothing.
func sniffMediaType(path string) (kind string, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	return http.DetectContentType(head[:n]), nil
}

// fileName is the name of a file without folders and without characters that are no part of a name.
func fileName(name string) string {
	name = filepath.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if r := []rune(name); len(r) > maxFileNameRunes {
		ext := []rune(filepath.Ext(name))
		if len(ext) > 20 {
			ext = nil
		}
		name = string(r[:maxFileNameRunes-len(ext)]) + string(ext)
	}
	if strings.Trim(name, ". /") == "" {
		return "file"
	}
	return name
}
