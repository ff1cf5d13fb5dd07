package house

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
	"parley/internal/admin"
	"parley/internal/agents"
	"parley/internal/api"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/listen"
	"parley/internal/llm"
	"parley/internal/metrics"
	"parley/internal/outbound"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/voicepage"
	"parley/internal/webhook"
	"parley/internal/wire"
)

// House is every room, built and joined.
type House struct {
	DB      *store.DB
	Library *retrieval.Library
	Queue   *jobs.Queue
	Runner  *jobs.Runner
	Crawls  *jobs.Runner // of the chores that read links, which sites may hold up for hours
	Files   *jobs.Runner // of the chores that read files
	Vectors *jobs.Runner // of the chores that ask the embedding server; nil where there is none
	Models  *llm.Table
	Plans   *access.Plans
	Office  *access.Office
	Gate    *access.Gate
	Limiter *access.Limiter
	Ingest  *ingest.Desk
	Agents  *agents.Keeper
	Engine  *chat.Engine
	Clerk   *chat.Clerk
	Actions *actions.Box
	Search  *search.Finder
	Insight *insight.Keeper
	Judges  *jobs.Runner // of the chores that judge conversations, which may wait for a model
	Indexer *search.Indexer

	Helpdesk *helpdesk.Desk
	Voice    *voice.Desk

	Webhooks *webhook.Desk
	Sender   *webhook.Sender
	Posts    *jobs.Runner // of the chores that send to webhooks, whose endpoints may be slow

	Outbound *outbound.Client

	Media  *rtc.Server   // where the rooms of voice sessions are
	Speech *llm.Speech   // what agents speak and hear with
	Talker *voice.Talker // the agent's part of voice sessions; nil where there is no media server

	Manifests *agents.Manifests

	Connections *listen.Table // of the public listeners

	cfg     Config
	handler http.Handler
	metrics *metrics.Metrics // nil where nobody looks
	watch   *wire.Watch      // of the faces; nil where nobody looks
	page    *voicepage.Page
	readers *extract.Pool

	embeddings *llm.Embeddings // nil where there is no embedding server
}

