//go:build !linux

package sandbox

// DenyFences does nothing: there are no fences on this system.
func DenyFences(bool) error { return nil }
