package rtc

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Server manages the rooms of voice sessions: in a media server that runs as a child of this program from the first
// session on, or in a LiveKit server that others run. Its fields must not change once it is used.
type Server struct {
	Executable string      // the program whose command "sfu" is the media server; empty if there is none
	Args       []string    // its arguments; nil for "sfu"
	Child      ChildConfig // its configuration, except for key and secret, which are generated

	URL    string // of a LiveKit server in place of the child: ws, wss, http or https
	Key    string
	Secret string

	ClientURL string // the address that user tokens name: ws or wss

	Now         func() time.Time
	Log         *slog.Logger
	OnChildExit func(cause error) // called when the child has died, and every room with it; may be nil

	credentialsOnce sync.Once
	startOnce       sync.Once
	key             string
	secret          string
	ctx             context.Context // done when the server is closed
	cancel          context.CancelFunc
	workers         sync.WaitGroup

	mu      sync.Mutex
	child   *childProcess
	failure error         // why there is no child, until the next attempt
	changed chan struct{} // closed and replaced when child or failure change
}

// ErrNoMediaServer is returned if this program has no media server and no other is configured.
var ErrNoMediaServer = errors.New("this program was built without a media server, and no LiveKit is configured")

// ErrNoVoice is returned if this program was built without WebRTC, so that no media server helps.
var ErrNoVoice = errors.New("this program was built without voice (tag novoice)")

var errClosed = errors.New("the media server is being stopped")

// Available reports whether there can be rooms with an agent at all.
func (s *Server) Available() bool { return Available && (s.URL != "" || s.Executable != "") }

// IsLocal reports whether the rooms are on this machine, in the child.
func (s *Server) IsLocal() bool { return s.URL == "" }

func (s *Server) start() {
	s.credentialsOnce.Do(func() {
		s.key, s.secret = s.Key, s.Secret
		if s.URL == "" {
			s.key, s.secret = "parley", rand.Text()+rand.Text()
		}
		s.ctx, s.cancel = context.WithCancel(context.Background())
		s.changed = make(chan struct{})
	})
}

func (s *Server) credentials() (key, secret string) {
	s.start()
	return s.key, s.secret
}

// Address returns the WebSocket address at which the agent joins, and starts the child if it is not running. It fails
// while the child fails to start.
func (s *Server) Address(ctx context.Context) (string, error) {
	if s.URL != "" {
		return withScheme(s.URL, "ws"), nil
	}
	c, err := s.waitForChild(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("ws://127.0.0.1:%d", c.Port), nil
}

// PID returns the process id of the running child; 0 if there is none.
func (s *Server) PID() int {
	if c := s.runningChild(); c != nil {
		return c.cmd.Process.Pid
	}
	return 0
}

// withScheme returns an address with the scheme for WebSockets ("ws") or requests ("http"), with TLS if it had that.
func withScheme(address, to string) string {
	kind, rest, found := strings.Cut(address, "://")
	if !found {
		return address
	}
	if kind == "wss" || kind == "https" {
		to += "s"
	}
	return strings.TrimSuffix(to+"://"+rest, "/")
}

func (s *Server) runningChild() *childProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child
}

