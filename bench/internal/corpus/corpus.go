package corpus

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/docs"
)

// ManualText is Parley's manual, about 40 kB, which the agents are trained on.
var ManualText = sync.OnceValue(func() string {
	var text strings.Builder
	pages, _ := fs.Glob(docs.Manual, "manual/*.md")
	for _, page := range pages {
		b, _ := docs.Manual.ReadFile(page)
		text.Write(b)
		text.WriteString("\n\n")
	}
	return text.String()
})

// Questions are questions that the manual answers.
var Questions = []string{
	"How do I create an account and get an API key?",
	"Where does Parley keep its data, and how do I back it up?",
	"Can I use my own model server?",
	"What happens when a key is revoked while the server runs?",
	"How many requests may I send in ten seconds?",
	"How do I stream an answer?",
	"Which environment variable sets the address to listen on?",
	"What does it cost when an answer fails?",
	"How do I stop the server without losing answers?",
	"Why does my source stay untrained?",
	"How do I continue a conversation?",
	"Which plans are there?",
	"Does it work with PostgreSQL?",
	"What is the limit for the length of a text?",
	"How do I see why an agent gave this answer?",
	"What does the agent say when it does not know?",
}

// GenerateProse returns about size bytes of text: sentences of the manual in another order, with names and numbers that
// occur nowhere else, so that its vocabulary grows as that of real texts does.
func GenerateProse(seed uint64, size int) string {
	sentences := strings.FieldsFunc(ManualText(), func(r rune) bool { return r == '.' || r == '\n' })
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // text, not a secret
	var text strings.Builder
	for text.Len() < size {
		if rng.IntN(12) == 0 {
			fmt.Fprintf(&text, "\n\n## Part %d\n\n", rng.IntN(1_000_000))
		}
		fmt.Fprintf(&text, "%s. ", strings.TrimSpace(sentences[rng.IntN(len(sentences))]))
		if rng.IntN(4) == 0 {
			fmt.Fprintf(&text, "See %s-%d. ", RandomName(rng), rng.IntN(10_000))
		}
	}
	return strings.ToValidUTF8(text.String()[:size], "")
}

func RandomName(rng *rand.Rand) string {
	b := make([]byte, 5+rng.IntN(5))
	for i := range b {
		b[i] = "etaoinshrdlucmf"[rng.IntN(15)]
	}
	return string(b)
}

// DataSetsDir returns the folder of public question sets: PARLEY_DATA_SETS, or one beside the checkout.
func DataSetsDir() string {
	if dir := os.Getenv("PARLEY_DATA_SETS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}
