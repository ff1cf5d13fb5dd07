package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/store"
)

func (s *school) planOf(string) (parley.Plan, bool) { return s.plan, true }

func (s *school) link(url string, kind crawl.Kind) *parley.Source {
	s.Helper()
	src, err := s.AddLink(s.Context(), s.account, s.plan, s.agent, ingest.Link{URL: url, Type: kind})
	s.must(err)
	return src
}

func (s *school) record(id parley.SourceID) (r ingest.LinkRecord) {
	s.Helper()
	s.must(json.Unmarshal(s.source(id).Metadata, &r))
	return r
}

func (s *school) listed() (names []string) {
	s.Helper()
	page, err := s.DB.Sources(s.Context(), s.account.ID, s.agent, store.SourceFilter{}, parley.PageAsk{Limit: 100})
	s.must(err)
	for _, src := range page.Items {
		names = append(names, src.Name)
	}
	return names
}

func shop() map[string]string {
	return map[string]string{
		"/":         `<title>Shop</title><a href="/hours">1</a><a href="/refunds">2</a><a href="/gone">3</a> Welcome to the shop.`,
		"/hours":    `<title>Hours</title> We open at nine.`,
		"/refunds":  `<title>Refunds</title><a href="/vouchers">4</a> Refunds are paid within ten days.`,
		"/vouchers": `<title>Vouchers</title> Vouchers are sent by mail.`,
	}
}

func TestIndividualPageIsRead(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL+"/refunds", crawl.Individual)
		if src.Status != parley.SourceUntrained || src.Name != w.URL+"/refunds" || string(src.Metadata) != `{"type":"individual"}` || s.state().Status() != parley.AgentTraining {
			s.Errorf("%+v", src)
		}
		_, err := s.AddLink(s.Context(), s.account, s.plan, s.agent, ingest.Link{URL: w.URL + "/refunds#top", Type: crawl.Individual})
		s.fails(err, parley.CodeSourceDuplicate)
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceTrained || now.Size != 33 || s.state().Status() != parley.AgentTrained || s.state().Size != 33 {
			s.Errorf("%+v", now)
		}
		if got := s.texts("When are refunds paid?"); got != "Refunds are paid within ten days." {
			s.Error(got)
		}
		var heading string
		s.must(s.DB.SQL().QueryRow(s.Context(), `select heading from passages where source_id = ?`, src.ID).Scan(&heading))
		if heading != "Refunds" {
			s.Errorf("the passage does not say what page it is of: %q", heading)
		}
		w.set("/refunds", "")
		_, err = s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{})
		s.must(err)
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "404") || s.texts("When are refunds paid?") == "" {
			s.Errorf("the earlier version does not stay: %+v", now)
		}
	})
}

func TestSiteIsRead(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		s.run()
		now := s.source(src.ID)
		want := ingest.LinkRecord{Type: crawl.Whole, SiteRecord: &ingest.SiteRecord{ExcludePaths: []string{}, IncludeOnlyPaths: []string{}, CrawlStatus: "fetched",
			Children: ingest.Children{Included: 4, Failed: 1}}}
		if diff := cmp.Diff(want, s.record(src.ID)); diff != "" || now.Status != parley.SourceTrained || s.state().Status() != parley.AgentTrained {
			s.Errorf("%+v %s", now, diff)
		}
		if diff := cmp.Diff([]string{w.URL}, s.listed()); diff != "" {
			s.Error("pages are listed", diff)
		}
		hits, err := s.Library.Nearest(s.Context(), s.agent, s.state().PassageVersion, retrieval.Query{Text: "When are refunds paid?", Limit: 8})
		s.must(err)
		if len(hits) == 0 || hits[0].Passage.SourceName != "Refunds" || hits[0].Passage.SourceURL != w.URL+"/refunds" {
			s.Errorf("%+v", hits)
		}
		sizes, err := s.DB.SiteSizes(s.Context(), s.account.ID, s.agent, []parley.SourceID{src.ID})
		s.must(err)
		if sizes[src.ID] != s.state().Size || sizes[src.ID] == 0 {
			s.Error(sizes, s.state().Size)
		}
		gone, err := s.Delete(s.Context(), s.account, s.agent, src.ID)
		s.must(err)
		if gone.Status != parley.SourceDeleted || s.texts("When are refunds paid?") != "" || s.state().Size != 0 || s.state().Status() != parley.AgentUntrained {
			s.Errorf("%+v %+v", gone, s.state())
		}
		s.run()
		if n := s.count(`select (select count(*) from passages) + (select count(*) from crawl_pages) + (select count(*) from source_versions)`); n != 0 {
			s.Error("left behind:", n)
		}
	})
}

func TestSiteWithoutAPageFails(t *testing.T) {
	each(t, func(s *school) {
		src := s.link(s.website(map[string]string{}).URL, crawl.Whole)
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "404") || s.record(src.ID).CrawlStatus != "failed" {
			s.Errorf("%+v", now)
		}
	})
}

