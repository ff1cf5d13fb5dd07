package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/model/openai"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/testkit/provider"
)

// startEmbedding sets up an embedding provider for the service, and returns it with a runner of its jobs.
func (s *testService) startEmbedding(name string) (*provider.EmbeddingServer, *jobs.Runner) {
	s.Helper()
	server := provider.StartEmbeddings(s.TB, nil)
	return server, s.useEmbedder(server, name)
}

func (s *testService) useEmbedder(server *provider.EmbeddingServer, name string) *jobs.Runner {
	e := &openai.Embedder{Client: httpclient.Client{BaseURL: server.URL, Backoff: time.Millisecond}, Model: name}
	s.Cleanup(e.Close)
	s.Embedder, s.Indexes.VectorModel = e, e.Name()
	s.Indexes.Drop(s.agent)
	return &jobs.Runner{DB: s.DB.SQL(), Queue: s.Queue, Handlers: s.EmbedHandlers()}
}

func (s *testService) runDue(r *jobs.Runner) {
	s.Helper()
	_, err := r.RunDue(s.Context())
	s.Must(err)
}

func (s *testService) queryInt(query string, args ...any) int {
	s.Helper()
	n, err := sqldb.One(s.Context(), s.DB.SQL(), sqldb.Column[int], query, args...)
	s.Must(err)
	return n
}

func (s *testService) vectorCount(name string) int {
	return s.queryInt(`select count(*) from passage_vectors where agent_id = ? and model = ?`, string(s.agent), name)
}

// findByVector returns the first passage that the vector of a text finds.
func (s *testService) findByVector(text string) string {
	s.Helper()
	v, err := s.Embedder.Embed(s.Context(), []string{text})
	s.Must(err)
	hits, err := s.Indexes.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
		retrieval.Query{Text: "?", Vector: v[0], VectorWeight: 1, Limit: 1})
	s.Must(err)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Passage.Text
}

// isFoundByWords reports whether a search for the words finds something.
func (s *testService) isFoundByWords(question string) bool {
	s.Helper()
	return strings.HasPrefix(s.sourceNames(question), "Guide")
}

// paragraphs returns a text that is split into as many passages, each under its own heading.
func paragraphs(n int, changed map[int]string) string {
	var b strings.Builder
	for i := range n {
		text := fmt.Sprintf("Paragraph %d tells of matter%d and thing%d.", i, i*7, i*13)
		if other, ok := changed[i]; ok {
			text = other
		}
		fmt.Fprintf(&b, "# Part %d\n\n%s %s\n\n", i, text, strings.Repeat("It goes on and on and on about it. ", 8))
	}
	return b.String()
}

// The agent answers by words at once; a job adds the vectors, and only new passages are sent to the provider.
func TestOnlyChangedPassagesAreEmbedded(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		server, runner := s.startEmbedding("m")
		src := s.addText("Guide", paragraphs(20, nil))
		s.runJobs()
		if s.source(src.ID).Status != parley.SourceTrained || !s.isFoundByWords("matter7") {
			t := s.source(src.ID)
			s.Errorf("%s waits for vectors", t.Status)
		}
		if len(server.RequestTexts()) != 0 || s.findByVector("matter7") != "" {
			s.Error("vectors before their time")
		}
		server.ClearRequests()
		s.runDue(runner)
		n := server.CountTexts()
		if n < 20 || n > 40 || s.vectorCount("m") != n {
			s.Errorf("%d texts embedded, %d vectors", n, s.vectorCount("m"))
		}
		if got := s.findByVector("Part 7 Paragraph 7 tells of matter49 and thing91."); !strings.Contains(got, "matter49") {
			s.Errorf("found %.80q", got)
		}

		server.ClearRequests()
		text := paragraphs(20, map[int]string{11: "Here stands something new about elephants."})
		s.changeText(src.ID, "", text)
		s.runJobs()
		s.runDue(runner)
		if got := server.RequestTexts(); len(got) != 1 || len(got[0]) != 1 || !strings.Contains(got[0][0], "elephants") {
			s.Errorf("embedded after the edit: %.200q", got)
		}
		if got := s.findByVector("something new about elephants"); !strings.Contains(got, "elephants") {
			s.Errorf("found %.80q", got)
		}
		s.now = s.now.Add(time.Hour)
		s.runJobs() // the earlier version is erased with its vector
		if s.vectorCount("m") != n {
			s.Errorf("%d vectors of %d texts", s.vectorCount("m"), n)
		}

		server.ClearRequests()
		_, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
		s.runJobs()
		s.runDue(runner)
		if len(server.RequestTexts()) != 0 || s.vectorCount("m") != 0 || s.findByVector("elephants") != "" {
			s.Errorf("after the deletion: %d requests, %d vectors", len(server.RequestTexts()), s.vectorCount("m"))
		}
	})
}

