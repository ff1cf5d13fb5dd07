package parley_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// roomPlaces are where rooms of LiveKit are spoken of.
var roomPlaces = []string{
	"internal/voice/", "internal/server/", "internal/testkit/", "internal/widget/", "internal/api/v2/", "bench/", "voice",
	"plain_words_test",
}

// metaphors are words that no identifier and no comment holds, but for the places where they are the field's own word.
var metaphors = map[string][]string{
	"house": nil, "houses": nil, "chore": nil, "chores": nil, "guest": nil, "guests": nil, "workshop": nil,
	"clerk": nil, "keeper": nil, "shelf": nil, "shelves": nil, "errand": nil, "errands": nil, "closet": nil,
	"purse": nil, "lull": nil, "lavish": nil, "thrifty": nil,
	// of LiveKit
	"room":   roomPlaces,
	"rooms":  roomPlaces,
	"floor":  {"bench/", "internal/voice/", "internal/audio/"}, // what a benchmark is compared with; noise
	"floors": {"bench/", "internal/voice/", "internal/audio/"},
	"desk":   {},                                                      // "help desk" is allowed everywhere
	"office": {"internal/ingest/extract/", "doc", "plain_words_test"}, // documents of office programs
	"door":   {"_test.go"},                                            // in the texts of tests
	"doors":  {"_test.go"},
	"book":   {"_test.go"},
	"books":  {"_test.go"},
}

// bareWords are no identifiers: they name neither a thing nor an action.
var bareWords = []string{
	"owed", "only", "took", "said", "told", "heard", "standing", "made", "kept", "held", "gave", "given", "gone",
	"whose", "together", "beside", "around", "somebody", "nobody", "stood", "stands", "meant", "lies", "says",
}

// badComments are words of comments that are not ordinary English for what they say.
var badComments = regexp.MustCompile(`(?i)\b(gives|faces?)\b`)

// commentPlaces says where badComments are the right word.
var commentPlaces = map[string][]string{ // where badComments are the right word
	"face": {"internal/ingest/extract/"}, "faces": {"internal/ingest/extract/"}, // of fonts
}

const maxLineLength = 120

// TestPlainWords holds that names and comments say what they mean in the field's words, and that lines are not too
// long.
func TestPlainWords(t *testing.T) {
	folder := os.Getenv("ONLY") // a folder alone, for whoever is at work in it
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skip("SKIP: no git checkout: ", err)
	}
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		if folder != "" && !strings.HasPrefix(file, folder) || strings.Contains(file, "testdata/") {
			continue
		}
		checkWordsOfFile(t, file)
	}
}

func checkWordsOfFile(t *testing.T, file string) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	unbreakable := map[int]bool{} // lines with text in back quotes, such as struct tags and fixtures
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if word := badIdentifier(file, n.Name); word != "" {
				t.Errorf("%s: the identifier %s holds %q", set.Position(n.Pos()), n.Name, word)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && n.Value[0] == '`' {
				for line := set.Position(n.Pos()).Line; line <= set.Position(n.End()).Line; line++ {
					unbreakable[line] = true
				}
			}
		}
		return true
	})
	checkLineLengths(t, file, unbreakable)
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if word := badWordOfComment(file, c.Text); word != "" {
				t.Errorf("%s: a comment holds %q", set.Position(c.Pos()), word)
			}
		}
	}
}

func checkLineLengths(t *testing.T, file string, unbreakable map[int]bool) {
	f, err := os.Open(file)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		length := utf8.RuneCountInString(lines.Text())
		if length > maxLineLength && !unbreakable[n] && !strings.HasPrefix(lines.Text(), "//go:") {
			t.Errorf("%s:%d: %d characters, at most %d", file, n, length, maxLineLength)
		}
	}
}

func badIdentifier(file, name string) string {
	if slices.Contains(bareWords, name) {
		return name
	}
	for _, part := range splitWords(name) {
		if isMetaphor(file, part) {
			return part
		}
	}
	return ""
}

var (
	wordForm = regexp.MustCompile(`[A-Za-z]+`)
	ownTerms = regexp.MustCompile(`(?i)help[ -]?desk|noise floor|floor of noise|on the face of`)
)

func badWordOfComment(file, text string) string {
	text = ownTerms.ReplaceAllString(text, "")
	for _, word := range wordForm.FindAllString(text, -1) {
		if word = strings.ToLower(word); isMetaphor(file, word) {
			return word
		}
	}
	for _, word := range badComments.FindAllString(text, -1) {
		if !isAllowed(file, commentPlaces[strings.ToLower(word)]) {
			return word
		}
	}
	return ""
}

func isMetaphor(file, word string) bool {
	places, ok := metaphors[word]
	return ok && !isAllowed(file, places)
}

func isAllowed(file string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return strings.HasPrefix(file, place) || place == "_test.go" && strings.HasSuffix(file, place) ||
			place == path.Base(strings.TrimSuffix(file, ".go"))
	})
}

// splitWords splits a name in camel case into its words in lower case: "agentURLs" is "agent", "urls".
func splitWords(name string) []string {
	var words []string
	start, runes := 0, []rune(name)
	for i := 1; i < len(runes); i++ {
		lowerUpper := unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1])
		acronymEnd := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsUpper(runes[i]) &&
			unicode.IsLower(runes[i+1])
		if lowerUpper || acronymEnd {
			words = append(words, strings.ToLower(string(runes[start:i])))
			start = i
		}
	}
	return append(words, strings.ToLower(string(runes[start:])))
}
