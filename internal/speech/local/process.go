// Package local speaks and understands speech with programs on this machine.
package local

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"parley/internal/httpclient"
)

// engineProcess is a running speech engine: a program that reads its input, writes its output and ends. It is killed
// when its context is done, or when it is silent for too long, and is always waited for.
type engineProcess struct {
	cmd            *exec.Cmd
	stdout         io.Reader
	stderr         errorOutput // what it wrote to its error output; once waitForExit has returned
	ctx            context.Context
	cancel         context.CancelCauseFunc
	timer          *time.Timer
	silenceTimeout time.Duration // longest silence
}

// startProgram runs a program without a shell, with nothing of the server's environment and in no folder of it.
func startProgram(parent context.Context, wait time.Duration, input io.Reader, program string,
	args ...string) (*engineProcess, error) {
	p := &engineProcess{silenceTimeout: wait}
	p.ctx, p.cancel = context.WithCancelCause(parent)
	p.cmd = exec.CommandContext(p.ctx, program, args...) //nolint:gosec // the operator's; no argument is a stranger's
	p.cmd.Env = []string{"LANG=C.UTF-8", "TZ=UTC"}
	p.cmd.Dir = os.TempDir()
	p.cmd.Stdin, p.cmd.Stderr = input, &p.stderr
	p.cmd.WaitDelay = time.Second
	isolateProcess(p.cmd)
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.cancel(nil)
		return nil, err
	}
	p.stdout = out
	p.timer = time.AfterFunc(wait, func() { p.cancel(httpclient.ErrProviderSilent) })
	p.timer.Stop()
	return p, nil
}

// Read implements io.Reader. Only the time that the program lets a reader wait counts against it.
func (p *engineProcess) Read(b []byte) (int, error) {
	p.timer.Reset(p.silenceTimeout)
	n, err := p.stdout.Read(b)
	p.timer.Stop()
	if err != nil && p.ctx.Err() != nil {
		err = context.Cause(p.ctx)
	}
	return n, err
}

// waitForExit waits for the end of a program whose output was read to its end, and returns how it ended.
func (p *engineProcess) waitForExit() error {
	p.timer.Reset(p.silenceTimeout)
	err := p.cmd.Wait()
	p.timer.Stop()
	cause := context.Cause(p.ctx)
	p.cancel(nil)
	switch {
	case cause != nil:
		return cause
	case err != nil:
		return fmt.Errorf("%s: %w: %s", p.cmd.Path, err, bytes.TrimSpace(p.stderr.text))
	}
	return nil
}

func (p *engineProcess) kill() {
	p.timer.Stop()
	p.cancel(httpclient.ErrConsumerStopped)
	_ = p.cmd.Wait() // how it ended matters to nobody
}

// runProgram returns the whole output of a program, at most so many bytes.
func runProgram(ctx context.Context, wait time.Duration, limit int64, input io.Reader, program string,
	args ...string) ([]byte, error) {
	p, err := startProgram(ctx, wait, input, program, args...)
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(p, limit+1))
	if err == nil && int64(len(out)) > limit {
		err = httpclient.ErrStreamTooLong
	}
	if err != nil {
		p.kill()
		return nil, err
	}
	return out, p.waitForExit()
}

// errorOutput keeps the beginning of what is written to it.
type errorOutput struct{ text []byte }

// Write implements io.Writer.
func (o *errorOutput) Write(b []byte) (int, error) {
	o.text = append(o.text, b[:min(len(b), httpclient.MaxCauseBytes-len(o.text))]...)
	return len(b), nil
}
