// Package server builds every service from one configuration, runs them and stops them. The command line uses the same
// services without a server on them, and tests a whole server.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/internal/api/admin"
	"parley/internal/jobs"
	"parley/internal/listen"
	"parley/internal/memory"
	"parley/internal/ready"
	"parley/internal/sqldb"
	"parley/internal/widget"
)

// Server is the services with their public handlers.
type Server struct {
	*Services
	Connections *listen.ConnTable // of the public listeners

	handler        http.Handler
	metricsHandler http.Handler // nil if nobody reads the metrics
	voicePage      *widget.Page
}

// Open opens the database, brings its schema up to date and builds a server on it. Nothing runs until Run.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	services, err := newServices(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s, err := newServer(services)
	if err == nil {
		err = errors.Join(s.warnMissingPlans(ctx), s.Authenticator.RefreshMaintenance(ctx), s.expireLeases(ctx))
	}
	if err != nil {
		return nil, errors.Join(err, services.Close())
	}
	return s, nil
}

// OpenAdmin opens the operator's service alone, on a database that no server has open.
func OpenAdmin(ctx context.Context, cfg Config) (*admin.Service, error) {
	cfg.isOffline = true
	services, err := newServices(ctx, cfg.withDefaults())
	if err != nil {
		return nil, err
	}
	return services.Admin(), nil
}

func newServer(services *Services) (*Server, error) {
	observer := services.newObserver()
	var metricsHandler http.Handler
	if m := services.metrics; m != nil {
		metricsHandler = withReadiness(services.Ready, m.Handler(services.newStateReader(observer)))
	}
	page, err := widget.New(services.cfg.clientURL(), services.cfg.site())
	if err != nil {
		return nil, err
	}
	handler, err := services.newHandler(page, observer)
	if err != nil {
		return nil, err
	}
	return &Server{
		Services: services, Connections: services.cfg.newConnectionTable(),
		handler: handler, metricsHandler: metricsHandler, voicePage: page,
	}, nil
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func (c Config) databaseConfig() sqldb.Config {
	return sqldb.Config{URL: c.Database(), AllowAsyncCommit: c.AllowAsyncCommit, MaxPages: c.DatabaseQuota,
		Logger: c.Logger, Program: c.Version, OnStatement: c.OnStatement}
}

// warnMissingPlans warns of accounts whose plan the plans file no longer has: they may do nothing.
func (s *Server) warnMissingPlans(ctx context.Context) error {
	accounts, err := s.Accounts.List(ctx)
	if err != nil {
		return err
	}
	missing := map[string]int{}
	for _, a := range accounts {
		if _, ok := s.Plans.Plan(a.Plan); !ok {
			missing[a.Plan]++
		}
	}
	for _, plan := range slices.Sorted(maps.Keys(missing)) {
		s.cfg.Logger.Warn("accounts have a plan that is not among the plans", "plan", plan, "accounts", missing[plan],
			"plans", s.Plans.Names())
	}
	return nil
}

// expireLeases ends the leases of the servers before this one. A SQLite file has one server at a time, so whoever had a
// lease on a turn, a voice session or a job is not there any more.
func (s *Server) expireLeases(ctx context.Context) error {
	if s.DB.SQL().Dialect() != sqldb.SQLite {
		return nil
	}
	return errors.Join(
		s.DB.ExpireOtherTurnLeases(ctx, s.Engine.Owner),
		s.DB.ExpireOtherVoiceLeases(ctx, s.Voice.Owner),
		s.Runner.ExpireLeases(ctx),
	)
}

// Handler serves the public interface.
func (s *Server) Handler() http.Handler { return s.handler }

// withReadiness answers load balancers beside the metrics: there they are answered also while the server stops.
func withReadiness(readiness, metricsHandler http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(ready.Path, readiness)
	mux.Handle("/", metricsHandler)
	return mux
}

// MetricsHandler serves the metrics at /metrics, to whoever asks; nil if MetricsListen is not set.
func (s *Server) MetricsHandler() http.Handler { return s.metricsHandler }

// component is a long-running part of the server. It runs until ctx is done; when one ends before that, all are
// stopped.
type component struct {
	name string
	run  func(ctx context.Context) error
}

// components lists what runs in the background, in the order in which it starts. It stops in the reverse order.
func (s *Services) components() []component {
	list := []component{
		{"memory", func(ctx context.Context) error { return memory.Manage(ctx, s.cfg.SetGOGC) }},
		{"bus", s.Bus.Run}, // it stops after all that publish
		{"maintenance mode", s.Authenticator.Run},
		{"idempotency keys", s.deleteExpiredKeys},
		{"web sessions", s.deleteEndedSessions},
		{"failed sign-ins", s.recordRefusals},
		{"model servers", s.ModelServers.Run},
		{"live events", s.Events.Run},
		{"live view", s.Live.Run},
		{"turns", s.Engine.Run},
		{"conversations", s.Conversations.Run},
		{"snoozed conversations", s.Conversations.RunWaker},
		{"voice sessions", s.Voice.Run},
		{"search index", s.Indexer.Run},
		{"insight", s.Insight.Run},
		{"webhook deliveries", s.Sender.Run},
		{"sources", s.Ingest.Run},
		{"files", s.Ingest.RunFileSweeper},
		{"imports", s.runImportSweeper},
		{"files of visitors", s.Helpdesk.RunUploadSweeper},
		{"SLA targets", s.Helpdesk.RunBreachRecorder},
		{"jobs", s.Runner.Run},
		{"crawl jobs", s.CrawlRunner.Run},
		{"file jobs", s.FileRunner.Run},
		{"insight jobs", s.InsightRunner.Run},
		{"webhook jobs", s.WebhookRunner.Run},
		{"embedding jobs", s.runEmbeddings},
		{"readiness", s.becomeReady},
	}
	if s.exporter != nil {
		list = append([]component{{"traces", s.exporter.Run}}, list...) // it stops last
	}
	if s.Responder != nil {
		list = append(list, component{"voice statistics", s.Responder.Stats.Run})
	}
	if s.Backups != nil {
		list = append(list, component{"backups", s.Backups.Run})
	}
	if s.MailRunner != nil {
		list = append(list, component{"mails", s.Notices.Run}, component{"mail jobs", s.MailRunner.Run})
	}
	return list
}

// Run does the background work until ctx is done: leases, recovery, jobs.
func (s *Server) Run(ctx context.Context) error { return runComponents(ctx, s.components()) }

// runComponents starts the components in their order and, when ctx is done or one of them has ended, stops each before
// the one that was started before it.
func runComponents(ctx context.Context, list []component) error {
	ctx, stopAll := context.WithCancel(ctx)
	defer stopAll()
	errs := make([]error, len(list))
	stops := make([]func(), len(list))
	for i, c := range list {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var running sync.WaitGroup
		running.Go(func() {
			defer stopAll()
			if err := c.run(own); err != nil {
				errs[i] = fmt.Errorf("%s: %w", c.name, err)
			}
		})
		stops[i] = func() {
			cancel()
			running.Wait()
		}
	}
	<-ctx.Done()
	for _, stop := range slices.Backward(stops) {
		stop()
	}
	return errors.Join(errs...)
}

// What is read before a server is ready: the indexes of agents that were asked not long ago, as far as the budget for
// indexes goes and while it does not take too long.
const (
	warmAgents = 200
	warmTime   = 30 * time.Second
	warmPast   = 7 * 24 * time.Hour
)

// becomeReady reads the indexes that the next questions will need, and then lets load balancers send requests.
func (s *Services) becomeReady(ctx context.Context) error {
	s.Ready.Enter(ready.Warming)
	if err := s.warmIndexes(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Logger.Warn("search indexes were not read ahead", "error", err) // the next question reads them
	}
	s.Ready.Enter(ready.Serving)
	<-ctx.Done()
	return nil
}

func (s *Services) warmIndexes(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, warmTime)
	defer stop()
	list, err := s.DB.RecentAgents(ctx, s.cfg.Now().Add(-warmPast), warmAgents)
	for _, a := range list {
		if s.Indexes.IsFull() {
			break
		}
		if err = s.Indexes.Warm(ctx, a.ID, a.PassageVersion); err != nil {
			break
		}
	}
	return err
}

