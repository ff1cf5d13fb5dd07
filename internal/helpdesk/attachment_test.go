package helpdesk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// forEachFileStore runs f on each database with the bytes of files in a folder, and with them in the database.
func forEachFileStore(t *testing.T, f func(h *testHelpdesk, files *ingest.Service)) {
	t.Helper()
	forEachDatabase(t, func(h *testHelpdesk) {
		for _, inDatabase := range []bool{false, true} {
			files := &ingest.Service{DB: h.DB, Now: h.Now, Files: &ingest.Files{Dir: h.TempDir(), InDatabase: inDatabase}}
			h.StoreFiles, h.ReadFile = files.StoreFiles, files.FileBytes
			f(h, files)
		}
	})
}

// newUpload writes a file to the folder for uploads.
func (h *testHelpdesk) newUpload(files *ingest.Service, name, content string) File {
	h.Helper()
	folder, err := files.Files.Incoming()
	h.Must(err)
	path := filepath.Join(folder, parley.NewUUID())
	h.Must(os.WriteFile(path, []byte(content), 0o600))
	hash := sha256.Sum256([]byte(content))
	return File{Name: name, Path: path, Size: int64(len(content)), Hash: hex.EncodeToString(hash[:])}
}

// queryValues reads the parameters of an address.
func queryValues(h *testHelpdesk, address string) url.Values {
	h.Helper()
	u, err := url.Parse(address)
	h.Must(err)
	return u.Query()
}

const png = "\x89PNG\r\n\x1a\n and so on"

func TestAttachments(t *testing.T) {
	forEachFileStore(t, func(h *testHelpdesk, files *ingest.Service) {
		ann := h.addMember(h.Account, "ann"+parley.NewUUID())
		first := h.mustOpen(newTicketRequest(1))
		m, err := h.Reply(h, h.ref(), first.Number, NewReply{Type: "reply", AuthorID: ann,
			Files: []File{h.newUpload(files, "a.png", png), h.newUpload(files, "page.html",
				"<html><script>alert(1)</script>"), h.newUpload(files, "twin.png", png)}})
		h.Must(err)
		listed := h.messages(first, store.MessageTypeReply)[1]
		if len(m.Attachments) != 3 || len(listed.Attachments) != 3 {
			h.Fatalf("attached %+v, listed %+v", m.Attachments, listed.Attachments)
		}
		for i, want := range []struct{ name, kind, served, content string }{
			{"a.png", "image/png", "image/png", png},
			{"page.html", "text/html; charset=utf-8", "application/octet-stream", "<html><script>alert(1)</script>"},
			{"twin.png", "image/png", "image/png", png},
		} {
			f := listed.Attachments[i]
			if f.Name != want.name || f.MediaType != want.kind || f.Size != int64(len(want.content)) || f.MessageID != m.ID {
				h.Errorf("listed: %+v", f)
			}
			got := h.fetchFile(f.ID)
			if string(got.Bytes) != want.content || got.Header.Get("Content-Type") != want.served {
				h.Errorf("served %q as %s", got.Bytes, got.Header.Get("Content-Type"))
			}
		}
	})
}

// fetchFile opens a file by its link.
func (h *testHelpdesk) fetchFile(id parley.AttachmentID) *ServedFile {
	h.Helper()
	to, err := h.ResolveLink(h, id, queryValues(h, h.AttachmentLink(id)).Get("token"))
	h.Must(err)
	got, err := h.AttachmentContent(h, id, queryValues(h, to).Get("expires"), queryValues(h, to).Get("signature"))
	h.Must(err)
	return got
}

func TestFileLinksExpireAndCannotBeForged(t *testing.T) {
	forEachFileStore(t, func(h *testHelpdesk, files *ingest.Service) {
		ann := h.addMember(h.Account, "ann"+parley.NewUUID())
		first := h.mustOpen(newTicketRequest(1))
		reply := func(name string) parley.AttachmentID {
			m, err := h.Reply(h, h.ref(), first.Number,
				NewReply{Type: "note", Content: "See", AuthorID: ann, Files: []File{h.newUpload(files, name, name)}})
			h.Must(err)
			return m.Attachments[0].ID
		}
		one, two := reply("one"), reply("two")
		token := queryValues(h, h.AttachmentLink(one)).Get("token")
		for _, forged := range []string{"", "x", token + "x", token[1:],
			queryValues(h, h.AttachmentLink(two)).Get("token"), h.sign("content", string(one))} {
			_, err := h.ResolveLink(h, one, forged)
			h.WantCode(err, parley.CodeResourceNotFound)
		}
		_, err := h.ResolveLink(h, "unknown", h.sign("token", "unknown"))
		h.WantCode(err, parley.CodeResourceNotFound)

		h.Clock = h.Clock.Add(time.Hour) // the link itself does not expire
		to, err := h.ResolveLink(h, one, token)
		h.Must(err)
		expires, signature := queryValues(h, to).Get("expires"), queryValues(h, to).Get("signature")
		later := fmt.Sprint(h.Clock.Add(time.Hour).Unix())
		for _, forged := range [][2]string{{later, signature}, {expires, token}, {expires, ""}, {"", signature},
			{expires + "0", signature}, {"x", h.sign("content", string(one), "x")}} {
			_, err := h.AttachmentContent(h, one, forged[0], forged[1])
			h.WantCode(err, parley.CodeResourceNotFound)
		}
		_, err = h.AttachmentContent(h, two, expires, signature)
		h.WantCode(err, parley.CodeResourceNotFound)
		h.Clock = h.Clock.Add(119 * time.Second)
		_, err = h.AttachmentContent(h, one, expires, signature)
		h.Must(err)
		h.Clock = h.Clock.Add(time.Second)
		_, err = h.AttachmentContent(h, one, expires, signature)
		h.WantCode(err, parley.CodeResourceNotFound)

		h.Secret = nil // without a secret no link is made and no file is returned
		_, err = h.ResolveLink(h, one, h.sign("token", string(one)))
		h.WantCode(err, parley.CodeResourceNotFound)
		h.Secret = []byte("secret")
	})
}