// Another server than the one that embeds finds the vectors with the agent's next passage version, also those of a text
// that was added again.
func TestOtherServerFindsNewVectors(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		_, runner := s.startEmbedding("m")
		other := &retrieval.Indexes{DB: s.DB.SQL(), VectorModel: "m"}
		vectored := func() bool {
			s.Helper()
			hasVectors, err := other.HasVectors(s.Context(), s.agent, s.loadAgent().PassageVersion)
			s.Must(err)
			return hasVectors
		}
		src := s.addText("Guide", paragraphs(3, nil))
		s.runJobs()
		if vectored() {
			s.Error("vectors before their time")
		}
		s.runDue(runner)
		if !vectored() {
			s.Error("the other server has not noticed")
		}
		s.changeText(src.ID, "", "Something else altogether.")
		s.runJobs()
		s.changeText(src.ID, "", paragraphs(3, nil))
		s.runJobs() // the vectors still exist, and are older than the passages
		v, err := s.Embedder.Embed(s.Context(), []string{"matter7"})
		s.Must(err)
		hits, err := other.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
			retrieval.Query{Text: "?", Vector: v[0], VectorWeight: 1, Limit: 5})
		s.Must(err)
		if len(hits) != 3 {
			s.Errorf("%d passages by vectors", len(hits))
		}
	})
}

// After a change of the model all passages are embedded again in the background. Vectors of the earlier model are not
// used, and are erased when they are replaced.
func TestChangedModelEmbedsAgain(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		server, runner := s.startEmbedding("old")
		s.addText("Guide", paragraphs(5, nil))
		s.runJobs()
		s.runDue(runner)
		n := s.vectorCount("old")
		runner = s.useEmbedder(server, "new")
		if n == 0 || s.findByVector("matter7") != "" || !s.isFoundByWords("matter7") {
			s.Errorf("%d vectors of the old model, used after the change", n)
		}
		server.ClearRequests()
		s.Must(s.EmbedAll(s.Context()))
		s.runDue(runner)
		if s.vectorCount("new") != n || s.vectorCount("old") != 0 || server.CountTexts() != n {
			s.Errorf("%d new vectors, %d old ones, %d texts", s.vectorCount("new"), s.vectorCount("old"), server.CountTexts())
		}
		if s.findByVector("matter7") == "" {
			s.Error("the new vectors are not used")
		}
		server.ClearRequests()
		s.Must(s.EmbedAll(s.Context()))
		s.runDue(runner)
		if len(server.RequestTexts()) != 0 {
			s.Error("embedded again although nothing is missing")
		}
	})
}

// A run that is interrupted between two batches continues after the first: nothing is embedded twice.
func TestEmbeddingResumesAfterAnInterruption(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		server, _ := s.startEmbedding("m")
		s.addText("Guide", paragraphs(230, nil))
		s.runJobs()
		ctx, cut := context.WithCancel(s.Context())
		s.Embedder = &interruptingEmbedder{Embedder: s.Embedder, after: 1, interrupt: cut}
		job := jobs.Job{Kind: ingest.EmbedJob, Key: string(s.agent), AccountID: s.account.ID,
			Payload: []byte(`{"agent":"` + string(s.agent) + `"}`)}
		if err := s.Embed(ctx, job); !errors.Is(err, context.Canceled) {
			s.Fatal(err)
		}
		first := s.vectorCount("m")
		if first == 0 || first >= 230 {
			s.Fatalf("%d vectors after the cut", first)
		}
		runner := s.useEmbedder(server, "m")
		server.ClearRequests()
		s.runDue(runner)
		if all := s.vectorCount("m"); all < 230 || server.CountTexts() != all-first {
			s.Errorf("%d vectors, %d before the cut, %d texts after it", all, first, server.CountTexts())
		}
	})
}

// interruptingEmbedder ends the run between two batches, as kill -9 would.
type interruptingEmbedder struct {
	model.Embedder
	after     int
	interrupt func()
}

func (ie *interruptingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if ie.after--; ie.after < 0 {
		ie.interrupt()
		return nil, ctx.Err()
	}
	return ie.Embedder.Embed(ctx, texts)
}

