//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

const (
	bpfAnd        = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfJumpAnySet = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

// fenceRules returns the rules about calls that a process needs for itself: it may signal and limit itself, make
// threads and no processes, open files to read them, and have no memory that its limit does not count. The process has
// the id self, which stays when it becomes another program.
func fenceRules(self, open uint32) []callRule {
	const (
		// F_SETOWN, F_SETSIG, F_SETOWN_EX: have the kernel signal another process
		setOwner, setSignal, setOwnerEx = 8, 10, 15
		shared                          = 0x01 | 0x20 // MAP_SHARED | MAP_ANONYMOUS
		writes                          = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC
		ownTerminal, ownSocket          = 0x8901, 0x8902 // FIOSETOWN, SIOCSPGRP
	)
	no := denyCall(unix.EPERM)
	rules := []callRule{
		{unix.SYS_KILL, allowIfArgument(0, self)},
		{unix.SYS_TGKILL, allowIfArgument(0, self)},
		{unix.SYS_PRLIMIT64, allowIfArgument(0, 0, self)},
		{unix.SYS_FCNTL, denyIfArgument(1, setOwner, setSignal, setOwnerEx)},
		{unix.SYS_IOCTL, denyIfArgument(1, ownTerminal, ownSocket, unix.TIOCSTI, unix.TIOCLINUX)},
		{unix.SYS_CLONE,
			[]unix.SockFilter{loadArgument(0), {Code: bpfJumpAnySet, K: unix.CLONE_THREAD, Jt: 1}, no, allowCall}},
		{unix.SYS_CLONE3, []unix.SockFilter{denyCall(unix.ENOSYS)}}, // its flags cannot be seen; libraries go on to clone
		{unix.SYS_MMAP, []unix.SockFilter{loadArgument(3), {Code: bpfAnd, K: shared},
			{Code: bpfJumpEqual, K: shared, Jf: 1}, no, allowCall}},
		{unix.SYS_OPENAT, []unix.SockFilter{loadArgument(2), {Code: bpfJumpAnySet, K: writes, Jf: 1}, no, allowCall}},
	}
	if open != 0 {
		rules = append(rules,
			callRule{open, []unix.SockFilter{loadArgument(1), {Code: bpfJumpAnySet, K: writes, Jf: 1}, no, allowCall}})
	}
	return rules
}

// loadArgument loads the lower half of an argument.
func loadArgument(n uint32) unix.SockFilter { return unix.SockFilter{Code: bpfLoad, K: 16 + 8*n} }

// allowIfArgument allows a call whose argument is one of the values.
func allowIfArgument(n uint32, values ...uint32) []unix.SockFilter {
	p := []unix.SockFilter{loadArgument(n)}
	for _, v := range values {
		p = append(p, unix.SockFilter{Code: bpfJumpEqual, K: v, Jf: 1}, allowCall)
	}
	return append(p, denyCall(unix.EPERM))
}

// denyIfArgument allows a call whose argument is none of the values.
func denyIfArgument(n uint32, values ...uint32) []unix.SockFilter {
	p := []unix.SockFilter{loadArgument(n)}
	for _, v := range values {
		p = append(p, unix.SockFilter{Code: bpfJumpEqual, K: v, Jf: 1}, denyCall(unix.EPERM))
	}
	return append(p, allowCall)
}
