package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"parley/internal/api/admin"
	"parley/internal/certs"
	"parley/internal/datadir"
	"parley/internal/listen"
	"parley/internal/memory"
	"parley/internal/ready"
	"parley/internal/server"
)

// instance is a server with its listeners: the public address, the operator's socket, and those of uploads, metrics and
// plain HTTP.
type instance struct {
	*server.Server
	url             string
	baseURL         string // under which clients reach the server
	filesURL        string
	metricsURL      string        // empty if there are none
	model           string        // name of the default model, for people
	drainDelay      time.Duration // before a stopping server takes no more requests
	drainTimeout    time.Duration
	log             *slog.Logger
	lock            *datadir.Lock
	publicListener  net.Listener
	filesListener   net.Listener // for uploads on another address; nil if there is none
	metricsListener net.Listener // nil if there are no metrics
	plainListener   net.Listener // where browsers are sent to HTTPS; nil if there is none
	adminListener   net.Listener
	certificates    *certs.Source // nil without TLS
}

// openInstance locks the data directory, opens the server on it and its listeners, and accepts no connection yet.
func openInstance(ctx context.Context, cfg server.Config, holder string) (_ *instance, err error) {
	s := &instance{drainDelay: cfg.DrainDelay, drainTimeout: cfg.Drain, log: cfg.Logger,
		model: cfg.DefaultModelName()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err = os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, refusal{fmt.Errorf("%w; --data or PARLEY_DATA names another data directory", err)}
	}
	if s.lock, err = datadir.LockServer(ctx, cfg.Data, holder, lockTimeout); err != nil {
		return nil, err
	}
	if err = s.listen(&cfg); err != nil {
		return nil, err
	}
	if s.Server, err = server.Open(ctx, cfg); err != nil {
		return nil, refuseData(err)
	}
	s.adminListener, err = datadir.Listen(cfg.Data)
	return s, err
}

// listen opens the public listeners, and sets the addresses that follow from them.
func (in *instance) listen(cfg *server.Config) (err error) {
	if in.certificates, err = cfg.TLSConfig.Open(filepath.Join(cfg.Data, certs.Folder), cfg.Now, cfg.Logger); err != nil {
		return asRefusal(fmt.Errorf("%w; --tls-cert and --tls-key (PARLEY_TLS_CERT, PARLEY_TLS_KEY) name a certificate "+
			"and its key in PEM files", err))
	}
	for _, l := range []struct {
		listener      *net.Listener
		address, flag string
	}{
		{&in.publicListener, cfg.Listen, "--listen"},
		{&in.filesListener, cfg.FilesListen, "--files-listen"},
		{&in.metricsListener, cfg.MetricsListen, "--metrics-listen"},
		{&in.plainListener, cfg.HTTPListen, "--http-listen"},
	} {
		if l.address == "" {
			continue
		}
		if *l.listener, err = listenOn(l.address, l.flag); err != nil {
			return err
		}
	}
	in.url = listenerURL(cfg.Scheme(), in.publicListener)
	cfg.BaseURL = cmp.Or(cfg.BaseURL, in.url)
	if in.filesListener != nil {
		cfg.FilesURL = cmp.Or(cfg.FilesURL, listenerURL(cfg.Scheme(), in.filesListener))
	}
	if in.metricsListener != nil {
		in.metricsURL = listenerURL("http", in.metricsListener) + "/metrics"
	}
	cfg.FilesURL = cmp.Or(cfg.FilesURL, cfg.BaseURL)
	in.baseURL, in.filesURL = cfg.BaseURL, cfg.FilesURL
	return nil
}

// listenerURL returns the URL of a listener.
func listenerURL(scheme string, l net.Listener) string {
	return scheme + "://" + reachableAddress(l.Addr().String())
}

func listenOn(address, flag string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, refusal{fmt.Errorf("%w; %s chooses another address", err, flag)}
	}
	return l, nil
}

// reachableAddress returns an address to connect to for a listening address, which may mean every interface.
func reachableAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

