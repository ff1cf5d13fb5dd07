package ingest

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/ingest/extract"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxNameBytes is the most of a page's title that names its source.
const maxNameBytes = 500

// storePage takes a page in: as the link's own content, or as a source of its own below the link.
func (c *crawlRun) storePage(ctx context.Context, page crawl.Page) error {
	title, text, err := c.ReadPage(extract.WithOwner(ctx, string(c.run.Account)), page.URL, page.Type, page.Body)
	if err != nil {
		return cmp.Or(ctx.Err(), error(&crawl.Unreadable{Reason: err.Error(), Err: err}))
	}
	text = strings.ToValidUTF8(stripNUL(text), "\ufffd")
	if !hasText(text) {
		return &crawl.Unreadable{Reason: "the page holds no text"}
	}
	title = strings.ToValidUTF8(stripNUL(title), "\ufffd")
	p := c.newPageWrite(page.URL, title[:runeBoundary(title, maxNameBytes)], text)
	err = c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return p.store(ctx, tx) })
	if err != nil || p.toTrain == nil {
		return err
	}
	err = c.train(ctx, p.toTrain)
	if errors.Is(err, errStale) { // read anew meanwhile, or deleted
		return nil
	}
	return err
}

// hasText reports that a text has at least one piece.
func hasText(text string) bool {
	for range EachPiece(text) {
		return true
	}
	return false
}

// pageWrite is a page on its way into the database: its ids and times are made before the transaction, which may run twice.
type pageWrite struct {
	*crawlRun
	source  parley.Source // as it is when it is new
	version parley.Version
	toTrain *parley.Source // what is to be trained; nil when the page is as it was
}

func (c *crawlRun) newPageWrite(url, title, text string) *pageWrite {
	now := c.Now()
	p := &pageWrite{crawlRun: c, version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: c.run.Agent, CreatedAt: now}}
	setText(&p.version, text)
	if c.isIndividual() {
		p.version.Content = pageContent{cleanTitle(title)}.encode()
	}
	p.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: c.run.Account, AgentID: c.run.Agent, ParentID: c.run.Source, Kind: parley.SourceLink,
		Name: cmp.Or(strings.TrimSpace(title), url), URL: url, Size: int64(len(text)), Status: parley.SourceUntrained, Metadata: LinkRecord{Type: crawl.Individual}.encode(),
		WantedVersion: p.version.ID, CreatedAt: now, UpdatedAt: now}
	return p
}

func (p *pageWrite) store(ctx context.Context, tx *store.DB) error {
	p.toTrain = nil
	a, err := tx.AgentForUpdate(ctx, p.run.Account, p.run.Agent, p.version.CreatedAt) // before the source's row, always
	if err != nil {
		return err
	}
	there, err := tx.LockCrawl(ctx, p.run)
	if err != nil {
		return err
	}
	if !p.isIndividual() {
		there, err = tx.PageSource(ctx, p.run.Account, p.run.Agent, p.run.Source, p.source.URL)
	}
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return p.create(ctx, tx, a.Size)
	}
	if err != nil {
		return err
	}
	return p.update(ctx, tx, there, a.Size)
}

func (p *pageWrite) create(ctx context.Context, tx *store.DB, size int64) error {
	if !p.plan.AllowsStorage(size + p.source.Size) {
		return errStorageFull
	}
	s := p.source
	if _, err := tx.CreateSource(ctx, &s); err != nil {
		return err
	}
	p.toTrain = &s
	return p.writeVersion(ctx, tx, &s)
}

func (p *pageWrite) writeVersion(ctx context.Context, tx *store.DB, s *parley.Source) error {
	v := p.version
	v.SourceID = s.ID
	return tx.CreateVersion(ctx, p.run.Account, &v)
}

// update makes the page what the source wants. One that says what it said is left alone, or trained if that was cut short.
func (p *pageWrite) update(ctx context.Context, tx *store.DB, there *parley.Source, size int64) error {
	if there.WantedVersion != "" {
		previous, err := tx.Version(ctx, p.run.Account, p.run.Agent, there.ID, there.WantedVersion)
		if err != nil {
			return err
		}
		if previous.Hash == p.version.Hash && (p.isIndividual() || there.Name == p.source.Name) {
			return p.resume(ctx, tx, there)
		}
	}
	if grown := p.source.Size - there.Size; grown > 0 && !p.plan.AllowsStorage(size+grown) {
		return errStorageFull
	}
	s, _, err := tx.UpdateSource(ctx, p.run.Account, p.run.Agent, there.ID, func(s *parley.Source) error {
		if !p.isIndividual() {
			s.Name = p.source.Name
		}
		s.SetWantedVersion(&p.version, p.source.Size)
		return nil
	})
	if err != nil {
		return err
	}
	p.toTrain = s
	return p.writeVersion(ctx, tx, s)
}

func (p *pageWrite) resume(ctx context.Context, tx *store.DB, there *parley.Source) error {
	if there.LiveVersion != there.WantedVersion {
		p.toTrain = there
		return nil
	}
	if p.isIndividual() || there.Status == parley.SourceTrained {
		return nil
	}
	_, _, err := tx.UpdateSource(ctx, p.run.Account, p.run.Agent, there.ID, func(s *parley.Source) error {
		s.Status, s.Failure, s.UpdatedAt = parley.SourceTrained, "", p.version.CreatedAt
		return nil
	})
	return err
}
