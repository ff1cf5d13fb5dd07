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

func (s *testService) planOf(string) (parley.Plan, bool) { return s.plan, true }

func (s *testService) addLink(url string, kind crawl.Kind) *parley.Source {
	s.Helper()
	src, err := s.AddLink(s.Context(), s.caller(), s.agent, ingest.Link{URL: url, Type: kind})
	s.Must(err)
	return src
}

func (s *testService) linkRecord(id parley.SourceID) (r ingest.LinkRecord) {
	s.Helper()
	s.Must(json.Unmarshal(s.source(id).Metadata, &r))
	return r
}

func (s *testService) listSources() (names []string) {
	s.Helper()
	page, err := s.DB.Sources(s.Context(), s.account.ID.AgentRef(s.agent), store.SourceFilter{},
		parley.PageRequest{Limit: 100})
	s.Must(err)
	for _, src := range page.Items {
		names = append(names, src.Name)
	}
	return names
}

func shopPages() map[string]string {
	return map[string]string{
		"/": `<title>Shop</title><a href="/hours">1</a><a href="/refunds">2</a><a href="/gone">3</a> ` +
			`Welcome to the shop.`,
		"/hours":    `<title>Hours</title> We open at nine.`,
		"/refunds":  `<title>Refunds</title><a href="/vouchers">4</a> Refunds are paid within ten days.`,
		"/vouchers": `<title>Vouchers</title> Vouchers are sent by mail.`,
	}
}

func TestIndividualPageIsRead(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL+"/refunds", crawl.Individual)
		if src.Status != parley.SourceUntrained || src.Name != w.URL+"/refunds" ||
			string(src.Metadata) != `{"type":"individual"}` || s.loadAgent().Status() != parley.AgentTraining {
			s.Errorf("%+v", src)
		}
		_, err := s.AddLink(s.Context(), s.caller(), s.agent,
			ingest.Link{URL: w.URL + "/refunds#top", Type: crawl.Individual})
		s.WantCode(err, parley.CodeSourceDuplicate)
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceTrained || now.Size != 33 ||
			s.loadAgent().Status() != parley.AgentTrained || s.loadAgent().Size != 33 {
			s.Errorf("%+v", now)
		}
		if got := s.passageTexts("When are refunds paid?"); got != "Refunds are paid within ten days." {
			s.Error(got)
		}
		var heading string
		s.Must(s.DB.SQL().QueryRow(s.Context(), `select heading from passages where source_id = ?`, src.ID).Scan(&heading))
		if heading != "Refunds" {
			s.Errorf("the passage does not name its page: %q", heading)
		}
		w.set("/refunds", "")
		_, err = s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{})
		s.Must(err)
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "404") ||
			s.passageTexts("When are refunds paid?") == "" {
			s.Errorf("the earlier version does not stay: %+v", now)
		}
	})
}

func TestSiteIsRead(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		now := s.source(src.ID)
		want := ingest.LinkRecord{Type: crawl.WholeSite, SiteRecord: &ingest.SiteRecord{ExcludePaths: []string{},
			IncludeOnlyPaths: []string{}, CrawlStatus: "fetched",
			Children: ingest.Children{Included: 4, Failed: 1}}}
		if diff := cmp.Diff(want, s.linkRecord(src.ID)); diff != "" || now.Status != parley.SourceTrained ||
			s.loadAgent().Status() != parley.AgentTrained {
			s.Errorf("%+v %s", now, diff)
		}
		if diff := cmp.Diff([]string{w.URL}, s.listSources()); diff != "" {
			s.Error("pages are listed", diff)
		}
		hits, err := s.Indexes.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
			retrieval.Query{Text: "When are refunds paid?", Limit: 8})
		s.Must(err)
		if len(hits) == 0 || hits[0].Passage.SourceName != "Refunds" || hits[0].Passage.SourceURL != w.URL+"/refunds" {
			s.Errorf("%+v", hits)
		}
		pages, err := s.DB.SumSitePages(s.Context(), s.account.ID.AgentRef(s.agent), []parley.SourceID{src.ID})
		s.Must(err)
		if size := pages[src.ID].Size; size != s.loadAgent().Size || size == 0 {
			s.Error(size, s.loadAgent().Size)
		}
		deleted, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
		if deleted.Status != parley.SourceDeleted || s.passageTexts("When are refunds paid?") != "" ||
			s.loadAgent().Size != 0 || s.loadAgent().Status() != parley.AgentUntrained {
			s.Errorf("%+v %+v", deleted, s.loadAgent())
		}
		s.runJobs()
		if n := s.queryCount(`select (select count(*) from passages) + (select count(*)
			from crawl_pages) + (select count(*) from source_versions)`); n != 0 {
			s.Error("not erased:", n)
		}
	})
}

func TestSiteWithoutAPageFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addLink(s.startWebsite(map[string]string{}).URL, crawl.WholeSite)
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "404") ||
			s.linkRecord(src.ID).CrawlStatus != "failed" {
			s.Errorf("%+v", now)
		}
	})
}

