package server

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/api/admin"
	"parley/internal/archive"
	"parley/internal/backup"
	"parley/internal/bus"
	"parley/internal/chat"
	"parley/internal/console"
	"parley/internal/events"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/limits"
	"parley/internal/manifest"
	"parley/internal/metrics"
	"parley/internal/model"
	"parley/internal/model/cohere"
	"parley/internal/modelserver"
	"parley/internal/movein"
	"parley/internal/notice"
	"parley/internal/outbound"
	"parley/internal/pairing"
	"parley/internal/person"
	"parley/internal/ready"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/speech"
	"parley/internal/store"
	"parley/internal/synonym"
	"parley/internal/tracing"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/webhook"
)

// Services are the database and everything that works on it. Nothing runs and nothing listens until a Server runs them;
// a command of the operator uses them as they are.
type Services struct {
	shared

	Accounts      *access.Accounts
	Users         *access.Users // who sign in to the console
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter
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
	Notices       *notice.Service   // nil if there is no mail server
	Events        *events.Broadcast // for the live view and followers of conversations
	Live          *console.Live
	Ready         *ready.State // what load balancers are told

	Media     *rtc.Server // where the rooms of voice sessions are
	Voice     *voice.Sessions
	Responder *voice.Responder // the agent's part of voice sessions; nil if there is no media server

	Runner          *jobs.Runner
	CrawlRunner     *jobs.Runner // of the jobs that read links, which sites may hold up for hours
	FileRunner      *jobs.Runner // of the jobs that read files
	EmbeddingRunner *jobs.Runner // of the jobs that ask embedding servers
	InsightRunner   *jobs.Runner // of the jobs that judge conversations, which may wait for a model
	WebhookRunner   *jobs.Runner // of the jobs that send to webhooks, whose endpoints may be slow
	MailRunner      *jobs.Runner // of the jobs that send mails; nil if there is no mail server

	extractPool *extract.Pool
}

// shared is what several services are built of.
type shared struct {
	DB       *store.DB
	Indexes  *retrieval.Indexes
	Models   *model.Registry
	Plans    *access.Plans
	Speech   *speech.Engines // what agents speak and hear with
	Outbound *outbound.Client
	Queue    *jobs.Queue
	Bus      *bus.Bus       // tells other servers on the database what has changed
	Limits   *limits.Shared // counts with the other servers; nil if each counts for itself

	ModelServers *modelserver.Service // the accounts' own servers of models
	Backups      *backup.Schedule     // nil if the server makes none by itself

	cfg       Config
	startedAt time.Time
	cursorKey []byte            // of what the installation signs, such as the cursors of lists
	metrics   *metrics.Metrics  // nil if nobody reads them
	embedding *Embedding        // nil if the settings name none
	reranker  *cohere.Reranker  // nil if there is no reranking server
	exporter  *tracing.Exporter // of traces; nil if there is no collector
}

// callbacks are the calls that a service makes on one that depends on it, and so is built after it. Nothing makes them
// before the services run.
type callbacks struct {
	engine *chat.Engine
	voice  *voice.Sessions
}

func (c *callbacks) stopTurn(ref parley.ConversationRef) { c.engine.Stop(ref) }

func (c *callbacks) isAnswering() bool { return c.engine.Busy() }

// endVoiceSessions ends the sessions of this server, whose rooms are gone.
func (c *callbacks) endVoiceSessions() {
	for _, s := range c.voice.Active() {
		s.End(parley.EndError)
	}
}

// newServices opens the database, brings its schema up to date and builds the services.
func newServices(ctx context.Context, cfg Config) (*Services, error) {
	if err := cfg.CheckDataFolder(); err != nil {
		return nil, err
	}
	b, err := newBuilder(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.loadKeys(ctx), b.ModelServers.Refresh(ctx), b.openBus(ctx)); err != nil {
		b.Models.Close()
		b.Speech.Close()
		b.Bus.Close()
		return nil, errors.Join(err, b.DB.Close())
	}
	return b.build(), nil
}

// Admin returns the operator's service. What it changes is in force at once.
func (s *Services) Admin() *admin.Service {
	return &admin.Service{
		DB: s.DB, Now: s.cfg.Now, Close: s.Close,
		Indexes: s.Indexes, Indexer: s.Indexer, Search: s.Search, ModelServers: s.ModelServers,
		ReadFilePart: s.Ingest.FilePart, IncomingFolder: s.incomingFolder,
		Accounts: s.Accounts, Agents: s.Agents, Users: s.Users, Visitors: s.newVisitors(), ForgetAccess: s.forgetAccess,
		SetMaintenance: s.setMaintenance, People: s.newPeople(),
		Chat: s.Engine, Conversations: s.Conversations, Helpdesk: s.Helpdesk, Insight: s.Insight,
		Manifests: s.Manifests, MoveIns: s.newMoveIns(), Actions: s.Actions, Ingest: s.Ingest,
		Archive: s.archive(), MaxImportBytes: int64(s.cfg.MaxImport) << 20,
		Synonyms: s.newSynonyms(), Webhooks: s.Webhooks, Pairings: s.newPairings(),
		Voice: s.Voice, VoiceStats: s.voiceStats(), CursorKey: s.cursorKey,
		PagesURL: s.cfg.pagesURL(), Setup: s.setup(), Jobs: s.Queue, Backups: s.Backups,
	}
}

