package crawl

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"parley/internal/outbound"
	textcharset "parley/internal/text/charset"
)

// Page is a page that is new or has changed.
type Page struct {
	URL  string // canonical
	Type string // text/html (XHTML too), text/plain, text/markdown or application/pdf
	Body []byte // text in UTF-8; a PDF as it came
	Validators
}

// Unreadable is the error of a visit of a page in which nothing can be read. Reason is for the operator.
type Unreadable struct {
	Reason string
	Err    error
}

func (u *Unreadable) Error() string { return u.Reason }

func (u *Unreadable) Unwrap() error { return u.Err }

// pageTypes are the content types that are read, each with the one that Page.Type says.
var pageTypes = map[string]string{
	"text/html": "text/html", "application/xhtml+xml": "text/html", "text/plain": "text/plain",
	"text/markdown": "text/markdown", "text/x-markdown": "text/markdown", "application/pdf": "application/pdf",
}

func (r *crawlRun) readPage(ctx context.Context, link Link, u *url.URL) (Outcome, error) {
	if !r.isWanted(u) && !r.readsForLinks(link) {
		return excludedOutcome(excludedByPattern), nil
	}
	reply, outcome, err := r.fetch(ctx, link, u, outbound.Limits{MaxBytes: r.Limits.PageBytes, MaxRedirects: -1})
	if err != nil || reply == nil {
		return outcome, err
	}
	outcome, err = r.handleReply(ctx, link, u, reply)
	outcome.Status = reply.Status
	return outcome, err
}

func (r *crawlRun) handleReply(ctx context.Context, link Link, u *url.URL, reply *outbound.Response) (Outcome, error) {
	switch {
	case reply.Status == http.StatusNotModified && link.Validators != (Validators{}):
		r.noteUnchanged(link, u)
		return Outcome{State: Unchanged, Validators: link.Validators}, nil
	case reply.Status >= 300:
		return r.followRedirect(ctx, link, u, reply)
	case reply.Status != http.StatusOK && reply.Status != http.StatusNonAuthoritativeInfo:
		return statusFailedOutcome(reply), nil
	}
	page := Page{URL: link.URL, Type: pageTypes[contentType(reply, u)], Body: reply.Body,
		Validators: validators(reply.Header)}
	if page.Type == "" {
		return excludedOutcome("it is not a text that can be read: " + contentType(reply, u)), nil
	}
	if page.Type != "application/pdf" {
		page.Body = toUTF8(reply.Body, reply.Header.Get("Content-Type"), page.Type == "text/html")
	}
	if page.Type == "text/html" && isBrowserCheck(page.Body) {
		return failedOutcome("the host answers with a check whether a browser asks", nil), nil
	}
	return r.processPage(ctx, link, u, page, reply.Header)
}

// processPage adds a page's links and visits it, unless it asks for something else.
func (r *crawlRun) processPage(ctx context.Context, link Link, u *url.URL, page Page,
	header http.Header) (Outcome, error) {
	var scanned pageScan
	if page.Type == "text/html" {
		scanned = scanPage(page.Body, u, productToken(r.UserAgent))
	}
	scanned.parseHeader(header, productToken(r.UserAgent))
	if r.Kind == WholeSite && !scanned.noFollow && link.Depth < r.Limits.Depth {
		if err := r.addPageLinks(ctx, scanned.links, Link{Depth: link.Depth + 1}); err != nil {
			return Outcome{}, err
		}
	}
	switch {
	case !r.isWanted(u):
		return excludedOutcome(excludedByPattern), nil
	case scanned.noIndex:
		return excludedOutcome("the page asks not to be indexed"), nil
	}
	if to, err := r.resolveCanonical(ctx, link, u, scanned.canonical); to != "" || err != nil {
		return Outcome{State: Merged, MergedInto: to}, err
	}
	if to := r.samePage(link, u, page); to != "" {
		return Outcome{State: Merged, MergedInto: to}, nil
	}
	err := r.visit(ctx, page)
	var unreadable *Unreadable
	if errors.As(err, &unreadable) {
		return failedOutcome(unreadable.Reason, unreadable.Err), nil
	}
	return Outcome{State: Included, Bytes: int64(len(page.Body)), Validators: page.Validators}, err
}

const excludedByPattern = "the include and exclude paths leave it out"

// validators returns the validators of a reply, but none of unreasonable length.
func validators(h http.Header) Validators {
	v := Validators{ETag: h.Get("ETag"), LastModified: h.Get("Last-Modified")}
	if len(v.ETag)+len(v.LastModified) > 1000 {
		return Validators{}
	}
	return v
}

// browserChecks are what pages hold that check whether a browser asks, in place of what was asked for.
var browserChecks = []string{"_cf_chl_opt", "cf-browser-verification", `src="/_Incapsula_Resource`,
	"/.well-known/sgcaptcha/", "anubis_challenge", "window.gokuProps", "ddos-guard/js-challenge", "px-captcha"}

const maxCheckBytes = 64 << 10

// isBrowserCheck reports whether a page is such a check: they are short.
func isBrowserCheck(body []byte) bool {
	return len(body) < maxCheckBytes && slices.ContainsFunc(browserChecks, func(mark string) bool {
		return bytes.Contains(body, []byte(mark))
	})
}

// readsForLinks reports whether a page is read for its links although the patterns leave it out.
func (r *crawlRun) readsForLinks(link Link) bool { return r.Kind == WholeSite && link.Depth == 0 }

// contentType returns the type of a reply. It looks into the body only where the host says nothing, and at the name
// where the host knows no Markdown.
func contentType(reply *outbound.Response, u *url.URL) string {
	mediaType, _, err := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || mediaType == "application/octet-stream" {
		mediaType, _, _ = mime.ParseMediaType(http.DetectContentType(reply.Body))
	}
	if name := strings.ToLower(u.Path); mediaType == "text/plain" &&
		(strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")) {
		return "text/markdown"
	}
	return mediaType
}

