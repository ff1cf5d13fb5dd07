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
)

// forEachFileStore runs f on each database with the bytes of files in a folder, and with them in the database.
func forEachFileStore(t *testing.T, f func(w *testHelpdesk, files *ingest.Service)) {
	t.Helper()
	forEachDatabase(t, func(w *testHelpdesk) {
		for _, inDatabase := range []bool{false, true} {
			files := &ingest.Service{DB: w.DB, Now: w.Now, Files: &ingest.Files{Dir: w.TempDir(), InDatabase: inDatabase}}
			w.StoreFiles, w.ReadFile = files.StoreFiles, files.FileBytes
			f(w, files)
		}
	})
}

// newUpload lays a file where uploads lie.
func (w *testHelpdesk) newUpload(files *ingest.Service, name, content string) File {
	w.Helper()
	folder, err := files.Files.Incoming()
	w.must(err)
	path := filepath.Join(folder, parley.NewUUID())
	w.must(os.WriteFile(path, []byte(content), 0o600))
	hash := sha256.Sum256([]byte(content))
	return File{Name: name, Path: path, Size: int64(len(content)), Hash: hex.EncodeToString(hash[:])}
}

// queryValues reads the parameters of an address.
func queryValues(w *testHelpdesk, address string) url.Values {
	w.Helper()
	u, err := url.Parse(address)
	w.must(err)
	return u.Query()
}

const png = "\x89PNG\r\n\x1a\n and so on"

func TestAttachments(t *testing.T) {
	forEachFileStore(t, func(w *testHelpdesk, files *ingest.Service) {
		ann := w.addMember(w.Account, "ann"+parley.NewUUID())
		first := w.mustOpen(newTicketRequest(1))
		m, err := w.Reply(w, w.ref(), first.Number, NewReply{Type: "reply", AuthorID: ann,
			Files: []File{w.newUpload(files, "a.png", png), w.newUpload(files, "page.html",
				"<html><script>alert(1)</script>"), w.newUpload(files, "twin.png", png)}})
		w.must(err)
		listed := w.messages(first, store.MessageTypeReply)[1]
		if len(m.Attachments) != 3 || len(listed.Attachments) != 3 {
			w.Fatalf("attached %+v, listed %+v", m.Attachments, listed.Attachments)
		}
		for i, want := range []struct{ name, kind, served, content string }{
			{"a.png", "image/png", "image/png", png},
			{"page.html", "text/html; charset=utf-8", "application/octet-stream", "<html><script>alert(1)</script>"},
			{"twin.png", "image/png", "image/png", png},
		} {
			f := listed.Attachments[i]
			if f.Name != want.name || f.MediaType != want.kind || f.Size != int64(len(want.content)) || f.MessageID != m.ID {
				w.Errorf("listed: %+v", f)
			}
			got := w.fetchFile(f.ID)
			if string(got.Bytes) != want.content || got.Header.Get("Content-Type") != want.served {
				w.Errorf("served %q as %s", got.Bytes, got.Header.Get("Content-Type"))
			}
		}
	})
}

// fetchFile follows the link to a file.
func (w *testHelpdesk) fetchFile(id parley.AttachmentID) *ServedFile {
	w.Helper()
	to, err := w.ResolveLink(w, id, queryValues(w, w.AttachmentLink(id)).Get("token"))
	w.must(err)
	got, err := w.AttachmentContent(w, id, queryValues(w, to).Get("expires"), queryValues(w, to).Get("signature"))
	w.must(err)
	return got
}

func TestLinksExpireAndCannotBeForged(t *testing.T) {
	forEachFileStore(t, func(w *testHelpdesk, files *ingest.Service) {
		ann := w.addMember(w.Account, "ann"+parley.NewUUID())
		first := w.mustOpen(newTicketRequest(1))
		reply := func(name string) parley.AttachmentID {
			m, err := w.Reply(w, w.ref(), first.Number,
				NewReply{Type: "note", Content: "See", AuthorID: ann, Files: []File{w.newUpload(files, name, name)}})
			w.must(err)
			return m.Attachments[0].ID
		}
		one, two := reply("one"), reply("two")
		token := queryValues(w, w.AttachmentLink(one)).Get("token")
		for _, forged := range []string{"", "x", token + "x", token[1:],
			queryValues(w, w.AttachmentLink(two)).Get("token"), w.sign("content", string(one))} {
			_, err := w.ResolveLink(w, one, forged)
			w.wantCode(err, parley.CodeResourceNotFound)
		}
		_, err := w.ResolveLink(w, "unknown", w.sign("token", "unknown"))
		w.wantCode(err, parley.CodeResourceNotFound)

		w.Clock = w.Clock.Add(time.Hour) // the link itself does not expire
		to, err := w.ResolveLink(w, one, token)
		w.must(err)
		expires, signature := queryValues(w, to).Get("expires"), queryValues(w, to).Get("signature")
		later := fmt.Sprint(w.Clock.Add(time.Hour).Unix())
		for _, forged := range [][2]string{{later, signature}, {expires, token}, {expires, ""}, {"", signature},
			{expires + "0", signature}, {"x", w.sign("content", string(one), "x")}} {
			_, err := w.AttachmentContent(w, one, forged[0], forged[1])
			w.wantCode(err, parley.CodeResourceNotFound)
		}
		_, err = w.AttachmentContent(w, two, expires, signature)
		w.wantCode(err, parley.CodeResourceNotFound)
		w.Clock = w.Clock.Add(119 * time.Second)
		_, err = w.AttachmentContent(w, one, expires, signature)
		w.must(err)
		w.Clock = w.Clock.Add(time.Second)
		_, err = w.AttachmentContent(w, one, expires, signature)
		w.wantCode(err, parley.CodeResourceNotFound)

		w.Secret = nil // then nothing is signed, and nothing is handed out
		_, err = w.ResolveLink(w, one, w.sign("token", string(one)))
		w.wantCode(err, parley.CodeResourceNotFound)
		w.Secret = []byte("secret")
	})
}

