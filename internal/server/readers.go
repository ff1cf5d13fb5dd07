package server

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"parley"
	"parley/internal/helpdesk"
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

// newExtractPool returns the processes that read what others wrote.
func (b *builder) newExtractPool() *extract.Pool {
	if b.cfg.ExtractProgram != "" {
		b.cfg.warnUnfenced(sandbox.System())
	}
	return &extract.Pool{
		Executable: b.cfg.ExtractProgram, Log: b.cfg.Logger, Size: fileWorkers, AllowUnfenced: b.cfg.Unfenced,
		Programs: b.programs,
	}
}

func (b *builder) newIngest(pool *extract.Pool) *ingest.Service {
	readers := extractReaders{pool}
	service := &ingest.Service{
		DB: b.DB, Indexes: b.Indexes, Queue: b.Queue, Now: b.cfg.Now, Plan: b.Plans.Plan, Logger: b.cfg.Logger,
		Crawler:  &crawl.Crawler{Client: b.Outbound, UserAgent: crawlerName(b.cfg.BaseURL), Now: b.cfg.Now},
		ReadPage: readers.readPage, ReadFile: readers.readFile, Files: b.cfg.newFiles(b.DB), IsBusy: b.callbacks.isAnswering,
	}
	if b.embedding != nil {
		service.Embedder = b.watchEmbedder(b.embedding.Passages)
	} else {
		service.EmbedderOf, service.MayEmbed = b.ModelServers.Embedder, b.ModelServers.MayHaveServers
	}
	return service
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

// warnUnfenced warns of what the system lacks to fence the readers of files, and of what follows from it.
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
		c.Logger.Warn("no other programs read files: this system cannot keep them from the files of this machine",
			"cause", files)
	}
}

// newFiles returns the store of uploads and recordings. Servers that share a database share no folder: then the
// database holds them.
func (c Config) newFiles(db *store.DB) *ingest.Files {
	return &ingest.Files{Dir: c.UploadsDir(), InDatabase: db.SQL().Dialect() == sqldb.Postgres}
}

// crawlerName is the crawler's user agent: robots.txt files name it parleybot. The address shows who runs it.
func crawlerName(base string) string {
	if base == "" {
		return "parleybot/1.0"
	}
	return "parleybot/1.0 (+" + base + ")"
}

// extractReaders are the readers of ingest, which a pool of processes does the work of.
type extractReaders struct{ pool *extract.Pool }

// readPage returns the title and the text of what the crawler has fetched, which is UTF-8 by now unless it is a PDF.
func (r extractReaders) readPage(ctx context.Context, url, contentType string,
	body []byte) (title, text string, err error) {
	switch contentType {
	case "text/html":
		page, err := r.pool.ReadPage(ctx, url, "text/html; charset=utf-8", body)
		return page.Title, page.Text, err
	case "application/pdf":
		doc, err := r.pool.ReadFile(ctx, extract.PDF, url, body)
		return doc.Title, doc.Text, err
	}
	text = words.ToStandardForm(string(body))
	return firstTitle(text), text, nil
}

func (r extractReaders) readFile(ctx context.Context, kind extract.Kind, name string, data []byte) (string, error) {
	doc, err := r.pool.ReadFile(ctx, kind, name, data)
	return doc.Text, err
}

// uploadsReadAtATime is how many files of visitors are in memory at a time, to be read.
const uploadsReadAtATime = 4

// uploadReader reads what visitors upload.
type uploadReader struct {
	pool  *extract.Pool
	slots chan struct{}
}

// readText returns the text of a file. Those of an agent's visitors together are one owner, whose turn comes as that of
// an account does.
func (r uploadReader) readText(ctx context.Context, agent parley.AgentID, f helpdesk.File) (string, error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-r.slots }()
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return "", fmt.Errorf("read an upload: %w", err)
	}
	kind, err := extract.Sniff(f.Name, data)
	if err != nil {
		return "", err
	}
	doc, err := r.pool.ReadFile(extract.WithOwner(ctx, "visitors of "+string(agent)), kind, f.Name, data)
	return doc.Text, err
}

// firstTitle returns the first heading of a Markdown text, if it begins with one.
func firstTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if title, ok := strings.CutPrefix(line, "# "); ok {
		return strings.TrimSpace(title)
	}
	return ""
}
