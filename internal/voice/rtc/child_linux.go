package rtc

import (
	"os/exec"
	"runtime"
	"syscall"
)

// detachFromTerminal keeps the signals of the server's terminal from the child. The kernel kills it when the server is
// gone, for whatever reason.
func detachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startAndWait starts the child and waits for its exit in a thread of its own: the kernel kills the child when the
// thread that started it ends, and Go ends threads as it likes.
func (c *childProcess) startAndWait() <-chan error {
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
	return started
}
