package agents_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func (s *testService) cloneJob(c store.Clone) jobs.Job {
	return jobs.Job{Kind: agents.CloneJob, Key: string(c.ToAgent), AccountID: c.Account, MaxAttempts: 10, Attempts: 1,
		Payload: fmt.Appendf(nil, `{"from":%q,"at":%d}`, c.FromAgent, c.StartedAt.UnixMilli())}
}

// remainingRows counts the remaining rows of an agent.
func (s *testService) remainingRows(agent parley.AgentID) (left []string) {
	s.Helper()
	for _, table := range []string{"sources", "source_versions", "passages", "passage_vectors", "blobs", "actions",
		"procedures", "events"} {
		if n := dbs.CountRows(s, s.DB.SQL(), `select count(*) from `+table+` where agent_id = ?`, agent); n > 0 {
			left = append(left, fmt.Sprint(table, ":", n))
		}
	}
	if dbs.CountRows(s, s.DB.SQL(), `select count(*) from agents where id = ?`, agent) > 0 {
		left = append(left, "agents")
	}
	return left
}

func TestOriginalDeletedMeanwhileIsCopiedWhole(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Chapters", largeText())
		s.runJobs()
		want := s.passageCount(id)
		copied := s.cloneAgent(id)
		s.Must(s.Delete(t.Context(), s.account.ID.AgentRef(id)))
		s.Must(s.Erase(t.Context(), jobs.Job{Kind: agents.EraseJob, Key: string(id), AccountID: "acc"}))
		if got := s.passageCount(id); got != want {
			t.Fatalf("%d of %d passages remain while the copy is made", got, want)
		}
		s.runJobs()
		s.now = noon.Add(time.Minute)
		s.runJobs()
		if a := s.loadAgent(copied); a.Status() != parley.AgentTrained || s.passageCount(copied) != want ||
			s.firstPassage(copied, "the lantern of chapter 117").SourceName != "Chapters" {
			t.Errorf("%+v", a)
		}
		if left := s.remainingRows(id); left != nil {
			t.Error("rows of the original that remain:", left)
		}
	})
}

func TestCloneDeletedMeanwhileLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Chapters", largeText())
		s.runJobs()
		copied := s.cloneAgent(id)
		c := store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: s.now}
		src := s.sources(id)[0]
		s.Must(s.DB.Transact(t.Context(), sqldb.Bulk, func(tx *store.DB) error {
			return tx.CloneVersion(t.Context(), c, src.ID, src.LiveVersion)
		}))
		s.Must(s.Delete(t.Context(), s.account.ID.AgentRef(copied)))
		s.Must(s.Erase(t.Context(), jobs.Job{Kind: agents.EraseJob, Key: string(copied), AccountID: "acc"}))
		s.Must(s.ContinueCopy(t.Context(), s.cloneJob(c)))
		s.runJobs()
		if left := s.remainingRows(copied); left != nil {
			t.Error("rows of the copy that remain:", left)
		}
		if a := s.loadAgent(id); a.Status() != parley.AgentTrained {
			t.Errorf("%+v", a)
		}
	})
}

func TestCloneOfAnUnfinishedClone(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Chapters", largeText())
		s.runJobs()
		first := s.cloneAgent(id)
		second := s.cloneAgent(first)
		for _, copied := range []parley.AgentID{first, second} {
			if a := s.loadAgent(copied); a.Status() != parley.AgentTraining {
				t.Errorf("%+v", a)
			}
		}
		s.Must(s.ContinueCopy(t.Context(),
			s.cloneJob(store.Clone{Account: "acc", FromAgent: first, ToAgent: second, StartedAt: s.now})))
		if n := s.passageCount(second); n != 0 {
			t.Fatal("it copied an unfinished clone:", n)
		}
		s.runJobs()
		s.now = noon.Add(time.Minute)
		s.runJobs()
		if n := s.passageCount(second); n != s.passageCount(id) || s.loadAgent(second).Status() != parley.AgentTrained {
			t.Errorf("%d passages, %+v", n, s.loadAgent(second))
		}
	})
}