// keyCleanupInterval is how often keys of requests that are a day old are erased.
const keyCleanupInterval = time.Hour

// deleteExpiredKeys erases old Idempotency-Keys and pairings, and what visitors and accounts have used on past days,
// now and then until ctx is done.
func (s *Services) deleteExpiredKeys(ctx context.Context) error {
	return jobs.RunEvery(ctx, keyCleanupInterval, s.cfg.Logger, "old Idempotency-Keys were not erased",
		func(ctx context.Context) error {
			return errors.Join(s.DB.EraseExpiredIdempotencyKeys(ctx, s.cfg.Now()),
				s.DB.EraseExpiredPairings(ctx, s.cfg.Now()),
				s.DB.EraseOldVisitorCredits(ctx, s.cfg.Now()),
				s.DB.EraseOldCreditDays(ctx, s.cfg.Now()), s.DB.EraseOldModelCredits(ctx, s.cfg.Now()),
				s.DB.EraseOldVoiceDays(ctx, s.cfg.Now()))
		})
}

// Drain ends the streams that follow conversations and accounts, and the voice sessions; it refuses new turns and waits
// for those that run. When ctx ends first, they are stored as interrupted.
func (s *Server) Drain(ctx context.Context) {
	s.Ready.Enter(ready.Draining)
	s.Conversations.Hub.Close()
	s.Live.Close()
	s.Voice.Drain(ctx) // before the turns, which its sessions are made of
	s.Engine.Drain(ctx)
}
