package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errNoFilter says that no list of calls is written for this architecture.
var errNoFilter = fmt.Errorf("seccomp: no filter is written for %s", runtime.GOARCH)

// installFilter takes from the process, all its threads and whatever it becomes, the calls that reach beyond it: they
// fail with EPERM (seccomp, no way back). With outside set it may still open files to read them and turn into another
// program.
func installFilter(outside bool) error {
	if fenceArch == 0 {
		return errNoFilter
	}
	denied := slices.Concat(outsideCalls, writeCalls)
	if !outside {
		denied = append(denied, pathCalls...)
	}
	return applyFilter(buildFilter(fenceArch, fenceX32, denied, fenceRules(uint32(unix.Getpid()), openCall)))
}

// hasFilters reports whether the kernel filters calls: it looks for the filter before anything else, and there is
// none here.
func hasFilters() error {
	if fenceArch == 0 {
		return errNoFilter
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, 0, 0)
	if errno == unix.EFAULT {
		return nil
	}
	return fmt.Errorf("seccomp: %w", errno)
}

const setModeFilter = 1 // SECCOMP_SET_MODE_FILTER

// What a filter is made of: classic BPF.
const (
	bpfLoad        = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfJumpEqual   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfJumpAtLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfReturn      = unix.BPF_RET | unix.BPF_K
	bpfAllow       = 0x7fff0000
	bpfDeny        = 0x00050000 // with the error number
)

var allowCall = unix.SockFilter{Code: bpfReturn, K: bpfAllow}

func denyCall(errno unix.Errno) unix.SockFilter {
	return unix.SockFilter{Code: bpfReturn, K: bpfDeny | uint32(errno)}
}

// callRule decides a call by its arguments: its last instruction ends the filter.
type callRule struct {
	call         uint32
	instructions []unix.SockFilter
}

// buildFilter returns the filter: the wrong architecture and each call of the list are refused, the rules decide on
// theirs, and everything else is allowed.
func buildFilter(arch uint32, x32 bool, denied []uint32, rules []callRule) []unix.SockFilter {
	const (
		atNumber, atArch = 0, 4 // in struct seccomp_data
		x32Bit           = 0x40000000
	)
	deny := denyCall(unix.EPERM)
	p := []unix.SockFilter{{Code: bpfLoad, K: atArch}, {Code: bpfJumpEqual, K: arch, Jt: 1}, deny,
		{Code: bpfLoad, K: atNumber}}
	if x32 {
		p = append(p, unix.SockFilter{Code: bpfJumpAtLeast, K: x32Bit, Jf: 1}, deny)
	}
	for _, call := range denied {
		p = append(p, unix.SockFilter{Code: bpfJumpEqual, K: call, Jf: 1}, deny)
	}
	for _, r := range rules {
		p = append(p, unix.SockFilter{Code: bpfJumpEqual, K: r.call, Jf: uint8(len(r.instructions))})
		p = append(p, r.instructions...)
	}
	return append(p, allowCall)
}

func applyFilter(filter []unix.SockFilter) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	p := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	left, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&p))) //nolint:gosec // the kernel reads the filter through it
	runtime.KeepAlive(filter)
	switch {
	case errno != 0:
		return fmt.Errorf("seccomp: %w", errno)
	case left != 0:
		return errors.New("seccomp: a thread could not be fenced")
	}
	return nil
}
