package sandbox

// What tests play a process with.
var (
	LimitMemory = limitMemory
	Confine     = confine
)

// HasRaceDetector reports whether the race detector is on.
const HasRaceDetector = raceFactor > 1
