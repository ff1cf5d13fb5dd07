package main

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
	readyWithin = 30 * time.Second
	stopWithin  = 40 * time.Second
)

// readiness is the line that each of our processes prints when it answers.
type readiness struct {
	Ready bool   `json:"ready"`
	URL   string `json:"url"`
}

// child is a process that serves HTTP.
type child struct {
	url     string
	cmd     *exec.Cmd
	started time.Time
	done    chan struct{}
}

// self starts this very program in another part.
func (b *bench) self(ctx context.Context, part ...string) (*child, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return b.launch(ctx, exec.CommandContext(ctx, me, part...))
}

// launch starts the process and waits until it is ready. What it writes to stderr is kept to explain a failure.
func (b *bench) launch(ctx context.Context, cmd *exec.Cmd) (*child, error) {
	name := filepath.Base(cmd.Path) + " " + strings.Join(cmd.Args[1:min(2, len(cmd.Args))], "")
	log, err := os.CreateTemp(b.dir, "stderr-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopWithin
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, started: time.Now(), done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if c.url, err = ready(ctx, out); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%s: %w\n%s", name, err, tail(log.Name()))
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

func ready(ctx context.Context, out io.Reader) (string, error) {
	said := make(chan readiness, 1)
	go func() {
		var r readiness
		line, _ := bufio.NewReader(out).ReadBytes('\n')
		_ = json.Unmarshal(line, &r)
		said <- r
	}()
	select {
	case r := <-said:
		if !r.Ready {
			return "", errors.New("did not become ready")
		}
		return r.URL, nil
	case <-time.After(readyWithin):
		return "", fmt.Errorf("not ready within %v", readyWithin)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}

// stop ends the process as an operator would, and by force when that takes too long.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(stopWithin):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

// serve is the other side: it listens, says so, and serves until ctx is done.
func serve(ctx context.Context, stdout io.Writer, h http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stopped()
	if err := json.NewEncoder(stdout).Encode(readiness{Ready: true, URL: "http://" + l.Addr().String()}); err != nil {
		return err
	}
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
