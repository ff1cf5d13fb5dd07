package server

import (
	"context"
	"errors"
	"maps"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/api/admin"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/manifest"
	"parley/internal/metrics"
	"parley/internal/model"
	"parley/internal/model/openai"
	"parley/internal/outbound"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/speech"
	"parley/internal/store"
	"parley/internal/vault"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/webhook"
)

// Services are the database and everything that works on it. Nothing runs and nothing listens until a Server runs them;
// a command of the operator uses them as they are.
type Services struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Models  *model.Registry
	Plans   *access.Plans

	Accounts      *access.Accounts
	Authenticator *access.Authenticator
	Limiter       *access.Limiter
	Agents        *agents.Service
	Manifests     *manifest.Service
	Ingest        *ingest.Service
	Engine        *chat.Engine
	Conversations *chat.Conversations
	Actions       *actions.Toolbox
	Helpdesk      *helpdesk.Service
	Search        *search.Finder
	Indexer       *search.Indexer
	Insight       *insight.Service
	Webhooks      *webhook.Service
	Sender        *webhook.Sender
	Outbound      *outbound.Client

	Media     *rtc.Server     // where the rooms of voice sessions are
	Speech    *speech.Engines // what agents speak and hear with
	Voice     *voice.Sessions
	Responder *voice.Responder // the agent's part of voice sessions; nil where there is no media server

	Queue           *jobs.Queue
	Runner          *jobs.Runner
	CrawlRunner     *jobs.Runner // of the jobs that read links, which sites may hold up for hours
	FileRunner      *jobs.Runner // of the jobs that read files
	EmbeddingRunner *jobs.Runner // of the jobs that ask the embedding server; nil where there is none
	InsightRunner   *jobs.Runner // of the jobs that judge conversations, which may wait for a model
	WebhookRunner   *jobs.Runner // of the jobs that send to webhooks, whose endpoints may be slow

	cfg         Config
	cursorKey   []byte           // seals the cursors of lists
	metrics     *metrics.Metrics // nil where nobody reads them
	extractPool *extract.Pool
	embedder    *openai.Embedder // nil where there is no embedding server
}

// builder makes the services. Its fields are what several of them share.
type builder struct {
	cfg       Config
	db        *store.DB
	plans     *access.Plans
	models    *model.Registry
	speech    *speech.Engines
	embedder  *openai.Embedder // nil where there is no embedding server
	vault     *vault.Vault
	outbound  *outbound.Client
	webSearch *actions.WebSearch // nil where no search engine is configured
	programs  extract.Programs
	metrics   *metrics.Metrics // nil where nobody reads them

	cursorKey, attachmentKey []byte

	queue     *jobs.Queue
	indexes   *retrieval.Indexes
	hub       *chat.Hub
	callbacks *callbacks
}

// callbacks are the calls that a service makes on one that depends on it, and so is built after it. Nothing makes them
// before the services run.
type callbacks struct {
	engine *chat.Engine
	voice  *voice.Sessions
}

func (c *callbacks) stopTurn(ref parley.ConversationRef) {
	c.engine.Stop(ref)
}

func (c *callbacks) isAnswering() bool { return c.engine.Busy() }

// endVoiceSessions ends the sessions of this server, whose rooms are gone.
func (c *callbacks) endVoiceSessions() {
	for _, s := range c.voice.Active() {
		s.End(parley.EndError)
	}
}

