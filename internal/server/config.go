package server

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/access"
	"parley/internal/backup"
	"parley/internal/bus"
	"parley/internal/certs"
	"parley/internal/datadir"
	"parley/internal/httpapi"
	"parley/internal/model"
	"parley/internal/outbound"
	"parley/internal/s3"
	"parley/internal/vault"
	"parley/internal/voice"
)

// Config holds every setting. The tags define the flags and environment variables of the command line; their help is
// SettingHelp.
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
	// after so long without events a stream sends a comment; 0 is 15 s
	KeepAliveInterval time.Duration `kong:"-"`

	isOffline bool // for a command, on a database that no server has open
}

// StorageConfig configures where the data is and which plans there are.
type StorageConfig struct {
	Data             string `default:"./data" env:"PARLEY_DATA" placeholder:"DIR"`
	DatabaseURL      string `env:"PARLEY_DATABASE_URL" placeholder:"URL" secret:"url"`
	Plans            string `env:"PARLEY_PLANS" placeholder:"FILE"`
	AllowAsyncCommit bool   `env:"PARLEY_ALLOW_ASYNC_COMMIT"`
	DatabaseQuota    int    `env:"PARLEY_DATABASE_QUOTA" placeholder:"PAGES"`
	IndexBudget      int    `default:"256" env:"PARLEY_INDEX_BUDGET" placeholder:"MB"`
	SecretKey        string `env:"PARLEY_SECRET_KEY" placeholder:"TEXT" secret:"all"`
}

// ServingConfig configures how requests are served.
type ServingConfig struct {
	Listen             string        `default:"127.0.0.1:8080" env:"PARLEY_LISTEN" placeholder:"HOST:PORT"`
	BaseURL            string        `env:"PARLEY_BASE_URL" placeholder:"URL" secret:"url"`
	FilesListen        string        `env:"PARLEY_FILES_LISTEN" placeholder:"HOST:PORT"`
	FilesURL           string        `env:"PARLEY_FILES_URL" placeholder:"URL" secret:"url"`
	MetricsListen      string        `env:"PARLEY_METRICS_LISTEN" placeholder:"HOST:PORT"`
	RedisURL           string        `name:"redis-url" env:"PARLEY_REDIS_URL" placeholder:"URL" secret:"url"`
	RateLimit          int           `default:"100" env:"PARLEY_RATE_LIMIT" placeholder:"N"`
	MaxConnections     int           `default:"0" env:"PARLEY_MAX_CONNECTIONS" placeholder:"N"`
	AddressConnections int           `default:"2000" env:"PARLEY_ADDRESS_CONNECTIONS" placeholder:"N"`
	OpenTurns          int           `default:"200" env:"PARLEY_OPEN_TURNS" placeholder:"N"`
	Drain              time.Duration `default:"25s" env:"PARLEY_DRAIN" placeholder:"TIME"`
	DrainDelay         time.Duration `default:"0s" env:"PARLEY_DRAIN_DELAY" placeholder:"TIME"`
	TrustProxy         bool          `env:"PARLEY_TRUST_PROXY"`
	TrustedProxies     []string      `env:"PARLEY_TRUSTED_PROXIES" placeholder:"CIDR"`
	FetchAllow         []string      `env:"PARLEY_FETCH_ALLOW" placeholder:"CIDR"`
	SearchTime         time.Duration `default:"2s" env:"PARLEY_SEARCH_TIME" placeholder:"TIME"`
	MaxImport          int           `default:"1024" env:"PARLEY_MAX_IMPORT" placeholder:"MB"`
	Searches           int           `default:"8" env:"PARLEY_SEARCHES" placeholder:"N"`
	InsightWait        time.Duration `default:"30s" env:"PARLEY_INSIGHT_WAIT" placeholder:"TIME"`
	SearchURL          string        `env:"PARLEY_SEARCH_URL" placeholder:"URL" secret:"url"`
	FilePrograms       []string      `default:"auto" env:"PARLEY_FILE_PROGRAMS" placeholder:"auto|none|PATH,…"`
	ConsoleURL         string        `env:"PARLEY_CONSOLE_URL" placeholder:"URL" secret:"url"`
	InsecureConsole    string        `default:"off" enum:"on,off" env:"PARLEY_INSECURE_CONSOLE"`
	SetupToken         string        `env:"PARLEY_SETUP_TOKEN" placeholder:"TEXT" secret:"all"`
	SessionIdle        time.Duration `default:"12h" env:"PARLEY_SESSION_IDLE" placeholder:"TIME"`
	SessionLifetime    time.Duration `default:"720h" env:"PARLEY_SESSION_LIFETIME" placeholder:"TIME"`
	Unfenced           bool          `name:"unfenced-readers" env:"PARLEY_UNFENCED_READERS"`

	certs.TLSConfig
	TraceConfig
	SignInConfig
	BackupConfig
}

