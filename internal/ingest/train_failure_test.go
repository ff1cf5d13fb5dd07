package ingest_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
)

// captureLog sets the logger of the service, and returns its log.
func (s *testService) captureLog(level slog.Level) *strings.Builder {
	log := &strings.Builder{}
	s.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))
	return log
}

func TestFailedTextIsTrainedAgain(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		log := s.captureLog(slog.LevelWarn)
		src := s.addText("Blank", " \n ")
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceFailed ||
			!strings.Contains(log.String(), `source=`+string(src.ID)+` kind=text reason="the source holds no text"`) {
			s.Errorf("%+v %s", now, log)
		}
		s.now = noon.Add(time.Second)
		if again := s.changeText(src.ID, "Blank", " \n "); again.Status != parley.SourceUntrained ||
			again.Failure != "" || s.loadAgent().Status() != parley.AgentTraining {
			s.Errorf("%+v", again)
		}
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceFailed || strings.Count(log.String(), "has failed") != 2 {
			s.Errorf("%+v %s", now, log)
		}
	})
}

func TestTextMayShrinkWhenThePlanHasShrunk(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Long", "This is a long text.")
		s.addText("Other", "This is another long text.")
		limit := int64(10)
		s.plan.StoragePerAgent = &limit
		if now := s.changeText(src.ID, "", "A short text."); now.Size != 13 {
			s.Errorf("%+v", now)
		}
		longer := "A shorter text."
		_, err := s.ChangeText(s.Context(), s.caller(), s.agent, src.ID, ingest.TextChange{Content: &longer})
		s.WantCode(err, parley.CodeSourceSize)
	})
}

// The log says why a link or a page was not read, without the query of its address.
func TestFailedLinksAreLogged(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		log := s.captureLog(slog.LevelDebug)
		page, site := s.addLink(w.URL+"/nowhere?key=s3cret", crawl.Individual), s.addLink(w.URL, crawl.WholeSite)
		s.runJobs()
		for _, want := range []string{`level=WARN msg="a source has failed" agent=` + string(s.agent) + ` source=` +
			string(page.ID) + ` kind=link reason="the host answered 404 Not Found"`,
			`level=DEBUG msg="a page was not read" source=` + string(site.ID) + ` page=` + w.URL +
				`/gone reason="the host answered 404 Not Found"`} {
			if !strings.Contains(log.String(), want) {
				s.Errorf("not logged: %s\n%s", want, log)
			}
		}
		if strings.Contains(log.String(), "s3cret") {
			s.Error(log)
		}
	})
}

// A source that crashes the server whenever it is read fails with a reason, and its earlier version still answers.
func TestSourceThatCrashesTheServerFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		text := s.addText("Ferry", "The ferry leaves at half past nine.")
		s.runJobs()
		s.now = noon.Add(time.Second)
		s.changeText(text.ID, "", "The ferry leaves at ten.")
		link, untouched := s.addLink(w.URL, crawl.Individual), s.source(text.ID)
		lost := s.LostJobHandlers()
		for kind, id := range map[string]parley.SourceID{ingest.TrainJob: text.ID, ingest.CrawlJob: link.ID} {
			job := jobs.Job{Kind: kind, Key: string(id), AccountID: s.account.ID,
				Payload: []byte(`{"agent":"` + string(s.agent) + `"}`)}
			s.Must(lost[kind](s.Context(), job))
			if now := s.source(id); now.Status != parley.SourceFailed ||
				!strings.Contains(now.Failure, "the server ended each time") {
				s.Errorf("%s: %+v", kind, now)
			}
			s.Must(lost[kind](s.Context(), jobs.Job{Kind: kind, Key: "nobody", AccountID: s.account.ID, Payload: job.Payload}))
		}
		if now := s.source(text.ID); now.LiveVersion == "" || now.LiveVersion != untouched.LiveVersion ||
			!strings.Contains(s.passageTexts("When does the ferry leave?"), "nine") {
			s.Errorf("%+v", now)
		}
		s.runJobs() // a late result changes nothing
		if now := s.source(text.ID); now.Status != parley.SourceTrained {
			s.Errorf("%+v", now)
		}
	})
}
