package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/api/v2"
	"parley/internal/bus"
	"parley/internal/chat"
	"parley/internal/console"
	"parley/internal/events"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/limits"
	"parley/internal/manifest"
	"parley/internal/modelserver"
	"parley/internal/notice"
	"parley/internal/outbound"
	"parley/internal/ready"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/vault"
	"parley/internal/voice"
	"parley/internal/webhook"
)

// builder makes the services.
type builder struct {
	shared
	vault         *vault.Vault
	webSearch     *actions.WebSearch // nil if no search engine is configured
	programs      extract.Programs
	attachmentKey []byte
	hub           *chat.Hub
	callbacks     *callbacks
	fixed         []*modelserver.Fixed // servers of models that the settings name
}

// newBuilder reads the settings and opens the database.
func newBuilder(ctx context.Context, cfg Config) (*builder, error) {
	b := &builder{
		shared: shared{
			cfg: cfg, reranker: cfg.Reranker(), metrics: cfg.newMetrics(),
			Queue: &jobs.Queue{Now: cfg.Now}, startedAt: cfg.Now(), exporter: cfg.newExporter(),
		},
		hub: &chat.Hub{}, callbacks: &callbacks{}, fixed: cfg.fixedServers(),
	}
	var err error
	if b.embedding, err = cfg.OpenEmbedding(); err != nil {
		return nil, err
	}
	if b.Plans, err = access.LoadPlans(cfg.Plans); err != nil {
		return nil, err
	}
	if b.Models, err = b.newModels(); err != nil {
		return nil, err
	}
	if b.Speech, err = cfg.speechEngines(); err != nil {
		return nil, err
	}
	if b.vault, err = vault.New(cfg.SecretKey); err != nil {
		return nil, err
	}
	if b.Outbound, err = cfg.newOutbound(); err != nil {
		return nil, err
	}
	if b.webSearch, err = cfg.newWebSearch(); err != nil {
		return nil, err
	}
	if b.programs, err = cfg.extractPrograms(); err != nil {
		return nil, err
	}
	if b.DB, err = store.Open(ctx, cfg.databaseConfig()); err != nil {
		return nil, err
	}
	if b.cfg.BackupTo != "" {
		b.Backups = b.cfg.NewBackups()
	}
	b.Indexes = b.newIndexes()
	b.ModelServers = b.newModelServers()
	if b.embedding == nil {
		b.Indexes.VectorModelOf = b.ModelServers.VectorModel
	}
	return b, nil
}

func (b *builder) loadKeys(ctx context.Context) (err error) {
	if b.cursorKey, err = installationKey(ctx, b.DB, "cursor_key"); err != nil {
		return err
	}
	b.attachmentKey, err = installationKey(ctx, b.DB, "attachment_key")
	return err
}

// openBus makes what tells other servers of changes, and has it told of the events that this process records.
func (b *builder) openBus(ctx context.Context) error {
	engine, err := b.newBusEngine(ctx)
	if err != nil {
		return err
	}
	b.Bus = bus.New(engine, b.cfg.Logger)
	b.Queue.Bus, b.ModelServers.Bus = b.Bus, b.Bus
	b.DB.ObserveEvents(func(account parley.AccountID, _ []store.NewEvent) { b.Bus.Publish(bus.Events, string(account)) })
	b.Limits, err = b.newSharedLimits(ctx, engine)
	return err
}

// newSharedLimits returns what limits are counted with, for all servers together; nil where the engine cannot count.
func (b *builder) newSharedLimits(ctx context.Context, engine bus.Engine) (*limits.Shared, error) {
	counter, ok := engine.(bus.Counter)
	if !ok {
		return nil, nil
	}
	key, err := installationKey(ctx, b.DB, "limit_key") // Redis must not learn addresses and names
	return limits.NewShared(counter, key, b.cfg.Logger), err
}

// newBusEngine returns what carries messages to the other servers on the database; nil for a SQLite file, which has one
// server at a time.
func (b *builder) newBusEngine(ctx context.Context) (bus.Engine, error) {
	if b.cfg.DatabaseURL == "" {
		return nil, nil
	}
	if b.cfg.RedisURL == "" {
		return bus.NewPostgres(b.cfg.DatabaseURL)
	}
	key, err := installationKey(ctx, b.DB, "bus_channel") // another installation may use the same Redis
	if err != nil {
		return nil, err
	}
	return bus.NewRedis(b.cfg.RedisURL, "parley."+hex.EncodeToString(key))
}

