package main

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

// Files are uploaded to an address of their own, and read by children of the program.
func TestFilesHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve", "--files-listen", "127.0.0.1:0")
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	_, agent := sendRequest(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"A"}`)
	if s.FilesURL == "" || s.FilesURL == s.URL {
		t.Fatalf("files go to %q, all else to %q", s.FilesURL, s.URL)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", "hours.csv")
	if err == nil {
		_, err = io.WriteString(part, "day,opens\nMonday,half past six\nTuesday,nine in the morning\n")
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	sources := "/api/v2/agents/" + responseID(t, agent) + "/sources"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.FilesURL+sources, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusCreated {
		t.Fatal(res.StatusCode, string(text), err)
	}
	testkit.Eventually(t, "a trained file", func() bool {
		_, got := sendRequest(t, "GET", s.URL+sources+"/"+responseID(t, string(text)), key, "")
		return strings.Contains(got, `"status":"trained"`)
	})
}
