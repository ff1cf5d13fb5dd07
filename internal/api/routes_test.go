package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/rig/expect"
)

// untold are the pairs of a route and a code that no story can tell, with the reason.
var untold = map[string]string{
	"GET /health INTERNAL_SERVER_ERROR":     "it asks for nothing that could fail; the face would say so all the same, should it panic",
	"GET /health SERVICE_UNDER_MAINTENANCE": "a proxy in front of a stopped server says so in its place",
}

// TestEveryRouteIsAccountedFor fails for a route without a scope or a row in the isolation test, and for a reply without a
// story: the route's success, and each code it lists.
func TestEveryRouteIsAccountedFor(t *testing.T) {
	var doc openAPI
	if err := json.Unmarshal(document(t), &doc); err != nil {
		t.Fatal(err)
	}
	noScope := []string{"GET /health", "GET /me"} // open to all; any key
	codes := listed(t)
	told := told(t, codes)
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
				if pair := strings.TrimSpace(route + " " + code); !told[pair] && untold[pair] == "" {
					t.Errorf("%s: no story in testdata tells it", pair)
				} else if told[pair] && untold[pair] != "" {
					t.Errorf("%s: a story tells what cannot be told", pair)
				}
			}
			rows := 0
			for _, row := range isolation {
				if row.route == route {
					rows++
				}
			}
			if rows != 1 {
				t.Errorf("%s: %d rows in the isolation test", route, rows)
			}
		}
	}
	for pair := range untold {
		route, code := pair[:strings.LastIndexByte(pair, ' ')], pair[strings.LastIndexByte(pair, ' ')+1:]
		if !slices.Contains(codes[route], code) {
			t.Errorf("%s: an exemption of what no route lists", pair)
		}
	}
}

// listed gives the codes that each route lists.
func listed(t *testing.T) map[string][]string {
	t.Helper()
	var doc openAPI
	if err := json.Unmarshal(document(t), &doc); err != nil {
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

// told gives the routes whose success a story tells, and the pairs of route and code.
func told(t *testing.T, codes map[string][]string) map[string]bool {
	t.Helper()
	pairs := map[string]bool{}
	for _, s := range expect.Stories(t) {
		for _, x := range s.Exchanges {
			code := codeIn(x.Want)
			if x.Method == "EVERY" {
				for _, r := range routesOf(x, codes) {
					pairs[r.route+" "+code] = true
				}
			} else if x.Status/100 == 2 || code != "" {
				pairs[strings.TrimSpace(x.Method+" "+template(codes, x.Method, x.Path)+" "+code)] = true
			}
		}
	}
	return pairs
}

// destination is where a request to every route goes: route names it as the document does, path and body have {agentId} and
// so on where ids belong.
type destination struct{ route, method, path, body string }

// routesOf gives the routes that a request to every route is for, in the order of the isolation test.
func routesOf(x exchange, codes map[string][]string) []destination {
	base, query, asks := strings.Cut(x.Path, "?")
	var list []destination
	for _, row := range isolation {
		method, path, _ := strings.Cut(row.route, " ")
		code := codeIn(x.Want)
		if path, ok := below(path, base); ok && slices.Contains(codes[row.route], code) && untold[row.route+" "+code] == "" {
			if asks {
				path += "?" + query
			}
			list = append(list, destination{row.route, method, path, row.body})
		}
	}
	return list
}

// below puts the segments of base in the place of the path's first ones, if they fit.
func below(path, base string) (string, bool) {
	want := strings.Split(strings.TrimSuffix(base, "/"), "/")
	segments := strings.Split(path, "/")
	if len(segments) < len(want) || !slices.EqualFunc(segments[:len(want)], want, fits) {
		return "", false
	}
	return strings.Join(append(want, segments[len(want):]...), "/"), true
}

func fits(known, segment string) bool {
	return known == segment || strings.HasPrefix(known, "{") && segment != ""
}

// template finds the path of the document that a story's path matches, the one with the fewest parameters first.
func template(codes map[string][]string, method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	var found []string
	for route := range codes {
		m, known, _ := strings.Cut(route, " ")
		if m == method && slices.EqualFunc(strings.Split(known, "/"), strings.Split(path, "/"), fits) {
			found = append(found, known)
		}
	}
	if len(found) == 0 {
		return path
	}
	return slices.MinFunc(found, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
}

// TestErrorTable holds the statuses that clients rely on (interface 7; facts 7).
func TestErrorTable(t *testing.T) {
	want := map[parley.Code]int{
		parley.CodeInvalidBody: 400, parley.CodeInvalidJSON: 400, parley.CodeInvalidCursor: 400, parley.CodeInvalidDateRange: 400,
		parley.CodeMissingKey: 401, parley.CodeInvalidKey: 401, parley.CodeExpiredKey: 401,
		parley.CodeCreditsExhausted: 402, parley.CodeAgentCredits: 402,
		parley.CodePlanWithoutAPI: 403, parley.CodeInsufficientScope: 403, parley.CodeAgentLimit: 403, parley.CodePlanFeature: 403, parley.CodeModelNotAllowed: 403,
		parley.CodeAgentNotFound: 404, parley.CodeSourceNotFound: 404, parley.CodeConversationGone: 404, parley.CodeResourceNotFound: 404, parley.CodeNotFound: 404,
		parley.CodeMethodNotAllowed: 405,
		parley.CodeNotOngoing:       409, parley.CodeConversationBusy: 409, parley.CodeSourceDuplicate: 409, parley.CodeSourceAlreadyDel: 409, parley.CodeAgentNotTrained: 409,
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
