package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock can keep a process from by each of its versions. A version takes over what the ones before it could.
const (
	accessFilesV1 = 1<<13 - 1 // open, execute, list, make and remove
	accessFilesV2 = accessFilesV1 | unix.LANDLOCK_ACCESS_FS_REFER
	accessFilesV3 = accessFilesV2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	accessFilesV5 = accessFilesV3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	accessNetV4   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopeV6       = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL

	accessReadFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	accessReadTree = accessReadFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	accessRunFile  = accessReadFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
)

// landlockVersion returns the version of Landlock that the kernel has, or why there is none.
func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("use Landlock: %w", errno)
	}
	return int(v), nil
}

// allowedPath is a file or a folder, with everything below it, that stays open to a process.
type allowedPath struct {
	name   string
	access uint64
}

// newRuleset makes the rules under which nothing is open but the paths. Those that do not exist are left out.
func newRuleset(open []allowedPath) (fd int, err error) {
	version, err := landlockVersion()
	if err != nil {
		return 0, err
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: accessFilesV1}
	switch {
	case version >= 5:
		rules.Handled_access_fs = accessFilesV5
	case version >= 3:
		rules.Handled_access_fs = accessFilesV3
	case version == 2:
		rules.Handled_access_fs = accessFilesV2
	}
	if version >= 4 {
		rules.Handled_access_net = accessNetV4
	}
	if version >= 6 {
		rules.Scoped = scopeV6
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)),
		unsafe.Sizeof(rules), 0) //nolint:gosec // the kernel reads it
	if errno != 0 {
		return 0, fmt.Errorf("use Landlock: %w", errno)
	}
	for _, p := range open {
		if err := addPath(int(ruleset), p); err != nil {
			return 0, errors.Join(err, unix.Close(int(ruleset)))
		}
	}
	return int(ruleset), nil
}

func addPath(rules int, p allowedPath) error {
	fd, err := unix.Open(p.name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // what is not there, or not to be reached, need not be opened
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		p.access &^= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: p.access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0) //nolint:gosec // the kernel reads it
	if errno != 0 {
		return fmt.Errorf("use Landlock: %s: %w", p.name, errno)
	}
	return nil
}

// restrictThread puts the calling thread, and whatever it becomes, under rules that leave it the paths alone.
func restrictThread(open []allowedPath) error {
	rules, err := newRuleset(open)
	if err != nil {
		return err
	}
	return errors.Join(restrictSelf(rules, 0), unix.Close(rules))
}

// restrictSelf puts the calling thread under rules, or more of them by the flags.
func restrictSelf(rules int, flags uintptr) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), flags, 0); errno != 0 {
		return fmt.Errorf("use Landlock: %w", errno)
	}
	return nil
}

// restrictProcess leaves all threads of this process no path at all. A program that is linked with C cannot do that,
// unless the kernel does it for all threads at once.
func restrictProcess() error {
	rules, err := newRuleset(nil)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(rules) }()
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return restrictSelf(rules, unix.LANDLOCK_RESTRICT_SELF_TSYNC) // from the eighth version of Landlock on
	}
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("use Landlock: %w", errno)
	}
	header, none := emptyCapabilities()
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)),
		uintptr(unsafe.Pointer(none)), 0); errno != 0 { //nolint:gosec // the kernel reads them
		return fmt.Errorf("privileges: %w", errno)
	}
	return nil
}

// dropPrivileges takes from the calling thread what the superuser may do beyond others. With no new privileges, the
// program that it becomes does not get them back.
func dropPrivileges() error {
	header, none := emptyCapabilities()
	return unix.Capset(header, &none[0])
}

func emptyCapabilities() (*unix.CapUserHeader, *[2]unix.CapUserData) {
	return &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &[2]unix.CapUserData{}
}
