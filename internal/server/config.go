package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/internal/access"
	"parley/internal/model"
	"parley/internal/outbound"
	"parley/internal/vault"
	"parley/internal/voice"
)

// Config holds every setting. The tags define the flags, environment variables and help of the command line.
type Config struct {
	StorageConfig
	ServingConfig
	ModelConfig
	VoiceConfig

	Now     func() time.Time `kong:"-"` // required
	Version string           `kong:"-"` // of the program, for the metrics
	Logger  *slog.Logger     `kong:"-"` // nil for slog.Default()
	// the program whose command "extract" reads what strangers wrote; empty reads it in this process
	ExtractProgram string `kong:"-"`
	// the program whose command "sfu" is the media server of voice sessions; empty if there is none
	SFUProgram    string        `kong:"-"`
	ModelOverride model.Model   `kong:"-"` // when set, it answers for every name, in place of the configured one
	RoomsOverride voice.Rooms   `kong:"-"` // the rooms of voice sessions if there is no media server; nil for none
	SetGOGC       func(int) int `kong:"-"` // sets the collector's GOGC; nil leaves it as it is

	OnStatement func(query string) `kong:"-"` // is called before each statement on the database; nil for nothing

	isOffline bool // for a command, on a database that no server has open
}

// StorageConfig configures where the data is and which plans there are.
type StorageConfig struct {
	Data             string `default:"./data" env:"PARLEY_DATA" placeholder:"DIR" help:"Data directory (${default})."`
	DatabaseURL      string `name:"database-url" env:"PARLEY_DATABASE_URL" placeholder:"URL" secret:"url" help:"PostgreSQL database (postgres://…) in place of the SQLite file in the data directory."`
	Plans            string `env:"PARLEY_PLANS" placeholder:"FILE" help:"YAML file of plans that replaces the built-in ones."`
	AllowAsyncCommit bool   `env:"PARLEY_ALLOW_ASYNC_COMMIT" help:"Accept a PostgreSQL with synchronous_commit off: it may lose what was acknowledged."`
	DatabaseQuota    int    `env:"PARLEY_DATABASE_QUOTA" placeholder:"PAGES" help:"Most pages the SQLite file may hold; 0 for no limit."`
	IndexBudget      int    `default:"256" env:"PARLEY_INDEX_BUDGET" placeholder:"MB" help:"Memory for the search indexes of agents, in MB (${default}); those asked about last are kept."`
	SecretKey        string `env:"PARLEY_SECRET_KEY" placeholder:"TEXT" secret:"all" help:"Seals the secrets of actions and webhooks in the database: at least 16 bytes, better given by the environment."`
}

