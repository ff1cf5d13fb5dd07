package wire

// notAllowed is what is wrong with a member that a strict body does not know.
const notAllowed = "is not allowed"

// stranger names a member that the shape does not know, where that is a fault.
func (s *shape) stranger(name []byte, path string, f *faults) {
	if s.strict {
		f.add(join(path, Clean(string(name))), notAllowed)
	}
}
