package rtc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"
)

// ChildConfig is what the media server is told: the first line it reads, in JSON. What it reads afterwards means nothing but
// that its parent is alive: at the end of its input it ends. Secrets go this way, and never by the command line.
type ChildConfig struct {
	Key    string `json:"key"` // under which tokens are signed
	Secret string `json:"secret"`

	Loopback bool     `json:"loopback,omitempty"` // be reached from this machine only
	UDPPort  int      `json:"udpPort,omitempty"`  // 0 takes a free one
	TCPPort  int      `json:"tcpPort,omitempty"`  // 0 for none
	NodeIP   string   `json:"nodeIp,omitempty"`   // the address that clients send to; empty takes the machine's own
	STUN     []string `json:"stun,omitempty"`     // servers that tell the address, in its place

	Debug bool `json:"debug,omitempty"` // log more
}

// ChildReady is what the media server answers, in one line of JSON: its ports, or why it has none.
type ChildReady struct {
	Port    int    `json:"port,omitempty"` // of signalling, on loopback
	UDPPort int    `json:"udpPort,omitempty"`
	TCPPort int    `json:"tcpPort,omitempty"`
	Error   string `json:"error,omitempty"`
}

const (
	childStartTimeout = 20 * time.Second // a machine that is busy may need some
	childStopTimeout  = 5 * time.Second
)

// childProcess is a running media server.
type childProcess struct {
	ChildReady
	cmd    *exec.Cmd
	stdin  *os.File
	stderr *childLog
	exited chan struct{} // closed when it has ended
}

// startChild runs the program and waits until it serves.
func startChild(ctx context.Context, exe string, args []string, cfg ChildConfig, log *slog.Logger) (*childProcess, error) {
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
	started := c.startAndWait()
	if err := errors.Join(<-started, childIn.Close(), childOut.Close()); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := c.handshake(ctx, cfg, out); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// childCommand returns the child nothing of the server's environment, and no folder of it.
func childCommand(exe string, args []string) *exec.Cmd {
	cmd := exec.Command(exe, args...) //nolint:gosec,noctx // the server's own program, ended by it
	cmd.Env = []string{"GOTRACEBACK=single", "TZ=UTC"}
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	detachFromTerminal(cmd)
	return cmd
}

// handshake tells the child what it is to be and waits for its answer.
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

// stop lets the child finish and waits for it; one that does not is killed.
func (c *childProcess) stop() {
	_ = c.stdin.Close()
	select {
	case <-c.exited:
	case <-time.After(childStopTimeout):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// exitError tells how the child ended.
func (c *childProcess) exitError() error {
	return fmt.Errorf("the media server ended: %s %s", c.cmd.ProcessState, c.stderr)
}
