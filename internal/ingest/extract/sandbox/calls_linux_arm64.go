package sandbox

import "golang.org/x/sys/unix"

// The calls of this architecture that a fence refuses beside those that all have: there are none of the old ones.
var (
	fenceArch uint32 = unix.AUDIT_ARCH_AARCH64
	fenceX32  bool
	openCall  uint32 // openat is the only one

	ownOutsideCalls, ownWriteCalls, ownPathCalls []uint32
)