func TestAddressInsideIsRefused(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		s.Crawler.Client.Allow = nil
		src := s.link(w.URL, crawl.Whole)
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "not public") || len(w.asked) > 0 {
			s.Errorf("%+v %v", now, w.asked)
		}
	})
}

func TestPatternsChange(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		s.run()
		changed, err := s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{Exclude: []string{"^/refunds"}})
		s.must(err)
		if changed.Status != parley.SourceUpdated || s.texts("refunds") == "" {
			s.Errorf("%+v", changed)
		}
		s.run()
		if got := s.texts("refunds"); got != "" || s.record(src.ID).Children.Excluded != 1 || s.source(src.ID).Status != parley.SourceTrained {
			s.Error(got, s.record(src.ID))
		}
		_, err = s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{Exclude: []string{}})
		s.must(err)
		s.run()
		if got := s.texts("refunds"); got == "" {
			s.Error("what was left out does not come back")
		}
		_, err = s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{Include: []string{"("}})
		s.fails(err, parley.CodeInvalidBody)
	})
}

func TestStorageEndsACrawl(t *testing.T) {
	each(t, func(s *school) {
		most := int64(45)
		s.plan.StoragePerAgent = &most
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceTrained || !strings.Contains(now.Failure, "storage is full") || s.state().Size > most || s.state().Size == 0 {
			s.Errorf("%+v %d", now, s.state().Size)
		}
		none := s.state().Size
		s.plan.StoragePerAgent = &none
		_, err := s.AddLink(s.Context(), s.account, s.plan, s.agent, ingest.Link{URL: w.URL, Type: crawl.Sitemap})
		s.fails(err, parley.CodeSourceSize)
	})
}

// A runner that dies in the middle of a crawl, as by kill -9: nothing it holds is given back but by its lease running out.
func TestCrawlGoesOnAfterADeath(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		ctx, die := context.WithCancel(s.Context())
		w.before = func(path string) bool {
			if path == "/vouchers" {
				die()
			}
			return false
		}
		err := s.Crawl(ctx, jobs.Job{Kind: ingest.CrawlJob, Key: string(src.ID), AccountID: s.account.ID, Payload: []byte(`{"agent":"` + string(s.agent) + `"}`), Attempts: 1, MaxAttempts: 10})
		if err == nil || s.record(src.ID).Children.Included == 0 || s.record(src.ID).CrawlStatus != "fetching" {
			s.Fatal("the crawl did not die in the middle", err, s.record(src.ID))
		}
		w.before, w.asked = nil, nil
		s.run()
		if now := s.source(src.ID); now.Status != parley.SourceTrained || s.record(src.ID).Children != (ingest.Children{Included: 4, Failed: 1}) {
			s.Errorf("%+v %+v", now, s.record(src.ID))
		}
		for _, path := range w.asked {
			if path == "/" { // what else was done when the run died differs
				s.Error("read again:", path)
			}
		}
		if n := s.count(`select count(*) from sources where parent_id is not null and status = 'trained'`); n != 4 {
			s.Error("pages:", n)
		}
	})
}

func TestCrawlIsReadAnewMeanwhile(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		once := false
		w.before = func(path string) bool {
			if path == "/hours" && !once {
				once = true
				if _, err := s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{Exclude: []string{"^/hours"}}); err != nil {
					s.Error(err)
				}
			}
			return false
		}
		s.run()
		if got := s.record(src.ID).Children; got != (ingest.Children{Included: 3, Excluded: 1, Failed: 1}) || s.source(src.ID).Status != parley.SourceTrained || s.texts("When do you open?") != "" {
			s.Errorf("%+v", got)
		}
	})
}

func TestDeletionEndsACrawl(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		w.before = func(path string) bool {
			if path == "/hours" {
				if _, err := s.Delete(s.Context(), s.account, s.agent, src.ID); err != nil {
					s.Error(err)
				}
			}
			return false
		}
		s.run()
		if n := s.count(`select count(*) from sources where deleted_at is null`); n != 0 || s.state().Size != 0 || s.state().Status() != parley.AgentUntrained {
			s.Error(n, s.state())
		}
	})
}

func TestLargeSiteIsDeletedInSteps(t *testing.T) {
	each(t, func(s *school) {
		pages := map[string]string{"/": "Start. "}
		for i := range 210 {
			path := "/p" + strings.Repeat("i", i)
			pages["/"] += `<a href="` + path + `">x</a>`
			pages[path] = "Page of length " + strings.Repeat("i", i)
		}
		src := s.link(s.website(pages).URL, crawl.Whole)
		s.run()
		gone, err := s.Delete(s.Context(), s.account, s.agent, src.ID)
		s.must(err)
		if gone.Status != parley.SourceToBeDeleted || s.texts("page of length") != "" || len(s.listed()) != 1 {
			s.Errorf("%+v", gone)
		}
		_, err = s.Delete(s.Context(), s.account, s.agent, src.ID)
		s.fails(err, parley.CodeSourceAlreadyDel)
		_, err = s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{})
		s.fails(err, parley.CodeSourcePendingDel)
		s.run()
		if len(s.listed()) != 0 || s.state().Status() != parley.AgentUntrained || s.count(`select count(*) from passages`) != 0 {
			s.Error(s.listed(), s.state())
		}
	})
}

