package parley_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// dependency is a module that we depend on, with the reason for it and the packages that may import it.
type dependency struct {
	reason   string
	packages []string // import paths that may use it; nil for all
	testOnly bool     // only tests and the test tooling use it
}

var dependencies = map[string]dependency{
	"github.com/JohannesKaufmann/html-to-markdown/v2": {reason: "Markdown of web pages (MIT)",
		packages: []string{"parley/internal/ingest/extract/html"}},
	"github.com/alecthomas/kong": {reason: "the command line: flags, environment and help from one struct",
		packages: []string{"parley/cmd/parley", "parley/internal/cmdline"}},
	"github.com/blevesearch/snowballstem": {reason: "word stems in many languages, generated code without dependencies",
		packages: []string{"parley/internal/text/words"}},
	"github.com/coreos/go-oidc/v3": {reason: "OpenID Connect: discovery, keys and ID tokens, verified (Apache-2.0)",
		packages: []string{"parley/internal/access"}},
	"github.com/emersion/go-sasl": {reason: "passwords of the mail server of tests (MIT)", testOnly: true},
	"github.com/emersion/go-smtp": {reason: "the mail server of tests (MIT)", testOnly: true},
	"github.com/go-shiori/go-readability": {reason: "finds the main text of a web page (MIT)",
		packages: []string{"parley/internal/ingest/extract/html"}},
	"github.com/go-webauthn/webauthn": {reason: "passkeys: what browsers sign, verified (BSD)",
		packages: []string{"parley/internal/access"}},
	"github.com/golang-jwt/jwt/v5": {reason: "what sites sign of their users, verified (MIT)",
		packages: []string{"parley/internal/visitor"}},
	"github.com/gomodule/redigo": {reason: "Redis and Valkey; its authors' client is far larger (Apache-2.0)",
		packages: []string{"parley/internal/bus"}},
	"github.com/google/go-cmp": {reason: "readable differences in tests", testOnly: true},
	"github.com/google/uuid":   {reason: "UUID versions 4 and 7"},
	"github.com/gorilla/websocket": {reason: "the WebSocket to a speech server; the media server brings it along (BSD)",
		packages: []string{"parley/internal/speech/deepgram"}},
	"github.com/jackc/pgx/v5": {reason: "PostgreSQL",
		packages: []string{"parley/internal/bus", "parley/internal/sqldb"}},
	"github.com/ledongthuc/pdf": {reason: "objects and streams of PDF files (BSD)",
		packages: []string{"parley/internal/ingest/extract/pdf"}},
	"github.com/letsencrypt/pebble/v2": {reason: "the ACME server of tests, by the makers of Let's Encrypt (MPL-2.0)",
		testOnly: true},
	"github.com/livekit/livekit-server": {reason: "the media server of voice sessions: signalling, ICE, " +
		"forwarding of sound (Apache-2.0)",
		packages: []string{"parley/internal/voice/sfu"}},
	"github.com/livekit/protocol": {reason: "what LiveKit's server and its participants say to each other (Apache-2.0)",
		packages: []string{"parley/internal/voice/rtc", "parley/internal/voice/sfu"}},
	"github.com/livekit/psrpc": {reason: "how the parts of the media server call each other (Apache-2.0)",
		packages: []string{"parley/internal/voice/sfu"}},
	"github.com/livekit/server-sdk-go/v2": {reason: "the agent joins a room as a participant (Apache-2.0)",
		packages: []string{"parley/internal/voice/rtc"}},
	"github.com/microcosm-cc/bluemonday": {reason: "what the HTML of tickets' messages may contain (BSD)",
		packages: []string{"parley/internal/text/safehtml"}},
	"github.com/modelcontextprotocol/go-sdk": {reason: "the Model Context Protocol by its own authors; tests " +
		"call with its client (MIT, Apache-2.0)",
		packages: []string{"parley/internal/api/mcp"}},
	"github.com/pion/rtp": {reason: "packets of sound (MIT)",
		packages: []string{"parley/internal/voice/rtc"}},
	"github.com/pion/webrtc/v4": {reason: "tracks of sound (MIT)",
		packages: []string{"parley/internal/voice/rtc"}},
	"github.com/pressly/goose/v3": {reason: "migrations as a library, with a lock between nodes",
		packages: []string{"parley/internal/sqldb"}},
	"github.com/prometheus/client_golang": {reason: "metrics in Prometheus's own words; the media server brings " +
		"it along (Apache-2.0)",
		packages: []string{"parley/internal/metrics"}},
	"github.com/prometheus/common": {reason: "tests read what is shown to Prometheus as Prometheus reads it (Apache-2.0)",
		testOnly: true},
	"github.com/rs/cors": {reason: "pages of other origins join rooms, as at LiveKit's own server (MIT)",
		packages: []string{"parley/internal/voice/sfu"}},
	"github.com/santhosh-tekuri/jsonschema/v6": {reason: "checks every response of the tests against the OpenAPI document",
		testOnly: true},
	"github.com/thesyncim/gopus": {reason: "Opus without a C compiler (BSD)",
		packages: []string{"parley/internal/voice/rtc"}},
	"github.com/wneessen/go-mail": {reason: "mails by SMTP with STARTTLS, without dependencies of others (MIT)",
		packages: []string{"parley/internal/mail"}},
	"github.com/xuri/excelize/v2": {reason: "sheets of Excel workbooks (BSD)",
		packages: []string{"parley/internal/ingest/extract/office"}},
	"github.com/yuin/goldmark": {reason: "Markdown of tickets' replies and of the manual as HTML (MIT)",
		packages: []string{"parley/internal/text/safehtml", "parley/internal/manual"}},
	"go.uber.org/goleak": {reason: "finds goroutines that tests leave behind", testOnly: true},
	"go.yaml.in/yaml/v3": {reason: "plans, manifests, settings, voices, languages, weights and sources are YAML",
		packages: []string{"parley/internal/access", "parley/internal/cmdline", "parley/internal/ingest/extract",
			"parley/internal/manifest", "parley/internal/model/quote", "parley/internal/speech",
			"parley/internal/text/language"}},
	"golang.org/x/crypto": {reason: "argon2 of passwords; certificates by ACME",
		packages: []string{"parley/internal/access", "parley/internal/certs"}},
	"golang.org/x/net": {reason: "reads HTML, its character sets and international host names",
		packages: []string{"parley/internal/ingest/crawl", "parley/internal/ingest/extract/html",
			"parley/internal/store", "parley/internal/text/charset", "parley/internal/text/safehtml"}},
	"golang.org/x/oauth2": {reason: "the code flow of single sign-on, with PKCE; go-oidc rests on it (BSD)",
		packages: []string{"parley/internal/access"}},
	"golang.org/x/sys": {reason: "limits of memory and system calls for the processes that read files; what the " +
		"processor can do for vectors; memory that is given back",
		packages: []string{"parley/internal/ingest/extract/sandbox", "parley/internal/retrieval", "parley/internal/memory",
			"parley/internal/model/quantized"}},
	"golang.org/x/text": {reason: "character sets, the composed form of texts, the usual letters of drawn ones, " +
		"the direction of scripts, the languages of browsers",
		packages: []string{"parley/internal/access", "parley/internal/contact", "parley/internal/ingest/extract/draft",
			"parley/internal/ingest/extract/office",
			"parley/internal/ingest/extract/pdf", "parley/internal/model/tokenizer", "parley/internal/store",
			"parley/internal/text/charset",
			"parley/internal/text/words", "parley/internal/widget"}},
	"google.golang.org/protobuf": {reason: "reads what the media server's participants send, before the SDK does (BSD)",
		packages: []string{"parley/internal/voice/rtc"}},
	"modernc.org/libc": {reason: "the memory that SQLite uses",
		packages: []string{"parley/internal/sqldb/sqlite"}},
	"modernc.org/sqlite": {reason: "SQLite without a C compiler",
		packages: []string{"parley/internal/sqldb", "parley/internal/sqldb/sqlite"}},
}

