package v2_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v2"
	"parley/internal/model"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// holdIdempotencyKeys has other requests hold the key "held" of every operation that keeps to keys: requests with
// the same body, which still run, or with another one.
func (r *storyRunner) holdIdempotencyKeys(bodies string) error {
	claimed := 0
	for _, row := range isolationCases {
		method, path, _ := strings.Cut(row.route, " ")
		if !slices.Contains(r.listedCodes[row.route], string(parley.CodeKeyInUse)) {
			continue
		}
		hash := "another"
		if bodies == "the same body" {
			hash = digest(resourceIDs(r.Placeholders).Substitute(row.body))
		}
		r.ExecSQL(`insert into idempotency_keys (account_id, key, request_hash, status, reply, created_at, claim,
			lease_until) values (?, ?, ?, 0, '', ?, 'other', ?)
			on conflict (account_id, key) do update set request_hash = excluded.request_hash`, r.Server.Account,
			digest(method+" "+v2.Base+resourceIDs(r.Placeholders).Substitute(path)+"\nheld"), hash,
			time.Now().UnixMilli(), time.Now().Add(time.Hour).UnixMilli())
		claimed++
	}
	if claimed == 0 {
		return errors.New("no operation keeps to keys")
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// postWithKey sends a POST with an Idempotency-Key.
func postWithKey(t *testing.T, srv *testkit.Server, path, key, body string) (status int, reply string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+v2.Base+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+srv.Key)
	req.Header.Set("Idempotency-Key", key)
	resp, err := srv.Client.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	// a source's record goes with the times
	return resp.StatusCode, strings.ReplaceAll(string(text), `"status":"trained"`, `"status":"untrained"`)
}

// postConcurrently sends the same request many times at once and returns the reply of those that were not told that
// the key is in use.
func postConcurrently(t *testing.T, srv *testkit.Server, path, body string, want int) string {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	replies := map[string]int{}
	for range 32 {
		all.Go(func() {
			status, reply := postWithKey(t, srv, path, "at-once", body)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case status == want:
				replies[reply]++
			case status != http.StatusConflict || !strings.Contains(reply, string(parley.CodeKeyInUse)):
				t.Errorf("%d %s", status, reply)
			}
		})
	}
	all.Wait()
	if len(replies) != 1 {
		t.Fatalf("not one reply: %v", replies)
	}
	for reply := range replies {
		status, again := postWithKey(t, srv, path, "at-once", body)
		if status != want || again != reply {
			t.Errorf("afterwards: %d %s\nnot: %s", status, again, reply)
		}
		return reply
	}
	return ""
}

func TestConcurrentEqualRequestsHaveOneEffect(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			srv := testkit.Open(t,
				append(options, testkit.WithModel(&scripted.Model{StepsFor: func(model.Request) []scripted.Step {
					return []scripted.Step{scripted.Text("One "), scripted.Text("answer."), scripted.Stop()}
				}}))...)
			var created struct{ ID string }
			if err := json.Unmarshal([]byte(postConcurrently(t, srv, "/agents", `{"name": "One"}`, 201)), &created); err != nil {
				t.Fatal(err)
			}
			agent := "/agents/" + created.ID
			postConcurrently(t, srv, agent+"/sources", `{"type": "text", "name": "One", "content": "One text."}`, 201)
			first := postConcurrently(t, srv, agent+"/chat", `{"message": "Hello"}`, 200)
			if !strings.Contains(first, "One answer.") {
				t.Error(first)
			}
			for path, want := range map[string]int{"/agents": 1, agent + "/sources": 1, agent + "/conversations": 1} {
				var page struct{ Pagination struct{ Total int } }
				srv.Do(t, "GET", path, srv.Key, nil).Decode(t, 200, &page)
				if page.Pagination.Total != want {
					t.Errorf("%s: %d", path, page.Pagination.Total)
				}
			}
		})
	}
}
