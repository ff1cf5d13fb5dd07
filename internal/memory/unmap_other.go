//go:build !linux

package memory

// unmapUnusedPages does nothing here: how it is done differs from system to system.
func unmapUnusedPages() {}