// build makes every service of those that it depends on.
func (b *builder) build() *Services {
	pool := b.newExtractPool()
	ingestService := b.newIngest(pool)
	b.ModelServers.EnqueueEmbedding = ingestService.EnqueueAccountEmbedding
	helpdeskService := b.newHelpdesk(ingestService, pool)
	conversations := b.newConversations(helpdeskService)
	webhooks, sender := b.newWebhooks()
	toolbox := b.newActions(conversations)
	engine := b.newEngine(toolbox, conversations, helpdeskService)
	media := b.newMediaServer()
	responder := b.newResponder(media, engine, conversations, ingestService)
	sessions := b.newVoice(media, responder, engine, ingestService)
	b.callbacks.engine, b.callbacks.voice = engine, sessions
	agentService := b.newAgents(ingestService, engine, sessions)
	insightService := b.newInsight()

	accounts := &access.Accounts{DB: b.DB, Plans: b.Plans, Now: b.cfg.Now, HasSSO: b.cfg.OIDCIssuer != "",
		Providers: b.newSSOProviders()}
	users := b.cfg.newUsers(accounts, b.Queue, b.Limits)
	accounts.HasPasskeys = users.Passkeys != nil
	notices := b.newNotices(users)
	broadcast := &events.Broadcast{DB: b.DB, Logger: b.cfg.Logger, Bus: b.Bus}
	b.hub.Events = broadcast

	lost := ingestService.LostJobHandlers()
	return &Services{
		shared: b.shared,

		Accounts:      accounts,
		Users:         users,
		Authenticator: &access.Authenticator{DB: b.DB, Plans: b.Plans, Now: b.cfg.Now, Logger: b.cfg.Logger, Bus: b.Bus},
		Limiter:       &limits.Limiter{Name: "requests", Limit: b.cfg.RateLimit, Shared: b.Limits},
		Agents:        agentService, Manifests: b.newManifests(ingestService, helpdeskService), Ingest: ingestService,
		Engine: engine, Conversations: conversations, Actions: toolbox, Helpdesk: helpdeskService,
		Search: b.newFinder(), Indexer: &search.Indexer{DB: b.DB, Now: b.cfg.Now, Logger: b.cfg.Logger, Bus: b.Bus},
		Insight: insightService, Webhooks: webhooks, Sender: sender, Notices: notices,
		Events: broadcast, Live: b.newLive(broadcast, users.Sessions, conversations), Ready: b.newReadiness(),

		Media: media, Voice: sessions, Responder: responder,

		Runner: b.newRunner(jobs.Runner{Handlers: jobHandlers(ingestService, agentService, conversations),
			OnLost: lost}),
		CrawlRunner: b.newRunner(jobs.Runner{Handlers: ingestService.CrawlHandlers(), OnLost: lost,
			MaxWorkers: crawlWorkers}),
		FileRunner: b.newRunner(jobs.Runner{Handlers: ingestService.FileHandlers(), OnLost: lost,
			MaxWorkers: fileWorkers, Fair: true}),
		EmbeddingRunner: b.newEmbeddingRunner(ingestService),
		InsightRunner:   b.newRunner(jobs.Runner{Handlers: insightService.Handlers(), MaxWorkers: insightWorkers}),
		WebhookRunner:   b.newRunner(jobs.Runner{Handlers: sender.Handlers(), MaxWorkers: webhookWorkers}),
		MailRunner:      b.newMailRunner(users, notices),

		extractPool: pool,
	}
}

// newReadiness returns what load balancers are told. The database answers when it can be read.
func (b *builder) newReadiness() *ready.State {
	return &ready.State{Now: b.cfg.Now, CheckDatabase: func(ctx context.Context) error {
		_, err := b.DB.FindSetting(ctx, "cursor_key")
		return err
	}}
}

// newLive returns the live view, which is told of sessions that may have ended.
func (b *builder) newLive(broadcast *events.Broadcast, sessions *access.WebSessions,
	conversations *chat.Conversations) *console.Live {
	live := console.NewLive(console.LiveConfig{
		Events: broadcast, Bus: b.Bus, Sessions: sessions, Version: b.cfg.Version, Now: b.cfg.Now, Logger: b.cfg.Logger,
		MemberTypes: conversations.MemberTypes,
	})
	sessions.OnChange = func() {
		live.SessionsChanged()
		b.Bus.Publish(bus.Sessions)
	}
	return live
}

func (b *builder) newIndexes() *retrieval.Indexes {
	indexes := &retrieval.Indexes{DB: b.DB.SQL(), Budget: int64(b.cfg.IndexBudget) << 20}
	if b.embedding != nil {
		indexes.VectorModel = b.embedding.Passages.Name()
	}
	dictionaries, err := b.cfg.OpenDictionaries(b.cfg.Logger)
	if err != nil { // the folder has been there when the settings were checked
		b.cfg.Logger.Warn("dictionaries left out", "error", err)
	}
	if dictionaries != nil && len(dictionaries.Pairs()) == 0 {
		b.cfg.Logger.Warn("no dictionaries of languages that are known", "folders", b.cfg.Dictionaries)
	}
	indexes.Dictionaries = dictionaries
	return indexes
}

