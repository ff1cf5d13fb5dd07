package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/listen"
	"parley/internal/manifest"
	"parley/internal/metrics"
	"parley/internal/model"
	"parley/internal/outbound"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/webhook"
	"parley/internal/widget"
)

// Server is every room, built and joined.
type Server struct {
	DB              *store.DB
	Indexes         *retrieval.Indexes
	Queue           *jobs.Queue
	Runner          *jobs.Runner
	CrawlRunner     *jobs.Runner // of the jobs that read links, which sites may hold up for hours
	FileRunner      *jobs.Runner // of the jobs that read files
	EmbeddingRunner *jobs.Runner // of the jobs that ask the embedding server; nil where there is none
	Models          *model.Registry
	Plans           *access.Plans
	Accounts        *access.Accounts
	Authenticator   *access.Authenticator
	Limiter         *access.Limiter
	Ingest          *ingest.Service
	Agents          *agents.Service
	Engine          *chat.Engine
	Conversations   *chat.Conversations
	Actions         *actions.Toolbox
	Search          *search.Finder
	Insight         *insight.Service
	InsightRunner   *jobs.Runner // of the jobs that judge conversations, which may wait for a model
	Indexer         *search.Indexer

	Helpdesk *helpdesk.Service
	Voice    *voice.Sessions

	Webhooks      *webhook.Service
	Sender        *webhook.Sender
	WebhookRunner *jobs.Runner // of the jobs that send to webhooks, whose endpoints may be slow

	Outbound *outbound.Client

	Media     *rtc.Server          // where the rooms of voice sessions are
	Speech    *model.SpeechEngines // what agents speak and hear with
	Responder *voice.Responder     // the agent's part of voice sessions; nil where there is no media server

	Manifests *manifest.Service

	Connections *listen.ConnTable // of the public listeners

	cfg         Config
	handler     http.Handler
	metrics     *metrics.Metrics  // nil where nobody looks
	observer    *httpapi.Observer // of the faces; nil where nobody looks
	voicePage   *widget.Page
	extractPool *extract.Pool

	embeddings *model.OpenAIEmbedder // nil where there is no embedding server
}

