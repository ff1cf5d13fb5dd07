package admin

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/httpapi"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// TestOpenAPIGolden makes every change of the API visible. Read the difference before you run it with -update.
func TestOpenAPIGolden(t *testing.T) {
	got, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	if *updateGolden {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("openapi.json differs from the routes (-golden +routes):\n%s", diff)
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	known := map[string]bool{}
	for _, tag := range tags {
		known[tag.Name] = true
	}
	s := &Service{}
	api := httpapi.New(httpapi.Config{Keyless: true, RenderError: httpapi.RenderEnvelope})
	for _, r := range routes() {
		r.add(api, s)
	}
	names := map[string]bool{}
	for _, op := range api.Operations() {
		if op.Permission == "" || op.Summary == "" || !known[op.Tag] || names[op.Name] {
			t.Errorf("%s %s: permission %q, summary %q, tag %q", op.Method, op.Path, op.Permission, op.Summary, op.Tag)
		}
		names[op.Name] = true
	}
}