func (b *builder) newConversations(handovers chat.HandoverObserver) *chat.Conversations {
	return &chat.Conversations{
		DB: b.DB, Queue: b.Queue, Hub: b.hub, Now: b.cfg.Now, Logger: b.cfg.Logger,
		StopTurn: b.callbacks.stopTurn, HandoverObserver: handovers,
	}
}

func (b *builder) newEngine(toolbox *actions.Toolbox, conversations *chat.Conversations,
	handovers chat.HandoverObserver) *chat.Engine {
	engine := &chat.Engine{
		DB: b.DB, Indexes: b.Indexes, Models: b.Models, Hub: b.hub, Now: b.cfg.Now, Logger: b.cfg.Logger,
		Owner:        parley.NewUUID(),
		MaxOpenTurns: b.cfg.OpenTurns, RewriteTimeout: b.cfg.ModelRewrite,
		Tools: toolbox.Tools, HandOver: handOver(conversations), HandoverObserver: handovers,
		QueryEmbedder: b.newQueryEmbedder(), Reranker: b.newQueryReranker(), Servers: b.ModelServers,
	}
	if b.metrics != nil {
		engine.TurnObserver = b.metrics.Turns.Observe
	}
	return engine
}

func (b *builder) newAgents(ingestService *ingest.Service, engine *chat.Engine,
	sessions *voice.Sessions) *agents.Service {
	return &agents.Service{
		DB: b.DB, Indexes: b.Indexes, Queue: b.Queue, Now: b.cfg.Now, Ingest: ingestService,
		StopAgent: func(ref parley.AgentRef) {
			engine.StopAgent(ref)
			sessions.StopAgent(ref)
		},
	}
}

// jobLease is how long a job whose runner died stays with it.
const jobLease = 15 * time.Second

// newRunner completes a runner with what all runners share.
func (b *builder) newRunner(r jobs.Runner) *jobs.Runner {
	r.DB, r.Queue, r.Logger, r.LeaseDuration = b.DB.SQL(), b.Queue, b.cfg.Logger, jobLease
	return &r
}

// jobHandlers returns the handlers of the jobs that wait for nobody outside.
func jobHandlers(ingestService *ingest.Service, agentService *agents.Service,
	conversations *chat.Conversations) map[string]jobs.Handler {
	all := ingestService.Handlers()
	maps.Copy(all, agentService.Handlers())
	maps.Copy(all, conversations.Handlers())
	all[agents.EraseJob] = ingestService.WithAgentFileRemoval(all[agents.EraseJob])
	all[chat.EraseJob] = ingestService.WithUnusedFileRemoval(all[chat.EraseJob])
	return all
}

// newManifests returns agents as code. The API checks their settings, and the actions package their actions.
func (b *builder) newManifests(ingestService *ingest.Service, helpdeskService *helpdesk.Service) *manifest.Service {
	return &manifest.Service{
		DB: b.DB, Ingest: ingestService, Helpdesk: helpdeskService, Now: b.cfg.Now,
		Settings:    v2.SettingsCodec{CanSetModel: b.Models.CanSet},
		CheckAction: actions.ValidateAction, CheckProcedure: actions.ValidateProcedure,
		CheckLinks:        actions.ValidateLinks,
		UnavailableReason: b.cfg.unavailableReason,
		Seal: func(account parley.AccountID, secrets map[string]string) (string, error) {
			return actions.SealSecrets(b.vault, account, secrets)
		},
		Unseal: func(account parley.AccountID, sealed string) (map[string]string, error) {
			return actions.OpenSecrets(b.vault, account, sealed)
		},
	}
}

// unavailableReason says why this server cannot offer an action. A command does not know what its server is configured
// with.
func (c Config) unavailableReason(a *parley.Action) string {
	if !c.isOffline && a.Kind == parley.ActionWebSearch && c.SearchURL == "" {
		return "is kept and not offered: the server has no search engine (PARLEY_SEARCH_URL)"
	}
	return ""
}

// maxSearchesPerSecond is how many conversation searches an account may send in a second
// (docs/interface/search.md#limits).
const maxSearchesPerSecond = 10

func (b *builder) newFinder() *search.Finder {
	limiter := &limits.Limiter{Name: "searches", Limit: maxSearchesPerSecond, Window: time.Second, Shared: b.Limits}
	return &search.Finder{
		DB: b.DB, Cursors: httpapi.Cursors{Key: b.cursorKey}, Now: b.cfg.Now,
		Timeout: b.cfg.SearchTime, MaxConcurrent: b.cfg.Searches,
		Allow: func(account parley.AccountID) error {
			state := limiter.Take(string(account), b.cfg.Now())
			if state.OK {
				return nil
			}
			e := parley.NewErrorf(parley.CodeTooManyRequests,
				"An account may search conversations %d times a second. Slow down and try again.", maxSearchesPerSecond)
			e.RetryAfter, e.Limit = state.RetryAfter, maxSearchesPerSecond
			return e
		},
	}
}