// Open opens the database, brings its schema up to date and builds the rooms. Nothing runs until Run.
func Open(ctx context.Context, cfg Config) (*House, error) {
	cfg = cfg.filled()
	plans, err := access.LoadPlans(cfg.Plans)
	if err != nil {
		return nil, err
	}
	models, err := cfg.Models.table(cfg.Model)
	if err != nil {
		return nil, err
	}
	speech, err := cfg.engines()
	if err != nil {
		return nil, err
	}
	if err := cfg.checkFolder(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.sqldb())
	if err != nil {
		return nil, err
	}
	h := &House{cfg: cfg, DB: db, Plans: plans, Models: models, Speech: speech, Connections: cfg.connections()}
	if err := h.build(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (c Config) filled() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func (c Config) sqldb() sqldb.Config {
	return sqldb.Config{URL: c.Database(), AllowAsyncCommit: c.AllowAsyncCommit, MaxPages: c.DatabaseQuota, Logger: c.Logger}
}

// build joins the rooms, ground up.
func (h *House) build(ctx context.Context) error {
	cfg, db := h.cfg, h.DB
	h.Library = &retrieval.Library{DB: db.SQL(), Budget: int64(cfg.IndexBudget) << 20}
	h.Queue = &jobs.Queue{Now: cfg.Now}
	h.Office = &access.Office{DB: db, Plans: h.Plans, Now: cfg.Now}
	h.Gate = &access.Gate{DB: db, Plans: h.Plans, Now: cfg.Now, Logger: cfg.Logger}
	h.Limiter = &access.Limiter{Limit: cfg.RateLimit}
	h.Ingest = &ingest.Desk{DB: db, Library: h.Library, Queue: h.Queue, Now: cfg.Now, Plan: h.Plans.Plan, Logger: cfg.Logger}
	h.Agents = &agents.Keeper{DB: db, Library: h.Library, Queue: h.Queue, Now: cfg.Now, Sites: h.Ingest}
	safe, err := cfg.vault()
	if err != nil {
		return err
	}
	h.Manifests = manifestsOn(db, h.Ingest, h.Models, safe, cfg.Now)
	h.Manifests.Idle = cfg.idle
	h.Engine = &chat.Engine{DB: db, Library: h.Library, Models: h.Models, Now: cfg.Now, Logger: cfg.Logger, Owner: parley.NewUUID(), OpenTurns: cfg.OpenTurns, Hub: &chat.Hub{}}
	h.Engine.Rewrite = cfg.ModelRewrite
	h.Media = cfg.media()
	h.Voice = h.speak()
	h.studio()
	h.Agents.Stop = h.stopAgent
	h.Clerk = &chat.Clerk{DB: db, Queue: h.Queue, Hub: h.Engine.Hub, Now: cfg.Now, Logger: cfg.Logger, Stop: h.Engine.Stop}
	h.talk()
	if err := h.act(safe); err != nil {
		return err
	}
	h.tell(safe)
	if h.Helpdesk, err = helpdeskOn(ctx, db, cfg, h.Engine.Hub.Wake); err != nil {
		return err
	}
	h.Helpdesk.Keep, h.Helpdesk.Bytes = h.Ingest.KeepFiles, h.Ingest.FileBytes
	h.Clerk.Desk, h.Engine.Desk = h.Helpdesk, h.Helpdesk
	h.Indexer = &search.Indexer{DB: db, Now: cfg.Now, Logger: cfg.Logger}
	h.judge()
	if err := h.read(); err != nil {
		return err
	}
	h.embed()
	h.measure()
	h.Runner = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.chores(), Lost: h.Ingest.LostHandlers(), Lease: 15 * time.Second}
	h.Crawls = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.Ingest.CrawlHandlers(), Lost: h.Ingest.LostHandlers(), Workers: crawls, Lease: 15 * time.Second}
	h.Files = &jobs.Runner{DB: db.SQL(), Queue: h.Queue, Logger: cfg.Logger, Handlers: h.Ingest.FileHandlers(), Lost: h.Ingest.LostHandlers(),
		Workers: fileReaders, Fair: true, Lease: 15 * time.Second}
	if err := errors.Join(h.open(ctx), h.lostPlans(ctx), h.Gate.Look(ctx)); err != nil {
		return err
	}
	if db.SQL().Dialect() == sqldb.SQLite {
		// The file is ours alone, so whoever held a turn or a chore is gone.
		return errors.Join(db.ExpireLeases(ctx, h.Engine.Owner), db.ExpireVoiceLeases(ctx, h.Voice.Owner), h.Runner.ExpireLeases(ctx))
	}
	return nil
}

// lostPlans warns of accounts whose plan the plans file no longer has: they may do nothing.
func (h *House) lostPlans(ctx context.Context) error {
	accounts, err := h.Office.Accounts(ctx)
	if err != nil {
		return err
	}
	lost := map[string]int{}
	for _, a := range accounts {
		if _, ok := h.Plans.Plan(a.Plan); !ok {
			lost[a.Plan]++
		}
	}
	for _, plan := range slices.Sorted(maps.Keys(lost)) {
		h.cfg.Logger.Warn("accounts have a plan that is not among the plans", "plan", plan, "accounts", lost[plan], "plans", h.Plans.Names())
	}
	return nil
}

func (h *House) chores() map[string]jobs.Handler {
	all := h.Ingest.Handlers()
	maps.Copy(all, h.Agents.Handlers())
	maps.Copy(all, h.Clerk.Handlers())
	all[agents.EraseJob] = h.Ingest.FreeAfter(all[agents.EraseJob])
	all[chat.EraseJob] = h.Ingest.FreeLoose(all[chat.EraseJob])
	return all
}