func TestPrivateAddressIsRefused(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		s.Crawler.Client.AllowedPrefixes = nil
		src := s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || !strings.Contains(now.Failure, "not public") ||
			len(w.requestedPaths) > 0 {
			s.Errorf("%+v %v", now, w.requestedPaths)
		}
	})
}

func TestPatternsChange(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		changed, err := s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID,
			ingest.LinkChange{Exclude: []string{"^/refunds"}})
		s.Must(err)
		if changed.Status != parley.SourceUpdated || s.passageTexts("refunds") == "" {
			s.Errorf("%+v", changed)
		}
		s.runJobs()
		if got := s.passageTexts("refunds"); got != "" || s.linkRecord(src.ID).Children.Excluded != 1 ||
			s.source(src.ID).Status != parley.SourceTrained {
			s.Error(got, s.linkRecord(src.ID))
		}
		_, err = s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{Exclude: []string{}})
		s.Must(err)
		s.runJobs()
		if got := s.passageTexts("refunds"); got == "" {
			s.Error("excluded pages are not read again")
		}
		_, err = s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{Include: []string{"("}})
		s.WantCode(err, parley.CodeInvalidBody)
	})
}

func TestStorageEndsACrawl(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		limit := int64(45)
		s.plan.StoragePerAgent = &limit
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceTrained ||
			!strings.Contains(now.Failure, "storage is full") || s.loadAgent().Size > limit || s.loadAgent().Size == 0 {
			s.Errorf("%+v %d", now, s.loadAgent().Size)
		}
		none := s.loadAgent().Size
		s.plan.StoragePerAgent = &none
		_, err := s.AddLink(s.Context(), s.caller(), s.agent, ingest.Link{URL: w.URL, Type: crawl.Sitemap})
		s.WantCode(err, parley.CodeSourceSize)
	})
}

// After a runner was killed in the middle of a crawl, another one continues when its lease has run out.
func TestCrawlResumesAfterACrash(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		ctx, die := context.WithCancel(s.Context())
		w.beforeReply = func(path string) bool {
			if path == "/vouchers" {
				die()
			}
			return false
		}
		err := s.Crawl(ctx, jobs.Job{Kind: ingest.CrawlJob, Key: string(src.ID), AccountID: s.account.ID,
			Payload: []byte(`{"agent":"` + string(s.agent) + `"}`), Attempts: 1, MaxAttempts: 10})
		if err == nil || s.linkRecord(src.ID).Children.Included == 0 || s.linkRecord(src.ID).CrawlStatus != "fetching" {
			s.Fatal("the crawl did not die in the middle", err, s.linkRecord(src.ID))
		}
		w.beforeReply, w.requestedPaths = nil, nil
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceTrained ||
			s.linkRecord(src.ID).Children != (ingest.Children{Included: 4, Failed: 1}) {
			s.Errorf("%+v %+v", now, s.linkRecord(src.ID))
		}
		for _, path := range w.requestedPaths {
			if path == "/" { // how much else was done before the crash varies
				s.Error("read again:", path)
			}
		}
		if n := s.queryCount(`select count(*) from sources where parent_id is not null and status = 'trained'`); n != 4 {
			s.Error("pages:", n)
		}
	})
}

func TestCrawlRestartedWhileRunning(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		once := false
		w.beforeReply = func(path string) bool {
			if path == "/hours" && !once {
				once = true
				if _, err := s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID,
					ingest.LinkChange{Exclude: []string{"^/hours"}}); err != nil {
					s.Error(err)
				}
			}
			return false
		}
		s.runJobs()
		if got := s.linkRecord(src.ID).Children; got != (ingest.Children{Included: 3, Excluded: 1, Failed: 1}) ||
			s.source(src.ID).Status != parley.SourceTrained || s.passageTexts("When do you open?") != "" {
			s.Errorf("%+v", got)
		}
	})
}

func TestDeletionEndsACrawl(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		w.beforeReply = func(path string) bool {
			if path == "/hours" {
				if _, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID); err != nil {
					s.Error(err)
				}
			}
			return false
		}
		s.runJobs()
		if n := s.queryCount(`select count(*) from sources where deleted_at is null`); n != 0 ||
			s.loadAgent().Size != 0 || s.loadAgent().Status() != parley.AgentUntrained {
			s.Error(n, s.loadAgent())
		}
	})
}

func TestLargeSiteIsDeletedInSteps(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		pages := map[string]string{"/": "Start. "}
		for i := range 210 {
			path := "/p" + strings.Repeat("i", i)
			pages["/"] += `<a href="` + path + `">x</a>`
			pages[path] = "Page of length " + strings.Repeat("i", i)
		}
		src := s.addLink(s.startWebsite(pages).URL, crawl.WholeSite)
		s.runJobs()
		deleted, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
		if deleted.Status != parley.SourceToBeDeleted || s.passageTexts("page of length") != "" || len(s.listSources()) != 1 {
			s.Errorf("%+v", deleted)
		}
		_, err = s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.WantCode(err, parley.CodeSourceAlreadyDel)
		_, err = s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{})
		s.WantCode(err, parley.CodeSourcePendingDel)
		s.runJobs()
		if len(s.listSources()) != 0 || s.loadAgent().Status() != parley.AgentUntrained ||
			s.queryCount(`select count(*) from passages`) != 0 {
			s.Error(s.listSources(), s.loadAgent())
		}
	})
}

