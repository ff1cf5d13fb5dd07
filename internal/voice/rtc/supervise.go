package rtc

import (
	"context"
	"net"
	"net/url"
	"time"
)

const (
	firstPause = 200 * time.Millisecond
	mostPause  = 30 * time.Second
	steady     = time.Minute // a child that has lived so long may start again at once
)

// supervise keeps a child running until Close, and starts another when one dies: at once, then after longer and longer pauses.
func (s *Server) supervise() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.worked.Go(func() {
		select {
		case <-s.closed:
			cancel()
		case <-ctx.Done():
		}
	})
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		began := time.NewTimer(steady)
		s.live(ctx)
		if !began.Stop() {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// live starts a child and waits for its end.
func (s *Server) live(ctx context.Context) {
	s.turn(nil, nil)
	cfg := s.Child
	cfg.Key, cfg.Secret = s.credentials()
	args := s.Args
	if args == nil {
		args = []string{"sfu"}
	}
	c, err := startChild(ctx, s.Exe, args, cfg, s.Log)
	if err != nil {
		s.turn(nil, err)
		s.complain(ctx, "there can be no voice sessions", err)
		return
	}
	s.Log.Info("the media server runs", "pid", c.cmd.Process.Pid, "port", c.Port, "udp", c.UDPPort, "tcp", c.TCPPort)
	s.turn(c, nil)
	if s.Child.Loopback && !local(s.ClientURL) {
		s.Log.Warn("sound stays on this machine, and browsers come from elsewhere: --voice-node-ip (PARLEY_VOICE_NODE_IP) names the address that they send it to", "host", host(s.ClientURL))
	}
	select {
	case <-c.gone:
		_ = c.in.Close()
		err := c.died()
		s.turn(nil, nil)
		s.complain(ctx, "the voice sessions are lost", err)
		if s.Lost != nil && ctx.Err() == nil {
			s.Lost(err)
		}
	case <-ctx.Done():
		c.end()
	}
}

func (s *Server) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.ErrorContext(ctx, what, "err", err)
	}
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// local reports an address of this machine alone. What cannot be read is taken for one.
func local(address string) bool {
	name := host(address)
	ip := net.ParseIP(name)
	return name == "" || name == "localhost" || ip != nil && ip.IsLoopback()
}
