package server_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/ingest"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
	"parley/internal/testkit/tinymodel"
)

// withEmbeddingServer configures an embedding server, and how long a question waits for its vector.
func withEmbeddingServer(s *provider.EmbeddingServer, wait time.Duration) testkit.Option {
	return testkit.WithConfig(func(c *server.Config) { c.EmbedURL, c.EmbedModel, c.EmbedWait = s.URL, "m", wait })
}

// askWithTrace asks the agent and returns the trace of the turn.
func askWithTrace(t *testing.T, s *testkit.Server, agent, question string) admin.TurnTrace {
	t.Helper()
	var reply struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": question}).Decode(t, http.StatusOK, &reply)
	turns, err := admin.RunOn(t.Context(), s.AdminService, admin.Trace,
		admin.ConversationRef{ID: reply.Data.Metadata.ConversationID})
	if err != nil || len(turns) != 1 {
		t.Fatalf("%v %+v", err, turns)
	}
	return turns[0]
}

func forEachStore(t *testing.T, f func(t *testing.T, store testkit.Option)) {
	t.Run("sqlite", func(t *testing.T) { f(t, testkit.WithConfig(func(*server.Config) {})) })
	t.Run("postgres", func(t *testing.T) { f(t, testkit.WithPostgres()) })
}

// Questions are answered by words and vectors as soon as there are vectors, and by words alone while the provider fails
// or is slow.
func TestTurnSearchesByVectors(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		s := provider.StartEmbeddings(t, nil)
		srv := testkit.Open(t, store, withEmbeddingServer(s, testkit.WaitTimeout))
		agent := srv.NewAgent(t, srv.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect := func(question, search string) {
			t.Helper()
			got := askWithTrace(t, srv, agent, question)
			if !strings.HasPrefix(got.SearchMethod, search) || !strings.Contains(got.Answer, "between eight and ten") {
				t.Errorf("%s: searched by %q, answered %q", question, got.SearchMethod, got.Answer)
			}
		}
		expect("When are parcels delivered?", "words and vectors")
		s.Play(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
		expect("When are the parcels delivered?", "words; the embedding provider failed")
		expect("When are parcels delivered?", "words and vectors") // asked before, so its vector is known
	})
}

func TestTurnDoesNotWaitForALateVector(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	srv := testkit.Open(t, withEmbeddingServer(s, 30*time.Millisecond))
	agent := srv.NewAgent(t, srv.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
	if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Play(s.Stall, s.Stall)
	if got := askWithTrace(t, srv, agent, "When are parcels delivered?"); !strings.Contains(got.SearchMethod,
		"not come in time") || !strings.Contains(got.Answer, "between eight and ten") {
		t.Errorf("searched by %q, answered %q", got.SearchMethod, got.Answer)
	}
}

// A passage that is found by its vector alone is not quoted, however near it is.
func TestVectorsAloneAnswerNothing(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		s := provider.StartEmbeddingsFunc(t, func(text string) []float32 {
			if strings.Contains(text, "plant") || strings.Contains(text, "?") {
				return []float32{1, .1, 0}
			}
			return []float32{0, .1, 1}
		})
		srv := testkit.Open(t, store, withEmbeddingServer(s, testkit.WaitTimeout), testkit.WithConfig(func(c *server.Config) {
			c.EmbedWeight = .9
		}))
		agent := srv.NewAgent(t, srv.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.",
			"# Office\n\nThe green plant in the corner wants water.")
		if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, question := range []string{"When are parcels delivered?", "Who painted the ceiling of the chapel?"} {
			got := askWithTrace(t, srv, agent, question)
			if got.SearchMethod != "words and vectors" || len(got.Passages) == 0 ||
				!strings.Contains(got.Passages[0].Text, "plant") {
				t.Fatalf("%s: searched by %q, found %+v", question, got.SearchMethod, got.Passages)
			}
			if strings.Contains(got.Answer, "plant") || len(got.Citations) > 0 &&
				!strings.Contains(got.Answer, "between eight and ten") {
				t.Errorf("%s: answered %q", question, got.Answer)
			}
		}
		if got := askWithTrace(t, srv, agent, "When are parcels delivered?"); !strings.Contains(got.Answer,
			"between eight and ten") {
			t.Errorf("the passage that answers is not quoted: %q", got.Answer)
		}
	})
}

