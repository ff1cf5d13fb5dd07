//go:build linux && !amd64 && !arm64

package extract

// No fence is written for this architecture.
var (
	fenceArch    uint32
	fenceX32     = false
	networkCalls []uint32
	fileCalls    []uint32
	ownNetwork   []uint32
	ownFileCalls []uint32
)
