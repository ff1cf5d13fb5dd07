package api_test

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
	"parley/internal/admin"
	"parley/internal/api"
	"parley/internal/llm"
	"parley/internal/rig"
)

// holdKeys has other requests hold the key "held" of every operation that keeps to keys: requests with the same body, which
// still run, or with another one.
func (tl *teller) holdKeys(bodies string) error {
	held := 0
	for _, row := range isolation {
		method, path, _ := strings.Cut(row.route, " ")
		if !slices.Contains(tl.listed[row.route], string(parley.CodeKeyInUse)) {
			continue
		}
		hash := "another"
		if bodies == "the same body" {
			hash = digest(things(tl.known).in(row.body))
		}
		tl.sql(`insert into idempotency_keys (account_id, key, request_hash, status, reply, created_at, claim, lease_until) values (?, ?, ?, 0, '', ?, 'other', ?)
			on conflict (account_id, key) do update set request_hash = excluded.request_hash`, tl.house.Account,
			digest(method+" "+api.Base+things(tl.known).in(path)+"\nheld"), hash, time.Now().UnixMilli(), time.Now().Add(time.Hour).UnixMilli())
		held++
	}
	if held == 0 {
		return errors.New("no operation keeps to keys")
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// withKey sends a POST with an Idempotency-Key.
func withKey(t *testing.T, h *rig.House, path, key, body string) (status int, reply string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+api.Base+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	req.Header.Set("Idempotency-Key", key)
	resp, err := h.Client.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, strings.ReplaceAll(string(text), `"status":"trained"`, `"status":"untrained"`) // a source's record goes with the times
}

// atOnce sends the same request many times at once and gives the reply of those that were not told that the key is in use.
func atOnce(t *testing.T, h *rig.House, path, body string, want int) string {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	replies := map[string]int{}
	for range 32 {
		all.Go(func() {
			status, reply := withKey(t, h, path, "at-once", body)
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
		status, again := withKey(t, h, path, "at-once", body)
		if status != want || again != reply {
			t.Errorf("afterwards: %d %s\nnot: %s", status, again, reply)
		}
		return reply
	}
	return ""
}

func TestEqualRequestsAtOnceHaveOneEffect(t *testing.T) {
	for name, options := range map[string][]rig.Option{"sqlite": nil, "postgres": {rig.OnPostgres()}} {
		t.Run(name, func(t *testing.T) {
			h := rig.Open(t, append(options, rig.Speaking(&llm.Scripted{Answer: func(llm.Request) []llm.Step {
				return []llm.Step{llm.Say("One "), llm.Say("answer."), llm.Stop()}
			}}))...)
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(atOnce(t, h, "/agents", `{"name": "One"}`, 201)), &made); err != nil {
				t.Fatal(err)
			}
			agent := "/agents/" + made.ID
			atOnce(t, h, agent+"/sources", `{"type": "text", "name": "One", "content": "One text."}`, 201)
			first := atOnce(t, h, agent+"/chat", `{"message": "Hello"}`, 200)
			if !strings.Contains(first, "One answer.") {
				t.Error(first)
			}
			for path, want := range map[string]int{"/agents": 1, agent + "/sources": 1, agent + "/conversations": 1} {
				var page struct{ Pagination struct{ Total int } }
				h.Do(t, "GET", path, h.Key, nil).Decode(t, 200, &page)
				if page.Pagination.Total != want {
					t.Errorf("%s: %d", path, page.Pagination.Total)
				}
			}
		})
	}
}

// maintain turns maintenance mode on or off, as the operator does.
func (tl *teller) maintain(on bool) error {
	_, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.Maintenance, admin.MaintenanceChange{On: &on})
	return err
}