// BackupConfig configures the backups that a server makes by itself.
type BackupConfig struct {
	BackupTo      string        `env:"PARLEY_BACKUP_TO" placeholder:"DIR|s3://…"`
	BackupEvery   time.Duration `default:"24h" env:"PARLEY_BACKUP_EVERY" placeholder:"TIME"`
	BackupKeep    int           `default:"7" env:"PARLEY_BACKUP_KEEP" placeholder:"N"`
	BackupArchive bool          `env:"PARLEY_BACKUP_ARCHIVE"`

	S3Config
}

// S3Config configures the service that has the buckets of backups.
type S3Config struct {
	S3Endpoint string `name:"s3-endpoint" env:"PARLEY_S3_ENDPOINT" placeholder:"URL" secret:"url"`
	S3Region   string `name:"s3-region" default:"us-east-1" env:"PARLEY_S3_REGION" placeholder:"NAME"`
	S3Key      string `name:"s3-key" env:"PARLEY_S3_KEY" placeholder:"ID" secret:"all"`
	S3Secret   string `name:"s3-secret" env:"PARLEY_S3_SECRET" placeholder:"TEXT" secret:"all"`
}

// Client returns what calls the service; nil if no key is set.
func (c S3Config) Client(now func() time.Time) *s3.Client {
	if c.S3Key == "" {
		return nil
	}
	return &s3.Client{Config: s3.Config{Endpoint: c.S3Endpoint, Region: c.S3Region, Key: c.S3Key, Secret: c.S3Secret},
		Now: now}
}

// Check reports invalid settings.
func (c S3Config) Check() error {
	var faults settingFaults
	faults.check((c.S3Key == "") == (c.S3Secret == ""),
		"--s3-key and --s3-secret (PARLEY_S3_KEY, PARLEY_S3_SECRET): one is missing")
	faults.check(c.S3Endpoint == "" || httpapi.IsHTTPURL(c.S3Endpoint),
		"--s3-endpoint: not an http:// or https:// address")
	return errors.Join(faults...)
}

// minBackupInterval is the shortest time between two backups.
const minBackupInterval = time.Minute

// Check reports invalid settings.
func (b BackupConfig) Check() error {
	var faults settingFaults
	isMade := b.BackupTo != ""
	faults.check(!isMade || b.BackupEvery >= minBackupInterval, "--backup-every: %s is below %s", b.BackupEvery,
		minBackupInterval)
	faults.check(!isMade || b.BackupKeep > 0, "--backup-keep: %d is not above 0", b.BackupKeep)
	faults.check(!backup.IsBucket(b.BackupTo) || b.S3Key != "",
		"--backup-to: a bucket needs --s3-key and --s3-secret (PARLEY_S3_KEY, PARLEY_S3_SECRET)")
	faults = append(faults, b.S3Config.Check())
	return errors.Join(faults...)
}

// NewBackups returns what makes the backups.
func (c Config) NewBackups() *backup.Schedule {
	return &backup.Schedule{
		Installation: backup.Installation{Data: c.Data, DatabaseURL: c.DatabaseURL, Program: c.Version, Now: c.Now,
			Logger: c.Logger, S3: c.S3Config.Client(c.Now)},
		Folder: c.BackupTo, Every: c.BackupEvery, Keep: c.BackupKeep, AsArchive: c.BackupArchive,
	}
}

