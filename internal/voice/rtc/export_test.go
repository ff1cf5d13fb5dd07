package rtc

// Credentials gives the key and the secret that tokens are signed with.
func (s *Server) Credentials() (key, secret string) { return s.credentials() }

// PID gives the process of the running child; 0 for none.
func (s *Server) PID() int {
	if c := s.running(); c != nil {
		return c.cmd.Process.Pid
	}
	return 0
}
