package parley_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// guest is a module we depend on: it stays for a reason, and where one is named only in certain rooms.
type guest struct {
	why   string
	rooms []string // import paths that may use it; nil for all
	tests bool     // only tests and the workshop use it
}

var guests = map[string]guest{
	"github.com/JohannesKaufmann/html-to-markdown/v2": {why: "Markdown of web pages (MIT)",
		rooms: []string{"parley/internal/ingest/extract"}},
	"github.com/alecthomas/kong": {why: "the command line: flags, environment and help from one struct",
		rooms: []string{"parley/cmd/parley"}},
	"github.com/blevesearch/snowballstem": {why: "word stems in many languages, generated code without dependencies",
		rooms: []string{"parley/internal/words"}},
	"github.com/go-shiori/go-readability": {why: "finds the main text of a web page (MIT)",
		rooms: []string{"parley/internal/ingest/extract"}},
	"github.com/google/go-cmp": {why: "readable differences in tests", tests: true},
	"github.com/google/uuid":   {why: "UUID versions 4 and 7"},
	"github.com/jackc/pgx/v5": {why: "PostgreSQL",
		rooms: []string{"parley/internal/sqldb"}},
	"github.com/ledongthuc/pdf": {why: "objects and streams of PDF files (BSD)",
		rooms: []string{"parley/internal/ingest/extract"}},
	"github.com/livekit/livekit-server": {why: "the media server of voice sessions: signalling, ICE, forwarding of sound (Apache-2.0)",
		rooms: []string{"parley/internal/voice/sfu"}},
	"github.com/livekit/protocol": {why: "what LiveKit's server and its participants say to each other (Apache-2.0)",
		rooms: []string{"parley/internal/voice/rtc", "parley/internal/voice/sfu"}},
	"github.com/livekit/server-sdk-go/v2": {why: "the agent joins a room as a participant (Apache-2.0)",
		rooms: []string{"parley/internal/voice/rtc"}},
	"github.com/modelcontextprotocol/go-sdk": {why: "the Model Context Protocol by its own authors; tests call with its client (MIT, Apache-2.0)",
		rooms: []string{"parley/internal/mcp"}},
	"github.com/pion/rtp": {why: "packets of sound (MIT)",
		rooms: []string{"parley/internal/voice/rtc"}},
	"github.com/pion/webrtc/v4": {why: "tracks of sound (MIT)",
		rooms: []string{"parley/internal/voice/rtc"}},
	"github.com/pressly/goose/v3": {why: "migrations as a library, with a lock between nodes",
		rooms: []string{"parley/internal/sqldb"}},
	"github.com/prometheus/client_golang": {why: "metrics in Prometheus's own words; the media server brings it along (Apache-2.0)",
		rooms: []string{"parley/internal/metrics"}},
	"github.com/prometheus/common":             {why: "tests read what is shown to Prometheus as Prometheus reads it (Apache-2.0)", tests: true},
	"github.com/santhosh-tekuri/jsonschema/v6": {why: "checks every response of the tests against the OpenAPI document", tests: true},
	"github.com/thesyncim/gopus": {why: "Opus without a C compiler (BSD)",
		rooms: []string{"parley/internal/voice/rtc"}},
	"github.com/xuri/excelize/v2": {why: "sheets of Excel workbooks (BSD)",
		rooms: []string{"parley/internal/ingest/extract"}},
	"github.com/yuin/goldmark": {why: "Markdown of tickets' replies as HTML, without dependencies (MIT)",
		rooms: []string{"parley/internal/helpdesk"}},
	"go.uber.org/goleak": {why: "finds goroutines that tests leave behind", tests: true},
	"golang.org/x/net": {why: "reads HTML, its character sets and international host names",
		rooms: []string{"parley/internal/ingest/crawl", "parley/internal/ingest/extract", "parley/internal/helpdesk"}},
	"golang.org/x/sys": {why: "limits of memory and system calls for the processes that read files; what the processor can do for vectors; memory that is given back",
		rooms: []string{"parley/internal/ingest/extract", "parley/internal/retrieval", "parley/internal/house"}},
	"golang.org/x/text": {why: "character sets, the composed form of texts, the usual letters of drawn ones, the direction of scripts",
		rooms: []string{"parley/internal/ingest/extract", "parley/internal/words"}},
	"google.golang.org/protobuf": {why: "reads what the media server's participants send, before the SDK does (BSD)",
		rooms: []string{"parley/internal/voice/rtc"}},
	"gopkg.in/yaml.v3": {why: "plans, manifests and the table of voices are YAML that operators edit",
		rooms: []string{"parley/internal/access", "parley/internal/llm", "parley/internal/manifest"}},
	"modernc.org/sqlite": {why: "SQLite without a C compiler",
		rooms: []string{"parley/internal/sqldb"}},
}

func TestGuestsAreOnTheList(t *testing.T) {
	direct := directModules(t)
	for _, module := range direct {
		if guests[module].why == "" {
			t.Errorf("%s is a direct dependency without a reason: give it one here, or do without", module)
		}
	}
	for module := range guests {
		if !slices.Contains(direct, module) {
			t.Errorf("%s is on the list and not in go.mod", module)
		}
	}
}

// bench measures beside the program, with a floor and callers of its own.
const bench = "parley/bench"

func TestGuestsStayInTheirRooms(t *testing.T) {
	for _, p := range packages(t) {
		if p.isWorkshop() || p.ImportPath == bench {
			continue
		}
		for _, to := range p.Imports {
			if ours(to) || !strings.Contains(strings.Split(to, "/")[0], ".") {
				continue
			}
			module, g := invited(to)
			switch {
			case module == "":
				t.Errorf("%s imports %s, which is not on the list", p.ImportPath, to)
			case g.tests:
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, to)
			case g.rooms != nil && !slices.Contains(g.rooms, p.ImportPath):
				t.Errorf("%s imports %s, which belongs in %v", p.ImportPath, to, g.rooms)
			}
		}
	}
}

func invited(importPath string) (string, guest) {
	for module, g := range guests {
		if within(importPath, module) {
			return module, g
		}
	}
	return "", guest{}
}

func directModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	return direct
}
