package quote

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// languageExamples is what is said in a language: its file in testdata/languages.
type languageExamples struct {
	Sentence string            `yaml:"sentence"` // shows the language
	Asks     map[string]string `yaml:"asks"`     // a question for each table of phrases of its questions
	Talk     struct {
		Hello  string `yaml:"hello"`
		Thanks string `yaml:"thanks"`
		Bye    string `yaml:"bye"`
	} `yaml:"small_talk"`
	Machine  string `yaml:"machine"`
	Wish     string `yaml:"wish"` // for a person
	Insult   string `yaml:"insult"`
	Source   string `yaml:"source"` // two sentences
	Question string `yaml:"question"`
	Answer   string `yaml:"answer"`  // what the one holds that answers it
	Unknown  string `yaml:"unknown"` // what the source does not answer
}

func readExamples(t *testing.T, tag string) (e languageExamples) {
	t.Helper()
	file, err := os.Open("testdata/languages/" + tag + ".yaml")
	if err != nil {
		t.Fatal("a language has examples of its own: ", err)
	}
	defer func() { _ = file.Close() }()
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLanguages(t *testing.T) {
	for i, l := range language.All() {
		t.Run(l.Tag, func(t *testing.T) {
			e := readExamples(t, l.Tag)
			if got, isSure := words.GuessLanguage(words.AppendTokens(nil, e.Sentence)); int(got) != i || !isSure {
				t.Errorf("%q is taken for %q", e.Sentence, got.Tag())
			}
			checkQuestions(t, l, e)
			checkQuote(t, e)
			if l.Texts.Hello != "" {
				checkReplies(t, words.Language(i), l, e)
			}
		})
	}
}

// checkQuestions checks that each kind of question is recognised.
func checkQuestions(t *testing.T, l *language.Language, e languageExamples) {
	t.Helper()
	understood := map[string]func(question string) bool{"follow_up_starts": words.NeedsContext, "how": words.AsksHow,
		"steps":  func(q string) bool { return classifyQuestion(q).wantsSteps },
		"number": func(q string) bool { return words.AsksFor(q)&words.Number != 0 },
		"time":   func(q string) bool { return words.AsksFor(q)&words.Time != 0 }}
	for name, phrases := range map[string]func() []string{"how_much": howMuchPhrases, "when": whenPhrases,
		"often": oftenPhrases, "person": personPhrases, "place": placePhrases, "cost": costPhrases,
		"overview": overviewPhrases, "definition": definitionPhrases, "permission": permissionPhrases,
		"comparisons": comparisonPhrases, "prices": pricePhrases, "meaning": meaningPhrases} {
		understood[name] = func(q string) bool { return words.ContainsPhrase(q, phrases()) }
	}
	tables := reflect.ValueOf(l.Questions)
	for i := range tables.NumField() {
		phrases, ok := tables.Field(i).Interface().(language.Phrases)
		name := tables.Type().Field(i).Tag.Get("yaml")
		switch question := e.Asks[name]; {
		case !ok:
		case (phrases == "") != (question == ""):
			t.Errorf("questions.%s holds %q and its example is %q", name, phrases, question)
		case question != "" && !understood[name](question):
			t.Errorf("%q is no question of the kind %s", question, name)
		}
	}
}

// checkQuote checks that a question in the language is answered from a text in the language.
func checkQuote(t *testing.T, e languageExamples) {
	t.Helper()
	pages := scoredPassages(parley.Passage{Text: e.Source})
	if s := askHelpPages(t, pages, userMessage(e.Question)); !strings.Contains(s.text, e.Answer) {
		t.Errorf("%q: %q", e.Question, s.text)
	}
}

// checkReplies checks what the model says by itself.
func checkReplies(t *testing.T, l words.Language, file *language.Language, e languageExamples) {
	t.Helper()
	texts := &file.Texts
	for _, c := range []struct {
		table         string // what it is known by
		message, want string
	}{
		{string(file.SmallTalk.Hello), e.Talk.Hello, texts.Hello},
		{string(file.SmallTalk.Thanks), e.Talk.Thanks, texts.Thanks},
		{string(file.SmallTalk.Bye), e.Talk.Bye, texts.Bye},
		{string(file.Conversation.MachineQuestions), e.Machine, texts.IsAutomated},
		{string(file.Conversation.Insults), e.Insult, texts.ReplyToInsult},
	} {
		if (c.table == "") != (c.message == "") {
			t.Errorf("the table holds %q and its example is %q", c.table, c.message)
		} else if s := askHelpPages(t, nil, userMessage(e.Sentence), userMessage(c.message)); c.message != "" &&
			s.text != c.want {
			t.Errorf("%q: %q, want %q", c.message, s.text, c.want)
		}
	}
	foreign := foreignPassages(scoredPassages(parley.Passage{Text: e.Source}))
	if s := askHelpPages(t, foreign, userMessage(e.Unknown)); !strings.HasPrefix(s.text, texts.Unknown) {
		t.Errorf("%q: %q, want %q", e.Unknown, s.text, texts.Unknown)
	}
	if got, ok := AsksForPerson(e.Wish, nil); ok != (file.PersonWish.Stems != "") || ok && got != l {
		t.Errorf("%q is a wish for a person: %v %q", e.Wish, ok, got.Tag())
	}
	if HandoverText(l) != texts.Handover {
		t.Errorf("a person is announced with %q", HandoverText(l))
	}
	tools := []model.Tool{{Name: "ping", Triggers: []string{"ping {host}"},
		Parameters: inputSchemaOf(`"host"`, `"host":{"type":"string"}`)}}
	if got, want := calledTool(t, model.Request{Messages: userMessages(e.Sentence, "ping"), Tools: tools}),
		texts.NeedInputs[0]+"host"+texts.NeedInputs[1]; got != want {
		t.Errorf("a missing input is asked for with %q, want %q", got, want)
	}
}

// A word of a table that is cut into several is never found, since messages are looked at word by word.
func TestWordsOfTablesAreWords(t *testing.T) {
	for _, set := range []func() map[string]bool{countingWords, negationWords, instructionVerbs, questionFrameWords,
		numeralWords, backReferenceWords, contactVerbs, personNouns, agentNouns, talkVerbs, rudeWords, rudeFillerWords,
		affirmativeWords, negativeWords, dislikeVerbs, dislikeWords, denialWords, politeWords, ignorableWords,
		greetingWords, contrastWords, wishWords, possessiveWords, howQuestionWords, whatQuestionWords, whichQuestionWords,
		cancelWords, possibilityWords, permissionWords, measureFillerWords, countingArticles, timeUnitWords,
		telephoneWords, paymentVerbs, openingHoursWords, listVerbs, auxiliaryVerbs, subjectPronouns, obligationVerbs} {
		for word := range set() {
			if tokens := words.AppendTokens(nil, word); len(tokens) != 1 || tokens[0].Word != word {
				t.Errorf("%q is cut into %+v", word, tokens)
			}
		}
	}
}
