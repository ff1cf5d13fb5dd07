package chatapi_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/api/chatapi"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// TestOpenAPIGolden makes every change of the API visible. Read the difference before you run it with -update.
func TestOpenAPIGolden(t *testing.T) {
	got, err := chatapi.Document("")
	if err != nil {
		t.Fatal(err)
	}
	const file = "openapi.json"
	if *updateGolden {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs from the routes (-golden +routes):\n%s", file, diff)
	}
}