// waitForChild waits until the child runs, and starts it if necessary.
func (s *Server) waitForChild(ctx context.Context) (*childProcess, error) {
	if s.Executable == "" {
		return nil, ErrNoMediaServer
	}
	s.start()
	s.startOnce.Do(func() { s.workers.Go(s.supervise) })
	for {
		s.mu.Lock()
		child, failure, changed := s.child, s.failure, s.changed
		s.mu.Unlock()
		if child != nil || failure != nil {
			return child, failure
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the child and with it every room. No child starts after it.
func (s *Server) Close() {
	s.start()
	s.startOnce.Do(func() {}) // a child that was never started is not started any more
	s.cancel()
	s.setChild(nil, errClosed)
	s.workers.Wait()
	roomServiceClient.CloseIdleConnections()
}

// setChild sets the child, or why there is none, and wakes those who wait for it.
func (s *Server) setChild(c *childProcess, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		c, failure = nil, errClosed
	}
	s.child, s.failure = c, failure
	close(s.changed)
	s.changed = make(chan struct{})
}

var roomServiceClient = &http.Client{Timeout: 10 * time.Second}

const (
	minRestartPause = 200 * time.Millisecond
	maxRestartPause = 30 * time.Second
	steadyAfter     = time.Minute // a child that has run this long is restarted at once
)

// supervise keeps a child running until Close, and restarts it when it dies: at once, then after growing pauses.
func (s *Server) supervise() {
	for pause := minRestartPause; ; pause = min(2*pause, maxRestartPause) {
		began := time.NewTimer(steadyAfter)
		s.runChild(s.ctx)
		if !began.Stop() {
			pause = minRestartPause
		}
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Server) runChild(ctx context.Context) {
	s.setChild(nil, nil)
	cfg := s.Child
	cfg.Key, cfg.Secret = s.credentials()
	args := s.Args
	if args == nil {
		args = []string{"sfu"}
	}
	c, err := startChild(ctx, s.Executable, args, cfg, s.Log)
	if err != nil {
		s.setChild(nil, err)
		s.logFailure(ctx, "there can be no voice sessions", err)
		return
	}
	s.Log.Info("the media server runs", "pid", c.cmd.Process.Pid, "port", c.Port, "udp", c.UDPPort, "tcp", c.TCPPort)
	s.setChild(c, nil)
	if s.Child.Loopback && !isLoopback(s.ClientURL) {
		s.Log.Warn("sound stays on this machine, and browsers come from elsewhere: --voice-node-ip "+
			"(PARLEY_VOICE_NODE_IP) names the address that they send it to",
			"host", hostName(s.ClientURL))
	}
	select {
	case <-c.exited:
		_ = c.stdin.Close()
		err := c.exitError()
		s.setChild(nil, nil)
		s.logFailure(ctx, "the voice sessions are lost", err)
		if s.OnChildExit != nil && ctx.Err() == nil {
			s.OnChildExit(err)
		}
	case <-ctx.Done():
		c.stop()
	}
}

func (s *Server) logFailure(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		s.Log.ErrorContext(ctx, message, "err", err)
	}
}

func hostName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isLoopback reports whether an address is of this machine alone. An unreadable one counts as such.
func isLoopback(address string) bool {
	name := hostName(address)
	ip := net.ParseIP(name)
	return name == "" || name == "localhost" || ip != nil && ip.IsLoopback()
}

// Room describes a room to the media server.
type Room struct {
	Name             string        // at most 256 bytes
	EmptyTimeout     time.Duration // how long it is kept without its user
	DepartureTimeout time.Duration // how long it is kept after its user has left
}

// ErrRefused is a refusal of the media server that will not change on another try.
var ErrRefused = errors.New("the media server refused")

// CreateRoom creates a room for one user, whom agents may join. Nobody can join a room that was not created.
func (s *Server) CreateRoom(ctx context.Context, r Room) error {
	return s.callRoomService(ctx, "CreateRoom", map[string]any{
		"name": r.Name, "max_participants": 1,
		"empty_timeout": int64(r.EmptyTimeout / time.Second), "departure_timeout": int64(r.DepartureTimeout / time.Second),
	})
}

// DeleteRoom removes everybody from a room for good: its tokens are refused from then on. A room that does not exist is
// no error.
func (s *Server) DeleteRoom(ctx context.Context, name string) error {
	if s.URL == "" && s.runningChild() == nil {
		return nil
	}
	err := s.callRoomService(ctx, "DeleteRoom", map[string]any{"room": name})
	var refusal *serverError
	if errors.As(err, &refusal) && refusal.Code == "not_found" {
		return nil
	}
	return err
}

type serverError struct {
	Status int    `json:"-"`
	Code   string `json:"code"`
	Msg    string `json:"msg"`
}

func (e *serverError) Error() string {
	return fmt.Sprintf("the media server answered %d %s: %s", e.Status, e.Code, e.Msg)
}

// Is reports whether the error is an ErrRefused.
func (e *serverError) Is(target error) bool {
	return target == ErrRefused && e.Status >= 400 && e.Status < 500
}

// callRoomService calls LiveKit's room service, which speaks Twirp with JSON.
func (s *Server) callRoomService(ctx context.Context, method string, body any) error {
	address, err := s.Address(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		withScheme(address, "http")+"/twirp/livekit.RoomService/"+method, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.adminToken())
	resp, err := roomServiceClient.Do(r)
	if err != nil {
		return fmt.Errorf("ask the media server: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode == http.StatusOK {
		return err
	}
	refused := &serverError{Status: resp.StatusCode}
	if json.Unmarshal(reply, refused) != nil {
		refused.Code, refused.Msg = "malformed", "no JSON"
	}
	return refused
}
