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
	"parley/internal/testkit/expect"
	"parley/internal/testkit/scripted"
)

// untestableCodes are the pairs of a route and a code that no story can cover, with the reason.
var untestableCodes = map[string]string{
	"GET /health INTERNAL_SERVER_ERROR": "it asks for nothing that could fail; the API would say so all the " +
		"same, should it panic",
	"GET /health SERVICE_UNDER_MAINTENANCE": "a proxy in front of a stopped server says so in its place",
}

// TestEveryRouteIsTested fails for a route without a scope or a row in the isolation test, and for a reply
// without a story: the route's success, and each code it lists.
func TestEveryRouteIsTested(t *testing.T) {
	var doc openAPI
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	noScope := []string{"GET /health", "GET /me"} // open to all; any key
	codes := listedCodes(t)
	covered := codesInStories(t, codes)
	for path, item := range doc.Paths {
		for method, op := range item {
			route := strings.ToUpper(method) + " " + path
			if (op.Scope == nil) != slices.Contains(noScope, route) {
				t.Errorf("%s: its scope is %v", route, op.Scope)
			}
			if op.Scope != nil && !slices.Contains(parley.Scopes(), parley.Scope(*op.Scope)) {
				t.Errorf("%s: there is no scope %s", route, *op.Scope)
			}
			for _, code := range append([]string{""}, codes[route]...) {
				if pair := strings.TrimSpace(route + " " + code); !covered[pair] && untestableCodes[pair] == "" {
					t.Errorf("%s: no story in testdata covers it", pair)
				} else if covered[pair] && untestableCodes[pair] != "" {
					t.Errorf("%s: a story covers what is listed as untestable", pair)
				}
			}
			rows := 0
			for _, row := range isolationCases {
				if row.route == route {
					rows++
				}
			}
			if rows != 1 {
				t.Errorf("%s: %d rows in the isolation test", route, rows)
			}
		}
	}
	for pair := range untestableCodes {
		route, code := pair[:strings.LastIndexByte(pair, ' ')], pair[strings.LastIndexByte(pair, ' ')+1:]
		if !slices.Contains(codes[route], code) {
			t.Errorf("%s: an exemption of what no route lists", pair)
		}
	}
}

// listedCodes returns the codes that each route lists.
func listedCodes(t *testing.T) map[string][]string {
	t.Helper()
	var doc openAPI
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for path, item := range doc.Paths {
		for method, op := range item {
			route := strings.ToUpper(method) + " " + path
			for _, r := range op.Responses {
				if r.Ref != "" {
					list[route] = append(list[route], strings.Split(r.Description, ", ")...)
				}
			}
		}
	}
	for route, codes := range list {
		for _, code := range codes {
			if !slices.Contains(parley.Codes(), parley.Code(code)) {
				t.Errorf("%s lists %q, which is no code", route, code)
			}
		}
	}
	return list
}

// codesInStories returns the routes whose success a story covers, and the pairs of route and code.
func codesInStories(t *testing.T, codes map[string][]string) map[string]bool {
	t.Helper()
	pairs := map[string]bool{}
	for _, s := range expect.ReadStories(t) {
		for _, x := range s.Exchanges {
			code := expectedCode(x.Want)
			if x.Method == "EVERY" {
				for _, r := range routeTargets(x, codes) {
					pairs[r.route+" "+code] = true
				}
			} else if x.Status/100 == 2 || code != "" {
				pairs[strings.TrimSpace(x.Method+" "+matchTemplate(codes, x.Method, x.Path)+" "+code)] = true
			}
		}
	}
	return pairs
}

// routeTarget is where a request to every route goes: route names it as the document does, path and body have
// {agentId} and so on where ids belong.
type routeTarget struct{ route, method, path, body string }

// routeTargets returns the routes that a request to every route is for, in the order of the isolation test.
func routeTargets(x exchange, codes map[string][]string) []routeTarget {
	base, query, asks := strings.Cut(x.Path, "?")
	var list []routeTarget
	for _, row := range isolationCases {
		method, path, _ := strings.Cut(row.route, " ")
		code := expectedCode(x.Want)
		if path, ok := replacePathBase(path, base); ok && slices.Contains(codes[row.route], code) &&
			untestableCodes[row.route+" "+code] == "" {
			if asks {
				path += "?" + query
			}
			list = append(list, routeTarget{row.route, method, path, row.body})
		}
	}
	return list
}

// replacePathBase puts the segments of base in the place of the path's first ones, if they fit.
func replacePathBase(path, base string) (string, bool) {
	want := strings.Split(strings.TrimSuffix(base, "/"), "/")
	segments := strings.Split(path, "/")
	if len(segments) < len(want) || !slices.EqualFunc(segments[:len(want)], want, testkit.SegmentMatches) {
		return "", false
	}
	return strings.Join(append(want, segments[len(want):]...), "/"), true
}

// matchTemplate finds the path of the document that a story's path matches, the one with the fewest parameters first.
func matchTemplate(codes map[string][]string, method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	var found []string
	for route := range codes {
		m, known, _ := strings.Cut(route, " ")
		if m == method && testkit.PathMatches(known, path) {
			found = append(found, known)
		}
	}
	if len(found) == 0 {
		return path
	}
	return slices.MinFunc(found, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
}

// TestErrorTable holds the statuses that clients rely on (docs/interface/errors.md#codes).
func TestErrorTable(t *testing.T) {
	want := map[parley.Code]int{
		parley.CodeInvalidBody: 400, parley.CodeInvalidJSON: 400, parley.CodeInvalidCursor: 400,
		parley.CodeInvalidDateRange: 400,
		parley.CodeMissingKey:       401, parley.CodeInvalidKey: 401, parley.CodeExpiredKey: 401,
		parley.CodeCreditsExhausted: 402, parley.CodeAgentCredits: 402,
		parley.CodePlanWithoutAPI: 403, parley.CodeInsufficientScope: 403, parley.CodeAgentLimit: 403,
		parley.CodePlanFeature: 403, parley.CodeModelNotAllowed: 403,
		parley.CodeAgentNotFound: 404, parley.CodeSourceNotFound: 404, parley.CodeConversationNotFound: 404,
		parley.CodeResourceNotFound: 404, parley.CodeNotFound: 404,
		parley.CodeMethodNotAllowed: 405,
		parley.CodeNotOngoing:       409, parley.CodeConversationBusy: 409, parley.CodeSourceDuplicate: 409,
		parley.CodeSourceAlreadyDel: 409, parley.CodeAgentNotTrained: 409,
		parley.CodeTooLarge: 413, parley.CodeSourceSize: 422, parley.CodeTooManyRequests: 429,
		parley.CodeInternal: 500, parley.CodeChatStreaming: 500, parley.CodeUnderMaintenance: 503,
	}
	for code, status := range want {
		if code.Status() != status {
			t.Errorf("%s: %d, want %d", code, code.Status(), status)
		}
		if !slices.Contains(parley.Codes(), code) || code.DefaultMessage() == "" {
			t.Errorf("%s is not in the table, or says nothing", code)
		}
	}
}

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