// A server that gets an embedding provider for the first time embeds its earlier passages; without a provider no jobs
// are enqueued.
func TestEarlierPassagesAreEmbedded(t *testing.T) {
	data := t.TempDir()
	t.Run("without", func(t *testing.T) {
		srv := testkit.Open(t, testkit.WithDatabase(data, ""))
		srv.NewAgent(t, srv.Key, "Parcels are delivered between eight and ten in the morning.")
		n, err := sqldb.One(t.Context(), srv.DB.SQL(), sqldb.Column[int], `select count(*) from jobs where kind = ?`,
			ingest.EmbedJob)
		if n != 0 || err != nil {
			t.Errorf("%d chores, %v", n, err)
		}
	})
	s := provider.StartEmbeddings(t, nil)
	srv := testkit.Open(t, testkit.WithDatabase(data, ""), withEmbeddingServer(s, 0))
	testkit.Eventually(t, "vectors for what was read before", func() bool {
		n, err := sqldb.One(context.Background(), srv.DB.SQL(), sqldb.Column[int], `select count(*) from passage_vectors`)
		return err == nil && n > 0
	})
	if s.CountTexts() != 1 {
		t.Errorf("%d texts", s.CountTexts())
	}
}

// Passages get vectors once an account has an embedding server, and others once it has another model.
func TestAccountsConnectEmbeddingServers(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		mt := openModelServerTest(t, store, testkit.WithConfig(func(c *server.Config) { c.EmbedWait = testkit.WaitTimeout }))
		s := provider.StartEmbeddings(t, nil)
		agent := mt.NewAgent(t, mt.Key, deliveryText)
		expect := func(question, search string) {
			t.Helper()
			if err := mt.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := askWithTrace(t, mt.Server, agent, question); got.SearchMethod != search {
				t.Errorf("%s: searched by %q, want %q", question, got.SearchMethod, search)
			}
		}
		expect("When are parcels delivered?", "words")
		m := mt.connect(admin.ModelServerSettings{Kind: "embedding", URL: s.URL, Model: "one"})
		expect("When are the parcels delivered?", "words and vectors")
		name := "two"
		if err := mt.change(m.ID, admin.ModelServerChange{Model: &name}); err != nil {
			t.Fatal(err)
		}
		expect("When do parcels arrive?", "words and vectors")
		models, err := sqldb.All(t.Context(), mt.DB.SQL(), sqldb.Column[string],
			`select distinct model from passage_vectors`)
		if err != nil || len(models) != 1 || models[0] != "two" {
			t.Errorf("vectors of %v, %v", models, err)
		}
		if err := mt.remove(m.ID, false); err != nil {
			t.Fatal(err)
		}
		expect("When do the parcels arrive?", "words")
	})
}

// withEmbeddingModel configures a model in a folder of a name, for which the words of each group mean the same.
func withEmbeddingModel(t *testing.T, name string, groups ...string) testkit.Option {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	vectors := map[string][]float64{}
	for i, group := range groups {
		for _, word := range strings.Fields(group) {
			vectors[word] = make([]float64, 16)
			vectors[word][i] = 1
		}
	}
	tinymodel.WriteStatic(t, folder, vectors)
	return testkit.WithConfig(func(c *server.Config) { c.EmbeddingModel, c.EmbedWait = folder, testkit.WaitTimeout })
}

const (
	secretsText = "# Secrets\n\nIn the settings each secret can be renewed at any time."
	plantText   = "# Plants\n\nThe green plant in the corner wants water."
)