func TestRefusedFiles(t *testing.T) {
	forEachFileStore(t, func(h *testHelpdesk, files *ingest.Service) {
		ann := h.addMember(h.Account, "ann"+parley.NewUUID())
		first := h.mustOpen(newTicketRequest(1))
		rows := func() int {
			return dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from blobs`) + dbs.CountRows(h.TB, h.DB.SQL(),
				`select count(*) from blob_data`) +
				dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from attachments`)
		}
		before := rows()
		many := make([]File, MaxFiles+1)
		for i := range many {
			many[i] = h.newUpload(files, "f", fmt.Sprint(i))
		}
		for _, list := range [][]File{many, {{Name: "big", Size: MaxFileBytes + 1, Path: "nowhere"}},
			{{Name: "empty", Path: "nowhere"}}} {
			_, err := h.Reply(h, h.ref(), first.Number,
				NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: list})
			h.WantCode(err, parley.CodeInvalidBody)
		}
		_, err := h.Reply(h, h.ref(), 99, NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: many[:1]})
		h.WantCode(err, parley.CodeTicketNotFound)
		if n := rows() - before; n != 0 {
			h.Errorf("a failed reply has stored %d rows", n)
		}
		if left, err := filepath.Glob(filepath.Join(files.Files.Dir, "??", "*")); len(left) > 0 || err != nil {
			h.Errorf("a failed reply has stored %v %v", left, err)
		}
		_, err = h.Reply(h, h.ref(), first.Number,
			NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: many[1:]})
		h.Must(err)
	})
}

// Files of messages are kept when orphaned files are removed, and are erased with their conversation.
func TestFilesAreErasedWithTheirConversation(t *testing.T) {
	forEachFileStore(t, func(h *testHelpdesk, files *ingest.Service) {
		ann := h.addMember(h.Account, "ann"+parley.NewUUID())
		first := h.mustOpen(newTicketRequest(1))
		m, err := h.Reply(h, h.ref(), first.Number,
			NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: []File{h.newUpload(files, "a.png", png)}})
		h.Must(err)
		h.Must(files.RemoveUnusedFiles(h, h.ref()))
		if got := h.fetchFile(m.Attachments[0].ID); string(got.Bytes) != png {
			h.Error("the file was deleted")
		}
		h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(h, h.ref(), []parley.ConversationID{first.ConversationID}, nil, h.Clock)
			return err
		}))
		_, err = h.ResolveLink(h, m.Attachments[0].ID, h.sign("token", string(m.Attachments[0].ID)))
		h.WantCode(err, parley.CodeResourceNotFound)
		_, err = h.DB.EraseConversations(h, h.ref())
		h.Must(err)
		h.Must(files.RemoveUnusedFiles(h, h.ref()))
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from blobs`) + dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from blob_data`) +
			dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from attachments`); n != 0 {
			h.Errorf("%d rows remain", n)
		}
	})
}

func TestFilesNeedAFolder(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		first := h.mustOpen(newTicketRequest(1))
		path := filepath.Join(h.TempDir(), "f")
		h.Must(os.WriteFile(path, []byte("x"), 0o600))
		_, err := h.Reply(context.Background(), h.ref(), first.Number,
			NewReply{Type: "reply", AuthorID: ann, Files: []File{{Name: "f", Path: path, Size: 1}}})
		h.WantCode(err, parley.CodeInvalidBody)
	})
}

func TestNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{
		"a.png": "a.png", "../../etc/passwd": "passwd", `C:\temp\a.doc`: "a.doc", "": "file", "..": "file", "/": "file",
		"a\r\nSet-Cookie: x": "aSet-Cookie: x", "r\u202egpj.exe": "rgpj.exe",
		"Überraschung 漢.pdf":              "Überraschung 漢.pdf",
		strings.Repeat("a", 300) + ".pdf": strings.Repeat("a", 251) + ".pdf", "a\xffb": "ab",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"a.png", `q"u\o;te%41.txt`, "Überraschung 漢🙂.pdf", "a'b(c)*d.txt"} {
		header := fileHeaders(&parley.Attachment{Name: name, MediaType: "image/svg+xml"})
		disposition, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
		if err != nil || disposition != "attachment" || params["filename"] != name {
			t.Errorf("%q is sent as %s: %v %v", name, header.Get("Content-Disposition"), params, err)
		}
		if header.Get("Content-Type") != "application/octet-stream" || header.Get("X-Content-Type-Options") != "nosniff" ||
			!bytes.Contains([]byte(header.Get("Content-Security-Policy")), []byte("sandbox")) {
			t.Errorf("served with %v", header)
		}
	}
}
