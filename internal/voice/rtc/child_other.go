//go:build !unix

package rtc

import "os/exec"

func detachFromTerminal(*exec.Cmd) {}
