//go:build unix && !linux

package rtc

import (
	"os/exec"
	"syscall"
)

// detachFromTerminal keeps the child from the signals of the server's terminal. The end of its input tells it that the server is gone.
func detachFromTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