// What a sitemap does not list any more is gone, unless the sitemap cannot be read or lists nothing at all.
func TestPagesLeaveWithTheirEntry(t *testing.T) {
	each(t, func(s *school) {
		pages := shop()
		w := s.website(pages)
		list := func(paths ...string) string {
			text := "<urlset>"
			for _, path := range paths {
				text += "<url><loc>" + w.URL + path + "</loc></url>"
			}
			return text + "</urlset>"
		}
		again := func(id parley.SourceID, included int, refunds, hours string) {
			s.Helper()
			_, err := s.ChangeLink(s.Context(), s.account, s.agent, id, ingest.LinkChange{})
			s.must(err)
			s.run()
			if got := s.record(id).Children.Included; got != included || s.texts("refunds") != refunds || s.texts("When do you open?") != hours {
				s.Error(got, s.texts("refunds"), s.texts("When do you open?"), s.source(id).Failure)
			}
		}
		const refunds, hours = "Refunds are paid within ten days.", "We open at nine."
		w.set("/map.xml", list("/hours", "/refunds"))
		src := s.link(w.URL+"/map.xml", crawl.Sitemap)
		s.run()
		again(src.ID, 2, refunds, hours)
		if w.unread != 2 {
			s.Error("what has not changed is read again:", w.unread)
		}
		w.set("/map.xml", list("/hours", "/vouchers"))
		again(src.ID, 2, "", hours)
		w.set("/map.xml", "")
		again(src.ID, 0, "", hours)
		w.set("/map.xml", list())
		again(src.ID, 0, "", hours)
		w.set("/map.xml", list("/refunds", "/vouchers"))
		again(src.ID, 2, refunds, "")
	})
}

func TestWeeklyResyncReadsWhatChanged(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		src := s.link(w.URL, crawl.Whole)
		s.run()
		s.must(s.DB.UpdateAgent(s.Context(), s.account.ID, s.agent, func(a *parley.Agent) error { a.AutoRetrain = true; return nil }))
		next := noon.Add(7 * 24 * time.Hour)
		s.must(s.DB.ScheduleSync(s.Context(), s.account.ID, s.agent, &next))
		w.set("/hours", "<title>Hours</title> We open at ten.")
		w.set("/vouchers", "")
		s.now = next.Add(-time.Second)
		s.must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceTrained {
			s.Error("read before its time:", got)
		}
		s.now = next
		s.must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceUpdated {
			s.Error(got)
		}
		s.run()
		if got := s.texts("When do you open?"); got != "We open at ten." {
			s.Error(got)
		}
		if got := s.texts("vouchers"); got != "" {
			s.Error("what is gone is still there:", got)
		}
		if w.unread != 2 || s.count(fmt.Sprintf(`select count(*) from source_versions where created_at = %d`, next.UnixMilli())) != 1 {
			s.Error("unchanged pages are trained:", w.unread)
		}
		if got := s.record(src.ID).Children; got != (ingest.Children{Included: 3, Failed: 2}) {
			s.Errorf("%+v", got)
		}
		s.now = next.Add(time.Minute)
		s.must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceTrained {
			s.Error("read twice in a week:", got)
		}
	})
}

// A link that is read anew when its reading has just ended: the earlier reading takes nothing out any more.
func TestReadAnewAtTheEnd(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		w.set("/map.xml", "<urlset><url><loc>"+w.URL+"/hours</loc></url><url><loc>"+w.URL+"/refunds</loc></url></urlset>")
		src := s.link(w.URL+"/map.xml", crawl.Sitemap)
		s.run()
		_, err := s.ChangeLink(s.Context(), s.account, s.agent, src.ID, ingest.LinkChange{})
		s.must(err)
		read := s.ReadPage
		w.set("/refunds", "<title>Refunds</title> Refunds are paid within a week.")
		s.ReadPage = func(ctx context.Context, url, kind string, body []byte) (string, string, error) {
			s.ReadPage = read
			_, err := s.ChangeLink(ctx, s.account, s.agent, src.ID, ingest.LinkChange{})
			s.must(err)
			return read(ctx, url, kind, body)
		}
		job := jobs.Job{Kind: ingest.CrawlJob, Key: string(src.ID), AccountID: s.account.ID, Payload: []byte(`{"agent":"` + string(s.agent) + `"}`), Attempts: 1, MaxAttempts: 10}
		s.must(s.Crawl(s.Context(), job))
		if got := s.texts("refunds") + s.texts("When do you open?"); got != "Refunds are paid within ten days.We open at nine." {
			s.Error("pages are gone meanwhile:", got)
		}
		s.run()
		if got := s.texts("refunds"); got != "Refunds are paid within a week." {
			s.Error(got)
		}
	})
}
