//go:build !linux

package rtc

// startAndWait starts the child and waits for its exit in a goroutine.
func (c *childProcess) startAndWait() <-chan error {
	started := make(chan error, 1)
	err := c.cmd.Start()
	started <- err
	if err != nil {
		close(c.exited)
		return started
	}
	go func() {
		_ = c.cmd.Wait() // its state holds how it exited
		close(c.exited)
	}()
	return started
}