// newServices opens the database, brings its schema up to date and builds the services.
func newServices(ctx context.Context, cfg Config) (*Services, error) {
	b, err := newBuilder(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := b.loadKeys(ctx); err != nil {
		b.models.Close()
		b.speech.Close()
		return nil, errors.Join(err, b.db.Close())
	}
	return b.build(), nil
}

// newBuilder reads the settings and opens the database.
func newBuilder(ctx context.Context, cfg Config) (*builder, error) {
	b := &builder{
		cfg: cfg, embedder: cfg.Embedder(), metrics: cfg.newMetrics(), queue: &jobs.Queue{Now: cfg.Now},
		hub: &chat.Hub{}, callbacks: &callbacks{},
	}
	var err error
	if b.plans, err = access.LoadPlans(cfg.Plans); err != nil {
		return nil, err
	}
	if b.models, err = cfg.newRegistryWith(cfg.ModelOverride); err != nil {
		return nil, err
	}
	if b.speech, err = cfg.speechEngines(); err != nil {
		return nil, err
	}
	if b.vault, err = vault.New(cfg.SecretKey); err != nil {
		return nil, err
	}
	if b.outbound, err = cfg.newOutbound(); err != nil {
		return nil, err
	}
	if b.webSearch, err = cfg.newWebSearch(); err != nil {
		return nil, err
	}
	if b.programs, err = cfg.extractPrograms(); err != nil {
		return nil, err
	}
	if b.db, err = store.Open(ctx, cfg.databaseConfig()); err != nil {
		return nil, err
	}
	b.indexes = b.newIndexes()
	return b, nil
}

// loadKeys reads the keys of the installation.
func (b *builder) loadKeys(ctx context.Context) (err error) {
	if b.cursorKey, err = installationKey(ctx, b.db, "cursor_key"); err != nil {
		return err
	}
	b.attachmentKey, err = installationKey(ctx, b.db, "attachment_key")
	return err
}

// build makes every service of those that it depends on.
func (b *builder) build() *Services {
	pool := b.newExtractPool()
	ingestService := b.newIngest(pool)
	helpdeskService := b.newHelpdesk(ingestService)
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

	lost := ingestService.LostJobHandlers()
	return &Services{
		DB: b.db, Indexes: b.indexes, Models: b.models, Plans: b.plans,

		Accounts:      &access.Accounts{DB: b.db, Plans: b.plans, Now: b.cfg.Now},
		Authenticator: &access.Authenticator{DB: b.db, Plans: b.plans, Now: b.cfg.Now, Logger: b.cfg.Logger},
		Limiter:       &access.Limiter{Limit: b.cfg.RateLimit},
		Agents:        agentService, Manifests: b.newManifests(ingestService, helpdeskService), Ingest: ingestService,
		Engine: engine, Conversations: conversations, Actions: toolbox, Helpdesk: helpdeskService,
		Search: b.newFinder(), Indexer: &search.Indexer{DB: b.db, Now: b.cfg.Now, Logger: b.cfg.Logger},
		Insight:  insightService,
		Webhooks: webhooks, Sender: sender, Outbound: b.outbound,

		Media: media, Speech: b.speech, Voice: sessions, Responder: responder,

		Queue: b.queue,
		Runner: b.newRunner(jobs.Runner{Handlers: jobHandlers(ingestService, agentService, conversations),
			OnLost: lost}),
		CrawlRunner: b.newRunner(jobs.Runner{Handlers: ingestService.CrawlHandlers(), OnLost: lost,
			MaxWorkers: crawlWorkers}),
		FileRunner: b.newRunner(jobs.Runner{Handlers: ingestService.FileHandlers(), OnLost: lost,
			MaxWorkers: fileWorkers, Fair: true}),
		EmbeddingRunner: b.newEmbeddingRunner(ingestService),
		InsightRunner:   b.newRunner(jobs.Runner{Handlers: insightService.Handlers(), MaxWorkers: insightWorkers}),
		WebhookRunner:   b.newRunner(jobs.Runner{Handlers: sender.Handlers(), MaxWorkers: webhookWorkers}),

		cfg: b.cfg, cursorKey: b.cursorKey, metrics: b.metrics, extractPool: pool, embedder: b.embedder,
	}
}

func (b *builder) newIndexes() *retrieval.Indexes {
	indexes := &retrieval.Indexes{DB: b.db.SQL(), Budget: int64(b.cfg.IndexBudget) << 20}
	if b.embedder != nil {
		indexes.VectorModel = b.embedder.Name()
	}
	return indexes
}

func (b *builder) newConversations(handovers chat.HandoverObserver) *chat.Conversations {
	return &chat.Conversations{
		DB: b.db, Queue: b.queue, Hub: b.hub, Now: b.cfg.Now, Logger: b.cfg.Logger,
		StopTurn: b.callbacks.stopTurn, HandoverObserver: handovers,
	}
}

func (b *builder) newEngine(toolbox *actions.Toolbox, conversations *chat.Conversations,
	handovers chat.HandoverObserver) *chat.Engine {
	engine := &chat.Engine{
		DB: b.db, Indexes: b.indexes, Models: b.models, Hub: b.hub, Now: b.cfg.Now, Logger: b.cfg.Logger,
		Owner:        parley.NewUUID(),
		MaxOpenTurns: b.cfg.OpenTurns, RewriteTimeout: b.cfg.ModelRewrite,
		Tools: toolbox.Tools, HandOver: handOver(conversations), HandoverObserver: handovers,
		QueryEmbedder: b.newQueryEmbedder(),
	}
	if b.metrics != nil {
		engine.TurnObserver = b.metrics.Turns.Observe
	}
	return engine
}

func (b *builder) newAgents(ingestService *ingest.Service, engine *chat.Engine,
	sessions *voice.Sessions) *agents.Service {
	return &agents.Service{
		DB: b.db, Indexes: b.indexes, Queue: b.queue, Now: b.cfg.Now, Ingest: ingestService,
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
	r.DB, r.Queue, r.Logger, r.LeaseDuration = b.db.SQL(), b.queue, b.cfg.Logger, jobLease
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

// Admin returns the operator's service. What it changes is in force at once.
func (s *Services) Admin() *admin.Service {
	return &admin.Service{
		DB: s.DB, Indexes: s.Indexes, Accounts: s.Accounts, Conversations: s.Conversations, Indexer: s.Indexer,
		Insight:  s.Insight,
		Helpdesk: s.Helpdesk, Manifests: s.Manifests, Webhooks: s.Webhooks, Voice: s.Voice, VoiceStats: s.voiceStats(),
		Questions: s.Engine.QueryEmbedder, ReadFilePart: s.Ingest.FilePart, Now: s.cfg.Now,
		ForgetAccess: s.Authenticator.ClearCache, SetMaintenance: s.Authenticator.SetMaintenance, Close: s.Close,
	}
}

// Close finishes what is queued and closes the database. Whatever ran must have ended.
func (s *Services) Close() error {
	s.Models.Close()
	if s.embedder != nil {
		s.embedder.Close()
	}
	_ = s.extractPool.Close() // it never fails
	s.Actions.Close()
	s.Media.Close()
	s.Speech.Close()
	return s.DB.Close()
}