// ServingConfig configures how requests are served.
type ServingConfig struct {
	Listen             string        `default:"127.0.0.1:8080" env:"PARLEY_LISTEN" placeholder:"HOST:PORT" help:"Address to listen on (${default}); port 0 takes a free one."`
	BaseURL            string        `name:"base-url" env:"PARLEY_BASE_URL" placeholder:"URL" secret:"url" help:"Address under which clients reach this server; by default the one it listens on."`
	FilesListen        string        `name:"files-listen" env:"PARLEY_FILES_LISTEN" placeholder:"HOST:PORT" help:"Another address to listen on, for file uploads; by default they come to the first."`
	FilesURL           string        `name:"files-url" env:"PARLEY_FILES_URL" placeholder:"URL" secret:"url" help:"Address for file uploads; by default the one of --files-listen, or the base URL."`
	MetricsListen      string        `name:"metrics-listen" env:"PARLEY_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Another address to listen on, where /metrics is shown to Prometheus; it asks for no key. By default there is none."`
	RateLimit          int           `default:"100" env:"PARLEY_RATE_LIMIT" placeholder:"N" help:"Requests per 10 seconds for each key and address (${default})."`
	MaxConnections     int           `name:"max-connections" default:"0" env:"PARLEY_MAX_CONNECTIONS" placeholder:"N" help:"Connections at a time; 0 for half the files that the system lets this program open, at most 20,000."`
	AddressConnections int           `name:"address-connections" default:"2000" env:"PARLEY_ADDRESS_CONNECTIONS" placeholder:"N" help:"Connections of one address at a time (${default}); 0 for no bound. Loopback is not counted, nor is anybody behind --trust-proxy."`
	OpenTurns          int           `default:"200" env:"PARLEY_OPEN_TURNS" placeholder:"N" help:"Answers an account may have in the making at a time (${default})."`
	Drain              time.Duration `default:"25s" env:"PARLEY_DRAIN" placeholder:"TIME" help:"How long a stopping server lets running answers finish (${default})."`
	TrustProxy         bool          `env:"PARLEY_TRUST_PROXY" help:"Take the client's address from X-Forwarded-For: only behind a proxy that sets it."`
	FetchAllow         []string      `env:"PARLEY_FETCH_ALLOW" placeholder:"CIDR" help:"Addresses inside your network that actions, webhooks and link sources may reach; all public ones are allowed."`
	SearchTime         time.Duration `name:"search-time" default:"2s" env:"PARLEY_SEARCH_TIME" placeholder:"TIME" help:"How long a conversation search may take (${default})."`
	Searches           int           `default:"8" env:"PARLEY_SEARCHES" placeholder:"N" help:"Conversation searches that run at a time (${default}); others wait."`
	InsightWait        time.Duration `name:"insight-wait" default:"30s" env:"PARLEY_INSIGHT_WAIT" placeholder:"TIME" help:"How long a conversation is quiet before it is judged for insights (${default})."`
	SearchURL          string        `name:"search-url" env:"PARLEY_SEARCH_URL" placeholder:"URL" secret:"url" help:"Search engine for web-search actions: a JSON endpoint like SearXNG's, such as http://localhost:8888/search."`
	FilePrograms       []string      `name:"file-programs" default:"auto" env:"PARLEY_FILE_PROGRAMS" placeholder:"auto|none|PATH,…" help:"Programs beside Parley's own readers that read uploaded files, on Linux: auto takes the pdftotext, catdoc and antiword that are installed, where they can be fenced; full paths take those (${default})."`
	Unfenced           bool          `name:"unfenced-readers" env:"PARLEY_UNFENCED_READERS" help:"Read files also on a Linux that cannot fence what reads them."`
}

// ModelConfig configures which model answers.
type ModelConfig struct {
	ModelURL string            `name:"model-url" env:"PARLEY_MODEL_URL" placeholder:"URL" secret:"url" help:"Base URL of a model server with OpenAI's wire format, such as http://localhost:11434/v1; without it the built-in model answers."`
	ModelKey string            `name:"model-key" env:"PARLEY_MODEL_KEY" placeholder:"KEY" secret:"all" help:"API key of the model server; better given by the environment."`
	ModelID  string            `name:"model" env:"PARLEY_MODEL" placeholder:"NAME" help:"Model to ask the model server for."`
	ModelMap map[string]string `name:"model-map" env:"PARLEY_MODEL_MAP" mapsep:"," placeholder:"NAME=MODEL,…" help:"Models to ask for by the name an agent has chosen; \"builtin\" is the built-in one."`

	WireConfigs

	ModelContext []string      `name:"model-context" env:"PARLEY_MODEL_CONTEXT" placeholder:"[MODEL=]TOKENS,…" help:"Tokens that connected models can take in, of all or of single ones; 32000 where nothing is said."`
	ModelRewrite time.Duration `name:"model-rewrite" default:"1500ms" env:"PARLEY_MODEL_REWRITE" placeholder:"TIME" help:"How long a connected model may take to put a follow-up question into words that can be searched for; 0 leaves it as it is (${default})."`

	EmbedURL        string        `name:"embed-url" env:"PARLEY_EMBED_URL" placeholder:"URL" secret:"url" help:"Base URL of an embedding server with OpenAI's wire format, such as http://localhost:11434/v1; without it passages are found by their words alone."`
	EmbedKey        string        `name:"embed-key" env:"PARLEY_EMBED_KEY" placeholder:"KEY" secret:"all" help:"API key of the embedding server; better given by the environment."`
	EmbedModel      string        `name:"embed-model" env:"PARLEY_EMBED_MODEL" placeholder:"NAME" help:"Model to ask the embedding server for."`
	EmbedDimensions int           `name:"embed-dimensions" env:"PARLEY_EMBED_DIMENSIONS" placeholder:"N" help:"Length to ask for of the vectors, of a model that can shorten them; 0 takes them as they are."`
	EmbedWeight     float64       `name:"embed-weight" env:"PARLEY_EMBED_WEIGHT" placeholder:"0…1" help:"Weight of the vectors beside the words in a search; 0 takes a usual one."`
	EmbedWait       time.Duration `name:"embed-wait" default:"400ms" env:"PARLEY_EMBED_WAIT" placeholder:"TIME" help:"How long a question waits for its vector before it is searched for by its words alone (${default})."`
}

