package sandbox

import "golang.org/x/sys/unix"

// DenyFences makes this process and what it becomes one that has a kernel without Landlock, and without filters of
// calls.
func DenyFences(filters bool) error {
	denied := []uint32{unix.SYS_LANDLOCK_CREATE_RULESET}
	if filters {
		denied = append(denied, unix.SYS_SECCOMP)
	}
	return applyFilter(buildFilter(fenceArch, fenceX32, denied, nil))
}
