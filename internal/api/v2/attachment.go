package v2

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
)

// Attachment is a file that belongs to a ticket's message (facts 2.10).
type Attachment struct {
	Name string `json:"name"`
	URL  string `json:"url" doc:"Needs no key. It leads to an address that works for 120 seconds."`
	Type string `json:"type" doc:"Media type, told by the content."`
	Size int64  `json:"size" min:"1" doc:"Bytes."`
}

func (s *server) newAttachments(list []parley.Attachment) []Attachment {
	out := make([]Attachment, len(list))
	for i, a := range list {
		out[i] = Attachment{Name: a.Name, URL: s.fileAddress(s.Helpdesk.AttachmentLink(a.ID)), Type: a.MediaType, Size: a.Size}
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

// redirectToFile leads to an address that works for a short while (facts 2.10).
func (s *server) redirectToFile(ctx context.Context, c *httpapi.Call, in *FileRef) (*httpapi.EventStream, error) {
	path, err := s.Helpdesk.ResolveLink(ctx, parley.AttachmentID(in.AttachmentID), in.Token)
	if err != nil {
		return nil, fileNotFound(err)
	}
	c.Delegate(ctx, http.RedirectHandler(s.fileAddress(path), http.StatusFound), nil)
	return nil, nil
}

// FileContent is the address that a file's leads to.
type FileContent struct {
	AttachmentID string `path:"attachmentId"`
	Expires      string `query:"expires"`
	Signature    string `query:"signature"`
}

func (s *server) serveFile(ctx context.Context, c *httpapi.Call, in *FileContent) (*httpapi.EventStream, error) {
	file, err := s.Helpdesk.AttachmentContent(ctx, parley.AttachmentID(in.AttachmentID), in.Expires, in.Signature)
	if err != nil {
		return nil, fileNotFound(err)
	}
	c.Delegate(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), file.Header)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.Bytes))
	}), nil)
	return nil, nil
}

// fileNotFound says the same of a file that is not there, of a token that is another's and of an address whose time is over.
func fileNotFound(err error) error {
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return parley.NewErrorf(parley.CodeResourceNotFound, "There is no such file, or the link to it is no longer valid.")
	}
	return fmt.Errorf("hand out a file: %w", err)
}
