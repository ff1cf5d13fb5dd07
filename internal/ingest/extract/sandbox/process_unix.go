//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// setProcessGroup keeps a process from the signals of the server's terminal: it ends when the server has.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// isOutOfTime reports whether a process has used up its processor time: nobody else kills it before its clock has run
// out.
func isOutOfTime(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL &&
		(state.UserTime()+state.SystemTime()).Seconds() > maxCPUSeconds-1)
}
