package helpdesk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/store"
)

// File is an uploaded file in the folder for uploads. It is moved from there when it is accepted.
type File struct {
	Name string // its own
	Path string
	Size int64  // bytes
	Hash string // SHA-256 of its bytes, hex
}

// The limits of a message's files.
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

func (w *replyWrite) prepareFiles() error {
	for _, f := range w.Files {
		kind, err := sniffMediaType(f.Path)
		if err != nil {
			return err
		}
		name := fileName(f.Name)
		blob := &store.Blob{ID: parley.NewUUID(), AccountID: w.ref.Account, AgentID: w.ref.Agent, Hash: f.Hash,
			Size: f.Size, MediaType: kind, Name: name, CreatedAt: w.now}
		w.paths, w.blobs = append(w.paths, f.Path), append(w.blobs, blob)
		w.files = append(w.files, parley.Attachment{ID: parley.AttachmentID(parley.NewTimedUUID()), MessageID: w.id,
			BlobID: blob.ID, Name: name, MediaType: kind, Size: f.Size, CreatedAt: w.now})
	}
	return nil
}

func (w *replyWrite) storeFiles(ctx context.Context, tx *store.DB, t *parley.Ticket) error {
	for _, blob := range w.blobs {
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
	}
	return tx.AddAttachments(ctx, t.ConversationRef(), w.files)
}

// sniffMediaType detects the media type of a file by its first bytes; the sender's claim is ignored.
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

// fileName returns the name of a file without folders and without characters that do not belong in a name.
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

// linkTTL is how long the address works to which the link of a file redirects.
const linkTTL = 120 * time.Second

// attachmentsPath is the path of files below the base of the API.
const attachmentsPath = "/helpdesk/attachments/"

// AttachmentLink returns the address of a file, below the base address of the API. It works as long as the file exists:
// its token replaces the API key.
func (s *Service) AttachmentLink(id parley.AttachmentID) string {
	return attachmentsPath + url.PathEscape(string(id)) + "?token=" + s.sign("token", string(id))
}

// ResolveLink checks the token of a link and returns the address to redirect to, which works for two minutes. Fails
// with RESOURCE_NOT_FOUND.
func (s *Service) ResolveLink(ctx context.Context, id parley.AttachmentID, token string) (string, error) {
	if !s.isSigned(token, "token", string(id)) {
		return "", parley.NewError(parley.CodeResourceNotFound)
	}
	if _, _, err := s.DB.LinkedAttachment(ctx, id); err != nil {
		return "", err
	}
	expires := strconv.FormatInt(s.now().Add(linkTTL).Unix(), 10)
	return attachmentsPath + url.PathEscape(string(id)) + "/content?expires=" + expires + "&signature=" +
		s.sign("content", string(id), expires), nil
}

// AttachmentContent checks an address from ResolveLink and returns the file. Fails with RESOURCE_NOT_FOUND, also when
// the address has expired.
func (s *Service) AttachmentContent(ctx context.Context, id parley.AttachmentID, expires,
	signature string) (*ServedFile, error) {
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !s.isSigned(signature, "content", string(id), expires) || s.now().Unix() >= until ||
		s.ReadFile == nil {
		return nil, parley.NewError(parley.CodeResourceNotFound)
	}
	f, blob, err := s.DB.LinkedAttachment(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := s.ReadFile(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read an attachment: %w", err)
	}
	return &ServedFile{data, fileHeaders(f)}, nil
}

// sign returns the signature of parts, of which none holds a line end.
func (s *Service) sign(parts ...string) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *Service) isSigned(signature string, parts ...string) bool {
	return len(s.Secret) > 0 && hmac.Equal([]byte(signature), []byte(s.sign(parts...)))
}

// ServedFile is a file as it is handed out.
type ServedFile struct {
	Bytes  []byte
	Header http.Header // type, disposition and what keeps a browser from running it
}

// safeTypes are served as what they are; everything else is bytes.
var safeTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf",
	"text/plain; charset=utf-8"}

func fileHeaders(f *parley.Attachment) http.Header {
	kind := f.MediaType
	if !slices.Contains(safeTypes, kind) {
		kind = "application/octet-stream"
	}
	h := http.Header{}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+asciiName(f.Name)+`"; filename*=UTF-8''`+percentEncode(f.Name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	return h
}

// asciiName is a name for clients that read no other: what is not plain in it becomes an underscore.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || strings.ContainsRune(`"\%;`, r) {
			return '_'
		}
		return r
	}, name)
}

// percentEncode encodes a name as RFC 8187 wants it: all but its attr-char.
func percentEncode(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