func TestFilesThatAreRefused(t *testing.T) {
	forEachFileStore(t, func(w *testHelpdesk, files *ingest.Service) {
		ann := w.addMember(w.Account, "ann"+parley.NewUUID())
		first := w.mustOpen(newTicketRequest(1))
		rows := func() int {
			return w.countRows(`select count(*) from blobs`) + w.countRows(`select count(*) from blob_data`) +
				w.countRows(`select count(*) from attachments`)
		}
		before := rows()
		many := make([]File, MaxFiles+1)
		for i := range many {
			many[i] = w.newUpload(files, "f", fmt.Sprint(i))
		}
		for _, list := range [][]File{many, {{Name: "big", Size: MaxFileBytes + 1, Path: "nowhere"}},
			{{Name: "empty", Path: "nowhere"}}} {
			_, err := w.Reply(w, w.ref(), first.Number,
				NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: list})
			w.wantCode(err, parley.CodeInvalidBody)
		}
		_, err := w.Reply(w, w.ref(), 99, NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: many[:1]})
		w.wantCode(err, parley.CodeTicketNotFound)
		if n := rows() - before; n != 0 {
			w.Errorf("a reply that failed has left %d rows", n)
		}
		if left, err := filepath.Glob(filepath.Join(files.Files.Dir, "??", "*")); len(left) > 0 || err != nil {
			w.Errorf("a reply that failed has left %v %v", left, err)
		}
		_, err = w.Reply(w, w.ref(), first.Number,
			NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: many[1:]})
		w.must(err)
	})
}

// Files of messages stay when loose files are removed, and go with their conversation.
func TestFilesGoWithTheirConversation(t *testing.T) {
	forEachFileStore(t, func(w *testHelpdesk, files *ingest.Service) {
		ann := w.addMember(w.Account, "ann"+parley.NewUUID())
		first := w.mustOpen(newTicketRequest(1))
		m, err := w.Reply(w, w.ref(), first.Number,
			NewReply{Type: "reply", Content: "x", AuthorID: ann, Files: []File{w.newUpload(files, "a.png", png)}})
		w.must(err)
		w.must(files.RemoveUnusedFiles(w, w.ref()))
		if got := w.fetchFile(m.Attachments[0].ID); string(got.Bytes) != png {
			w.Error("the file has gone")
		}
		w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(w, w.ref(), []parley.ConversationID{first.ConversationID}, nil, w.Clock)
			return err
		}))
		_, err = w.ResolveLink(w, m.Attachments[0].ID, w.sign("token", string(m.Attachments[0].ID)))
		w.wantCode(err, parley.CodeResourceNotFound)
		_, err = w.DB.EraseConversations(w, w.ref())
		w.must(err)
		w.must(files.RemoveUnusedFiles(w, w.ref()))
		if n := w.countRows(`select count(*) from blobs`) + w.countRows(`select count(*) from blob_data`) +
			w.countRows(`select count(*) from attachments`); n != 0 {
			w.Errorf("%d rows are left", n)
		}
	})
}

func TestFilesNeedAPlace(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addMember(w.Account, "ann")
		first := w.mustOpen(newTicketRequest(1))
		path := filepath.Join(w.TempDir(), "f")
		w.must(os.WriteFile(path, []byte("x"), 0o600))
		_, err := w.Reply(context.Background(), w.ref(), first.Number,
			NewReply{Type: "reply", AuthorID: ann, Files: []File{{Name: "f", Path: path, Size: 1}}})
		w.wantCode(err, parley.CodeInvalidBody)
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
		h := fileHeaders(&parley.Attachment{Name: name, MediaType: "image/svg+xml"})
		disposition, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
		if err != nil || disposition != "attachment" || params["filename"] != name {
			t.Errorf("%q is sent as %s: %v %v", name, h.Get("Content-Disposition"), params, err)
		}
		if h.Get("Content-Type") != "application/octet-stream" || h.Get("X-Content-Type-Options") != "nosniff" ||
			!bytes.Contains([]byte(h.Get("Content-Security-Policy")), []byte("sandbox")) {
			t.Errorf("served with %v", h)
		}
	}
}
