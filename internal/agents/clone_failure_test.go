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
)

func (o *testService) cloneJob(c store.Clone) jobs.Job {
	return jobs.Job{Kind: agents.CloneJob, Key: string(c.ToAgent), AccountID: c.Account, MaxAttempts: 10, Attempts: 1,
		Payload: fmt.Appendf(nil, `{"from":%q,"at":%d}`, c.FromAgent, c.StartedAt.UnixMilli())}
}

// remainingRows counts what is left of an agent.
func (o *testService) remainingRows(agent parley.AgentID) (left []string) {
	o.Helper()
	for _, table := range []string{"sources", "source_versions", "passages", "passage_vectors", "blobs", "actions",
		"procedures", "events"} {
		if n := o.countRows(`select count(*) from `+table+` where agent_id = ?`, agent); n > 0 {
			left = append(left, fmt.Sprint(table, ":", n))
		}
	}
	if o.countRows(`select count(*) from agents where id = ?`, agent) > 0 {
		left = append(left, "agents")
	}
	return left
}

func TestOriginalDeletedMeanwhileIsCopiedWhole(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		o.addText(id, "Chapters", largeText())
		o.runJobs()
		want := o.passageCount(id)
		copied := o.cloneAgent(id)
		o.must(o.Delete(t.Context(), o.account, id))
		o.must(o.Erase(t.Context(), jobs.Job{Kind: agents.EraseJob, Key: string(id), AccountID: "acc"}))
		if got := o.passageCount(id); got != want {
			t.Fatalf("%d of %d passages are left while the copy is being made", got, want)
		}
		o.runJobs()
		o.now = noon.Add(time.Minute)
		o.runJobs()
		if a := o.loadAgent(copied); a.Status() != parley.AgentTrained || o.passageCount(copied) != want ||
			o.firstPassage(copied, "the lantern of chapter 117").SourceName != "Chapters" {
			t.Errorf("%+v", a)
		}
		if left := o.remainingRows(id); left != nil {
			t.Error("of the original there is left", left)
		}
	})
}

func TestCloneDeletedMeanwhileLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		o.addText(id, "Chapters", largeText())
		o.runJobs()
		copied := o.cloneAgent(id)
		c := store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: o.now}
		src := o.sources(id)[0]
		o.must(o.DB.Transact(t.Context(), sqldb.Bulk, func(tx *store.DB) error {
			return tx.CloneVersion(t.Context(), c, src.ID, src.LiveVersion)
		}))
		o.must(o.Delete(t.Context(), o.account, copied))
		o.must(o.Erase(t.Context(), jobs.Job{Kind: agents.EraseJob, Key: string(copied), AccountID: "acc"}))
		o.must(o.ContinueCopy(t.Context(), o.cloneJob(c)))
		o.runJobs()
		if left := o.remainingRows(copied); left != nil {
			t.Error("of the copy there is left", left)
		}
		if a := o.loadAgent(id); a.Status() != parley.AgentTrained {
			t.Errorf("%+v", a)
		}
	})
}

func TestCloneOfAnUnfinishedClone(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		o.addText(id, "Chapters", largeText())
		o.runJobs()
		first := o.cloneAgent(id)
		second := o.cloneAgent(first)
		for _, copied := range []parley.AgentID{first, second} {
			if a := o.loadAgent(copied); a.Status() != parley.AgentTraining {
				t.Errorf("%+v", a)
			}
		}
		o.must(o.ContinueCopy(t.Context(),
			o.cloneJob(store.Clone{Account: "acc", FromAgent: first, ToAgent: second, StartedAt: o.now})))
		if n := o.passageCount(second); n != 0 {
			t.Fatal("it copied what was not there yet:", n)
		}
		o.runJobs()
		o.now = noon.Add(time.Minute)
		o.runJobs()
		if n := o.passageCount(second); n != o.passageCount(id) || o.loadAgent(second).Status() != parley.AgentTrained {
			t.Errorf("%d passages, %+v", n, o.loadAgent(second))
		}
	})
}

