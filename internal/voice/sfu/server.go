//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/livekit/livekit-server/pkg/agent"
	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/rpc"
	"github.com/livekit/protocol/utils"
	"github.com/livekit/protocol/utils/xtwirp"
	"github.com/livekit/psrpc"
	"github.com/livekit/psrpc/pkg/middleware/otelpsrpc"
	"github.com/rs/cors"
)

// mediaServer is what rooms need of LiveKit: signalling, rooms and their API, on one node. LiveKit's own server has
// recording, streams and telephone calls by programs beside it too, and nodes that meet by Redis: a program that names
// its type has all of that in it.
type mediaServer struct {
	conf    *config.Config
	router  routing.Router
	rooms   *service.RoomManager
	signals *service.SignalServer
	http    *http.Server
}

// parts are what the parts of LiveKit share.
type parts struct {
	conf      *config.Config
	node      routing.LocalNode
	bus       psrpc.MessageBus
	params    rpc.ClientParams
	router    routing.Router
	store     *service.LocalStore
	allocator service.RoomAllocator
	telemetry telemetry.TelemetryService
	keys      auth.KeyProvider
}

func newMediaServer(conf *config.Config, node routing.LocalNode) (*mediaServer, error) {
	p, err := newParts(conf, node)
	if err != nil {
		return nil, err
	}
	s := &mediaServer{conf: conf, router: p.router}
	if s.rooms, err = p.newRoomManager(); err != nil {
		return nil, err
	}
	if s.signals, err = service.NewDefaultSignalServer(node, p.bus, conf.SignalRelay, p.router, s.rooms); err != nil {
		return nil, err
	}
	handler, err := p.newHandler()
	if err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	return s, nil
}

func newParts(conf *config.Config, node routing.LocalNode) (*parts, error) {
	p := &parts{conf: conf, node: node, bus: psrpc.NewLocalMessageBus(), store: service.NewLocalStore(),
		keys:      auth.NewFileBasedKeyProviderFromMap(conf.Keys),
		telemetry: telemetry.NewTelemetryService(nil, telemetry.NewAnalyticsService(conf, node))}
	p.params = rpc.NewClientParams(conf.PSRPC, p.bus, logger.GetLogger(), rpc.PSRPCMetricsObserver{},
		otelpsrpc.ClientOptions(otelpsrpc.Config{}))
	signals, err := routing.NewSignalClient(node.NodeID(), p.bus, conf.SignalRelay)
	if err != nil {
		return nil, err
	}
	rooms, err := routing.NewRoomManagerClient(p.params, conf.Room)
	if err != nil {
		return nil, err
	}
	p.router = routing.NewLocalRouter(node, signals, rooms, conf.NodeStats)
	p.allocator, err = service.NewRoomAllocator(conf, p.router, p.store)
	return p, err
}

func (p *parts) newRoomManager() (*service.RoomManager, error) {
	agents, err := agent.NewAgentClient(p.bus, p.conf.Agents)
	if err != nil {
		return nil, err
	}
	return service.NewLocalRoomManager(p.conf, p.store, p.node, p.router, p.allocator, p.telemetry, agents, p.store, nil,
		utils.NewDefaultTimedVersionGenerator(), service.NewTURNAuthHandler(p.keys), p.bus, nil)
}

// newHandler returns what answers by HTTP: signalling, and the API of rooms. Whoever asks has a token of our key.
func (p *parts) newHandler() (http.Handler, error) {
	rooms, err := rpc.NewTypedRoomClient(p.params)
	if err != nil {
		return nil, err
	}
	participants, err := rpc.NewTypedParticipantClient(p.params)
	if err != nil {
		return nil, err
	}
	api, err := service.NewRoomService(p.conf.Limit, p.conf.API, p.router, p.allocator, p.store, nil,
		rpc.NewTopicFormatter(), rooms, participants)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	var options []any
	for _, option := range xtwirp.DefaultServerOptions() {
		options = append(options, option)
	}
	xtwirp.RegisterServer(mux, livekit.NewRoomServiceServer(api, options...))
	service.NewRTCService(p.conf, p.allocator, p.router, p.telemetry).SetupRoutes(mux)
	return p.admit(mux), nil
}

// admit lets in whoever has a token, from pages of any origin.
func (p *parts) admit(next http.Handler) http.Handler {
	check := service.NewAPIKeyAuthMiddleware(p.keys)
	pages := cors.New(cors.Options{AllowOriginFunc: func(string) bool { return true },
		AllowedMethods: []string{http.MethodOptions, http.MethodHead, http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"}, ExposedHeaders: []string{"*"}, MaxAge: int((24 * time.Hour).Seconds())})
	return pages.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check.ServeHTTP(w, r, next.ServeHTTP)
	}))
}

// run serves until ctx is done, and calls ready once it answers.
func (s *mediaServer) run(ctx context.Context, ready func() error) error {
	address := net.JoinHostPort(s.conf.BindAddresses[0], strconv.Itoa(int(s.conf.Port)))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("open the port for signalling: %w", err)
	}
	ended := make(chan error, 1)
	if err = errors.Join(s.router.RegisterNode(), s.router.Start(), s.signals.Start()); err != nil {
		return errors.Join(err, listener.Close())
	}
	go func() { ended <- s.http.Serve(listener) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.closeIdleRooms(ctx)
	err = ready()
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-ended:
			err = errors.Join(errors.New("the media server stopped"), err)
		}
	}
	return errors.Join(err, s.stop())
}

func (s *mediaServer) closeIdleRooms(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.rooms.CloseIdleRooms()
		}
	}
}

// stopTimeout bounds how long requests may go on; the sockets of participants do not end by themselves.
const stopTimeout = 5 * time.Second

// stop ends all rooms. Participants learn of it.
func (s *mediaServer) stop() error {
	s.router.Drain()
	s.router.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_ = s.http.Shutdown(ctx)
	s.rooms.Stop()
	s.signals.Stop()
	return s.router.UnregisterNode()
}
