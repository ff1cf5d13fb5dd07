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
func (fx *fixture) seedCrawl(depths ...int) store.Crawl {
	fx.Helper()
	s := fx.createSource("https://example.com", 0, testTime)
	c := store.Crawl{Account: fx.Account.ID, Agent: fx.Agent.ID, Source: s.ID}
	var pages []store.CrawlPage
	for i, depth := range depths {
		pages = append(pages, store.CrawlPage{ID: parley.NewUUID(), URL: fmt.Sprint("https://example.com/", i),
			Depth: depth, Position: int64(i)})
	}
	fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(fx, c, pages) }))
	return c
}

func (fx *fixture) claimPageURLs(c store.Crawl, n int) (urls []string) {
	fx.Helper()
	fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
		urls = nil
		list, err := tx.ClaimCrawlPages(fx, c, n)
		for _, p := range list {
			urls = append(urls, p.URL)
		}
		return err
	}))
	return urls
}

func TestCrawlPagesAreClaimedNearestFirst(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.seedCrawl(2, 0, 1, 1)
		if diff := cmp.Diff([]string{"https://example.com/1", "https://example.com/2", "https://example.com/3"},
			fx.claimPageURLs(c, 3)); diff != "" {
			fx.Error(diff)
		}
		if diff := cmp.Diff([]string{"https://example.com/0"}, fx.claimPageURLs(c, 3)); diff != "" {
			fx.Error(diff)
		}
		if got := fx.claimPageURLs(c, 3); got != nil {
			fx.Error("claimed twice:", got)
		}
		fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(fx, c, nil) }))
		if got := fx.claimPageURLs(c, 9); len(got) != 4 {
			fx.Error("claims of a dead run do not come back:", got)
		}
		var states []string
		fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) (err error) {
			states, err = tx.AddCrawlPages(fx, c, []store.CrawlPage{{ID: parley.NewUUID(), URL: "https://example.com/0"},
				{ID: parley.NewUUID(), URL: "https://example.com/new"}})
			return err
		}))
		if len(states) != 1 {
			fx.Error("what was known is added again:", states)
		}
	})
}

func TestRestartedCrawlKeepsValidators(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.seedCrawl(0, 1, 1, 1)
		left := store.CrawlPage{ID: parley.NewUUID(), URL: "https://example.com/left", State: "excluded", Excluded: true}
		fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
			if _, err := tx.AddCrawlPages(fx, c, []store.CrawlPage{left}); err != nil {
				return err
			}
			for i, state := range []string{"included", "failed", "merged", "excluded"} {
				if err := tx.SavePageOutcome(fx, c,
					store.CrawlPage{URL: fmt.Sprint("https://example.com/", i), State: state, ETag: "t"}); err != nil {
					return err
				}
			}
			return tx.RestartCrawl(fx, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source, false, false)
		}))
		err := fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error { _, err := tx.ClaimCrawlPages(fx, c, 1); return err })
		fx.wantCode(err, parley.CodeSourceNotFound) // the earlier reading has ended
		c.Run++
		if diff := cmp.Diff([]string{"https://example.com/0", "https://example.com/1", "https://example.com/3"},
			fx.claimPageURLs(c, 9)); diff != "" {
			fx.Error(diff)
		}
		if p, known, err := fx.CrawledPage(fx, c, "https://example.com/0"); err != nil || !known || p.ETag != "t" ||
			p.State != "" {
			fx.Error(p, known, err)
		}
		fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
			return tx.RestartCrawl(fx, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source, true, false)
		}))
		if p, known, err := fx.CrawledPage(fx, c, "https://example.com/0"); err != nil || !known || p.ETag != "" {
			fx.Error(p, known, err)
		}
		if _, known, err := fx.CrawledPage(fx, c, left.URL); err != nil || known {
			fx.Error("what was left out is still known", err)
		}
	})
}

func TestCrawlPagesAreVisibleToTheirOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.seedCrawl(0)
		other := c
		other.Account = fx.createAccount("Other").ID
		err := fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
			_, err := tx.ClaimCrawlPages(fx, other, 1)
			return err
		})
		fx.wantCode(err, parley.CodeSourceNotFound)
		if _, known, err := fx.CrawledPage(fx, other, "https://example.com/0"); err != nil || known {
			fx.Error("another account sees a page", err)
		}
		fx.must(fx.EraseCrawlPages(fx, other.Account.AgentRef(c.Agent), c.Source))
		if _, known, err := fx.CrawledPage(fx, c, "https://example.com/0"); err != nil || !known {
			fx.Error("another account erases a page", err)
		}
	})
}

func TestPagesOfASiteAreDeletedTogether(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		site := fx.createSource("https://example.com", 0, testTime)
		for i, status := range []parley.SourceStatus{parley.SourceTrained, parley.SourceFailed, parley.SourceUntrained} {
			page := *site
			page.ID, page.ParentID, page.Size, page.Status = parley.SourceID(parley.NewUUID()), site.ID, 10, status
			page.URL = fmt.Sprint("https://example.com/", i)
			if i == 0 {
				page.LiveVersion = page.WantedVersion
			}
			fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error { _, err := tx.CreateSource(fx, &page); return err }))
		}
		pages, err := fx.SumSitePages(fx, fx.Account.ID.AgentRef(fx.Agent.ID), []parley.SourceID{site.ID})
		if fx.must(err); pages[site.ID] != (store.SitePages{Size: 30, Live: 1}) {
			fx.Error(pages)
		}
		other := *site
		other.AccountID = fx.createAccount("Other").ID
		before := fx.reloadAgent()
		n := 0
		deletes := func(s *parley.Source) {
			fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) (err error) {
				n, err = tx.DeletePageSources(fx, s, testTime)
				return err
			}))
		}
		if deletes(&other); n != 0 {
			fx.Error("another account deletes pages")
		}
		if deletes(site); n != 3 {
			fx.Error(n)
		}
		after := fx.reloadAgent()
		if after.Size != before.Size-30 || after.Sources != (parley.SourceCounts{Pending: 1}) ||
			after.PassageVersion != before.PassageVersion+1 {
			fx.Errorf("%+v", after)
		}
		if deleted, err := fx.DeletedPageSources(fx, fx.Account.ID.AgentRef(fx.Agent.ID), site.ID); err != nil ||
			len(deleted) != 3 {
			fx.Error(deleted, err)
		}
	})
}
