//go:build !linux

package rtc

// run starts the child and waits for its end.
func (c *child) run() <-chan error {
	started := make(chan error, 1)
	err := c.cmd.Start()
	started <- err
	if err != nil {
		close(c.gone)
		return started
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in its state
		close(c.gone)
	}()
	return started
}
