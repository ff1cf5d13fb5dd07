package crawl

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/outbound"
)

// Page is a page that is new or has changed.
type Page struct {
	URL  string // canonical
	Type string // text/html (XHTML too), text/plain, text/markdown or application/pdf
	Body []byte // text in UTF-8; a PDF as it came
	Validators
}

// Unreadable is a visit's way to say that nothing can be read in a page. Reason is for the operator.
type Unreadable struct {
	Reason string
	Err    error
}

func (e *Unreadable) Error() string { return e.Reason }

func (e *Unreadable) Unwrap() error { return e.Err }

// types are the content types that are read, each with the one that Page.Type says.
var types = map[string]string{
	"text/html": "text/html", "application/xhtml+xml": "text/html", "text/plain": "text/plain",
	"text/markdown": "text/markdown", "text/x-markdown": "text/markdown", "application/pdf": "application/pdf",
}

// readPage reads an address as a page.
func (r *run) readPage(ctx context.Context, link Link, u *url.URL) (Outcome, error) {
	if !r.wanted(u) && !r.leads(link) {
		return excluded(byPattern), nil
	}
	reply, outcome, err := r.fetch(ctx, link, u, outbound.Limits{Bytes: r.Limits.PageBytes, Redirects: -1})
	if err != nil || reply == nil {
		return outcome, err
	}
	outcome, err = r.replied(ctx, link, u, reply)
	outcome.Status = reply.Status
	return outcome, err
}

func (r *run) replied(ctx context.Context, link Link, u *url.URL, reply *outbound.Reply) (Outcome, error) {
	switch {
	case reply.Status == http.StatusNotModified && link.Validators != (Validators{}):
		return Outcome{State: Unchanged, Validators: link.Validators}, nil
	case reply.Status >= 300:
		return r.moved(ctx, link, u, reply)
	case reply.Status != http.StatusOK && reply.Status != http.StatusNonAuthoritativeInfo:
		return statusFailed(reply), nil
	}
	page := Page{URL: link.URL, Type: types[contentType(reply, u)], Body: reply.Body, Validators: validators(reply.Header)}
	if page.Type == "" {
		return excluded("it is not a text that can be read: " + contentType(reply, u)), nil
	}
	if page.Type != "application/pdf" {
		page.Body = toUTF8(reply.Body, reply.Header.Get("Content-Type"), page.Type == "text/html")
	}
	return r.take(ctx, link, u, page, reply.Header)
}

// take follows a page's links and has it visited, unless it asks for something else.
func (r *run) take(ctx context.Context, link Link, u *url.URL, page Page, header http.Header) (Outcome, error) {
	var said scan
	if page.Type == "text/html" {
		said = scanPage(page.Body, u, productToken(r.Agent))
	}
	said.header(header, productToken(r.Agent))
	if r.Kind == Whole && !said.noFollow && link.Depth < r.Limits.Depth {
		if err := r.found(ctx, said.links, Link{Depth: link.Depth + 1}); err != nil {
			return Outcome{}, err
		}
	}
	switch {
	case !r.wanted(u):
		return excluded(byPattern), nil
	case said.noIndex:
		return excluded("the page asks not to be indexed"), nil
	}
	if to, err := r.elsewhere(ctx, link, u, said.canonical); to != "" || err != nil {
		return Outcome{State: Merged, To: to}, err
	}
	err := r.visit(ctx, page)
	var unreadable *Unreadable
	if errors.As(err, &unreadable) {
		return failed(unreadable.Reason, unreadable.Err), nil
	}
	return Outcome{State: Included, Bytes: int64(len(page.Body)), Validators: page.Validators}, err
}

const byPattern = "the include and exclude paths leave it out"

// validators forgets those of unreasonable length.
func validators(h http.Header) Validators {
	v := Validators{Tag: h.Get("ETag"), Modified: h.Get("Last-Modified")}
	if len(v.Tag)+len(v.Modified) > 1000 {
		return Validators{}
	}
	return v
}

// leads reports whether a page is read for its links although the patterns leave it out.
func (r *run) leads(link Link) bool { return r.Kind == Whole && link.Depth == 0 }

// contentType looks into the body only where the host says nothing, and at the name where the host knows no Markdown.
func contentType(reply *outbound.Reply, u *url.URL) string {
	said, _, err := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || said == "application/octet-stream" {
		said, _, _ = mime.ParseMediaType(http.DetectContentType(reply.Body))
	}
	if name := strings.ToLower(u.Path); said == "text/plain" && (strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")) {
		return "text/markdown"
	}
	return said
}