// Open opens the database, brings its schema up to date and builds the rooms. Nothing runs until Run.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	plans, err := access.LoadPlans(cfg.Plans)
	if err != nil {
		return nil, err
	}
	models, err := cfg.ModelConfig.newRegistryWith(cfg.ModelOverride)
	if err != nil {
		return nil, err
	}
	speech, err := cfg.speechEngines()
	if err != nil {
		return nil, err
	}
	if err := cfg.checkDataFolder(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.databaseConfig())
	if err != nil {
		return nil, err
	}
	h := &Server{cfg: cfg, DB: db, Plans: plans, Models: models, Speech: speech, Connections: cfg.newConnectionTable()}
	if err := h.build(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func (c Config) databaseConfig() sqldb.Config {
	return sqldb.Config{URL: c.Database(), AllowAsyncCommit: c.AllowAsyncCommit, MaxPages: c.DatabaseQuota, Logger: c.Logger}
}

// build joins the rooms, ground up.
func (h *Server) build(ctx context.Context) error {
	cfg, db := h.cfg, h.DB
	h.Indexes = &retrieval.Indexes{DB: db.SQL(), Budget: int64(cfg.IndexBudget) << 20}
	h.Queue = &jobs.Queue{Now: cfg.Now}
	h.Accounts = &access.Accounts{DB: db, Plans: h.Plans, Now: cfg.Now}
	h.Authenticator = &access.Authenticator{DB: db, Plans: h.Plans, Now: cfg.Now, Logger: cfg.Logger}
	h.Limiter = &access.Limiter{Limit: cfg.RateLimit}
	h.Ingest = &ingest.Service{DB: db, Indexes: h.Indexes, Queue: h.Queue, Now: cfg.Now, Plan: h.Plans.Plan, Logger: cfg.Logger}
	h.Agents = &agents.Service{DB: db, Indexes: h.Indexes, Queue: h.Queue, Now: cfg.Now, Ingest: h.Ingest}
	secretVault, err := cfg.newVault()
	if err != nil {
		return err
	}
	h.Manifests = newManifests(db, h.Ingest, h.Models, secretVault, cfg.Now)
	h.Manifests.UnavailableReason = cfg.unavailableReason
	h.Engine = &chat.Engine{DB: db, Indexes: h.Indexes, Models: h.Models, Now: cfg.Now, Logger: cfg.Logger, Owner: parley.NewUUID(), MaxOpenTurns: cfg.OpenTurns, Hub: &chat.Hub{}}
	h.Engine.RewriteTimeout = cfg.ModelRewrite
	h.Media = cfg.newMediaServer()
	h.Voice = h.newVoiceSessions()
	h.setUpVoiceRooms()
	h.Agents.StopAgent = h.stopAgent
	h.Conversations = &chat.Conversations{DB: db, Queue: h.Queue, Hub: h.Engine.Hub, Now: cfg.Now, Logger: cfg.Logger, StopTurn: h.Engine.Stop}
	h.setUpResponder()
	if err := h.setUpActions(secretVault); err != nil {
		return err
	}
	h.setUpWebhooks(secretVault)
	if h.Helpdesk, err = newHelpdesk(ctx, db, cfg, h.Engine.Hub.Wake); err != nil {
		return err
	}
	h.Helpdesk.StoreFiles, h.Helpdesk.ReadFile = h.Ingest.StoreFiles, h.Ingest.FileBytes
	h.Conversations.HandoverObserver, h.Engine.HandoverObserver = h.Helpdesk, h.Helpdesk
	h.Indexer = &search.Indexer{DB: db, Now: cfg.Now, Logger: cfg.Logger}
	h.setUpInsight()
	if err := h.setUpReaders(); err != nil {
		return err
	}
	h.setUpEmbeddings()
	h.setUpMetrics()
	h.Runner = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.jobHandlers(), OnLost: h.Ingest.LostJobHandlers(), LeaseDuration: 15 * time.Second}
	h.CrawlRunner = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.Ingest.CrawlHandlers(), OnLost: h.Ingest.LostJobHandlers(), MaxWorkers: crawlWorkers, LeaseDuration: 15 * time.Second}
	h.FileRunner = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.Ingest.FileHandlers(), OnLost: h.Ingest.LostJobHandlers(),
		MaxWorkers: fileWorkers, Fair: true, LeaseDuration: 15 * time.Second}
	if err := errors.Join(h.setUpHandler(ctx), h.warnMissingPlans(ctx), h.Authenticator.RefreshMaintenance(ctx)); err != nil {
		return err
	}
	if db.SQL().Dialect() == sqldb.SQLite {
		// The file is ours alone, so whoever held a turn or a job is gone.
		return errors.Join(db.ExpireOtherTurnLeases(ctx, h.Engine.Owner), db.ExpireOtherVoiceLeases(ctx, h.Voice.Owner), h.Runner.ExpireLeases(ctx))
	}
	return nil
}

// warnMissingPlans warns of accounts whose plan the plans file no longer has: they may do nothing.
func (h *Server) warnMissingPlans(ctx context.Context) error {
	accounts, err := h.Accounts.List(ctx)
	if err != nil {
		return err
	}
	missing := map[string]int{}
	for _, a := range accounts {
		if _, ok := h.Plans.Plan(a.Plan); !ok {
			missing[a.Plan]++
		}
	}
	for _, plan := range slices.Sorted(maps.Keys(missing)) {
		h.cfg.Logger.Warn("accounts have a plan that is not among the plans", "plan", plan, "accounts", missing[plan], "plans", h.Plans.Names())
	}
	return nil
}

func (h *Server) jobHandlers() map[string]jobs.Handler {
	all := h.Ingest.Handlers()
	maps.Copy(all, h.Agents.Handlers())
	maps.Copy(all, h.Conversations.Handlers())
	all[agents.EraseJob] = h.Ingest.WithAgentFileRemoval(all[agents.EraseJob])
	all[chat.EraseJob] = h.Ingest.WithUnusedFileRemoval(all[chat.EraseJob])
	return all
}

// setUpHandler makes the public face.
func (h *Server) setUpHandler(ctx context.Context) error {
	key, err := installationKey(ctx, h.DB, "cursor_key")
	if err != nil {
		return err
	}
	h.handler, err = h.newPublicHandler(v2.Config{
		Authenticator: h.Authenticator, Limiter: h.Limiter, Chat: h.Engine, Conversations: h.Conversations, Agents: h.Agents, Ingest: h.Ingest, Search: h.newFinder(key), Insight: h.Insight, Helpdesk: h.Helpdesk, Voice: h.Voice, DB: h.DB, CursorKey: key, CanSetModel: h.Models.CanSet,
		BaseURL: h.cfg.BaseURL, FilesURL: h.cfg.FilesURL, Now: h.cfg.Now, Logger: h.cfg.Logger, Observer: h.observer, TrustProxy: h.cfg.TrustProxy,
	})
	return err
}

