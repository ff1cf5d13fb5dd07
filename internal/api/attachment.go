package api

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/wire"
)

// Attachment is a file that belongs to a ticket's message (facts 2.10).
type Attachment struct {
	Name string `json:"name"`
	URL  string `json:"url" doc:"Needs no key. It leads to an address that works for 120 seconds."`
	Type string `json:"type" doc:"Media type, told by the content."`
	Size int64  `json:"size" min:"1" doc:"Bytes."`
}

func (s *server) attachmentsOf(list []parley.Attachment) []Attachment {
	out := make([]Attachment, len(list))
	for i, a := range list {
		out[i] = Attachment{Name: a.Name, URL: s.fileAddress(s.Helpdesk.Link(a.ID)), Type: a.MediaType, Size: a.Size}
	}
	return out
}

// fileAddress is where a path of the helpdesk's is reached: on this server where nobody says how clients reach it.
func (s *server) fileAddress(path string) string {
	return strings.TrimSuffix(s.BaseURL, "/") + Base + path
}

// FileRef is the address of a file, as messages tell it: its token is all that it needs.
type FileRef struct {
	AttachmentID string `path:"attachmentId"`
	Token        string `query:"token"`
}

// file leads to an address that works for a short while (facts 2.10).
func (s *server) file(ctx context.Context, c *wire.Call, in *FileRef) (*wire.EventStream, error) {
	path, err := s.Helpdesk.Fetch(ctx, parley.AttachmentID(in.AttachmentID), in.Token)
	if err != nil {
		return nil, noFile(err)
	}
	c.Hand(ctx, http.RedirectHandler(s.fileAddress(path), http.StatusFound), nil)
	return nil, nil
}

// FileContent is the address that a file's leads to.
type FileContent struct {
	AttachmentID string `path:"attachmentId"`
	Expires      string `query:"expires"`
	Signature    string `query:"signature"`
}

func (s *server) fileContent(ctx context.Context, c *wire.Call, in *FileContent) (*wire.EventStream, error) {
	file, err := s.Helpdesk.Content(ctx, parley.AttachmentID(in.AttachmentID), in.Expires, in.Signature)
	if err != nil {
		return nil, noFile(err)
	}
	c.Hand(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), file.Header)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.Bytes))
	}), nil)
	return nil, nil
}

// noFile says the same of a file that is not there, of a token that is another's and of an address whose time is over.
func noFile(err error) error {
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return parley.Failf(parley.CodeResourceNotFound, "There is no such file, or the link to it is no longer valid.")
	}
	return fmt.Errorf("hand out a file: %w", err)
}
