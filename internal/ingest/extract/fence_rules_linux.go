//go:build linux && (amd64 || arm64)

package extract

import "golang.org/x/sys/unix"

const (
	bpfAnd  = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfSome = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

// fenceRules are about calls that a process needs for itself: it may signal and limit itself, make threads and no
// processes, open files to read them, and have no memory that its limit does not count. The process has the id self,
// which stays when it becomes another program.
func fenceRules(self, open uint32) []callRule {
	const (
		setOwner, setSignal, setOwnerEx = 8, 10, 15   // F_SETOWN, F_SETSIG, F_SETOWN_EX: have the kernel signal another process
		shared                          = 0x01 | 0x20 // MAP_SHARED | MAP_ANONYMOUS
		writes                          = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC
		ownTerminal, ownSocket          = 0x8901, 0x8902 // FIOSETOWN, SIOCSPGRP
	)
	no := refuseCall(unix.EPERM)
	rules := []callRule{
		{unix.SYS_KILL, onlyIf(0, self)},
		{unix.SYS_TGKILL, onlyIf(0, self)},
		{unix.SYS_PRLIMIT64, onlyIf(0, 0, self)},
		{unix.SYS_FCNTL, unless(1, setOwner, setSignal, setOwnerEx)},
		{unix.SYS_IOCTL, unless(1, ownTerminal, ownSocket, unix.TIOCSTI, unix.TIOCLINUX)},
		{unix.SYS_CLONE, []unix.SockFilter{argument(0), {Code: bpfSome, K: unix.CLONE_THREAD, Jt: 1}, no, allowCall}},
		{unix.SYS_CLONE3, []unix.SockFilter{refuseCall(unix.ENOSYS)}}, // its flags cannot be seen; libraries go on to clone
		{unix.SYS_MMAP, []unix.SockFilter{argument(3), {Code: bpfAnd, K: shared}, {Code: bpfSame, K: shared, Jf: 1}, no, allowCall}},
		{unix.SYS_OPENAT, []unix.SockFilter{argument(2), {Code: bpfSome, K: writes, Jf: 1}, no, allowCall}},
	}
	if open != 0 {
		rules = append(rules, callRule{open, []unix.SockFilter{argument(1), {Code: bpfSome, K: writes, Jf: 1}, no, allowCall}})
	}
	return rules
}

// argument loads the lower half of an argument.
func argument(n uint32) unix.SockFilter { return unix.SockFilter{Code: bpfLoad, K: 16 + 8*n} }

// onlyIf allows a call whose argument is one of the values.
func onlyIf(n uint32, values ...uint32) []unix.SockFilter {
	p := []unix.SockFilter{argument(n)}
	for _, v := range values {
		p = append(p, unix.SockFilter{Code: bpfSame, K: v, Jf: 1}, allowCall)
	}
	return append(p, refuseCall(unix.EPERM))
}

// unless allows a call whose argument is none of the values.
func unless(n uint32, values ...uint32) []unix.SockFilter {
	p := []unix.SockFilter{argument(n)}
	for _, v := range values {
		p = append(p, unix.SockFilter{Code: bpfSame, K: v, Jf: 1}, refuseCall(unix.EPERM))
	}
	return append(p, allowCall)
}
