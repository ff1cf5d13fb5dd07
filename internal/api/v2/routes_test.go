package v2_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit"
	"parley/internal/testkit/expect"
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
