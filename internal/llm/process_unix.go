//go:build unix

package llm

import (
	"os/exec"
	"syscall"
)

// apart keeps a program from the signals of the server's terminal: a server that is stopped lets its talks come to an end.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
