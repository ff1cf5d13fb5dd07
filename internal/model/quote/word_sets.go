package quote

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// The tables of the languages' files as they are looked up: of all languages together, since a message may mix them.
// Where words are not set apart, lists are looked for anywhere in a text.

type (
	languageFile = *language.Language
	wordTable    = language.Words
	phraseTable  = language.Phrases
)

var (
	contrastWords          = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Contrast })
	ignorableWords         = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Ignorable })
	greetingWords          = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Greetings })
	denialWords            = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Denials })
	interjectionFollowers  = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.InterjectionFollowers })
	trailingNegations      = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.TrailingNegations })
	howQuestionWords       = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.HowWords })
	whatQuestionWords      = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.WhatWords })
	whichQuestionWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.WhichWords })
	possessiveWords        = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Possessives })
	auxiliaryVerbs         = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Auxiliaries })
	subjectPronouns        = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.SubjectPronouns })
	obligationVerbs        = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Obligations })
	possibilityWords       = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Possibilities })
	cancelWords            = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Cancellations })
	cancelPhrasesUnspaced  = words.UnspacedList(func(l languageFile) wordTable { return l.Sentences.Cancellations })
	politeDenialPhrases    = words.SpacedPhrases(func(l languageFile) phraseTable { return l.Sentences.PoliteDenials })
	wishWords              = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Wishes })
	pastPhrases            = words.SpacedPhrases(func(l languageFile) phraseTable { return l.Sentences.PastPhrases })
	dislikeVerbs           = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Dislikes })
	changedMindPhrases     = words.SpacedPhrases(func(l languageFile) phraseTable { return l.Sentences.ChangedMind })
	speechVerbs            = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.SpeechVerbs })
	firstPersonWords       = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.FirstPerson })
	conditionWords         = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Conditions })
	conditionWordsUnspaced = words.UnspacedList(func(l languageFile) wordTable { return l.Sentences.Conditions })
	questionOpenerWords    = words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.QuestionOpeners })
)

var (
	stepPhrases       = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Steps })
	oftenPhrases      = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Often })
	personPhrases     = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Person })
	placePhrases      = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Place })
	costPhrases       = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Cost })
	overviewPhrases   = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Overview })
	definitionPhrases = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Definition })
	permissionPhrases = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Permission })
	howMuchPhrases    = words.Phrases(func(l languageFile) phraseTable { return l.Questions.HowMuch })
	whichDeterminers  = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.Which })
	timeQuestionWords = words.SpacedSet(func(l languageFile) wordTable {
		return wordTable(strings.ReplaceAll(string(l.Questions.Time+","+l.Questions.When), ",", " "))
	})
	whenPhrases            = words.Phrases(func(l languageFile) phraseTable { return l.Questions.When })
	countingWords          = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.CountingWords })
	negationWords          = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.Negations })
	questionFrameWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.FrameWords })
	measureFillerWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.MeasureFillers })
	listVerbs              = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.ListVerbs })
	permissionWords        = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.PermissionWords })
	comparisonPhrases      = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Comparisons })
	pricePhrases           = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Prices })
	pricePhrasesUnspaced   = words.UnspacedPhrases(func(l languageFile) phraseTable { return l.Questions.Prices })
	withWords              = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.With })
	withoutWords           = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.Without })
	meaningPhrases         = words.Phrases(func(l languageFile) phraseTable { return l.Questions.Meaning })
	partNouns              = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.PartNouns })
	partFillers            = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.PartFillers })
	andWords               = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.And })
	codeTopicWords         = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.CodeTopics })
	codeTopicWordsUnspaced = words.UnspacedList(func(l languageFile) wordTable { return l.Questions.CodeTopics })
)

var (
	belowWords        = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.Below })
	aboveWords        = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.Above })
	itemWords         = words.SpacedSet(func(l languageFile) wordTable { return l.Redaction.ItemWords })
	numeralWords      = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.Numerals })
	countingArticles  = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.Articles })
	timeUnitWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.TimeUnits })
	indefiniteNumbers = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.IndefiniteNumbers })
	telephoneWords    = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.TelephoneWords })
	paymentVerbs      = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.PaymentVerbs })
	openingHoursWords = words.SpacedSet(func(l languageFile) wordTable { return l.Measures.OpeningHours })
)

