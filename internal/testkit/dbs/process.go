package dbs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a running postmaster.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// startProcess starts the command and returns once it reports that it is ready. The signal at the parent's death hangs
// on the thread that forked, so that thread is kept until the server ends.
func startProcess(cmd *exec.Cmd) (*process, error) {
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started, ready, output := make(chan error), make(chan struct{}), make(chan string, 1)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		output <- watchOutput(out, ready)
		_ = cmd.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	select {
	case <-ready:
		return p, nil
	case text := <-output:
		return nil, fmt.Errorf("PostgreSQL did not start:\n%s", text)
	case <-time.After(time.Minute):
		p.kill()
		return nil, fmt.Errorf("PostgreSQL did not start within a minute")
	}
}

// watchOutput closes ready when the server reports that it is ready, and returns its first lines of output when it
// ends.
func watchOutput(out io.Reader, ready chan<- struct{}) string {
	var b strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if b.Len() < 8000 {
			b.WriteString(lines.Text() + "\n")
		}
		if ready != nil && strings.Contains(lines.Text(), "ready to accept connections") {
			close(ready)
			ready = nil
		}
	}
	return b.String()
}

// kill stops the postmaster so that it forks no more, kills its children and then itself. All of them hold the pipe
// that watchOutput reads, so when that has ended none is left to keep the next start away from the shared memory.
func (p *process) kill() {
	pid := p.cmd.Process.Pid
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	for _, child := range childPIDs(pid) {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	<-p.exited
}

func childPIDs(pid int) []int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	var pids []int
	for _, word := range strings.Fields(string(text)) {
		if n, err := strconv.Atoi(word); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}
