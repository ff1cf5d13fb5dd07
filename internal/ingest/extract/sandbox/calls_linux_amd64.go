package sandbox

import "golang.org/x/sys/unix"

// The calls of this architecture that a fence refuses beside those that all have.
var (
	fenceArch       uint32 = unix.AUDIT_ARCH_X86_64
	fenceX32               = true
	ownOutsideCalls        = []uint32{unix.SYS_IOPERM, unix.SYS_IOPL, unix.SYS_MODIFY_LDT, unix.SYS_FORK,
		unix.SYS_VFORK, unix.SYS_INOTIFY_INIT}
	ownWriteCalls = []uint32{unix.SYS_CREAT, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_LINK,
		unix.SYS_UNLINK, unix.SYS_SYMLINK, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_MKNOD,
		unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	ownPathCalls = []uint32{unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK}

	openCall uint32 = unix.SYS_OPEN
)