// TraceConfig configures where traces are sent.
type TraceConfig struct {
	OTLPEndpoint string `name:"otlp-endpoint" env:"PARLEY_OTLP_ENDPOINT" placeholder:"URL" secret:"url"`

	OTLPHeaders map[string]string `name:"otlp-headers" env:"PARLEY_OTLP_HEADERS" placeholder:"K=V" mapsep:"," secret:"all"`
}

// SignInConfig configures how people sign in to the console besides their passwords.
type SignInConfig struct {
	SMTPURL  string `name:"smtp-url" env:"PARLEY_SMTP_URL" placeholder:"URL" secret:"url"`
	MailFrom string `env:"PARLEY_MAIL_FROM" placeholder:"ADDRESS"`

	OIDCIssuer       string   `name:"oidc-issuer" env:"PARLEY_OIDC_ISSUER" placeholder:"URL"`
	OIDCClientID     string   `name:"oidc-client-id" env:"PARLEY_OIDC_CLIENT_ID" placeholder:"ID"`
	OIDCClientSecret string   `name:"oidc-client-secret" env:"PARLEY_OIDC_CLIENT_SECRET" placeholder:"TEXT" secret:"all"`
	OIDCDomains      []string `name:"oidc-domains" env:"PARLEY_OIDC_DOMAINS" placeholder:"DOMAIN,…"`
	OIDCJoinRole     string   `name:"oidc-join-role" env:"PARLEY_OIDC_JOIN_ROLE" placeholder:"ROLE"`
	OIDCName         string   `name:"oidc-name" env:"PARLEY_OIDC_NAME" placeholder:"TEXT"`
}

// ModelConfig configures which model answers.
type ModelConfig struct {
	ModelURL string            `env:"PARLEY_MODEL_URL" placeholder:"URL" secret:"url"`
	ModelKey string            `env:"PARLEY_MODEL_KEY" placeholder:"KEY" secret:"all"`
	ModelID  string            `name:"model" env:"PARLEY_MODEL" placeholder:"NAME"`
	ModelMap map[string]string `env:"PARLEY_MODEL_MAP" mapsep:"," placeholder:"NAME=MODEL,…"`

	WireConfigs

	ModelContext []string      `env:"PARLEY_MODEL_CONTEXT" placeholder:"[MODEL=]TOKENS,…"`
	ModelRewrite time.Duration `default:"1500ms" env:"PARLEY_MODEL_REWRITE" placeholder:"TIME"`

	EmbeddingModel  string        `env:"PARLEY_EMBEDDING_MODEL" placeholder:"DIR"`
	EmbedURL        string        `env:"PARLEY_EMBED_URL" placeholder:"URL" secret:"url"`
	EmbedKey        string        `env:"PARLEY_EMBED_KEY" placeholder:"KEY" secret:"all"`
	EmbedModel      string        `env:"PARLEY_EMBED_MODEL" placeholder:"NAME"`
	EmbedDimensions int           `env:"PARLEY_EMBED_DIMENSIONS" placeholder:"N"`
	EmbedWeight     float64       `env:"PARLEY_EMBED_WEIGHT" placeholder:"0…1"`
	EmbedWait       time.Duration `default:"400ms" env:"PARLEY_EMBED_WAIT" placeholder:"TIME"`

	Dictionaries []string `env:"PARLEY_DICTIONARIES" placeholder:"DIR,…"`

	RerankURL   string        `env:"PARLEY_RERANK_URL" placeholder:"URL" secret:"url"`
	RerankKey   string        `env:"PARLEY_RERANK_KEY" placeholder:"KEY" secret:"all"`
	RerankModel string        `env:"PARLEY_RERANK_MODEL" placeholder:"NAME"`
	RerankWait  time.Duration `default:"1s" env:"PARLEY_RERANK_WAIT" placeholder:"TIME"`
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

// UploadsDir returns the folder of uploaded files.
func (s StorageConfig) UploadsDir() string { return filepath.Join(s.Data, UploadsFolder) }

// minSetupToken is the least length of a setup token, which makes the owner of everything.
const minSetupToken = 32

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
	check(c.MaxImport >= 0, "--max-import: %d is below 0", c.MaxImport)
	check(c.Searches >= 0, "--searches: %d is below 0", c.Searches)
	check(c.InsightWait >= 0, "--insight-wait: %s is below 0", c.InsightWait)
	check(c.Drain >= 0, "--drain: %s is below 0", c.Drain)
	check(c.DrainDelay >= 0, "--drain-delay: %s is below 0", c.DrainDelay)
	check(c.SetupToken == "" || len(c.SetupToken) >= minSetupToken,
		"--setup-token (PARLEY_SETUP_TOKEN): shorter than %d characters", minSetupToken)
	check(c.SessionIdle >= 0, "--session-idle: %s is below 0", c.SessionIdle)
	check(c.SessionLifetime >= 0, "--session-lifetime: %s is below 0", c.SessionLifetime)
	check(c.IndexBudget >= 0, "--index-budget: %d is below 0", c.IndexBudget)
	check(c.DatabaseQuota >= 0, "--database-quota: %d is below 0", c.DatabaseQuota)
	_, plansErr := access.LoadPlans(c.Plans)
	_, programsErr := c.extractPrograms()
	faults = append(faults, c.ModelConfig.Check(), c.VoiceConfig.Check(), plansErr, programsErr, c.checkOutbound(),
		c.SignInConfig.Check(), c.TLSConfig.Check(), c.BackupConfig.Check(), c.checkBus())
	for flag, text := range map[string]string{"base-url": c.BaseURL, "files-url": c.FilesURL,
		"console-url": c.ConsoleURL, "otlp-endpoint": c.OTLPEndpoint} {
		check(text == "" || httpapi.IsHTTPURL(text), "--%s: not an http:// or https:// address", flag)
	}
	check(c.DatabaseURL == "" || strings.HasPrefix(c.DatabaseURL, "postgres://") ||
		strings.HasPrefix(c.DatabaseURL, "postgresql://"),
		"--database-url: not a postgres:// address")
	return errors.Join(faults...)
}

