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

	"parley/internal/api/admin"
	"parley/internal/listen"
	"parley/internal/server"
)

// instance is a house with its doors: the public address and the operator's socket.
type instance struct {
	*server.Server
	url             string
	filesURL        string
	metricsURL      string // empty where there are none
	model           string // for people: what answers
	drainTimeout    time.Duration
	log             *slog.Logger
	lock            *admin.Lock
	publicListener  net.Listener
	filesListener   net.Listener // for uploads on an address of their own; nil for none
	metricsListener net.Listener // for metrics; nil for none
	adminListener   net.Listener
}

// openInstance takes the data directory, opens the house on it and both doors, and lets nobody in yet.
func openInstance(ctx context.Context, cfg server.Config, holder string) (_ *instance, err error) {
	s := &instance{drainTimeout: cfg.Drain, log: cfg.Logger, model: cfg.DefaultModelName()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err = os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, err
	}
	if s.lock, err = admin.LockServer(ctx, cfg.Data, holder, lockTimeout); err != nil {
		return nil, err
	}
	if s.publicListener, err = net.Listen("tcp", cfg.Listen); err != nil {
		return nil, fmt.Errorf("%w; --listen chooses another address", err)
	}
	s.url = "http://" + reachableAddress(s.publicListener.Addr().String())
	cfg.BaseURL = cmp.Or(cfg.BaseURL, s.url)
	if cfg.FilesListen != "" {
		if s.filesListener, err = net.Listen("tcp", cfg.FilesListen); err != nil {
			return nil, fmt.Errorf("%w; --files-listen chooses another address", err)
		}
		cfg.FilesURL = cmp.Or(cfg.FilesURL, "http://"+reachableAddress(s.filesListener.Addr().String()))
	}
	cfg.FilesURL = cmp.Or(cfg.FilesURL, cfg.BaseURL)
	if cfg.MetricsListen != "" {
		if s.metricsListener, err = net.Listen("tcp", cfg.MetricsListen); err != nil {
			return nil, fmt.Errorf("%w; --metrics-listen chooses another address", err)
		}
		s.metricsURL = "http://" + reachableAddress(s.metricsListener.Addr().String()) + "/metrics"
	}
	s.filesURL = cfg.FilesURL
	if s.Server, err = server.Open(ctx, cfg); err != nil {
		return nil, err
	}
	s.adminListener, err = admin.Listen(cfg.Data)
	return s, err
}

// reachableAddress names an address one can connect to for one that means "every interface".
func reachableAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

// run lets everybody in until ctx is done or something breaks, then empties the house in order: no new requests, running
// answers to their end, jobs back to the table. opened is called when requests are taken.
func (s *instance) run(ctx context.Context, opened func() error) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	operators := listen.NewConnTable(listen.Limits{}) // whoever reaches the socket may
	public, private := s.newHTTPServer(s.Handler(), s.Connections), s.newHTTPServer(admin.Handler(s.Admin(), s.log), operators)
	server.ReleaseMemory()
	broken := make(chan error, 6)
	worked := make(chan struct{})
	go func() { broken <- serveListener(public, s.Connections.Listener(s.publicListener)) }()
	if s.filesListener != nil {
		go func() { broken <- serveListener(public, s.Connections.Listener(s.filesListener)) }()
	}
	go func() { broken <- serveListener(private, operators.Listener(s.adminListener)) }()
	if s.metricsListener != nil {
		watchers := listen.NewConnTable(listen.Limits{MaxConns: maxMetricsConnections})
		s.metricsListener = watchers.Listener(s.metricsListener)
		watched := s.newHTTPServer(s.MetricsHandler(), watchers)
		watched.WriteTimeout = time.Minute
		defer func() { _ = watched.Close() }() // to the last: a server that stops is looked at too
		go func() { broken <- serveListener(watched, s.metricsListener) }()
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
		s.log.Info("stopping", "drain", s.drainTimeout)
	case failure = <-broken:
	}
	s.drainAnswers(context.WithoutCancel(ctx), public)
	_ = private.Close()
	stop()
	<-worked
	return failure
}

// drainAnswers waits for the running answers, for as long as the drain allows, and then for the last bytes of their streams.
func (s *instance) drainAnswers(ctx context.Context, public *http.Server) {
	const lastBytes = 3 * time.Second
	leaving, cancel := context.WithTimeout(ctx, s.drainTimeout+lastBytes)
	defer cancel()
	left := make(chan error, 1)
	go func() { left <- public.Shutdown(leaving) }()
	drained, stop := context.WithTimeout(ctx, s.drainTimeout)
	defer stop()
	s.Drain(drained)
	select {
	case <-left:
	case <-time.After(lastBytes):
	}
	_ = public.Close()
}

func serveListener(httpServer *http.Server, l net.Listener) error {
	if err := httpServer.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// maxMetricsConnections is the most connections of those who look at the metrics.
const maxMetricsConnections = 64

func (s *instance) newHTTPServer(h http.Handler, connections *listen.ConnTable) *http.Server {
	httpServer := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	connections.Configure(httpServer)
	return httpServer
}

// close returns everything back, in the reverse order of openInstance; it may be called on a half-open site.
func (s *instance) close() error {
	var errs []error
	if s.adminListener != nil {
		errs = append(errs, ignoreClosed(s.adminListener.Close()))
	}
	if s.publicListener != nil {
		errs = append(errs, ignoreClosed(s.publicListener.Close()))
	}
	if s.filesListener != nil {
		errs = append(errs, ignoreClosed(s.filesListener.Close()))
	}
	if s.metricsListener != nil {
		errs = append(errs, ignoreClosed(s.metricsListener.Close()))
	}
	if s.Server != nil {
		errs = append(errs, s.Server.Close())
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