func TestDependenciesAreOnTheList(t *testing.T) {
	direct := directModules(t)
	for _, module := range direct {
		if dependencies[module].reason == "" {
			t.Errorf("%s is a direct dependency without a reason: add it here with a reason, or do without", module)
		}
	}
	for module := range dependencies {
		if !slices.Contains(direct, module) {
			t.Errorf("%s is on the list and not in go.mod", module)
		}
	}
}

// benchPackage holds the benchmarks: they have clients of their own, which the program does not.
const benchPackage = "parley/bench"

func TestDependenciesStayInTheirPackages(t *testing.T) {
	for _, p := range listPackages(t) {
		if p.isTestkit() || isUnder(p.ImportPath, benchPackage) {
			continue
		}
		for _, to := range p.Imports {
			if isOwnPackage(to) || !strings.Contains(strings.Split(to, "/")[0], ".") {
				continue
			}
			module, g := findDependency(to)
			switch {
			case module == "":
				t.Errorf("%s imports %s, which is not on the list", p.ImportPath, to)
			case g.testOnly:
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, to)
			case g.packages != nil && !slices.Contains(g.packages, p.ImportPath):
				t.Errorf("%s imports %s, which belongs in %v", p.ImportPath, to, g.packages)
			}
		}
	}
}

func findDependency(importPath string) (string, dependency) {
	for module, g := range dependencies {
		if isUnder(importPath, module) {
			return module, g
		}
	}
	return "", dependency{}
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

// TestNoVoiceLeavesOutWebRTC checks that a program built with the tag novoice has neither the media server nor WebRTC.
func TestNoVoiceLeavesOutWebRTC(t *testing.T) {
	whole, without := programPackages(t), programPackages(t, "-tags", "novoice")
	t.Logf("%d packages, and %d without voice", len(whole), len(without))
	isOfVoice := func(p string) bool {
		return strings.HasPrefix(p, "github.com/livekit/") || strings.HasPrefix(p, "github.com/pion/") ||
			strings.HasPrefix(p, "github.com/thesyncim/gopus")
	}
	if !slices.ContainsFunc(whole, isOfVoice) {
		t.Error("the program has no media server: has its module another name now?")
	}
	if i := slices.IndexFunc(without, isOfVoice); i >= 0 {
		t.Errorf("the program without voice has %s", without[i])
	}
}

// programPackages returns the packages that the program is compiled of.
func programPackages(t *testing.T, options ...string) []string {
	t.Helper()
	args := append(append([]string{"list", "-deps"}, options...), "./cmd/parley")
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Fields(string(out))
}