var (
	instructionVerbs       = words.SpacedSet(func(l languageFile) wordTable { return l.Sources.InstructionVerbs })
	pointingWords          = words.SpacedSet(func(l languageFile) wordTable { return l.Questions.PointingWords })
	backReferenceWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Sources.BackReferences })
	backReferencesOf       = words.SetOf(func(l languageFile) wordTable { return l.Sources.BackReferences })
	backReferencePhrases   = foldedPhrases(func(l languageFile) phraseTable { return l.Sources.BackReferencePhrases })
	backReferencesUnspaced = words.UnspacedList(func(l languageFile) wordTable { return l.Sources.BackReferences })
	connectivePhrases      = words.SpacedPhrases(func(l languageFile) phraseTable { return l.Sources.Connectives })
	connectivesUnspaced    = words.UnspacedPhrases(func(l languageFile) phraseTable { return l.Sources.Connectives })
	limitPhrases           = words.SpacedPhrases(func(l languageFile) phraseTable { return l.Sources.Limits })
	limitsUnspaced         = words.UnspacedPhrases(func(l languageFile) phraseTable { return l.Sources.Limits })
)

var (
	affirmativeWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.Yes })
	affirmativesUnspaced = words.UnspacedList(func(l languageFile) wordTable { return l.Conversation.Yes })
	negativeWords        = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.No })
	negativesUnspaced    = words.UnspacedList(func(l languageFile) wordTable { return l.Conversation.No })
	machineQuestions     = words.SpacedPhrases(func(l languageFile) phraseTable {
		return l.Conversation.MachineQuestions
	})
	machineQuestionsUnspaced = words.UnspacedPhrases(func(l languageFile) phraseTable {
		return l.Conversation.MachineQuestions
	})
	contactVerbs          = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.ContactVerbs })
	talkVerbs             = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.TalkVerbs })
	personNouns           = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.PersonNouns })
	personPhrasesUnspaced = words.UnspacedList(func(l languageFile) wordTable { return l.Conversation.PersonNouns })
	agentNouns            = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.AgentNouns })
	rudeWords             = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.Insults })
	rudeWordsUnspaced     = words.UnspacedList(func(l languageFile) wordTable { return l.Conversation.Insults })
	rudeFillerWords       = words.SpacedSet(func(l languageFile) wordTable { return l.Conversation.InsultFillers })
)

// contactTable is a table of words about contacts, of the languages with spaces between words and of those without.
type contactTable struct {
	spaced   func() map[string]bool
	unspaced func() []string
}

func newContactTable(table func(l languageFile) wordTable) contactTable {
	return contactTable{words.SpacedSet(table), words.UnspacedList(table)}
}

var (
	mailNouns      = newContactTable(func(l languageFile) wordTable { return l.Contacts.MailNouns })
	phoneNouns     = newContactTable(func(l languageFile) wordTable { return l.Contacts.PhoneNouns })
	placeNouns     = newContactTable(func(l languageFile) wordTable { return l.Contacts.PlaceNouns })
	contactContext = newContactTable(func(l languageFile) wordTable { return l.Contacts.Context })
	contactFillers = newContactTable(func(l languageFile) wordTable { return l.Contacts.Fillers })
	reachWords     = newContactTable(func(l languageFile) wordTable { return l.Contacts.ReachWords })
)

var (
	emailNames          = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.EmailNames })
	phoneNames          = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.PhoneNames })
	personNameWords     = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.NameWords })
	personNameModifiers = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.NameModifiers })
	freeTextNames       = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.FreeTextNames })
	referenceNames      = words.SpacedSet(func(l languageFile) wordTable { return l.Tools.ReferenceNames })
)

var (
	politeWords = unionOf(greetingWords, words.SpacedSet(func(l languageFile) wordTable { return l.Sentences.Polite }))

	quotingVerbs = unionOf(speechVerbs, words.SpacedSet(func(l languageFile) wordTable {
		return l.Sentences.QuotingVerbs
	}))
	speakerWords = unionOf(firstPersonWords, words.SpacedSet(func(l languageFile) wordTable {
		return l.Sentences.OtherSpeakers
	}))
	dislikeWords = unionOf(dislikeVerbs, words.SpacedSet(func(l languageFile) wordTable {
		return l.Sentences.MentionedDislikes
	}))
	yesWords = unionOf(affirmativeWords, words.Set(func(l languageFile) wordTable { return l.Tools.Yes }))
	noWords  = unionOf(negativeWords, words.Set(func(l languageFile) wordTable { return l.Tools.No }))

	// breakWords and pastTenseEndings are compared as they are written, with their accents.
	breakWords       = language.Set(func(l languageFile) wordTable { return l.Tools.BreakWords })
	pastTenseEndings = sync.OnceValue(func() []string {
		return slices.Sorted(maps.Keys(language.Set(func(l languageFile) wordTable { return l.Sentences.PastEndings })()))
	})

	// particleCharacters are Chinese and Japanese characters that a request may have or leave out.
	particleCharacters = sync.OnceValue(func() string {
		var all strings.Builder
		for _, l := range language.All() {
			all.WriteString(string(l.Sentences.Particles))
		}
		return all.String()
	})
)