// Where a source is deleted or changed while it is copied, the copy has all of it or none, never a part.
func TestSourceChangedMeanwhileIsNeverCopiedInPart(t *testing.T) {
	type step func(o *testService, c store.Clone, src parley.Source)
	text := func(o *testService, c store.Clone, src parley.Source) { // the copy has the text and the first passages
		o.must(o.DB.Transact(o.Context(), sqldb.Bulk, func(tx *store.DB) error {
			if err := tx.CloneVersion(o.Context(), c, src.ID, src.LiveVersion); err != nil {
				return err
			}
			_, err := tx.ClonePassages(o.Context(), c, src.ID, src.LiveVersion)
			return err
		}))
	}
	goes := func(o *testService, _ store.Clone, src parley.Source) {
		_, err := o.ingest.Delete(o.Context(), o.account, src.AgentID, src.ID)
		o.must(err)
		o.must(o.DB.EraseSource(o.Context(), parley.AgentRef{Account: "acc", Agent: src.AgentID}, src.ID))
	}
	fails := func(o *testService, _ store.Clone, src parley.Source) {
		o.exec(`update sources set status = 'failed', live_version = null, failure = 'no text' where id = ?`, src.ID)
	}
	edited := func(o *testService, _ store.Clone, src parley.Source) {
		v := parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: src.AgentID, SourceID: src.ID, Hash: "h",
			Text: "# New\n\nThe lantern is now electric.", CreatedAt: o.now}
		o.must(o.DB.CreateVersion(o.Context(), "acc", &v))
		_, _, err := o.DB.UpdateSource(o.Context(), parley.AgentRef{Account: "acc", Agent: src.AgentID}, src.ID,
			func(s *parley.Source) error {
				s.WantedVersion, s.Status = v.ID, parley.SourceUpdated
				return nil
			})
		o.must(err)
	}
	cases := map[string]struct {
		steps    []step
		status   parley.AgentStatus
		sources  int
		passages bool
		text     string
	}{
		"gone before its text was copied": {[]step{goes}, parley.AgentUntrained, 0, false, ""},
		"gone after its text was copied":  {[]step{text, goes}, parley.AgentTrained, 1, true, "Chapter 117"},
		"failed":                          {[]step{fails}, parley.AgentFailed, 1, false, ""},
		"being trained anew":              {[]step{edited}, parley.AgentTrained, 1, true, "electric"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(o *testService) {
				id := o.createAgent(agents.NewAgent{Name: "Guide"})
				o.addText(id, "Chapters", largeText())
				o.runJobs()
				want, copied := o.passageCount(id), o.cloneAgent(id)
				at := store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: o.now}
				src := o.sources(id)[0]
				for _, do := range c.steps {
					do(o, at, src)
				}
				o.must(o.ContinueCopy(t.Context(), o.cloneJob(at)))
				o.runJobs()
				if a := o.loadAgent(copied); a.Status() != c.status || len(o.sources(copied)) != c.sources ||
					(a.Size > 0) != (c.sources > 0) {
					t.Errorf("%+v", a)
				}
				if n := o.passageCount(copied); c.passages && n < want || !c.passages &&
					c.status == parley.AgentUntrained && n > 0 {
					t.Errorf("%d passages of %d", n, want)
				}
				if c.text == "electric" {
					if p := o.firstPassage(copied, "Is the lantern electric?"); p.Text == "" || p.SourceID == src.ID {
						t.Errorf("%+v", p)
					}
				} else if c.text != "" {
					if p := o.firstPassage(copied, "the lantern of chapter 117"); p.SourceID == src.ID {
						t.Errorf("%+v", p)
					}
				}
			})
		})
	}
}

func TestCloneThatCannotBeMadeFails(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		o.addText(id, "Chapters", largeText())
		o.runJobs()
		copied := o.cloneAgent(id)
		o.exec(`alter table passages rename to lost`)
		job := o.cloneJob(store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: o.now})
		if err := o.ContinueCopy(t.Context(), job); err == nil || o.loadAgent(copied).Status() != parley.AgentTraining {
			t.Errorf("%v, %+v", err, o.loadAgent(copied))
		}
		job.Attempts = job.MaxAttempts
		if err := o.ContinueCopy(t.Context(), job); err == nil || o.loadAgent(copied).Status() != parley.AgentFailed {
			t.Errorf("%v, %+v", err, o.loadAgent(copied))
		}
		o.exec(`alter table lost rename to passages`)
	})
}