// UploadsFolder is the folder of uploaded files in the data directory.
const UploadsFolder = datadir.UploadsFolder

// CheckDataFolder refuses a data directory whose database is empty or missing while the files that belong to it are
// there: a new database would not know them, and they would be removed.
func (c Config) CheckDataFolder() error {
	if c.DatabaseURL != "" {
		return nil
	}
	return datadir.CheckDatabase(c.Database())
}

// proxies returns the proxies beyond the server's own that are believed.
func (c ServingConfig) proxies() (httpapi.Proxies, error) {
	return outbound.ParseAllow(c.TrustedProxies)
}

// checkOutbound reports invalid settings of other servers: those that this one calls, and the proxies that call it.
func (c Config) checkOutbound() error {
	var faults settingFaults
	_, err := outbound.ParseAllow(c.FetchAllow)
	faults.check(err == nil, "--fetch-allow (PARLEY_FETCH_ALLOW): %w", err)
	_, err = c.proxies()
	faults.check(err == nil, "--trusted-proxies (PARLEY_TRUSTED_PROXIES): %w", err)
	_, err = c.newWebSearch()
	faults.check(err == nil, "--search-url (PARLEY_SEARCH_URL): %w", err)
	_, err = vault.New(c.SecretKey)
	faults.check(err == nil, "--secret-key (PARLEY_SECRET_KEY): %w", err)
	return errors.Join(faults...)
}

// checkBus reports invalid settings of the bus.
func (c Config) checkBus() error {
	if c.RedisURL == "" {
		return nil
	}
	var faults settingFaults
	err := bus.CheckRedisURL(c.RedisURL)
	faults.check(err == nil, "--redis-url: not a redis://, rediss:// or unix:// address")
	faults.check(c.DatabaseURL != "", "--redis-url: servers that share a database need --database-url")
	return errors.Join(faults...)
}