// run serves until ctx is done or a part fails, and then stops in order: it tells load balancers, accepts no new
// requests after the delay, waits for running answers, and returns jobs to the queue. opened is called when requests
// are accepted.
func (in *instance) run(ctx context.Context, opened func() error) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	adminConns := listen.NewConnTable(listen.Limits{}) // whoever reaches the socket may connect
	public, private := in.newHTTPServer(in.publicHandler(), in.Connections),
		in.newHTTPServer(admin.Handler(in.Admin(), in.log), adminConns)
	memory.Release()
	failures := make(chan error, 7)
	workDone := make(chan struct{})
	serve := func(httpServer *http.Server, l net.Listener) {
		if err := httpServer.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failures <- err
		}
	}
	go serve(public, in.publicConns(in.publicListener))
	if in.filesListener != nil {
		go serve(public, in.publicConns(in.filesListener))
	}
	if in.plainListener != nil {
		plain := in.newHTTPServer(in.certificates.PlainHandler(in.publicPort()), in.Connections)
		defer func() { _ = plain.Close() }()
		in.log.Info("plain HTTP", "url", listenerURL("http", in.plainListener))
		go serve(plain, in.Connections.Listener(in.plainListener))
	}
	go serve(private, adminConns.Listener(in.adminListener))
	if in.metricsListener != nil {
		metricsConns := listen.NewConnTable(listen.Limits{MaxConns: maxMetricsConnections})
		in.metricsListener = metricsConns.Listener(in.metricsListener)
		metricsServer := in.newHTTPServer(in.MetricsHandler(), metricsConns)
		metricsServer.WriteTimeout = time.Minute
		defer func() { _ = metricsServer.Close() }() // at the very end: a stopping server is watched too
		go serve(metricsServer, in.metricsListener)
		in.log.Info("metrics", "url", in.metricsURL)
	}
	go func() { defer close(workDone); failures <- in.Run(work) }()
	go func() {
		if err := opened(); err != nil {
			failures <- err
		}
	}()

	var failure error
	select {
	case <-ctx.Done():
		in.log.Info("stopping", "delay", in.drainDelay, "drain", in.drainTimeout)
		in.Ready.Enter(ready.Draining)
		select {
		case <-time.After(in.drainDelay):
		case failure = <-failures:
		}
	case failure = <-failures:
	}
	in.drainAnswers(context.WithoutCancel(ctx), public)
	_ = private.Close()
	stop()
	<-workDone
	return failure
}

// publicConns returns a listener of public connections, which speak TLS if there is a certificate.
func (in *instance) publicConns(l net.Listener) net.Listener {
	if in.certificates != nil {
		l = listen.NewTLSListener(l, in.certificates.TLS)
	}
	return in.Connections.Listener(l)
}

func (in *instance) publicHandler() http.Handler {
	if in.certificates == nil {
		return in.Handler()
	}
	return listen.WithTLSState(in.Handler())
}

// publicPort is the port under which clients reach the server.
func (in *instance) publicPort() string {
	address, err := url.Parse(in.baseURL)
	if err != nil || address.Port() == "" {
		return "443"
	}
	return address.Port()
}

// drainAnswers waits for the running answers, up to the drain timeout, and then for the last bytes of their streams.
func (in *instance) drainAnswers(ctx context.Context, public *http.Server) {
	const lastBytes = 3 * time.Second
	shutdownCtx, cancel := context.WithTimeout(ctx, in.drainTimeout+lastBytes)
	defer cancel()
	shutdown := make(chan error, 1)
	go func() {
		shutdown <- errors.Join(public.Shutdown(shutdownCtx), in.Connections.AwaitDetached(shutdownCtx))
	}()
	drainCtx, stop := context.WithTimeout(ctx, in.drainTimeout)
	defer stop()
	in.Drain(drainCtx)
	select {
	case <-shutdown:
	case <-time.After(lastBytes):
	}
	_ = public.Close()
}

const maxMetricsConnections = 64

func (in *instance) newHTTPServer(h http.Handler, connections *listen.ConnTable) *http.Server {
	httpServer := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(in.log.Handler(), slog.LevelDebug)}
	connections.Configure(httpServer)
	return httpServer
}

// close closes everything in the reverse order of openInstance. It may be called on a partly opened instance.
func (in *instance) close() error {
	var errs []error
	for _, l := range []net.Listener{in.adminListener, in.publicListener, in.filesListener, in.metricsListener,
		in.plainListener} {
		if l == nil {
			continue
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if in.Server != nil {
		errs = append(errs, in.Server.Close())
	}
	if in.lock != nil {
		errs = append(errs, in.lock.Unlock())
	}
	return errors.Join(errs...)
}
