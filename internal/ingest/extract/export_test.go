package extract

// What tests play a child with.
var (
	WriteMessage = writeMessage
	ReadMessage  = readMessage
	LimitMemory  = limitMemory
	LimitCPU     = limitCPU
	Fence        = fence
	Decode       = decode
	Tidy         = tidy
)

// ReadCMapOf and FlattenOf are decoders that a fuzz test calls by themselves.
func ReadCMapOf(text string) int { return len(readCMap(text)) }

// FlattenOf gives the file that flatten makes.
func FlattenOf(data []byte) []byte {
	whole, _ := flatten(data)
	return whole
}

// RaceDetector reports that it takes part.
const RaceDetector = raceFactor > 1