// While the provider fails, the agent answers by words, and the job is retried later.
func TestEmbeddingProviderFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		server, runner := s.startEmbedding("m")
		no := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }
		server.Play(no)
		src := s.addText("Guide", paragraphs(3, nil))
		s.runJobs()
		s.runDue(runner)
		if s.source(src.ID).Status != parley.SourceTrained || !s.isFoundByWords("matter7") || s.vectorCount("m") != 0 {
			s.Error("a failing provider is in the way")
		}
		s.runDue(runner)
		if len(server.RequestTexts()) != 1 {
			s.Errorf("%d requests before the pause is over", len(server.RequestTexts()))
		}
		s.now = s.now.Add(10 * time.Second)
		s.runDue(runner)
		if s.vectorCount("m") == 0 || s.queryInt(`select count(*) from jobs where kind = ?`, ingest.EmbedJob) != 0 {
			s.Error("the job was not retried")
		}

		server.Play(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "600")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		})
		s.addText("More", "Something about elephants.")
		s.runJobs()
		server.ClearRequests()
		s.runDue(runner)
		s.now = s.now.Add(9 * time.Minute)
		s.runDue(runner)
		if len(server.RequestTexts()) != 1 {
			s.Errorf("%d requests within the time that the provider has asked for", len(server.RequestTexts()))
		}
		s.now = s.now.Add(2 * time.Minute)
		s.runDue(runner)
		if s.findByVector("about elephants") == "" || len(server.RequestTexts()) != 3 {
			s.Errorf("%d requests", len(server.RequestTexts()))
		}
	})
}

// A text that is erased while the provider computes its vector leaves no vector.
func TestTextErasedWhileItIsEmbedded(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		erase := func() {}
		server := provider.StartEmbeddingsFunc(s.TB, func(string) []float32 { erase(); return []float32{1, 2} })
		vectors := s.useEmbedder(server, "m")
		remaining, erased := s.addText("Kept", "The ferry leaves at nine."), s.addText("Gone", "The depot opens at six.")
		s.runJobs()
		erase = sync.OnceFunc(func() {
			_, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), erased.ID)
			if _, failed := s.runner.RunDue(s.Context()); err != nil || failed != nil {
				s.Error(err, failed)
			}
		})
		s.runDue(vectors)
		if n := s.vectorCount("m"); n != 1 || s.source(remaining.ID).Status != parley.SourceTrained {
			s.Errorf("%d vectors", n)
		}
	})
}

// A text that the provider refuses is recorded, and not sent again.
func TestTextRefusedByTheProviderHasNoVector(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		server, runner := s.startEmbedding("m")
		s.addText("Guide", "Something odd about elephants.")
		s.runJobs()
		server.Play(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "odd", http.StatusBadRequest) }, nil)
		s.runDue(runner)
		if s.queryInt(`select count(*) from jobs where kind = ?`, ingest.EmbedJob) != 0 ||
			!s.isFoundByWords("elephants") || s.findByVector("elephants") != "" {
			s.Error("the text is in the way")
		}
		server.ClearRequests()
		s.Must(s.EmbedAll(s.Context()))
		s.runDue(runner)
		if len(server.RequestTexts()) != 0 {
			s.Errorf("sent again: %q", server.RequestTexts())
		}
	})
}

func TestNoEmbedJobWithoutAnEmbedder(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.addText("Guide", paragraphs(3, nil))
		s.runJobs()
		s.Must(s.EmbedAll(s.Context()))
		if n := s.queryInt(`select count(*) from jobs where kind = ?`, ingest.EmbedJob); n != 0 {
			s.Errorf("%d chores", n)
		}
	})
}

// Concurrent searches, trainings and embeddings see consistent states.
func TestSearchWhileEmbedding(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		_, runner := s.startEmbedding("m")
		s.addText("Guide", paragraphs(150, nil))
		s.runJobs()
		v, err := s.Embedder.Embed(s.Context(), []string{"matter7"})
		s.Must(err)
		stop := make(chan struct{})
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					a, err := s.DB.Agent(s.Context(), s.account.ID.AgentRef(s.agent), s.now)
					if err != nil {
						s.Error(err)
						return
					}
					hits, err := s.Indexes.Nearest(s.Context(), s.agent, a.PassageVersion,
						retrieval.Query{Text: "matter7", Vector: v[0]})
					if err != nil || len(hits) == 0 || !strings.Contains(hits[0].Passage.Text, "matter7 ") {
						s.Errorf("%v %v", hits, err)
						return
					}
				}
			})
		}
		s.runDue(runner)
		s.addText("More", paragraphs(40, nil))
		s.runJobs()
		s.runDue(runner)
		close(stop)
		group.Wait()
	})
}
