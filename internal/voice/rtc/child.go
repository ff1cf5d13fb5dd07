package rtc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// ChildConfig is the media server's configuration, which it reads as one line of JSON. After that line its input only
// shows that the parent is alive: at the end of its input it exits. Secrets are passed this way, and never on the
// command line.
type ChildConfig struct {
	Key    string `json:"key"` // with which tokens are signed
	Secret string `json:"secret"`

	Loopback bool     `json:"loopback,omitempty"` // accept connections of this machine only
	UDPPort  int      `json:"udpPort,omitempty"`  // 0 for any free one
	TCPPort  int      `json:"tcpPort,omitempty"`  // 0 for none
	NodeIP   string   `json:"nodeIp,omitempty"`   // the address that clients send to; empty for the machine's own
	STUN     []string `json:"stun,omitempty"`     // servers that determine the address instead

	Debug bool `json:"debug,omitempty"` // log more
}

// ChildReady is the media server's answer, one line of JSON: its ports, or why it did not start.
type ChildReady struct {
	Port    int    `json:"port,omitempty"` // of signalling, on loopback
	UDPPort int    `json:"udpPort,omitempty"`
	TCPPort int    `json:"tcpPort,omitempty"`
	Error   string `json:"error,omitempty"`
}

const (
	childStartTimeout = 20 * time.Second // a busy machine may need some
	childStopTimeout  = 5 * time.Second
)

type childProcess struct {
	ChildReady
	cmd    *exec.Cmd
	stdin  *os.File
	stderr *childLog
	exited chan struct{} // closed when it has exited
}

// startChild starts the program and waits until it serves.
func startChild(
	ctx context.Context, exe string, args []string, cfg ChildConfig, log *slog.Logger,
) (*childProcess, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	defer func() { _ = out.Close() }()
	c := &childProcess{cmd: childCommand(exe, args), stdin: in, stderr: &childLog{log: log}, exited: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, c.stderr
	if err := errors.Join(c.startAndWait(), childIn.Close(), childOut.Close()); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := c.handshake(ctx, cfg, out); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// startAndWait starts the child and waits for its exit in a thread of its own: the kernel of Linux kills the child when
// the thread that started it ends, and Go ends threads as it likes.
func (c *childProcess) startAndWait() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // its state holds how it exited
		}
		close(c.exited)
	}()
	return <-started
}

// childCommand returns the command of the child, which gets nothing of the server's environment and none of its
// folders.
func childCommand(exe string, args []string) *exec.Cmd {
	cmd := exec.Command(exe, args...) //nolint:gosec,noctx // the server's own program, ended by it
	cmd.Env = []string{"GOTRACEBACK=single", "TZ=UTC"}
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	detachFromTerminal(cmd)
	return cmd
}

// handshake sends the child its configuration and waits for its answer.
func (c *childProcess) handshake(ctx context.Context, cfg ChildConfig, out *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, childStartTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	defer stop()
	err := json.NewEncoder(c.stdin).Encode(cfg)
	if err == nil {
		var line []byte
		if line, err = bufio.NewReader(out).ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &c.ChildReady)
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the media server did not start: %w", ctx.Err())
	case err != nil:
		c.stop()
		return fmt.Errorf("the media server did not start: %w: %s", err, c.stderr)
	case c.Error != "":
		return errors.New(c.Error)
	}
	return nil
}

// stop closes the child's input and waits for its exit; a child that does not exit is killed.
func (c *childProcess) stop() {
	_ = c.stdin.Close()
	select {
	case <-c.exited:
	case <-time.After(childStopTimeout):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// exitError returns how the child exited.
func (c *childProcess) exitError() error {
	return fmt.Errorf("the media server ended: %s %s", c.cmd.ProcessState, c.stderr)
}

// childLog receives the media server's standard error: JSON lines of slog go to our log, and the last of the other
// lines, which a program writes when it crashes, are kept.
type childLog struct {
	log *slog.Logger

	mu          sync.Mutex
	partialLine []byte // a line that is not complete yet
	lastOutput  []byte
}

const (
	maxLineBytes       = 64 << 10
	maxLastOutputBytes = 2 << 10
)

// Write accepts any part of the output and never fails.
func (c *childLog) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.partialLine = append(c.partialLine, b...)
	for {
		line, rest, complete := bytes.Cut(c.partialLine, []byte("\n"))
		if !complete && len(c.partialLine) < maxLineBytes {
			return len(b), nil
		}
		c.partialLine = rest
		c.logLine(line)
	}
}

// logLine logs one line, with the time at which it was read.
func (c *childLog) logLine(line []byte) {
	fields := map[string]any{}
	if json.Unmarshal(line, &fields) != nil {
		c.lastOutput = append(append(c.lastOutput, line...), '\n')
		c.lastOutput = c.lastOutput[max(0, len(c.lastOutput)-maxLastOutputBytes):]
		return
	}
	var level slog.Level
	name, _ := fields[slog.LevelKey].(string)
	_ = level.UnmarshalText([]byte(name)) // an unknown level is info
	text, _ := fields[slog.MessageKey].(string)
	attrs := []slog.Attr{slog.String("of", "media server")}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != slog.LevelKey && key != slog.MessageKey && key != slog.TimeKey {
			attrs = append(attrs, slog.Any(key, fields[key]))
		}
	}
	c.log.LogAttrs(context.Background(), level, text, attrs...)
}

// String returns the last output that was not a log line.
func (c *childLog) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(c.lastOutput), "?"))
}