// xmlEncoding is how XHTML may name its encoding.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{1,100}?encoding=["']([A-Za-z0-9._:-]{1,40})["']`)

// lateCharset is how a page may name its encoding farther behind its beginning than browsers look.
var lateCharset = regexp.MustCompile(`(?i)<meta[^>]{1,200}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})`)

const maxHeadBytes = 256 << 10 // of a page that may name its encoding

// toUTF8 decodes a text by its byte order mark, else by what the header says, else by what the page itself says. A text
// that says nothing is UTF-8 if it can be, and otherwise what reads best, as in files that are uploaded. Bytes that
// mean nothing become U+FFFD.
func toUTF8(body []byte, contentType string, markup bool) []byte {
	sample := body
	if !markup {
		sample = body[:min(len(body), 3)] // the mark; in a plain text, <meta> is text
	}
	encoding, name, certain := charset.DetermineEncoding(sample, contentType)
	if !certain && markup {
		if m := xmlEncoding.FindSubmatch(body[:min(len(body), 1024)]); m != nil {
			if e, n := charset.Lookup(string(m[1])); e != nil && !strings.HasPrefix(n, "utf-16") {
				encoding, name = e, n
			}
		}
	}
	guessed := !certain && name == "windows-1252" || singleByte.MatchString(name) && isMultiByteUTF8(body)
	if guessed && !utf8.Valid(body) {
		late := ""
		if m := lateCharset.FindSubmatch(body[:min(len(body), maxHeadBytes)]); markup && m != nil {
			late = string(m[1])
		}
		return []byte(textcharset.Decode(body, late))
	}
	if name != "utf-8" && (!guessed || !utf8.Valid(body)) {
		if decoded, err := encoding.NewDecoder().Bytes(body); err == nil {
			body = decoded
		}
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// singleByte are the names of encodings that have a character for each byte: any text looks like one in them.
var singleByte = regexp.MustCompile(`^(?:windows-(?:125\d|874)|iso-8859-|koi8-|macintosh|x-mac|ibm866)`)

// isMultiByteUTF8 reports whether a text is UTF-8 beyond ASCII, which texts in other encodings are by no chance.
func isMultiByteUTF8(body []byte) bool {
	return utf8.Valid(body) && bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })
}

const maxHops = 5 // redirects and canonical links, one after the other

// followRedirect handles a redirect: its target becomes an address like any other, in the place of this one.
func (r *crawlRun) followRedirect(ctx context.Context, link Link, u *url.URL,
	reply *outbound.Response) (Outcome, error) {
	location := reply.Header.Get("Location")
	to, err := Canonical(u, location)
	switch {
	case location == "":
		return statusFailedOutcome(reply), nil
	case err != nil:
		return failedOutcome("it redirects to an address that cannot be read", err), nil
	case to.String() == link.URL:
		return failedOutcome("it redirects to itself", nil), nil
	case link.Hops >= maxHops:
		return failedOutcome("there are too many redirects", nil), nil
	case !r.isInside(to) && link.Depth == 0:
		return failedOutcome("it redirects to another site: "+to.Host, nil), nil
	case !r.isInside(to):
		return excludedOutcome("it redirects to another site: " + to.Host), nil
	case link.Role == PageRole && !r.isWanted(to) && !r.readsForLinks(link):
		return excludedOutcome(excludedByPattern), nil
	}
	if round, err := r.isRedirectLoop(ctx, to.String(), link.URL); err != nil || round {
		return failedOutcome("its redirects go round in a circle", nil), err
	}
	next := Link{URL: to.String(), Role: link.Role, Depth: link.Depth, Hops: link.Hops + 1}
	return Outcome{State: Merged, MergedInto: next.URL}, r.addLinks(ctx, []Link{next})
}

// isRedirectLoop reports whether an address has been merged, step by step, into another.
func (r *crawlRun) isRedirectLoop(ctx context.Context, from, to string) (bool, error) {
	for range maxHops + 1 {
		outcome, _, err := r.frontier.Outcome(ctx, from)
		if err != nil || outcome.State != Merged {
			return false, err
		}
		if from = outcome.MergedInto; from == to {
			return true, nil
		}
	}
	return false, nil
}

// resolveCanonical follows a canonical link, and returns the address that is read instead of this one, or nothing if it
// is this one. The link counts inside the site only, and not where the other cannot stand in: it has failed or was
// itself given up for another, it is left out, or it is the front page, which careless templates name on every page.
func (r *crawlRun) resolveCanonical(ctx context.Context, link Link, u, canonical *url.URL) (string, error) {
	if canonical == nil || r.Kind == Individual || link.Hops >= maxHops {
		return "", nil
	}
	to := canonical.String()
	if to == link.URL || !r.isInside(canonical) || !r.isWanted(canonical) ||
		canonical.RequestURI() == "/" && u.Path != "/" {
		return "", nil
	}
	r.mu.Lock()
	_, isMerged := r.mergedInto[to]
	if !isMerged {
		r.mergedInto[link.URL] = to // before looking, so that of two that name one another one stays
	}
	r.mu.Unlock()
	outcome, _, err := r.frontier.Outcome(ctx, to)
	if err == nil && !isMerged && slices.Contains([]State{Waiting, Included, Unchanged}, outcome.State) {
		return to, r.addLinks(ctx, []Link{{URL: to, Depth: link.Depth, Hops: link.Hops + 1}})
	}
	r.mu.Lock()
	delete(r.mergedInto, link.URL)
	r.mu.Unlock()
	return "", err
}
