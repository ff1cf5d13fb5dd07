package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/listen"
)

// site is a house with its doors: the public address and the operator's socket.
type site struct {
	*house.House
	url        string
	filesURL   string
	metricsURL string // empty where there are none
	model      string // for people: what answers
	drain      time.Duration
	log        *slog.Logger
	lock       *admin.Lock
	public     net.Listener
	files      net.Listener // for uploads on an address of their own; nil for none
	watched    net.Listener // for metrics; nil for none
	private    net.Listener
}

// openSite takes the data directory, opens the house on it and both doors, and lets nobody in yet.
func openSite(ctx context.Context, cfg house.Config, holder string) (_ *site, err error) {
	s := &site{drain: cfg.Drain, log: cfg.Logger, model: cfg.Answering()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err = os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, err
	}
	if s.lock, err = admin.LockServer(ctx, cfg.Data, holder, patience); err != nil {
		return nil, err
	}
	if s.public, err = net.Listen("tcp", cfg.Listen); err != nil {
		return nil, fmt.Errorf("%w; --listen chooses another address", err)
	}
	s.url = "http://" + reachable(s.public.Addr().String())
	cfg.BaseURL = cmp.Or(cfg.BaseURL, s.url)
	if cfg.FilesListen != "" {
		if s.files, err = net.Listen("tcp", cfg.FilesListen); err != nil {
			return nil, fmt.Errorf("%w; --files-listen chooses another address", err)
		}
		cfg.FilesURL = cmp.Or(cfg.FilesURL, "http://"+reachable(s.files.Addr().String()))
	}
	cfg.FilesURL = cmp.Or(cfg.FilesURL, cfg.BaseURL)
	if cfg.MetricsListen != "" {
		if s.watched, err = net.Listen("tcp", cfg.MetricsListen); err != nil {
			return nil, fmt.Errorf("%w; --metrics-listen chooses another address", err)
		}
		s.metricsURL = "http://" + reachable(s.watched.Addr().String()) + "/metrics"
	}
	s.filesURL = cfg.FilesURL
	if s.House, err = house.Open(ctx, cfg); err != nil {
		return nil, err
	}
	s.private, err = admin.Listen(cfg.Data)
	return s, err
}

// reachable names an address one can connect to for one that means "every interface".
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

// run lets everybody in until ctx is done or something breaks, then empties the house in order: no new requests, running
// answers to their end, chores back to the table. opened is called when requests are taken.
func (s *site) run(ctx context.Context, opened func() error) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	operators := listen.NewTable(listen.Limits{}) // whoever reaches the socket may
	public, private := s.server(s.Handler(), s.Connections), s.server(admin.Handler(s.Desk(), s.log), operators)
	house.Settle()
	broken := make(chan error, 6)
	worked := make(chan struct{})
	go func() { broken <- serving(public, s.Connections.Listener(s.public)) }()
	if s.files != nil {
		go func() { broken <- serving(public, s.Connections.Listener(s.files)) }()
	}
	go func() { broken <- serving(private, operators.Listener(s.private)) }()
	if s.watched != nil {
		watchers := listen.NewTable(listen.Limits{All: mostWatchers})
		s.watched = watchers.Listener(s.watched)
		watched := s.server(s.Metrics(), watchers)
		watched.WriteTimeout = time.Minute
		defer func() { _ = watched.Close() }() // to the last: a server that stops is looked at too
		go func() { broken <- serving(watched, s.watched) }()
		s.log.Info("metrics", "url", s.metricsURL)
	}
	go func() { defer close(worked); broken <- s.Run(work) }()
	go func() {
		if err := opened(); err != nil {
			broken <- err
		}
	}()

	var failure error
	select {
	case <-ctx.Done():
		s.log.Info("stopping", "drain", s.drain)
	case failure = <-broken:
	}
	s.empty(context.WithoutCancel(ctx), public)
	_ = private.Close()
	stop()
	<-worked
	return failure
}

// empty waits for the running answers, for as long as the drain allows, and then for the last bytes of their streams.
func (s *site) empty(ctx context.Context, public *http.Server) {
	const lastBytes = 3 * time.Second
	leaving, cancel := context.WithTimeout(ctx, s.drain+lastBytes)
	defer cancel()
	left := make(chan error, 1)
	go func() { left <- public.Shutdown(leaving) }()
	drained, stop := context.WithTimeout(ctx, s.drain)
	defer stop()
	s.Drain(drained)
	select {
	case <-left:
	case <-time.After(lastBytes):
	}
	_ = public.Close()
}

func serving(server *http.Server, l net.Listener) error {
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// mostWatchers is the most connections of those who look at the metrics.
const mostWatchers = 64

func (s *site) server(h http.Handler, connections *listen.Table) *http.Server {
	server := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	connections.Prepare(server)
	return server
}

// close gives everything back, in the reverse order of openSite; it may be called on a half-open site.
func (s *site) close() error {
	var errs []error
	if s.private != nil {
		errs = append(errs, ignoreClosed(s.private.Close()))
	}
	if s.public != nil {
		errs = append(errs, ignoreClosed(s.public.Close()))
	}
	if s.files != nil {
		errs = append(errs, ignoreClosed(s.files.Close()))
	}
	if s.watched != nil {
		errs = append(errs, ignoreClosed(s.watched.Close()))
	}
	if s.House != nil {
		errs = append(errs, s.House.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	return errors.Join(errs...)
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