// runImportSweeper takes back now and then what imports have written that were stopped, until ctx is done.
func (s *Services) runImportSweeper(ctx context.Context) error {
	return jobs.RunEvery(ctx, importSweepInterval, s.cfg.Logger, "take back what was imported",
		func(ctx context.Context) error { return archive.TakeOldImportsBack(ctx, s.DB, s.cfg.Now()) })
}

const importSweepInterval = time.Hour

// recordRefusals records sign-ins that have failed now and then until ctx is done, and the last ones then.
func (s *Services) recordRefusals(ctx context.Context) error {
	const message = "record failed sign-ins"
	err := jobs.RunEvery(ctx, refusalInterval, s.cfg.Logger, message, s.Users.RecordRefusals)
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), refusalInterval)
	defer stop()
	if err := s.Users.RecordRefusals(last); err != nil {
		s.cfg.Logger.Warn(message, "err", err)
	}
	return err
}

const refusalInterval = 5 * time.Second

// archive returns what exports accounts.
func (s *Services) archive() *archive.Installation {
	return &archive.Installation{Data: s.cfg.Data, DatabaseURL: s.cfg.DatabaseURL, Program: s.cfg.Version, Now: s.cfg.Now,
		Logger: s.cfg.Logger, CheckAction: actions.ValidateAction}
}

// incomingFolder returns the folder of uploads that are not stored yet.
func (s *Services) incomingFolder() (string, error) { return s.Ingest.Files.Incoming() }

// newPairings returns what pairs command lines.
func (s *Services) newPairings() *pairing.Service {
	return &pairing.Service{DB: s.DB, Accounts: s.Accounts, Now: s.cfg.Now}
}

// newPeople returns what exports and erases what is held of people.
func (s *Services) newPeople() *person.Service {
	return &person.Service{DB: s.DB, Now: s.cfg.Now, MarkKey: s.cursorKey, DeleteConversations: s.Conversations.Delete,
		ReadFile: s.Ingest.FileBytes, DeleteUnusedFiles: s.Ingest.RemoveUnusedFiles,
		ForgetWords: s.Insight.ForgetWords, PurgeSearch: s.Indexer.RequestPurge}
}

// newMoveIns returns what takes over accounts of other services. The rules for settings are those of manifests.
func (s *Services) newMoveIns() *movein.Service {
	return &movein.Service{DB: s.DB, Ingest: s.Ingest, Now: s.cfg.Now,
		ApplySettings: s.Manifests.Settings.Apply}
}

// setup returns what members are told of how the server was set up.
func (s *Services) setup() admin.Setup {
	var mailJobs []string
	if s.MailRunner != nil {
		mailJobs = slices.Sorted(maps.Keys(s.MailRunner.Handlers))
	}
	return admin.Setup{
		Version: s.cfg.Version, StartedAt: s.startedAt, Data: s.cfg.Data, Mails: s.cfg.SMTPURL != "",
		MailJobs: mailJobs,
		Speech: admin.SpeechState{Media: s.Voice.Rooms != nil, Speaks: s.Speech.Synthesizer != nil,
			Understands: s.Speech.Transcriber != nil, Warnings: s.Speech.Warnings},
	}
}

// forgetAccess puts a change of keys, members or sessions in force at once.
func (s *Services) forgetAccess() {
	s.Authenticator.ClearCache()
	s.Users.Sessions.ClearCache()
}

// setMaintenance switches maintenance on this server at once, and tells the others. The setting is stored already.
func (s *Services) setMaintenance(on bool) {
	s.Authenticator.SetMaintenance(on)
	s.Bus.Publish(bus.Settings)
}

// newSynonyms returns what proposes synonyms. The rules for their groups are those of manifests.
func (s *Services) newSynonyms() *synonym.Service {
	return &synonym.Service{
		DB: s.DB, Indexes: s.Indexes, Insight: s.Insight, Agents: s.Agents, Now: s.cfg.Now,
		ApplySettings: s.Manifests.Settings.Apply,
	}
}

// Close finishes what is queued and closes the database. Whatever ran must have ended.
func (s *Services) Close() error {
	s.Models.Close()
	if s.embedding != nil {
		s.embedding.Close()
	}
	if s.reranker != nil {
		s.reranker.Close()
	}
	_ = s.extractPool.Close() // it never fails
	s.Actions.Close()
	s.Media.Close()
	s.Speech.Close()
	s.Bus.Close()
	return s.DB.Close()
}