// Handler serves the public interface.
func (h *Server) Handler() http.Handler { return h.handler }

// Admin serves the operator; what it changes is in force at once.
func (h *Server) Admin() *admin.Service {
	return &admin.Service{DB: h.DB, Indexer: h.Indexer, Insight: h.Insight, Helpdesk: h.Helpdesk, Indexes: h.Indexes, Accounts: h.Accounts, Conversations: h.Conversations, Questions: h.Engine.QueryEmbedder, Manifests: h.Manifests, Webhooks: h.Webhooks, Voice: h.Voice, VoiceStats: h.voiceStats(), ReadFilePart: h.Ingest.FilePart, Now: h.cfg.Now, ForgetAccess: h.Authenticator.ClearCache, SetMaintenance: h.Authenticator.SetMaintenance}
}

// Run does the background work until ctx is done: leases, recovery, jobs.
func (h *Server) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := []func(context.Context) error{h.Engine.Run, h.Voice.Run, h.voiceStats().Run, h.Conversations.Run, h.Runner.Run, h.CrawlRunner.Run, h.FileRunner.Run, h.runEmbeddings, h.Ingest.Run, h.Ingest.RunFileSweeper, h.Indexer.Run, h.Insight.Run, h.InsightRunner.Run, h.WebhookRunner.Run, h.Sender.Run, h.Authenticator.Run, h.manageMemory, h.deleteExpiredKeys}
	errs := make([]error, len(work))
	var all sync.WaitGroup
	for i, do := range work {
		all.Go(func() {
			defer stop()
			errs[i] = do(ctx)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Drain ends the following of conversations and the voice sessions, refuses new turns and waits for those that run. When ctx ends first, they are
// stored as interrupted.
func (h *Server) Drain(ctx context.Context) {
	h.Conversations.Hub.Close()
	h.Voice.Drain(ctx) // before the turns, which its talks are made of
	h.Engine.Drain(ctx)
}

// Close finishes what is queued and closes the database. Run must have returned.
func (h *Server) Close() error {
	h.Models.Close()
	if h.embeddings != nil {
		h.embeddings.Close()
	}
	if h.extractPool != nil {
		_ = h.extractPool.Close() // it never fails
	}
	if h.Actions != nil {
		h.Actions.Close()
	}
	if h.Media != nil {
		h.Media.Close()
	}
	h.Speech.Close()
	return h.DB.Close()
}

// OpenAdmin opens the operator's desk alone on a database that no server has open.
func OpenAdmin(ctx context.Context, cfg Config) (*admin.Service, error) {
	cfg = cfg.withDefaults()
	plans, err := access.LoadPlans(cfg.Plans)
	if err != nil {
		return nil, err
	}
	manifests, err := cfg.manifestsFactory()
	if err != nil {
		return nil, err
	}
	secretVault, err := cfg.newVault()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.databaseConfig())
	if err != nil {
		return nil, err
	}
	tickets, err := newHelpdesk(ctx, db, cfg, nil)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &admin.Service{
		DB: db, Indexer: &search.Indexer{DB: db, Now: cfg.Now, Logger: cfg.Logger}, Insight: cfg.newInsight(db), Helpdesk: tickets, Indexes: &retrieval.Indexes{DB: db.SQL()}, Accounts: &access.Accounts{DB: db, Plans: plans, Now: cfg.Now},
		Conversations: &chat.Conversations{DB: db, Queue: &jobs.Queue{Now: cfg.Now}, Now: cfg.Now, Logger: cfg.Logger, HandoverObserver: tickets}, Manifests: manifests(db), Webhooks: &webhook.Service{DB: db, Queue: &jobs.Queue{Now: cfg.Now}, Vault: secretVault, Now: cfg.Now},
		Voice: &voice.Sessions{DB: db, Now: cfg.Now, Logger: cfg.Logger, Owner: parley.NewUUID()}, ReadFilePart: (&ingest.Service{DB: db, Files: cfg.newFiles(db)}).FilePart, Now: cfg.Now, Close: db.Close,
	}, nil
}
