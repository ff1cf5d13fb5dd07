package server

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/words"
)

// crawlWorkers is how many links are read at a time.
const crawlWorkers = 8

// fileWorkers is how many files are read at a time, as many as the pool has children.
const fileWorkers = 2

// setUpReaders returns the ingest room what it reads links and files with.
func (h *Server) setUpReaders() error {
	programs, err := h.cfg.extractPrograms()
	if err != nil {
		return err
	}
	h.extractPool = &extract.Pool{Executable: h.cfg.ExtractProgram, Log: h.cfg.Logger, Size: fileWorkers, AllowUnfenced: h.cfg.Unfenced, Programs: programs}
	if h.cfg.ExtractProgram != "" {
		h.cfg.warnUnfenced(sandbox.System())
	}
	h.Ingest.Files = h.cfg.newFiles(h.DB)
	h.Ingest.ReadFile = h.extractFile
	h.Ingest.IsBusy = h.Engine.Busy
	h.Ingest.Crawler = &crawl.Crawler{Client: h.Outbound, UserAgent: crawlerName(h.cfg.BaseURL), Now: h.cfg.Now}
	h.Ingest.ReadPage = h.extractPage
	return nil
}

// extractPrograms returns the programs that read files beside our own readers.
func (c Config) extractPrograms() (extract.Programs, error) {
	switch strings.Join(c.FilePrograms, ",") {
	case "", "auto":
		return extract.FindPrograms(), nil
	case "none":
		return extract.Programs{}, nil
	}
	programs, err := extract.NewPrograms(c.FilePrograms)
	if err != nil {
		err = fmt.Errorf("--file-programs (PARLEY_FILE_PROGRAMS): %w", err)
	}
	return programs, err
}

// warnUnfenced tells at the start what the system lacks to fence readers of files, and what comes of it.
func (c Config) warnUnfenced(calls, files error) {
	named := len(c.FilePrograms) > 0 && c.FilePrograms[0] != "auto" && c.FilePrograms[0] != "none"
	switch {
	case runtime.GOOS != "linux":
		c.Logger.Warn("this system cannot fence the readers of files; no other programs read them", "cause", calls)
	case calls != nil && c.Unfenced:
		c.Logger.Warn("files are read without fences, as --unfenced-readers asks for", "cause", calls)
	case calls != nil:
		c.Logger.Warn("files and pages are not read: this system cannot fence their readers; "+
			"--unfenced-readers reads them all the same", "cause", calls)
	case files != nil && named:
		c.Logger.Warn("the programs of --file-programs can reach the files of this machine", "cause", files)
	case files != nil:
		c.Logger.Warn("no other programs read files: this system cannot keep them from the files of this machine", "cause", files)
	}
}

// newFiles is where uploads and recordings lie: several servers share a database, and no folder.
func (c Config) newFiles(db *store.DB) *ingest.Files {
	return &ingest.Files{Dir: filepath.Join(c.Data, uploadsFolder), InDatabase: db.SQL().Dialect() == sqldb.Postgres}
}

// crawlerName is what the crawler calls itself: robots.txt files know it as parleybot. The address tells who runs it.
func crawlerName(base string) string {
	if base == "" {
		return "parleybot/1.0"
	}
	return "parleybot/1.0 (+" + base + ")"
}

// extractPage makes text of what the crawler has fetched, which is UTF-8 by now unless it is a PDF.
func (h *Server) extractPage(ctx context.Context, url, contentType string, body []byte) (title, text string, err error) {
	switch contentType {
	case "text/html":
		page, err := h.extractPool.ReadPage(ctx, url, "text/html; charset=utf-8", body)
		return page.Title, page.Text, err
	case "application/pdf":
		doc, err := h.extractPool.ReadFile(ctx, extract.PDF, url, body)
		return doc.Title, doc.Text, err
	}
	text = words.ToStandardForm(string(body))
	return firstTitle(text), text, nil
}

// extractFile makes text of what was uploaded.
func (h *Server) extractFile(ctx context.Context, kind extract.Kind, name string, data []byte) (string, error) {
	doc, err := h.extractPool.ReadFile(ctx, kind, name, data)
	return doc.Text, err
}

// firstTitle is the first heading of a Markdown text, if it begins with one.
func firstTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if title, ok := strings.CutPrefix(line, "# "); ok {
		return strings.TrimSpace(title)
	}
	return ""
}