// If a source is deleted or changed while it is copied, the copy has all of it or none, never a part.
func TestSourceChangedMeanwhileIsNeverCopiedInPart(t *testing.T) {
	type step func(s *testService, c store.Clone, src parley.Source)
	text := func(s *testService, c store.Clone, src parley.Source) { // the copy has the text and the first passages
		s.Must(s.DB.Transact(s.Context(), sqldb.Bulk, func(tx *store.DB) error {
			if err := tx.CloneVersion(s.Context(), c, src.ID, src.LiveVersion); err != nil {
				return err
			}
			_, err := tx.ClonePassages(s.Context(), c, src.ID, src.LiveVersion)
			return err
		}))
	}
	remove := func(s *testService, _ store.Clone, src parley.Source) {
		_, err := s.ingest.Delete(s.Context(), s.account.ID.AgentRef(src.AgentID), src.ID)
		s.Must(err)
		s.Must(s.DB.EraseSource(s.Context(), parley.AgentRef{Account: "acc", Agent: src.AgentID}, src.ID))
	}
	fails := func(s *testService, _ store.Clone, src parley.Source) {
		s.exec(`update sources set status = 'failed', live_version = null, failure = 'no text' where id = ?`, src.ID)
	}
	edited := func(s *testService, _ store.Clone, src parley.Source) {
		v := parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: src.AgentID, SourceID: src.ID, Hash: "h",
			Text: "# New\n\nThe lantern is now electric.", CreatedAt: s.now}
		s.Must(s.DB.CreateVersion(s.Context(), "acc", &v))
		_, _, err := s.DB.UpdateSource(s.Context(), parley.AgentRef{Account: "acc", Agent: src.AgentID}, src.ID,
			func(s *parley.Source) error {
				s.WantedVersion, s.Status = v.ID, parley.SourceUpdated
				return nil
			})
		s.Must(err)
	}
	cases := map[string]struct {
		steps    []step
		status   parley.AgentStatus
		sources  int
		passages bool
		text     string
	}{
		"gone before its text was copied": {[]step{remove}, parley.AgentUntrained, 0, false, ""},
		"gone after its text was copied":  {[]step{text, remove}, parley.AgentTrained, 1, true, "Chapter 117"},
		"failed":                          {[]step{fails}, parley.AgentFailed, 1, false, ""},
		"being trained anew":              {[]step{edited}, parley.AgentTrained, 1, true, "electric"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(s *testService) {
				id := s.createAgent(agents.NewAgent{Name: "Guide"})
				s.addText(id, "Chapters", largeText())
				s.runJobs()
				want, copied := s.passageCount(id), s.cloneAgent(id)
				at := store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: s.now}
				src := s.sources(id)[0]
				for _, do := range c.steps {
					do(s, at, src)
				}
				s.Must(s.ContinueCopy(t.Context(), s.cloneJob(at)))
				s.runJobs()
				if a := s.loadAgent(copied); a.Status() != c.status || len(s.sources(copied)) != c.sources ||
					(a.Size > 0) != (c.sources > 0) {
					t.Errorf("%+v", a)
				}
				if n := s.passageCount(copied); c.passages && n < want || !c.passages &&
					c.status == parley.AgentUntrained && n > 0 {
					t.Errorf("%d passages of %d", n, want)
				}
				if c.text == "electric" {
					if p := s.firstPassage(copied, "Is the lantern electric?"); p.Text == "" || p.SourceID == src.ID {
						t.Errorf("%+v", p)
					}
				} else if c.text != "" {
					if p := s.firstPassage(copied, "the lantern of chapter 117"); p.SourceID == src.ID {
						t.Errorf("%+v", p)
					}
				}
			})
		})
	}
}

func TestCloneIsRetriedBeforeItFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Chapters", largeText())
		s.runJobs()
		copied := s.cloneAgent(id)
		s.exec(`alter table passages rename to lost`)
		job := s.cloneJob(store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: s.now})
		if err := s.ContinueCopy(t.Context(), job); err == nil || s.loadAgent(copied).Status() != parley.AgentTraining {
			t.Errorf("%v, %+v", err, s.loadAgent(copied))
		}
		job.Attempts = job.MaxAttempts
		if err := s.ContinueCopy(t.Context(), job); err == nil || s.loadAgent(copied).Status() != parley.AgentFailed {
			t.Errorf("%v, %+v", err, s.loadAgent(copied))
		}
		s.exec(`alter table lost rename to passages`)
	})
}