// foldedPhrases returns the phrases of all languages, folded.
func foldedPhrases(table func(l languageFile) phraseTable) func() []string {
	return sync.OnceValue(func() (all []string) {
		for _, l := range language.All() {
			for p := range table(l).All() {
				all = append(all, words.Fold(p))
			}
		}
		return all
	})
}

func unionOf(sets ...func() map[string]bool) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, set := range sets {
			maps.Copy(all, set())
		}
		return all
	})
}

// surestLanguage returns the language of the last text that shows one. Where it shows several, those before it decide
// among them.
func surestLanguage(texts []string) words.Language {
	var left []words.Language
	for _, text := range slices.Backward(texts) {
		languages := words.LikelyLanguages(text)
		if left == nil {
			left = languages
		} else if both := commonLanguages(left, languages); len(both) > 0 {
			left = both
		}
		if len(left) == 1 {
			break
		}
	}
	return append(left, words.English)[0]
}

func commonLanguages(a, b []words.Language) (both []words.Language) {
	for _, l := range a {
		if slices.Contains(b, l) {
			both = append(both, l)
		}
	}
	return both
}

// questionLanguage returns the language to answer the last message in: its own, or where it shows none that of what the
// user said before, else the agent's.
func questionLanguage(req model.Request) words.Language {
	texts := userTexts(req.Messages)
	for i, text := range texts {
		texts[i] = withoutRomanNumbers(text)
	}
	last := texts[len(texts)-1]
	if isOfNoLanguage(last, strings.Join(append(agentTexts(req), last), " ")) {
		return words.English
	}
	if _, isSure := words.GuessLanguage(words.AppendTokens(nil, words.BlankEmails(last))); isSure {
		return words.LikeliestLanguage(last)
	}
	return surestLanguage(append(agentTexts(req), texts...))
}

// Letters that no language with texts of its own has, and how often they are in a text of another: Polish, Czech,
// Hungarian.
const (
	unknownLetters     = "ąęłńśźżćőűěřů"
	unknownLetterGap   = 60  // letters for each of them at most
	minFunctionOfKnown = 0.5 // share of function words from which on a message is of a known language all the same
)

// isOfNoLanguage reports whether what the message and the sources are written in is a language without texts: few of
// the message's words are function words of the likeliest, and letters are there that none has.
func isOfNoLanguage(message, all string) bool {
	unknown, letters := 0, 0
	for _, r := range strings.ToLower(all) {
		letters++
		if strings.ContainsRune(unknownLetters, r) {
			unknown++
		}
	}
	if unknown*unknownLetterGap < letters || unknown == 0 {
		return false
	}
	lang, tokens, known := words.LikeliestLanguage(message), 0, 0
	for token := range words.Tokens(message) {
		if tokens++; lang.IsStopWord(token.Word) {
			known++
		}
	}
	return float64(known) < minFunctionOfKnown*float64(tokens)
}

const maxAgentTextBytes = 4000 // bytes of what is looked at for the language of an agent

// agentTexts returns texts that tell what language an agent speaks: of its tools and of its passages.
func agentTexts(req model.Request) []string {
	var tools, passages strings.Builder
	for _, t := range req.Tools {
		if tools.Len() < maxAgentTextBytes {
			tools.WriteString(strings.Join(t.Triggers, " ") + " " + t.Description + " ")
		}
	}
	for _, p := range req.Passages {
		if passages.Len() < maxAgentTextBytes {
			passages.WriteString(p.Text + " ")
		}
	}
	return []string{truncateWithEllipsis(tools.String(), maxAgentTextBytes),
		truncateWithEllipsis(passages.String(), maxAgentTextBytes)}
}

// HandoverText returns the sentence, in the language, that says that a person is going to answer.
func HandoverText(l words.Language) string { return textsIn(l).Handover }

// textsIn returns what the built-in model says by itself in the language, or in English.
func textsIn(l words.Language) *language.Texts {
	if all := language.All(); int(l) < len(all) && all[l].Texts.Hello != "" {
		return &all[l].Texts
	}
	return &language.All()[words.English].Texts
}

// allTexts yields what it says in each language.
func allTexts() iter.Seq[*language.Texts] {
	return func(yield func(*language.Texts) bool) {
		for _, l := range language.All() {
			if l.Texts.Hello != "" && !yield(&l.Texts) {
				return
			}
		}
	}
}
