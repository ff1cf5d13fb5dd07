// Package redisserver runs a Redis or Valkey of the machine for tests. Only test files import it.
package redisserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gomodule/redigo/redis"

	"parley/internal/testkit/check"
)

// Server is a Redis or Valkey that keeps nothing on disk.
type Server struct {
	URL string

	t            testing.TB
	program, dir string
	stop         context.CancelFunc
	cmd          *exec.Cmd
}

// Start starts a server, which ends with the test. The test is skipped where no such program is installed.
func Start(t testing.TB) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if program, err = exec.LookPath("valkey-server"); err != nil {
			t.Skip("SKIP: neither redis-server nor valkey-server is installed: nothing here is tested on Redis")
		}
	}
	dir, err := os.MkdirTemp("", "parley-redis-") // the path of a socket must be short
	check.Must(t, err)
	s := &Server{URL: "unix://" + filepath.Join(dir, "socket"), t: t, program: program, dir: dir}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	s.Restart()
	return s
}

func (s *Server) socket() string { return filepath.Join(s.dir, "socket") }

// Kill kills the server, which forgets everything. It does nothing if the server does not run.
func (s *Server) Kill() {
	if s.stop == nil {
		return
	}
	s.stop()
	_ = s.cmd.Wait()
	s.stop = nil
	_ = os.Remove(s.socket())
}

// Restart starts the server after Kill, at the same address, and waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.WithoutCancel(s.t.Context()))
	s.cmd = exec.CommandContext(ctx, s.program, "--port", "0", "--unixsocket", s.socket(), "--dir", s.dir, "--save", "")
	check.Must(s.t, s.cmd.Start())
	check.Eventually(s.t, "an answer of Redis", func() bool { return s.do("PING") == nil })
}

// CloseClients closes the connections of all clients.
func (s *Server) CloseClients() {
	s.t.Helper()
	check.Must(s.t, s.do("CLIENT", "KILL", "TYPE", "normal"))
}

// Pause has the server answer nobody for a time in milliseconds.
func (s *Server) Pause(milliseconds int) {
	s.t.Helper()
	check.Must(s.t, s.do("CLIENT", "PAUSE", milliseconds))
}

func (s *Server) do(command string, args ...any) error {
	conn, err := redis.Dial("unix", s.socket())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Do(command, args...)
	return err
}