// SQLiteFile is the database's name in the data directory.
const SQLiteFile = "parley.db"

// Database returns what to open: the PostgreSQL URL, or the path of the SQLite file.
func (s StorageConfig) Database() string {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return filepath.Join(s.Data, SQLiteFile)
}

// settingFaults collects what is wrong with settings.
type settingFaults []error

// check adds the fault unless ok.
func (f *settingFaults) check(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// Check reports invalid settings.
func (c Config) Check() error {
	var faults settingFaults
	check := faults.check
	check(c.RateLimit > 0, "--rate-limit: %d is not above 0", c.RateLimit)
	check(c.OpenTurns > 0, "--open-turns: %d is not above 0", c.OpenTurns)
	check(c.MaxConnections >= 0, "--max-connections: %d is below 0", c.MaxConnections)
	check(c.AddressConnections >= 0, "--address-connections: %d is below 0", c.AddressConnections)
	check(c.SearchTime >= 0, "--search-time: %s is below 0", c.SearchTime)
	check(c.Searches >= 0, "--searches: %d is below 0", c.Searches)
	check(c.InsightWait >= 0, "--insight-wait: %s is below 0", c.InsightWait)
	check(c.Drain >= 0, "--drain: %s is below 0", c.Drain)
	check(c.IndexBudget >= 0, "--index-budget: %d is below 0", c.IndexBudget)
	check(c.DatabaseQuota >= 0, "--database-quota: %d is below 0", c.DatabaseQuota)
	_, plansErr := access.LoadPlans(c.Plans)
	_, programsErr := c.extractPrograms()
	faults = append(faults, c.ModelConfig.Check(), c.VoiceConfig.Check(), plansErr, programsErr, c.checkOutbound())
	for flag, text := range map[string]string{"base-url": c.BaseURL, "files-url": c.FilesURL} {
		check(text == "" || isHTTPURL(text), "--%s: not an http:// or https:// address", flag)
	}
	check(c.DatabaseURL == "" || strings.HasPrefix(c.DatabaseURL, "postgres://") ||
		strings.HasPrefix(c.DatabaseURL, "postgresql://"),
		"--database-url: not a postgres:// address")
	return errors.Join(faults...)
}

// uploadsFolder is the folder of uploaded files in the data directory.
const uploadsFolder = "blobs"

// blobName is the name of an uploaded file that was accepted: its hash.
var blobName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// checkDataFolder refuses a data directory whose database is empty or missing while the files that belong to it are
// there: a new database would not know them, and they would be removed.
func (c Config) checkDataFolder() error {
	if c.DatabaseURL != "" {
		return nil
	}
	info, err := os.Stat(c.Database())
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it reports better what is wrong
	}
	folder := filepath.Join(c.Data, uploadsFolder)
	found := false
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !blobName.MatchString(entry.Name()) {
			return nil //nolint:nilerr // a folder that cannot be read holds nothing that is known
		}
		found = true
		return fs.SkipAll
	})
	if found {
		return fmt.Errorf("%s is empty or missing, but %s holds files that were uploaded. "+
			"Restore the database from a backup; to begin with an empty one, move %s away first", c.Database(), folder, folder)
	}
	return err
}

// checkOutbound reports invalid settings of the connections to other servers.
func (c Config) checkOutbound() error {
	var faults settingFaults
	_, err := outbound.ParseAllow(c.FetchAllow)
	faults.check(err == nil, "--fetch-allow (PARLEY_FETCH_ALLOW): %w", err)
	_, err = c.newWebSearch()
	faults.check(err == nil, "--search-url (PARLEY_SEARCH_URL): %w", err)
	_, err = vault.New(c.SecretKey)
	faults.check(err == nil, "--secret-key (PARLEY_SECRET_KEY): %w", err)
	return errors.Join(faults...)
}
