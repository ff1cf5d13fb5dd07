//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// outsideCalls reach other hosts, other processes, memory that no limit counts, or the kernel's inside. Signals to
// others are refused by their arguments, in fenceRules.
var outsideCalls = append(ownOutsideCalls,
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT,
	unix.SYS_ACCEPT4, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_PTRACE,
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_TKILL,
	unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET,
	unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_MOVE_MOUNT,
	unix.SYS_MOUNT_SETATTR, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_VHANGUP, unix.SYS_FANOTIFY_INIT,
	unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH,
)

// writeCalls change files, or open them by another way than open and openat, whose arguments fenceRules looks at.
var writeCalls = append(ownWriteCalls,
	unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_MKNODAT, unix.SYS_FCHMOD,
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_TRUNCATE,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR,
	unix.SYS_FREMOVEXATTR,
)

// pathCalls open files, look at them or start programs: our own reader, once it runs, needs none of them.
var pathCalls = append(ownPathCalls,
	unix.SYS_OPENAT, unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_FACCESSAT,
	unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_STATFS, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_GETXATTR,
	unix.SYS_LGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR,
)

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
	deny := denyCall(unix.EPERM)
	rules := []callRule{
		{unix.SYS_KILL, allowIfArgument(0, self)},
		{unix.SYS_TGKILL, allowIfArgument(0, self)},
		{unix.SYS_PRLIMIT64, allowIfArgument(0, 0, self)},
		{unix.SYS_FCNTL, denyIfArgument(1, setOwner, setSignal, setOwnerEx)},
		{unix.SYS_IOCTL, denyIfArgument(1, ownTerminal, ownSocket, unix.TIOCSTI, unix.TIOCLINUX)},
		{unix.SYS_CLONE,
			[]unix.SockFilter{loadArgument(0), {Code: bpfJumpAnySet, K: unix.CLONE_THREAD, Jt: 1}, deny, allowCall}},
		{unix.SYS_CLONE3, []unix.SockFilter{denyCall(unix.ENOSYS)}}, // its flags cannot be seen; libraries go on to clone
		{unix.SYS_MMAP, []unix.SockFilter{loadArgument(3), {Code: bpfAnd, K: shared},
			{Code: bpfJumpEqual, K: shared, Jf: 1}, deny, allowCall}},
		{unix.SYS_OPENAT, []unix.SockFilter{loadArgument(2), {Code: bpfJumpAnySet, K: writes, Jf: 1}, deny, allowCall}},
	}
	if open != 0 {
		rules = append(rules,
			callRule{open, []unix.SockFilter{loadArgument(1), {Code: bpfJumpAnySet, K: writes, Jf: 1}, deny, allowCall}})
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
