package extract

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fence takes from the process, all its threads and whatever it becomes, the calls that reach beyond it: they fail with EPERM
// (seccomp, no way back). With outside set it may still open files and turn into one other program.
func fence(outside bool) error {
	if fenceArch == 0 {
		return fmt.Errorf("no fence is written for %s", runtime.GOARCH)
	}
	denied := slices.Concat(networkCalls, ownNetwork)
	if !outside {
		denied = slices.Concat(denied, fileCalls, ownFileCalls)
	}
	return install(program(fenceArch, fenceX32, denied))
}

// program is a filter in classic BPF: the wrong architecture and each call of the list are refused, everything else is allowed.
func program(arch uint32, x32 bool, denied []uint32) []unix.SockFilter {
	const (
		load = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		same = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		from = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		end  = unix.BPF_RET | unix.BPF_K

		atNumber, atArch = 0, 4 // in struct seccomp_data
		allow            = 0x7fff0000
		refused          = 0x00050000 | uint32(unix.EPERM)
		x32Bit           = 0x40000000
	)
	p := []unix.SockFilter{{Code: load, K: atArch}, {Code: same, K: arch, Jt: 1}, {Code: end, K: refused}, {Code: load, K: atNumber}}
	if x32 {
		p = append(p, unix.SockFilter{Code: from, K: x32Bit, Jf: 1}, unix.SockFilter{Code: end, K: refused})
	}
	for _, call := range denied {
		p = append(p, unix.SockFilter{Code: same, K: call, Jf: 1}, unix.SockFilter{Code: end, K: refused})
	}
	return append(p, unix.SockFilter{Code: end, K: allow})
}

func install(filter []unix.SockFilter) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	const setModeFilter = 1
	p := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	left, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&p))) //nolint:gosec // the kernel reads the filter through it
	runtime.KeepAlive(filter)
	switch {
	case errno != 0:
		return fmt.Errorf("seccomp: %w", errno)
	case left != 0:
		return errors.New("seccomp: a thread could not be fenced")
	}
	return nil
}

// Become turns the process into a program that reads a file from its standard input, within the limits of a child and without
// sockets. It returns only when it fails.
func Become(program string, args []string) error {
	limitCPU(childCPU)
	if err := errors.Join(limitMemory(), fence(true)); err != nil {
		return err
	}
	return unix.Exec(program, append([]string{program}, args...), []string{"LC_ALL=C.UTF-8", "HOME=/nonexistent", "PATH=/usr/bin:/bin"})
}
