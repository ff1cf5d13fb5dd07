package llm

import (
	"strings"

	"parley/internal/words"
)

// form is what kind of answer a question wants.
type form struct {
	steps  bool // how to do something
	number bool // a number or a date
	what   bool // what something is, or whether it is
	fact   bool // a word or two: when, where, who, how much
	about  bool // to be told about something
}

func formOf(question string) form {
	often := words.Asks(question, oftenWords)
	f := form{steps: words.AsksHow(question) || words.Asks(question, stepWords), number: words.AsksFor(question) != 0 && !often,
		what: words.Asks(question, whatWords) || strings.HasPrefix(words.Fold(question), "does ")}
	f.about = words.Asks(question, aboutWords)
	f.fact = !f.about && !f.steps && (f.number || often || words.Asks(question, personWords) || words.Asks(question, placeWords) || words.Asks(question, costWords))
	return f
}

var (
	stepWords = []string{" wie richte ", " wie stelle ", " wie lade ", " wie losche ", " wie andere ", " wie exportiere ", " wie importiere ", " wie installiere ", " wie kundige ", " wie bekomme ",
		" wie lasst sich ", " come si ", " come posso ", " come faccio ", " hoe kan ", " hoe moet ", " как мне ", " как можно ", "كيف ", "怎么", "怎样", "如何", "どうやって", "どうすれば", "する方法", "するには"}
	oftenWords  = []string{" how often ", " wie oft "} // "every week" has no number
	personWords = []string{" who ", " whose ", " whom ", " wer ", " quien ", " qui ", " chi ", " quem ", " кто ", "谁", "誰"}
	placeWords  = []string{" where ", " wo ", " donde ", " ou se ", " dove ", " onde ", " waar ", " где ", "اين", "哪里", "哪儿", "どこ"}
	costWords   = []string{" cost ", " price of ", " kostet ", " cuesta ", " coute ", " costa ", " custa ", " kost ", " стоит ", "价格"}
	aboutWords  = []string{" tell me about ", " tell me something about ", " describe ", " give me an overview ", " more about ", " erzahl ", " erzahle ", " beschreib", " hablame de ",
		" cuentame ", " parle moi de ", " parlez moi d", " parlez-moi d", " parle-moi d", " parlami d", " mi parli d", " fale me sobre ", " fale-me sobre ", " vertel me ", " vertel over ", " расскажи", "حدثني عن", "اخبرني عن", "介绍", "について教えて"}
	whatWords = []string{" what is ", " what are ", " what s ", " what's ", " was ist ", " was sind ", " que es ", " que son ", " qu'est-ce ", " cos'e ", " che cosa e ", " o que e ", " wat is ", " wat zijn ", " что такое ", "ما هو", "ما هي", "什么是", "是什么", "とは"}
)

// counting are words that ask for a number of what is named next; of two words, the first is "how".
var counting = wordSet(`many much viele vielen cuantos cuantas combien quanti quante quantos quantas hoeveel wieviele wieviel сколько`)

// countedIn gives the stem of what the question asks the number of, empty where it asks for none.
func (t *topic) countedIn(question string) string {
	before, asking := "", false
	for token := range words.Tokens(question) {
		switch w := token.Word; {
		case token.Dense:
			return ""
		case counting[w] && (before == "how" || before == "wie" || !within("many much viele vielen", w)):
			asking = true
		case asking && !t.lang.IsStop(w):
			return t.lang.Stem(w)
		}
		before = token.Word
	}
	return ""
}

var negations = wordSet(`not no without never don doesn isn aren cannot won nicht ohne kein keine sin sans`)

// reach is how many words behind a negation it still speaks of.
const reach = 3

// negated gives the subjects that the text denies: those shortly behind a negation.
func (t *topic) negated(text string) (denied []int) {
	left := 0
	for token := range words.Tokens(text) {
		if negations[token.Word] {
			left = reach
			continue
		}
		if left--; left >= 0 {
			for _, l := range t.like(token.Word) {
				denied = append(denied, l.subject)
			}
		}
	}
	return denied
}

// instructing are verbs that a step begins with.
var instructing = wordSet(`open click tap go select choose press enter scroll run install set create sign log download navigate launch start
		add type copy paste turn enable disable toggle visit use drag swipe edit save upload find connect authenticate configure restart follow
		offne offnen klicke klicken tippe tippen wahle wahlen gehe drucke drucken lade installiere starte melde gib trage
		abre abra haz haga pulsa pulse selecciona seleccione elige elija introduce introduzca descarga descargue inicia inicie ve vaya
		ouvrez cliquez appuyez choisissez selectionnez allez entrez saisissez telechargez lancez apri clicca premi seleziona scegli vai inserisci
		clique selecione escolha toque prima klik kies druk ga откройте нажмите выберите введите перейдите`)

// instructs reports that the text tells to do something.
func instructs(text string) bool {
	for token := range words.Tokens(text) {
		return instructing[token.Word] || token.Word == "to"
	}
	return false
}

// frameWords say how a question is put.
var frameWords = wordSet(`support supports supported happen happens happened possible way ways mean means meaning work works able explain
		describe tell know kind type sort difference please help question someone somebody people`)