func (b *builder) newHelpdesk(files *ingest.Service, pool *extract.Pool) *helpdesk.Service {
	uploads := uploadReader{pool: pool, slots: make(chan struct{}, uploadsReadAtATime)}
	return &helpdesk.Service{
		DB: b.DB, Now: b.cfg.Now, Logger: b.cfg.Logger, Wake: b.hub.Wake, Secret: b.attachmentKey,
		StoreFiles: files.StoreFiles, ReadFile: files.FileBytes, DeleteUnusedFiles: files.RemoveUnusedFiles,
		ReadText: uploads.readText,
	}
}

// installationKey returns a key of the installation, the same for all servers on the database. The first call creates
// it.
func installationKey(ctx context.Context, db *store.DB, name string) ([]byte, error) {
	secret, err := db.EnsureSetting(ctx, name, func() string {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		return hex.EncodeToString(key)
	})
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(secret)
	if err != nil {
		return nil, fmt.Errorf("the stored %s: %w", name, err)
	}
	return key, nil
}

// insightWorkers is how many conversations are judged at a time.
const insightWorkers = 2

func (b *builder) newInsight() *insight.Service {
	return &insight.Service{
		DB: b.DB, Queue: b.Queue, Model: b.ModelServers.Backend, Now: b.cfg.Now, Logger: b.cfg.Logger,
		QuietTime: b.cfg.InsightWait,
	}
}

// webhookWorkers is how many webhooks are sent to at a time.
const webhookWorkers = 16

func (b *builder) newWebhooks() (*webhook.Service, *webhook.Sender) {
	sender := &webhook.Sender{
		DB: b.DB, Queue: b.Queue, HTTP: b.Outbound, Vault: b.vault, Now: b.cfg.Now, Logger: b.cfg.Logger,
	}
	service := &webhook.Service{DB: b.DB, Queue: b.Queue, Vault: b.vault, Now: b.cfg.Now,
		OnMessage: sender.ExpectAnswers}
	return service, sender
}

// newNotices returns what mails people of what happens, nil if there is no mail server.
func (b *builder) newNotices(users *access.Users) *notice.Service {
	if users.Mail == nil {
		return nil
	}
	return &notice.Service{
		DB: b.DB, Queue: b.Queue, Sender: users.Mail.Sender, Now: b.cfg.Now, Logger: b.cfg.Logger,
		ConsoleURL: b.cfg.consoleURL(), PagesURL: strings.TrimSuffix(cmp.Or(b.cfg.BaseURL, defaultBaseURL), "/"),
	}
}

// newMailRunner returns the runner of the jobs that send mails, nil if there is no mail server.
func (b *builder) newMailRunner(users *access.Users, notices *notice.Service) *jobs.Runner {
	handlers := users.MailHandlers()
	if handlers == nil {
		return nil
	}
	maps.Copy(handlers, notices.Handlers())
	return b.newRunner(jobs.Runner{Handlers: handlers})
}

// newWebSearch returns the operator's search engine, or nil.
func (c Config) newWebSearch() (*actions.WebSearch, error) {
	if c.SearchURL == "" {
		return nil, nil
	}
	return actions.NewWebSearch(c.SearchURL)
}

// newOutbound returns the client for addresses that others have named.
func (c Config) newOutbound() (*outbound.Client, error) {
	allowed, err := outbound.ParseAllow(c.FetchAllow)
	if err != nil {
		return nil, err
	}
	return &outbound.Client{AllowedPrefixes: allowed}, nil
}

// newActions returns what agents can do besides writing.
func (b *builder) newActions(conversations *chat.Conversations) *actions.Toolbox {
	return &actions.Toolbox{
		DB: b.DB, HTTP: b.Outbound, Vault: b.vault, Search: b.webSearch, HandOver: handOver(conversations),
		Now: b.cfg.Now, Logger: b.cfg.Logger,
	}
}

// handOver returns the function that hands the conversation of a running turn to a person; the turn goes on to its end.
// In the playground the agent says the same, and nobody is waited for.
func handOver(conversations *chat.Conversations) chat.HandOverFunc {
	return func(ctx context.Context, t parley.Turn, reason string) error {
		_, err := conversations.TakeOver(ctx, t.ConversationRef(), "agent", reason, true)
		if parley.IsCode(err, parley.CodeConversationNotFound) { // a trial
			return nil
		}
		return err
	}
}
