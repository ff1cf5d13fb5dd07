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

// nameBytes is the most of a page's title that names its source.
const nameBytes = 500

// visit takes a page in: as the link's own content, or as a source of its own below the link.
func (c *crawling) visit(ctx context.Context, page crawl.Page) error {
	title, text, err := c.ReadPage(extract.WithOwner(ctx, string(c.run.Account)), page.URL, page.Type, page.Body)
	if err != nil {
		return cmp.Or(ctx.Err(), error(&crawl.Unreadable{Reason: err.Error(), Err: err}))
	}
	text = strings.ToValidUTF8(storable(text), "\ufffd")
	if !holdsText(text) {
		return &crawl.Unreadable{Reason: "the page holds no text"}
	}
	title = strings.ToValidUTF8(storable(title), "\ufffd")
	p := c.taking(page.URL, title[:cutAt(title, nameBytes)], text)
	err = c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return p.onto(ctx, tx) })
	if err != nil || p.to == nil {
		return err
	}
	err = c.train(ctx, p.to)
	if errors.Is(err, errStale) { // read anew meanwhile, or deleted
		return nil
	}
	return err
}

// holdsText reports that a text has at least one piece.
func holdsText(text string) bool {
	for range EachPiece(text) {
		return true
	}
	return false
}

// taking is a page on its way into the database: its ids and times are made before the transaction, which may run twice.
type taking struct {
	*crawling
	source  parley.Source // as it is when it is new
	version parley.Version
	to      *parley.Source // what is to be trained; nil when the page is as it was
}

func (c *crawling) taking(url, title, text string) *taking {
	now := c.Now()
	p := &taking{crawling: c, version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: c.run.Agent, CreatedAt: now}}
	setText(&p.version, text)
	if c.individual() {
		p.version.Content = pageContent{clean(title)}.encoded()
	}
	p.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: c.run.Account, AgentID: c.run.Agent, Parent: c.run.Source, Kind: parley.SourceLink,
		Name: cmp.Or(strings.TrimSpace(title), url), URL: url, Size: int64(len(text)), Status: parley.SourceUntrained, Metadata: LinkRecord{Type: crawl.Individual}.encoded(),
		Wanted: p.version.ID, CreatedAt: now, UpdatedAt: now}
	return p
}

func (p *taking) onto(ctx context.Context, tx *store.DB) error {
	p.to = nil
	a, err := tx.HoldAgent(ctx, p.run.Account, p.run.Agent, p.version.CreatedAt) // before the source's row, always
	if err != nil {
		return err
	}
	there, err := tx.HoldCrawl(ctx, p.run)
	if err != nil {
		return err
	}
	if !p.individual() {
		there, err = tx.Page(ctx, p.run.Account, p.run.Agent, p.run.Source, p.source.URL)
	}
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return p.create(ctx, tx, a.Size)
	}
	if err != nil {
		return err
	}
	return p.update(ctx, tx, there, a.Size)
}

func (p *taking) create(ctx context.Context, tx *store.DB, size int64) error {
	if !p.plan.Holds(size + p.source.Size) {
		return errFull
	}
	s := p.source
	if _, err := tx.CreateSource(ctx, &s); err != nil {
		return err
	}
	p.to = &s
	return p.write(ctx, tx, &s)
}

func (p *taking) write(ctx context.Context, tx *store.DB, s *parley.Source) error {
	v := p.version
	v.SourceID = s.ID
	return tx.CreateVersion(ctx, p.run.Account, &v)
}

// update makes the page what the source wants. One that says what it said is left alone, or trained if that was cut short.
func (p *taking) update(ctx context.Context, tx *store.DB, there *parley.Source, size int64) error {
	if there.Wanted != "" {
		was, err := tx.Version(ctx, p.run.Account, p.run.Agent, there.ID, there.Wanted)
		if err != nil {
			return err
		}
		if was.Hash == p.version.Hash && (p.individual() || there.Name == p.source.Name) {
			return p.resume(ctx, tx, there)
		}
	}
	if grown := p.source.Size - there.Size; grown > 0 && !p.plan.Holds(size+grown) {
		return errFull
	}
	s, _, err := tx.UpdateSource(ctx, p.run.Account, p.run.Agent, there.ID, func(s *parley.Source) error {
		if !p.individual() {
			s.Name = p.source.Name
		}
		s.Want(&p.version, p.source.Size)
		return nil
	})
	if err != nil {
		return err
	}
	p.to = s
	return p.write(ctx, tx, s)
}

func (p *taking) resume(ctx context.Context, tx *store.DB, there *parley.Source) error {
	if there.Live != there.Wanted {
		p.to = there
		return nil
	}
	if p.individual() || there.Status == parley.SourceTrained {
		return nil
	}
	_, _, err := tx.UpdateSource(ctx, p.run.Account, p.run.Agent, there.ID, func(s *parley.Source) error {
		s.Status, s.Failure, s.UpdatedAt = parley.SourceTrained, "", p.version.CreatedAt
		return nil
	})
	return err
}
