package rtc

import (
	"os/exec"
	"syscall"
)

// detachFromTerminal keeps the signals of the server's terminal from the child. The kernel kills it when the server is
// gone, for whatever reason.
func detachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
