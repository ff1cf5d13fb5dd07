package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/tinymodel"
)

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
