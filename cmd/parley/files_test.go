package main

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/admin"
	"parley/internal/rig"
)

// Files are uploaded to an address of their own, and read by children of the program.
func TestFilesHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := start(t, "serve", "--files-listen", "127.0.0.1:0")
	key := must[admin.AccountCreated](t, "account", "create", "--name", "A").APIKey
	_, agent := ask(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"A"}`)
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
	sources := "/api/v2/agents/" + idOf(t, agent) + "/sources"
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
	rig.Eventually(t, "a trained file", func() bool {
		_, got := ask(t, "GET", s.URL+sources+"/"+idOf(t, string(text)), key, "")
		return strings.Contains(got, `"status":"trained"`)
	})
}