// open makes the public face.
func (h *House) open(ctx context.Context) error {
	key, err := key(ctx, h.DB, "cursor_key")
	if err != nil {
		return err
	}
	h.handler, err = h.faces(api.Config{
		Gate: h.Gate, Limiter: h.Limiter, Chat: h.Engine, Clerk: h.Clerk, Agents: h.Agents, Ingest: h.Ingest, Search: h.seeker(key), Insight: h.Insight, Helpdesk: h.Helpdesk, Voice: h.Voice, DB: h.DB, CursorKey: key, Settable: h.Models.CanSet,
		BaseURL: h.cfg.BaseURL, FilesURL: h.cfg.FilesURL, Now: h.cfg.Now, Logger: h.cfg.Logger, Watch: h.watch, TrustProxy: h.cfg.TrustProxy,
	})
	return err
}

// Handler serves the public interface.
func (h *House) Handler() http.Handler { return h.handler }

// Desk serves the operator; what it changes is in force at once.
func (h *House) Desk() *admin.Desk {
	return &admin.Desk{DB: h.DB, Indexer: h.Indexer, Insight: h.Insight, Helpdesk: h.Helpdesk, Library: h.Library, Office: h.Office, Clerk: h.Clerk, Questions: h.Engine.Questions, Manifests: h.Manifests, Webhooks: h.Webhooks, Voice: h.Voice, Meter: h.meter(), FilePart: h.Ingest.FilePart, Now: h.cfg.Now, Forget: h.Gate.Forget, Shut: h.Gate.Shut}
}

// Run does the background work until ctx is done: leases, recovery, chores.
func (h *House) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := []func(context.Context) error{h.Engine.Run, h.Voice.Run, h.meter().Run, h.Clerk.Run, h.Runner.Run, h.Crawls.Run, h.Files.Run, h.runVectors, h.Ingest.Run, h.Ingest.RunFiles, h.Indexer.Run, h.Insight.Run, h.Judges.Run, h.Posts.Run, h.Sender.Run, h.Gate.Run, h.keepHouse, h.forget}
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
func (h *House) Drain(ctx context.Context) {
	h.Clerk.Hub.Close()
	h.Voice.Drain(ctx) // before the turns, which its talks are made of
	h.Engine.Drain(ctx)
}

// Close finishes what is queued and closes the database. Run must have returned.
func (h *House) Close() error {
	h.Models.Close()
	if h.embeddings != nil {
		h.embeddings.Close()
	}
	if h.readers != nil {
		_ = h.readers.Close() // it never fails
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

// OpenDesk opens the operator's desk alone on a database that no server has open.
func OpenDesk(ctx context.Context, cfg Config) (*admin.Desk, error) {
	cfg = cfg.filled()
	plans, err := access.LoadPlans(cfg.Plans)
	if err != nil {
		return nil, err
	}
	manifests, err := cfg.manifests()
	if err != nil {
		return nil, err
	}
	safe, err := cfg.vault()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.sqldb())
	if err != nil {
		return nil, err
	}
	tickets, err := helpdeskOn(ctx, db, cfg, nil)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &admin.Desk{
		DB: db, Indexer: &search.Indexer{DB: db, Now: cfg.Now, Logger: cfg.Logger}, Insight: cfg.keeper(db), Helpdesk: tickets, Library: &retrieval.Library{DB: db.SQL()}, Office: &access.Office{DB: db, Plans: plans, Now: cfg.Now},
		Clerk: &chat.Clerk{DB: db, Queue: &jobs.Queue{Now: cfg.Now}, Now: cfg.Now, Logger: cfg.Logger, Desk: tickets}, Manifests: manifests(db), Webhooks: &webhook.Desk{DB: db, Queue: &jobs.Queue{Now: cfg.Now}, Vault: safe, Now: cfg.Now},
		Voice: &voice.Desk{DB: db, Now: cfg.Now, Logger: cfg.Logger, Owner: parley.NewUUID()}, FilePart: (&ingest.Desk{DB: db, Files: cfg.files(db)}).FilePart, Now: cfg.Now, Close: db.Close,
	}, nil
}
