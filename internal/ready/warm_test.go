package ready_test

import (
	"net/http"
	"testing"

	"parley/internal/ready"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// A server that starts again is ready once it has read the indexes that its agents answered from.
func TestIndexesAreReadBeforeAServerIsReady(t *testing.T) {
	data := t.TempDir()
	t.Run("asked", func(t *testing.T) {
		s := testkit.Open(t, testkit.WithDatabase(data, ""))
		agent := s.NewAgent(t, s.Key, "We deliver within three days.")
		s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": "How long is the delivery?"}).Decode(t,
			http.StatusOK, &struct{}{})
	})
	t.Run("again", func(t *testing.T) {
		s := testkit.Open(t, testkit.WithDatabase(data, ""))
		testkit.Eventually(t, "a server that is ready", func() bool {
			res, err := s.Client.Get(s.URL + ready.Path)
			return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
		})
		if s.Indexes.MemoryBytes() == 0 {
			t.Error("no index was read")
		}
	})
}
