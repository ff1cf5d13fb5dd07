package quote

import (
	"strings"

	"parley/internal/text/words"
)

// questionForm is what kind of answer a question wants.
type questionForm struct {
	wantsSteps      bool // how to do something
	wantsNumber     bool // a number or a date
	wantsDefinition bool // what something is, or whether it is
	wantsFact       bool // a word or two: when, where, who, how much
	wantsOverview   bool // to be told about something
}

func classifyQuestion(question string) questionForm {
	often := words.ContainsPhrase(question, oftenPhrases)
	f := questionForm{wantsSteps: words.AsksHow(question) || words.ContainsPhrase(question, stepPhrases), wantsNumber: words.AsksFor(question) != 0 && !often,
		wantsDefinition: words.ContainsPhrase(question, definitionPhrases) || strings.HasPrefix(words.Fold(question), "does ")}
	f.wantsOverview = words.ContainsPhrase(question, overviewPhrases)
	f.wantsFact = !f.wantsOverview && !f.wantsSteps && (f.wantsNumber || often || words.ContainsPhrase(question, personPhrases) || words.ContainsPhrase(question, placePhrases) || words.ContainsPhrase(question, costPhrases))
	return f
}

var (
	stepPhrases = []string{" wie richte ", " wie stelle ", " wie lade ", " wie losche ", " wie andere ", " wie exportiere ", " wie importiere ", " wie installiere ", " wie kundige ", " wie bekomme ",
		" wie lasst sich ", " come si ", " come posso ", " come faccio ", " hoe kan ", " hoe moet ", " как мне ", " как можно ", "كيف ", "怎么", "怎样", "如何", "どうやって", "どうすれば", "する方法", "するには"}
	oftenPhrases    = []string{" how often ", " wie oft "} // "every week" has no number
	personPhrases   = []string{" who ", " whose ", " whom ", " wer ", " quien ", " qui ", " chi ", " quem ", " кто ", "谁", "誰"}
	placePhrases    = []string{" where ", " wo ", " donde ", " ou se ", " dove ", " onde ", " waar ", " где ", "اين", "哪里", "哪儿", "どこ"}
	costPhrases     = []string{" cost ", " price of ", " kostet ", " cuesta ", " coute ", " costa ", " custa ", " kost ", " стоит ", "价格"}
	overviewPhrases = []string{" tell me about ", " tell me something about ", " describe ", " give me an overview ", " more about ", " erzahl ", " erzahle ", " beschreib", " hablame de ",
		" cuentame ", " parle moi de ", " parlez moi d", " parlez-moi d", " parle-moi d", " parlami d", " mi parli d", " fale me sobre ", " fale-me sobre ", " vertel me ", " vertel over ", " расскажи", "حدثني عن", "اخبرني عن", "介绍", "について教えて"}
	definitionPhrases = []string{" what is ", " what are ", " what s ", " what's ", " was ist ", " was sind ", " que es ", " que son ", " qu'est-ce ", " cos'e ", " che cosa e ", " o que e ", " wat is ", " wat zijn ", " что такое ", "ما هو", "ما هي", "什么是", "是什么", "とは"}
)

// countingWords are words that ask for a number of what is named next; of two words, the first is "how".
var countingWords = newWordSet(`many much viele vielen cuantos cuantas combien quanti quante quantos quantas hoeveel wieviele wieviel сколько`)

// parseCountedStem returns the stem of what the question asks the number of, empty where it asks for none.
func (t *parsedQuestion) parseCountedStem(question string) string {
	before, asking := "", false
	for token := range words.Tokens(question) {
		switch w := token.Word; {
		case token.Unspaced:
			return ""
		case countingWords[w] && (before == "how" || before == "wie" || !listContains("many much viele vielen", w)):
			asking = true
		case asking && !t.lang.IsStopWord(w):
			return t.lang.Stem(w)
		}
		before = token.Word
	}
	return ""
}

var negationWords = newWordSet(`not no without never don doesn isn aren cannot won nicht ohne kein keine sin sans`)

// negationReach is how many words behind a negation it still speaks of.
const negationReach = 3

// findNegatedTerms returns the subjects that the text denies: those shortly behind a negation.
func (t *parsedQuestion) findNegatedTerms(text string) (denied []int) {
	left := 0
	for token := range words.Tokens(text) {
		if negationWords[token.Word] {
			left = negationReach
			continue
		}
		if left--; left >= 0 {
			for _, l := range t.wordLikeness(token.Word) {
				denied = append(denied, l.termIndex)
			}
		}
	}
	return denied
}

// instructionVerbs are verbs that a step begins with.
var instructionVerbs = newWordSet(`open click tap go select choose press enter scroll run install set create sign log download navigate launch start
		add type copy paste turn enable disable toggle visit use drag swipe edit save upload find connect authenticate configure restart follow
		offne offnen klicke klicken tippe tippen wahle wahlen gehe drucke drucken lade installiere starte melde gib trage
		abre abra haz haga pulsa pulse selecciona seleccione elige elija introduce introduzca descarga descargue inicia inicie ve vaya
		ouvrez cliquez appuyez choisissez selectionnez allez entrez saisissez telechargez lancez apri clicca premi seleziona scegli vai inserisci
		clique selecione escolha toque prima klik kies druk ga откройте нажмите выберите введите перейдите`)

// givesInstruction reports that the text tells to do something.
func givesInstruction(text string) bool {
	for token := range words.Tokens(text) {
		return instructionVerbs[token.Word] || token.Word == "to"
	}
	return false
}

// questionFrameWords say how a question is put.
var questionFrameWords = newWordSet(`support supports supported happen happens happened possible way ways mean means meaning work works able explain
		describe tell know kind type sort difference please help question someone somebody people`)
