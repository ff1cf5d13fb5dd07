package rtc

import lksdk "github.com/livekit/server-sdk-go/v2"

// Credentials returns the key and the secret that tokens are signed with.
func (s *Server) Credentials() (key, secret string) { return s.credentials() }

// Ports returns the running child's ports for media; zeros if there is no child.
func (s *Server) Ports() (udp, tcp int) {
	if c := s.runningChild(); c != nil {
		return c.UDPPort, c.TCPPort
	}
	return 0, 0
}

// Changed is closed when there is another child, or none.
func (s *Server) Changed() <-chan struct{} {
	s.start()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Simulate makes the agent's own connection fail.
func (p *Participant) Simulate(scenario lksdk.SimulateScenario) { p.room.Simulate(scenario) }

// IsListeningTo reports whether this is the track that is read.
func (p *Participant) IsListeningTo(sid string) bool {
	p.receiver.mu.Lock()
	defer p.receiver.mu.Unlock()
	return p.receiver.trackID == sid
}
