package rtc

import (
	"context"
	"net"
	"net/url"
	"time"
)

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

// runChild starts a child and waits for its end.
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

func (s *Server) logFailure(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.ErrorContext(ctx, what, "err", err)
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
