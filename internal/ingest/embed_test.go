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
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/rig/provider"
	"parley/internal/sqldb"
)

// embedding gives the school an embedding provider, and a runner for what asks it.
func (s *school) embedding(model string) (*provider.EmbeddingServer, *jobs.Runner) {
	s.Helper()
	server := provider.StartEmbeddings(s.TB, nil)
	return server, s.embedWith(server, model)
}

func (s *school) embedWith(server *provider.EmbeddingServer, model string) *jobs.Runner {
	e := &llm.Embeddings{BaseURL: server.URL, Model: model, Backoff: time.Millisecond}
	s.Cleanup(e.Close)
	s.Embedder, s.Library.VectorModel = e, e.Name()
	s.Library.Drop(s.agent)
	return &jobs.Runner{DB: s.DB.SQL(), Queue: s.Queue, Handlers: s.EmbedHandlers()}
}

func (s *school) due(r *jobs.Runner) {
	s.Helper()
	_, err := r.RunDue(s.Context())
	s.must(err)
}

func (s *school) number(query string, args ...any) int {
	s.Helper()
	n, err := sqldb.One(s.Context(), s.DB.SQL(), sqldb.Column[int], query, args...)
	s.must(err)
	return n
}

func (s *school) vectors(model string) int {
	return s.number(`select count(*) from passage_vectors where agent_id = ? and model = ?`, string(s.agent), model)
}

// byVector gives the first passage that the vector of a text finds.
func (s *school) byVector(text string) string {
	s.Helper()
	v, err := s.Embedder.Embed(s.Context(), []string{text})
	s.must(err)
	hits, err := s.Library.Nearest(s.Context(), s.agent, s.state().PassageVersion, retrieval.Query{Text: "?", Vector: v[0], VectorWeight: 1, Limit: 1})
	s.must(err)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Passage.Text
}

// byWords reports whether the words find something.
func (s *school) byWords(question string) bool {
	s.Helper()
	return strings.HasPrefix(s.answers(question), "Guide")
}

// paragraphs is a text that is cut into as many passages, each under a heading of its own.
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

// Words answer at once; the vectors come by a chore, and only what is new costs the provider anything.
func TestOnlyChangedPassagesAreEmbedded(t *testing.T) {
	each(t, func(s *school) {
		server, runner := s.embedding("m")
		src := s.add("Guide", paragraphs(20, nil))
		s.run()
		if s.source(src.ID).Status != parley.SourceTrained || !s.byWords("matter7") {
			t := s.source(src.ID)
			s.Errorf("%s waits for vectors", t.Status)
		}
		if len(server.Asked()) != 0 || s.byVector("matter7") != "" {
			s.Error("vectors before their time")
		}
		server.Forget()
		s.due(runner)
		n := server.Texts()
		if n < 20 || n > 40 || s.vectors("m") != n {
			s.Errorf("%d texts embedded, %d vectors", n, s.vectors("m"))
		}
		if got := s.byVector("Part 7 Paragraph 7 tells of matter49 and thing91."); !strings.Contains(got, "matter49") {
			s.Errorf("found %.80q", got)
		}

		server.Forget()
		text := paragraphs(20, map[int]string{11: "Here stands something new about elephants."})
		s.change(src.ID, "", text)
		s.run()
		s.due(runner)
		if got := server.Asked(); len(got) != 1 || len(got[0]) != 1 || !strings.Contains(got[0][0], "elephants") {
			s.Errorf("embedded after the edit: %.200q", got)
		}
		if got := s.byVector("something new about elephants"); !strings.Contains(got, "elephants") {
			s.Errorf("found %.80q", got)
		}
		s.now = s.now.Add(time.Hour)
		s.run() // the earlier version is erased, and its vector with it
		if s.vectors("m") != n {
			s.Errorf("%d vectors of %d texts", s.vectors("m"), n)
		}

		server.Forget()
		_, err := s.Delete(s.Context(), s.account, s.agent, src.ID)
		s.must(err)
		s.run()
		s.due(runner)
		if len(server.Asked()) != 0 || s.vectors("m") != 0 || s.byVector("elephants") != "" {
			s.Errorf("after the deletion: %d requests, %d vectors", len(server.Asked()), s.vectors("m"))
		}
	})
}

