package rtc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

var errClosed = errors.New("the media server is being stopped")

// Available reports whether there can be rooms at all.
func (s *Server) Available() bool { return s.URL != "" || s.Executable != "" }

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

// Ports returns the running child's ports for media; zeros if there is no child.
func (s *Server) Ports() (udp, tcp int) {
	if c := s.runningChild(); c != nil {
		return c.UDPPort, c.TCPPort
	}
	return 0, 0
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
