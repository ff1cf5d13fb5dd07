package sandbox

import "golang.org/x/sys/unix"

// DenyFences makes the kernel appear to this process and its children as one without Landlock and without filters of
// system calls.
func DenyFences(filters bool) error {
	denied := []uint32{unix.SYS_LANDLOCK_CREATE_RULESET}
	if filters {
		denied = append(denied, unix.SYS_SECCOMP)
	}
	return applyFilter(buildFilter(fenceArch, fenceX32, denied, nil))
}
