package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// A stopping server lets a running answer end, and cuts it off when the drain timeout is over. Either way the stream is
// complete.
func TestStoppingServerDrains(t *testing.T) {
	for _, c := range []struct {
		name, drain, ends string
		release           bool
	}{
		{"finishes", "20s", `"finishReason":"stop"`, true},
		{"is cut", "50ms", `"finishReason":"error"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			more := make(chan struct{})
			model := provider.Start(t, provider.AnswerAfterRelease(more, "One. ", "Two."))
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			s := startServer(t, "serve", "--drain", c.drain, "--model-url", model.URL, "--model", "slow")
			key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
			_, agent := sendRequest(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"Slow"}`)
			stream := openStream(t, s.URL+"/api/v2/agents/"+responseID(t, agent)+"/chat", key)
			s.stop()
			testkit.Eventually(t, "a closed door", func() bool {
				res, err := http.Get(s.URL)
				if err == nil {
					_ = res.Body.Close()
				}
				return err != nil
			})
			if c.release {
				close(more)
			}
			rest, err := io.ReadAll(stream)
			if err != nil || !strings.Contains(string(rest), c.ends) || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
				t.Errorf("the stream ended with %v:\n%s", err, rest)
			}
			s.stopServer(t)
		})
	}
}

// openStream asks for a streamed answer and reads its first text.
func openStream(t *testing.T, url, key string) io.Reader {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		strings.NewReader(`{"message":"Count.","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	var seen string
	for buf := make([]byte, 512); !strings.Contains(seen, "One."); {
		n, err := res.Body.Read(buf)
		if seen += string(buf[:n]); err != nil {
			t.Fatalf("the stream began with %q: %v", seen, err)
		}
	}
	return res.Body
}

func responseID(t *testing.T, body string) string {
	t.Helper()
	var reply struct{ ID string }
	if err := json.Unmarshal([]byte(body), &reply); err != nil || reply.ID == "" {
		t.Fatalf("no id in %s: %v", body, err)
	}
	return reply.ID
}