// A server beside the one that embeds finds the vectors in the agent's next passage version, and those of a text that came back.
func TestAnotherServerNotices(t *testing.T) {
	each(t, func(s *school) {
		_, runner := s.embedding("m")
		beside := &retrieval.Library{DB: s.DB.SQL(), VectorModel: "m"}
		vectored := func() bool {
			s.Helper()
			is, err := beside.Vectored(s.Context(), s.agent, s.state().PassageVersion)
			s.must(err)
			return is
		}
		src := s.add("Guide", paragraphs(3, nil))
		s.run()
		if vectored() {
			s.Error("vectors before their time")
		}
		s.due(runner)
		if !vectored() {
			s.Error("the other server has not noticed")
		}
		s.change(src.ID, "", "Something else altogether.")
		s.run()
		s.change(src.ID, "", paragraphs(3, nil))
		s.run() // the vectors are there still, older than the passages
		v, err := s.Embedder.Embed(s.Context(), []string{"matter7"})
		s.must(err)
		hits, err := beside.Nearest(s.Context(), s.agent, s.state().PassageVersion, retrieval.Query{Text: "?", Vector: v[0], VectorWeight: 1, Limit: 5})
		s.must(err)
		if len(hits) != 3 {
			s.Errorf("%d passages by vectors", len(hits))
		}
	})
}

// Another model begins anew in the background; what the one before has made is not used, and goes once it is replaced.
func TestAnotherModel(t *testing.T) {
	each(t, func(s *school) {
		server, runner := s.embedding("old")
		s.add("Guide", paragraphs(5, nil))
		s.run()
		s.due(runner)
		n := s.vectors("old")
		runner = s.embedWith(server, "new")
		if n == 0 || s.byVector("matter7") != "" || !s.byWords("matter7") {
			s.Errorf("%d vectors of the old model, used after the change", n)
		}
		server.Forget()
		s.must(s.EmbedAll(s.Context()))
		s.due(runner)
		if s.vectors("new") != n || s.vectors("old") != 0 || server.Texts() != n {
			s.Errorf("%d new vectors, %d old ones, %d texts", s.vectors("new"), s.vectors("old"), server.Texts())
		}
		if s.byVector("matter7") == "" {
			s.Error("the new vectors are not used")
		}
		server.Forget()
		s.must(s.EmbedAll(s.Context()))
		s.due(runner)
		if len(server.Asked()) != 0 {
			s.Error("embedded again though nothing is missing")
		}
	})
}

// A run that is cut short between two batches goes on where it was: nothing is embedded twice.
func TestEmbeddingGoesOnAfterACut(t *testing.T) {
	each(t, func(s *school) {
		server, _ := s.embedding("m")
		s.add("Guide", paragraphs(230, nil))
		s.run()
		ctx, cut := context.WithCancel(s.Context())
		s.Embedder = &cutting{Embedder: s.Embedder, after: 1, cut: cut}
		job := jobs.Job{Kind: ingest.EmbedJob, Key: string(s.agent), AccountID: s.account.ID, Payload: []byte(`{"agent":"` + string(s.agent) + `"}`)}
		if err := s.Embed(ctx, job); !errors.Is(err, context.Canceled) {
			s.Fatal(err)
		}
		first := s.vectors("m")
		if first == 0 || first >= 230 {
			s.Fatalf("%d vectors after the cut", first)
		}
		runner := s.embedWith(server, "m")
		server.Forget()
		s.due(runner)
		if all := s.vectors("m"); all < 230 || server.Texts() != all-first {
			s.Errorf("%d vectors, %d before the cut, %d texts after it", all, first, server.Texts())
		}
	})
}

// cutting ends the run after some batches, as kill -9 would: between two of them.
type cutting struct {
	llm.Embedder
	after int
	cut   func()
}

func (c *cutting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.after--; c.after < 0 {
		c.cut()
		return nil, ctx.Err()
	}
	return c.Embedder.Embed(ctx, texts)
}

