package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	readyTimeout = 30 * time.Second
	stopTimeout  = 40 * time.Second
)

// readyLine is the line that each of our processes prints when it answers.
type readyLine struct {
	Ready bool   `json:"ready"`
	URL   string `json:"url"`
}

// Server is a process that serves HTTP.
type Server struct {
	URL     string
	cmd     *exec.Cmd
	Started time.Time
	done    chan struct{}
}

// StartSelf starts this program as another process of the run.
func StartSelf(ctx context.Context, logDir string, part ...string) (*Server, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return Start(ctx, logDir, exec.CommandContext(ctx, executable, part...))
}

// Start starts the process and waits until it is ready. Its stderr is stored in logDir, to explain a failure.
func Start(ctx context.Context, logDir string, cmd *exec.Cmd) (*Server, error) {
	name := filepath.Base(cmd.Path) + " " + strings.Join(cmd.Args[1:min(2, len(cmd.Args))], "")
	log, err := os.CreateTemp(logDir, "stderr-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &Server{cmd: cmd, Started: time.Now(), done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if c.URL, err = readReadyLine(ctx, out); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%s: %w\n%s", name, err, fileTail(log.Name()))
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

func readReadyLine(ctx context.Context, out io.Reader) (string, error) {
	lines := make(chan readyLine, 1)
	go func() {
		var r readyLine
		line, _ := bufio.NewReader(out).ReadBytes('\n')
		_ = json.Unmarshal(line, &r)
		lines <- r
	}()
	select {
	case r := <-lines:
		if !r.Ready {
			return "", errors.New("did not become ready")
		}
		return r.URL, nil
	case <-time.After(readyTimeout):
		return "", fmt.Errorf("not ready within %v", readyTimeout)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func fileTail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}

// Stop ends the process with SIGTERM, and kills it when that takes too long.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}

// ServeUntilDone listens, prints the ready line, and serves until ctx is done.
func ServeUntilDone(ctx context.Context, stdout io.Writer, h http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stopped()
	if err := json.NewEncoder(stdout).Encode(readyLine{Ready: true, URL: "http://" + l.Addr().String()}); err != nil {
		return err
	}
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Sleep waits, and reports false when ctx is done first.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