// vectorModels lists whose vectors the passages have.
func vectorModels(t *testing.T, s *testkit.Server) string {
	t.Helper()
	list, err := sqldb.All(t.Context(), s.DB.SQL(), sqldb.Column[string],
		`select distinct model from passage_vectors order by model`)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// A server with a model in a folder finds by meaning without any other server: what shares no word with the question is
// found first.
func TestModelInAFolderFindsByMeaning(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		srv := testkit.Open(t, store, withEmbeddingModel(t, "tiny", "renewed rotate", "secret credentials", "plant"))
		agent := srv.NewAgent(t, srv.Key, secretsText, plantText)
		if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if models := vectorModels(t, srv); !strings.HasPrefix(models, "tiny@") || strings.Contains(models, " ") {
			t.Errorf("vectors of %q", models)
		}
		got := askWithTrace(t, srv, agent, "Rotate credentials?")
		if got.SearchMethod != "words and vectors" || len(got.Passages) == 0 ||
			!strings.Contains(got.Passages[0].Text, "can be renewed") {
			t.Errorf("searched by %q, found %+v", got.SearchMethod, got.Passages)
		}
		if got := askWithTrace(t, srv, agent, "Which secret can be renewed?"); !strings.Contains(got.Answer,
			"can be renewed") || len(got.Citations) == 0 {
			t.Errorf("answered %q with %d citations", got.Answer, len(got.Citations))
		}
	})
}

// What is named exactly stays where it was, however near another passage is by its vector.
func TestExactNamesComeFirst(t *testing.T) {
	srv := testkit.Open(t, withEmbeddingModel(t, "tiny", "pump zk", "1000"))
	var texts []string
	for _, part := range []string{"ZK-100", "ZK-1000", "ZK-200", "PT-100"} {
		texts = append(texts, fmt.Sprintf("# Pump %s\n\nThe pump %s weighs 4 kg and is made of steel.", part, part))
	}
	agent := srv.NewAgent(t, srv.Key, texts...)
	if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"ZK-100", "ZK-1000", "ZK-200", "PT-100"} {
		got := askWithTrace(t, srv, agent, "How heavy is the pump "+part+"?")
		if got.SearchMethod != "words and vectors" || len(got.Passages) == 0 ||
			!strings.Contains(got.Passages[0].Text, part+" weighs") {
			t.Errorf("%s: searched by %q, found %+v", part, got.SearchMethod, got.Passages)
		}
	}
}

// With another model in the folder all passages get its vectors after the start, and the others are erased.
func TestAnotherModelTrainsAgain(t *testing.T) {
	data := t.TempDir()
	var agent, first string
	t.Run("first", func(t *testing.T) {
		srv := testkit.Open(t, testkit.WithDatabase(data, ""), withEmbeddingModel(t, "tiny", "renewed rotate"))
		agent = srv.NewAgent(t, srv.Key, secretsText)
		if err := srv.EmbeddingRunner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		first = vectorModels(t, srv)
	})
	srv := testkit.Open(t, testkit.WithDatabase(data, ""), withEmbeddingModel(t, "tiny", "renewed", "rotate"))
	testkit.Eventually(t, "vectors of the other model alone", func() bool {
		models := vectorModels(t, srv)
		return models != "" && models != first && !strings.Contains(models, " ")
	})
	if agent == "" || !strings.HasPrefix(first, "tiny@") {
		t.Errorf("agent %q, vectors of %q", agent, first)
	}
}

// The console shows the model beside servers of models, locked, without the place of its folder.
func TestModelInAFolderIsListed(t *testing.T) {
	mt := openModelServerTest(t, withEmbeddingModel(t, "tiny", "renewed rotate"))
	list, err := call(mt, admin.ListModelServers, admin.ModelServerQuery{AccountID: mt.Account})
	if err != nil || len(list.Servers) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if m := list.Servers[0]; m.SetBy != "PARLEY_EMBEDDING_MODEL" || m.Kind != "embedding" || m.Model != "tiny" ||
		m.URL != "" || m.ID != "" {
		t.Errorf("%+v", m)
	}
}

func TestFolderWithoutAModelIsRefused(t *testing.T) {
	folder := t.TempDir()
	_, err := server.ModelConfig{EmbeddingModel: folder}.OpenEmbedding()
	if err == nil || !strings.Contains(err.Error(), "PARLEY_EMBEDDING_MODEL") ||
		!strings.Contains(err.Error(), folder+" lacks the file config.json") {
		t.Errorf("%v", err)
	}
}
