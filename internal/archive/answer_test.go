package archive_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/archive"
	"parley/internal/datadir"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

const ferryText = "# Ferry\n\nThe last ferry to the island leaves at half past nine in the evening.\n"

const ferryQuestion = "When does the last ferry leave?"

// ask asks an agent and returns what it cites, as JSON.
func ask(t *testing.T, s *testkit.Server, key, agent string) string {
	t.Helper()
	var answer struct {
		Data struct {
			Parts    []struct{ Text string }
			Metadata struct{ Citations json.RawMessage }
		}
	}
	s.Do(t, "POST", "/agents/"+agent+"/chat", key, map[string]any{"message": ferryQuestion}).Decode(t, http.StatusOK,
		&answer)
	if d := answer.Data; len(d.Parts) != 1 || !strings.Contains(d.Parts[0].Text, "half past nine") {
		t.Fatalf("%+v", d)
	}
	return string(answer.Data.Metadata.Citations)
}

// uploadFile adds a file to an agent.
func uploadFile(t *testing.T, s *testkit.Server, agent string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "tides.txt")
	check.Must(t, err)
	_, err = part.Write([]byte("High tide is at noon and again shortly after midnight, on every day of the year.\n"))
	check.Must(t, err)
	check.Must(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v2/agents/"+agent+"/sources", &body)
	check.Must(t, err)
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := s.Client.Do(req)
	check.Must(t, err)
	check.Must(t, res.Body.Close())
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("upload: %d", res.StatusCode)
	}
	check.Must(t, s.FileRunner.WaitIdle(t.Context()))
	check.Must(t, s.Runner.WaitIdle(t.Context()))
}

// An account that was exported from a running server answers elsewhere as before, with the same citations, and its
// conversations are found.
func TestAnswersAsBefore(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	from := testkit.Open(t, testkit.WithDatabase(data, ""))
	agent := from.NewAgent(t, from.Key, ferryText)
	uploadFile(t, from, agent)
	cited := ask(t, from, from.Key, agent)
	check.Must(t, from.Runner.WaitIdle(t.Context()))
	lock, err := datadir.TryLock(data, "parley serve") // as the program does
	check.Must(t, err)
	path := filepath.Join(t.TempDir(), "account.zip")
	_, err = openInstallation(data, "").Export(t.Context(), parley.AccountID(from.Account), path)
	check.Must(t, err)
	check.Must(t, lock.Unlock())

	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			to := newInstallation(t, url(t))
			_, err := to.importFrom(path, archive.Options{})
			check.Must(t, err)
			_, again := to.export(parley.AccountID(from.Account))
			if original := readFile(t, path); !bytes.Equal(again, original) {
				t.Error("exported again, the archive is another one")
			}
			s := testkit.Open(t, testkit.WithDatabase(to.Data, to.DatabaseURL))
			key, err := admin.RunOn(t.Context(), s.AdminService, admin.CreateKey,
				admin.NewKey{AccountID: from.Account, Name: "New"})
			check.Must(t, err)
			if diff := cmp.Diff(cited, ask(t, s, key.APIKey, agent)); diff != "" {
				t.Error("other citations", diff)
			}
			for more := true; more; {
				more, err = s.Indexer.StepAll(t.Context())
				check.Must(t, err)
			}
			if n := countFound(t, s, key.APIKey, agent); n != 2 {
				t.Errorf("%d conversations are found, want 2", n)
			}
		})
	}
}

func countFound(t *testing.T, s *testkit.Server, key, agent string) int {
	t.Helper()
	var found struct{ Data []json.RawMessage }
	s.Do(t, "GET", "/agents/"+agent+"/conversations/search?query=ferry", key, nil).Decode(t, http.StatusOK, &found)
	return len(found.Data)
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	check.Must(t, err)
	return text
}
