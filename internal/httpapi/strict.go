package httpapi

// notAllowedMessage is what is wrong with a member that a strict body does not know.
const notAllowedMessage = "is not allowed"

// rejectUnknown names a member that the shape does not know, where that is a fault.
func (s *shape) rejectUnknown(name []byte, path string, f *faults) {
	if s.strict {
		f.add(join(path, StripNUL(string(name))), notAllowedMessage)
	}
}
