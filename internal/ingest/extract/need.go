package extract

// Need is what a system must have for a program of others to read a file on it.
type Need string

// The fences that are needed: all of them, the one around calls (seccomp), or none.
const (
	NeedAll     Need = "all"
	NeedCalls   Need = "calls"
	NeedNothing Need = "nothing"
)
