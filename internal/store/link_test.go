package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// seedCrawl is a reading of a new link with addresses that wait, at the depths given.
func (w *fixture) seedCrawl(depths ...int) store.Crawl {
	w.Helper()
	s := w.createSource("https://example.com", 0, testTime)
	c := store.Crawl{Account: w.Account.ID, Agent: w.Agent.ID, Source: s.ID}
	var pages []store.CrawlPage
	for i, depth := range depths {
		pages = append(pages, store.CrawlPage{ID: parley.NewUUID(), URL: fmt.Sprint("https://example.com/", i),
			Depth: depth, Position: int64(i)})
	}
	w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(w, c, pages) }))
	return c
}

func (w *fixture) claimPageURLs(c store.Crawl, n int) (urls []string) {
	w.Helper()
	w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
		urls = nil
		list, err := tx.ClaimCrawlPages(w, c, n)
		for _, p := range list {
			urls = append(urls, p.URL)
		}
		return err
	}))
	return urls
}

func TestPagesAreClaimedNearestFirst(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.seedCrawl(2, 0, 1, 1)
		if diff := cmp.Diff([]string{"https://example.com/1", "https://example.com/2", "https://example.com/3"},
			w.claimPageURLs(c, 3)); diff != "" {
			w.Error(diff)
		}
		if diff := cmp.Diff([]string{"https://example.com/0"}, w.claimPageURLs(c, 3)); diff != "" {
			w.Error(diff)
		}
		if got := w.claimPageURLs(c, 3); got != nil {
			w.Error("claimed twice:", got)
		}
		w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(w, c, nil) }))
		if got := w.claimPageURLs(c, 9); len(got) != 4 {
			w.Error("claims of a dead run do not come back:", got)
		}
		var states []string
		w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
			states, err = tx.AddCrawlPages(w, c, []store.CrawlPage{{ID: parley.NewUUID(), URL: "https://example.com/0"},
				{ID: parley.NewUUID(), URL: "https://example.com/new"}})
			return err
		}))
		if len(states) != 1 {
			w.Error("what was known is added again:", states)
		}
	})
}

func TestReadingAnewKeepsWhatItMay(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.seedCrawl(0, 1, 1, 1)
		left := store.CrawlPage{ID: parley.NewUUID(), URL: "https://example.com/left", State: "excluded", Excluded: true}
		w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
			if _, err := tx.AddCrawlPages(w, c, []store.CrawlPage{left}); err != nil {
				return err
			}
			for i, state := range []string{"included", "failed", "merged", "excluded"} {
				if err := tx.SavePageOutcome(w, c,
					store.CrawlPage{URL: fmt.Sprint("https://example.com/", i), State: state, ETag: "t"}); err != nil {
					return err
				}
			}
			return tx.RestartCrawl(w, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source, false, false)
		}))
		err := w.Transact(w, sqldb.Bulk, func(tx *store.DB) error { _, err := tx.ClaimCrawlPages(w, c, 1); return err })
		w.wantCode(err, parley.CodeSourceNotFound) // the earlier reading has ended
		c.Run++
		if diff := cmp.Diff([]string{"https://example.com/0", "https://example.com/1", "https://example.com/3"},
			w.claimPageURLs(c, 9)); diff != "" {
			w.Error(diff)
		}
		if p, known, err := w.CrawledPage(w, c, "https://example.com/0"); err != nil || !known || p.ETag != "t" ||
			p.State != "" {
			w.Error(p, known, err)
		}
		w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
			return tx.RestartCrawl(w, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source, true, false)
		}))
		if p, known, err := w.CrawledPage(w, c, "https://example.com/0"); err != nil || !known || p.ETag != "" {
			w.Error(p, known, err)
		}
		if _, known, err := w.CrawledPage(w, c, left.URL); err != nil || known {
			w.Error("what was left out is still known", err)
		}
	})
}

func TestFrontierHasAnOwner(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.seedCrawl(0)
		other := c
		other.Account = w.createAccount("Other").ID
		err := w.Transact(w, sqldb.Bulk, func(tx *store.DB) error { _, err := tx.ClaimCrawlPages(w, other, 1); return err })
		w.wantCode(err, parley.CodeSourceNotFound)
		if _, known, err := w.CrawledPage(w, other, "https://example.com/0"); err != nil || known {
			w.Error("another account sees a page", err)
		}
		w.must(w.EraseCrawlPages(w, other.Account.AgentRef(c.Agent), c.Source))
		if _, known, err := w.CrawledPage(w, c, "https://example.com/0"); err != nil || !known {
			w.Error("another account erases a page", err)
		}
	})
}

func TestPagesOfASiteGoTogether(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		site := w.createSource("https://example.com", 0, testTime)
		for i, status := range []parley.SourceStatus{parley.SourceTrained, parley.SourceFailed, parley.SourceUntrained} {
			page := *site
			page.ID, page.ParentID, page.Size, page.Status = parley.SourceID(parley.NewUUID()), site.ID, 10, status
			page.URL = fmt.Sprint("https://example.com/", i)
			if i == 0 {
				page.LiveVersion = page.WantedVersion
			}
			w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error { _, err := tx.CreateSource(w, &page); return err }))
		}
		if sizes, err := w.SiteSizes(w, w.Account.ID.AgentRef(w.Agent.ID), []parley.SourceID{site.ID}); err != nil ||
			sizes[site.ID] != 30 {
			w.Error(sizes, err)
		}
		other := *site
		other.AccountID = w.createAccount("Other").ID
		before := w.reloadAgent()
		n := 0
		deletes := func(s *parley.Source) {
			w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
				n, err = tx.DeletePageSources(w, s, testTime)
				return err
			}))
		}
		if deletes(&other); n != 0 {
			w.Error("another account deletes pages")
		}
		if deletes(site); n != 3 {
			w.Error(n)
		}
		after := w.reloadAgent()
		if after.Size != before.Size-30 || after.Sources != (parley.SourceCounts{Pending: 1}) ||
			after.PassageVersion != before.PassageVersion+1 {
			w.Errorf("%+v", after)
		}
		if deleted, err := w.DeletedPageSources(w, w.Account.ID.AgentRef(w.Agent.ID), site.ID); err != nil ||
			len(deleted) != 3 {
			w.Error(deleted, err)
		}
	})
}