// While the provider fails the agent answers by words, and the chore is tried again later.
func TestEmbeddingProviderFails(t *testing.T) {
	each(t, func(s *school) {
		server, runner := s.embedding("m")
		no := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }
		server.Play(no)
		src := s.add("Guide", paragraphs(3, nil))
		s.run()
		s.due(runner)
		if s.source(src.ID).Status != parley.SourceTrained || !s.byWords("matter7") || s.vectors("m") != 0 {
			s.Error("a failing provider is in the way")
		}
		s.due(runner)
		if len(server.Asked()) != 1 {
			s.Errorf("%d requests before the rest is over", len(server.Asked()))
		}
		s.now = s.now.Add(10 * time.Second)
		s.due(runner)
		if s.vectors("m") == 0 || s.number(`select count(*) from jobs where kind = ?`, ingest.EmbedJob) != 0 {
			s.Error("the chore has not come back")
		}

		server.Play(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "600")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		})
		s.add("More", "Something about elephants.")
		s.run()
		server.Forget()
		s.due(runner)
		s.now = s.now.Add(9 * time.Minute)
		s.due(runner)
		if len(server.Asked()) != 1 {
			s.Errorf("%d requests within the time that the provider has asked for", len(server.Asked()))
		}
		s.now = s.now.Add(2 * time.Minute)
		s.due(runner)
		if s.byVector("about elephants") == "" || len(server.Asked()) != 3 {
			s.Errorf("%d requests", len(server.Asked()))
		}
	})
}

// A text that the provider will not take is noted, and not asked for again and again.
// A text that is erased while the provider makes its vector leaves none.
func TestTextErasedWhileItIsEmbedded(t *testing.T) {
	each(t, func(s *school) {
		erase := func() {}
		server := provider.StartEmbeddingsBy(s.TB, func(string) []float32 { erase(); return []float32{1, 2} })
		vectors := s.embedWith(server, "m")
		kept, gone := s.add("Kept", "The ferry leaves at nine."), s.add("Gone", "The depot opens at six.")
		s.run()
		erase = sync.OnceFunc(func() {
			_, err := s.Delete(s.Context(), s.account, s.agent, gone.ID)
			if _, failed := s.runner.RunDue(s.Context()); err != nil || failed != nil {
				s.Error(err, failed)
			}
		})
		s.due(vectors)
		if n := s.vectors("m"); n != 1 || s.source(kept.ID).Status != parley.SourceTrained {
			s.Errorf("%d vectors", n)
		}
	})
}

func TestATextWithoutAVector(t *testing.T) {
	each(t, func(s *school) {
		server, runner := s.embedding("m")
		s.add("Guide", "Something odd about elephants.")
		s.run()
		server.Play(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "odd", http.StatusBadRequest) }, nil)
		s.due(runner)
		if s.number(`select count(*) from jobs where kind = ?`, ingest.EmbedJob) != 0 || !s.byWords("elephants") || s.byVector("elephants") != "" {
			s.Error("the text is in the way")
		}
		server.Forget()
		s.must(s.EmbedAll(s.Context()))
		s.due(runner)
		if len(server.Asked()) != 0 {
			s.Errorf("asked again: %q", server.Asked())
		}
	})
}

// Without an embedder nothing of all this happens.
func TestNoEmbedderNoChore(t *testing.T) {
	each(t, func(s *school) {
		s.add("Guide", paragraphs(3, nil))
		s.run()
		s.must(s.EmbedAll(s.Context()))
		if n := s.number(`select count(*) from jobs where kind = ?`, ingest.EmbedJob); n != 0 {
			s.Errorf("%d chores", n)
		}
	})
}

// Searches, trainings and embeddings at the same time see whole states.
func TestSearchWhileEmbedding(t *testing.T) {
	each(t, func(s *school) {
		_, runner := s.embedding("m")
		s.add("Guide", paragraphs(150, nil))
		s.run()
		v, err := s.Embedder.Embed(s.Context(), []string{"matter7"})
		s.must(err)
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
					a, err := s.DB.Agent(s.Context(), s.account.ID, s.agent, s.now)
					if err != nil {
						s.Error(err)
						return
					}
					hits, err := s.Library.Nearest(s.Context(), s.agent, a.PassageVersion, retrieval.Query{Text: "matter7", Vector: v[0]})
					if err != nil || len(hits) == 0 || !strings.Contains(hits[0].Passage.Text, "matter7 ") {
						s.Errorf("%v %v", hits, err)
						return
					}
				}
			})
		}
		s.due(runner)
		s.add("More", paragraphs(40, nil))
		s.run()
		s.due(runner)
		close(stop)
		group.Wait()
	})
}