// Pages that a sitemap does not list any more are removed, unless the sitemap cannot be read or lists nothing.
func TestPagesAreRemovedWithTheirSitemapEntry(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		pages := shopPages()
		w := s.startWebsite(pages)
		list := func(paths ...string) string {
			text := "<urlset>"
			for _, path := range paths {
				text += "<url><loc>" + w.URL + path + "</loc></url>"
			}
			return text + "</urlset>"
		}
		again := func(id parley.SourceID, included int, refunds, hours string) {
			s.Helper()
			_, err := s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), id, ingest.LinkChange{})
			s.Must(err)
			s.runJobs()
			if got := s.linkRecord(id).Children.Included; got != included || s.passageTexts("refunds") != refunds ||
				s.passageTexts("When do you open?") != hours {
				s.Error(got, s.passageTexts("refunds"), s.passageTexts("When do you open?"), s.source(id).Failure)
			}
		}
		const refunds, hours = "Refunds are paid within ten days.", "We open at nine."
		w.set("/map.xml", list("/hours", "/refunds"))
		src := s.addLink(w.URL+"/map.xml", crawl.Sitemap)
		s.runJobs()
		again(src.ID, 2, refunds, hours)
		if w.notModified != 2 {
			s.Error("an unchanged page is trained again:", w.notModified)
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
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		src := s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		s.Must(s.DB.UpdateAgent(s.Context(), s.account.ID.AgentRef(s.agent), func(a *parley.Agent) error {
			a.AutoRetrain = true
			return nil
		}))
		next := noon.Add(7 * 24 * time.Hour)
		s.Must(s.DB.ScheduleAgentSync(s.Context(), s.account.ID.AgentRef(s.agent), &next))
		w.set("/hours", "<title>Hours</title> We open at ten.")
		w.set("/vouchers", "")
		s.now = next.Add(-time.Second)
		s.Must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceTrained {
			s.Error("read before its time:", got)
		}
		s.now = next
		s.Must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceUpdated {
			s.Error(got)
		}
		s.runJobs()
		if got := s.passageTexts("When do you open?"); got != "We open at ten." {
			s.Error(got)
		}
		if got := s.passageTexts("vouchers"); got != "" {
			s.Error("a removed page is still a source:", got)
		}
		if w.notModified != 2 || s.queryCount(fmt.Sprintf(`select count(*) from source_versions where created_at = %d`,
			next.UnixMilli())) != 1 {
			s.Error("unchanged pages are trained:", w.notModified)
		}
		if got := s.linkRecord(src.ID).Children; got != (ingest.Children{Included: 3, Failed: 2}) {
			s.Errorf("%+v", got)
		}
		s.now = next.Add(time.Minute)
		s.Must(s.Resync(s.Context()))
		if got := s.source(src.ID).Status; got != parley.SourceTrained {
			s.Error("read twice in a week:", got)
		}
	})
}

// If a link is read again just when its reading has ended, the earlier reading removes no pages any more.
func TestCrawlRestartedAtItsEnd(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		w.set("/map.xml", "<urlset><url><loc>"+w.URL+"/hours</loc></url><url><loc>"+w.URL+"/refunds</loc></url></urlset>")
		src := s.addLink(w.URL+"/map.xml", crawl.Sitemap)
		s.runJobs()
		_, err := s.ChangeLink(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{})
		s.Must(err)
		read := s.ReadPage
		w.set("/refunds", "<title>Refunds</title> Refunds are paid within a week.")
		s.ReadPage = func(ctx context.Context, url, kind string, body []byte) (string, string, error) {
			s.ReadPage = read
			_, err := s.ChangeLink(ctx, s.account.ID.AgentRef(s.agent), src.ID, ingest.LinkChange{})
			s.Must(err)
			return read(ctx, url, kind, body)
		}
		job := jobs.Job{Kind: ingest.CrawlJob, Key: string(src.ID), AccountID: s.account.ID,
			Payload: []byte(`{"agent":"` + string(s.agent) + `"}`), Attempts: 1, MaxAttempts: 10}
		s.Must(s.Crawl(s.Context(), job))
		if got := s.passageTexts("refunds") +
			s.passageTexts("When do you open?"); got != "Refunds are paid within ten days.We open at nine." {
			s.Error("pages were removed meanwhile:", got)
		}
		s.runJobs()
		if got := s.passageTexts("refunds"); got != "Refunds are paid within a week." {
			s.Error(got)
		}
	})
}
