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
	"internal/voice/", "internal/server/", "internal/testkit/", "internal/widget/", "internal/api/v2/",
	"internal/api/chatapi/", "bench/", "voice",
	"plain_words_test",
}

// metaphors are words that no identifier and no comment holds, but for the places where they are the field's own word.
var metaphors = map[string][]string{
	"house": nil, "houses": nil, "chore": nil, "chores": nil, "guest": nil, "guests": nil, "workshop": nil,
	"clerk": nil, "keeper": nil, "shelf": nil, "shelves": nil, "errand": nil, "errands": nil, "closet": nil,
	"purse": nil, "lull": nil, "lavish": nil, "thrifty": nil, "midst": nil, "sister": nil, "sisters": nil, "twin": nil,
	"twins": nil, "onward": nil, "heirs": nil, "liar": nil, "leaver": nil, "murmur": nil, "murmured": nil,
	"tired": nil, "wall": nil, "walls": nil,
	// of LiveKit
	"room":   roomPlaces,
	"rooms":  roomPlaces,
	"floor":  {"internal/voice/", "internal/audio/"}, // of noise
	"floors": {"internal/voice/", "internal/audio/"},
	"desk":   {},                                                      // "help desk" is allowed everywhere
	"office": {"internal/ingest/extract/", "doc", "plain_words_test"}, // documents of office programs
	"door":   {"_test.go"},                                            // in the texts of tests
	"doors":  {"_test.go"},
	"book":   {"_test.go"},
	"books":  {"_test.go"},
}

// bareWords are no identifiers: they name neither a thing nor an action.
var bareWords = strings.Fields(`about alien alone among anew apart around aside asked be beside can come did does door
	elsewhere enough even face fate felt gave gate given goes going gone grown had hair harm has have heard held
	here how instead is it kept lacks least lies like lures made meant most mine nobody nobodys often only onto ours owed
	parted restless said say says several somebody someone spoil standing stands still stood such sure telling that
	theirs them there these they thing this those together told took trouble unmet wants was were what which who whose why
	written`)

// badComments are words of comments that are not ordinary English for what they say.
var badComments = regexp.MustCompile(`(?i)\b(gives|faces?|anew|for ever|clock on the wall|` +
	`where (?:there (?:is|are) )?none)\b` +
	`|\bstands?\b|^// \w+ tells (?:how|what|when|where|whether|which|why)\b`)

// standPhrases are where the word is right.
var standPhrases = regexp.MustCompile(`(?i)\bstands? (for|in for|in|still|out|up|alone|first|together)\b|\bstand-in|` +
	`\bstands?$`)

// commentPlaces is where badComments are the right word.
var commentPlaces = map[string][]string{
	"face": {"internal/ingest/extract/"}, "faces": {"internal/ingest/extract/"}, // of fonts
}

// textFiles are the texts besides Go whose words are checked. What is generated, what tests read and what models are
// told is left as it is, and so are released migrations.
var textFiles = []string{"*.md", "*.ts", "*.js", "*.mjs", "*.sql", "*.yml", "Makefile"}

var unchecked = regexp.MustCompile(`(^|/)(testdata|built|prompts)/|/migrations/0|` +
	`/src/(schema|api/rest|api/operator)\.ts$`)

// textTerms are right in texts: rooms of LiveKit, books that a shop sells, what a benchmark is compared with.
var textTerms = regexp.MustCompile(`(?i)\b(rooms?|books?|office|workshop|` +
	`gives (?:its number|way|the conversation back)|` +
	`gives (?:it back|up)|guests?|floors?)\b`)

const maxLineLength = 120

// TestPlainWords checks that names and comments say what they mean in the field's words, and that lines are not too
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

// TestPlainWordsOfTexts holds the manual, the other languages' comments and the build's files to the same words.
func TestPlainWordsOfTexts(t *testing.T) {
	folder := os.Getenv("ONLY")
	for _, file := range listFiles(t, textFiles...) {
		if unchecked.MatchString(file) || !strings.HasPrefix(file, folder) {
			continue
		}
		for n, line := range textLines(t, file) {
			if word := badWordOfComment(file, textTerms.ReplaceAllString(line, "")); word != "" {
				t.Errorf("%s:%d: holds %q", file, n, word)
			}
		}
	}
}

// textLines returns the lines of a file that people read, by their numbers: prose without examples, and comments.
func textLines(t *testing.T, file string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, isExample := map[int]string{}, false
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		isFence := strings.HasPrefix(line, "```")
		isExample = isExample != isFence
		switch path.Ext(file) {
		case ".md":
			if isExample || isFence {
				continue
			}
		case ".ts", ".js", ".mjs":
			_, comment, found := strings.Cut(line, "// ")
			if strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*") {
				comment, found = line, true
			}
			if line = comment; !found {
				continue
			}
		case ".sql":
			_, line, _ = strings.Cut(line, "--")
		}
		lines[i+1] = line
	}
	return lines
}

func checkWordsOfFile(t *testing.T, file string) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if word := badIdentifier(file, n.Name); word != "" {
				t.Errorf("%s: the identifier %s holds %q", set.Position(n.Pos()), n.Name, word)
			}
		}
		return true
	})
	checkLineLengths(t, file, ast.IsGenerated(parsed))
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if word := badWordOfComment(file, c.Text); word != "" {
				t.Errorf("%s: a comment holds %q", set.Position(c.Pos()), word)
			}
		}
	}
}

func checkLineLengths(t *testing.T, file string, isGenerated bool) {
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
		if length > maxLineLength && !isGenerated && !strings.HasPrefix(lines.Text(), "//go:") {
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
	text = standPhrases.ReplaceAllString(ownTerms.ReplaceAllString(text, ""), "")
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
