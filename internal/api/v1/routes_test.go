package v1_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit"
	"parley/internal/testkit/expect"
)

// untestableStatuses are the pairs of a route and a status that no story can cover, with the reason.
var untestableStatuses = map[string]string{}

// routesWithoutScope are the routes without a scope.
var routesWithoutScope = []string{}

// TestEveryRouteIsTested fails for a route without a scope or without a row in the isolation test, and for each status
// of a route without a story.
func TestEveryRouteIsTested(t *testing.T) {
	covered := statusesInStories(t)
	for path, item := range readOperations(t).Paths {
		for method, op := range item {
			route := strings.ToUpper(method) + " " + path
			if (op.Scope == nil) != slices.Contains(routesWithoutScope, route) {
				t.Errorf("%s: its scope is %v", route, op.Scope)
			}
			if op.Scope != nil && !slices.Contains(parley.Scopes(), parley.Scope(*op.Scope)) {
				t.Errorf("%s: there is no scope %s", route, *op.Scope)
			}
			for status := range op.Responses {
				if pair := route + " " + status; !covered[pair] && untestableStatuses[pair] == "" {
					t.Errorf("%s: no story in testdata covers it", pair)
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
}

// statusesInStories returns the pairs of route and status that stories cover.
func statusesInStories(t *testing.T) map[string]bool {
	t.Helper()
	pairs := map[string]bool{}
	paths := readOperations(t).Paths
	for _, s := range expect.ReadStories(t) {
		for _, x := range s.Exchanges {
			status := strconv.Itoa(x.Status)
			if x.Method == "EVERY" {
				for _, row := range routesListing(t, x.Status) {
					pairs[row.route+" "+status] = true
				}
				continue
			}
			path, _, _ := strings.Cut(x.Path, "?")
			for known := range paths {
				if testkit.PathMatches(known, path) {
					pairs[x.Method+" "+known+" "+status] = true
				}
			}
		}
	}
	return pairs
}

// routesListing returns the rows of the routes that list the status, in the order of the isolation test.
func routesListing(t *testing.T, status int) []isolationCase {
	t.Helper()
	paths := readOperations(t).Paths
	var list []isolationCase
	for _, row := range isolationCases {
		method, path, _ := strings.Cut(row.route, " ")
		op := paths[path][strings.ToLower(method)]
		if _, ok := op.Responses[strconv.Itoa(status)]; ok && untestableStatuses[row.route+" "+strconv.Itoa(status)] == "" {
			list = append(list, row)
		}
	}
	return list
}
