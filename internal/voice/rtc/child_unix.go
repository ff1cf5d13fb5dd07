//go:build unix && !linux

package rtc

import (
	"os/exec"
	"syscall"
)

// detachFromTerminal keeps the signals of the server's terminal from the child. It exits at the end of its input when
// the server is gone.
func detachFromTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
