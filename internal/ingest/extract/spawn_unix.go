//go:build unix

package extract

import (
	"os"
	"os/exec"
	"syscall"
)

// apart keeps a child from the signals of the server's terminal: it ends when the server has.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// outOfTime reports a process that has used up its processor time: nobody else kills it before its clock has run out.
func outOfTime(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL && (state.UserTime()+state.SystemTime()).Seconds() > maxChildCPUSeconds-1)
}
