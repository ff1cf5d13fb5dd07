package rtc

// Credentials returns the key and the secret that tokens are signed with.
func (s *Server) Credentials() (key, secret string) { return s.credentials() }

// Changed is closed when there is another child, or none.
func (s *Server) Changed() <-chan struct{} {
	s.start()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}
