//go:build unix

package local

import (
	"os/exec"
	"syscall"
)

// isolateProcess keeps a program from the signals of the server's terminal, as a server that is stopped lets its talks
// come to an end, and has it killed with all that it has started.
func isolateProcess(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
