package sandbox

// Functions with which tests act as a child process.
var (
	LimitMemory = limitMemory
	Confine     = confine
)

// HasRaceDetector reports whether the race detector is on.
const HasRaceDetector = raceFactor > 1
