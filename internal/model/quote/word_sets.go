package quote

import (
	"maps"
	"slices"
	"strings"

	"parley/internal/text/words"
)

func unionSets(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

var (
	// contrastWords begin a clause that holds though the one before it was denied.
	contrastWords = words.NewSet(`but aber sondern pero sino mais maar но`)

	// particleRunes are Chinese and Japanese characters that a request may have or leave out.
	particleRunes = "的了吗呢吧请问我你您一下个把帮给を"

	// ignorableWords of a trigger need not be in the message, and may be in it without being in the trigger.
	ignorableWords = words.NewSet(`a an the my me i we our to is are am s do does can you your it der die das den dem ein
		eine einen einem mein meine meinen ich wir bitte ist sind zu el la los las un una unos mi mis es esta yo le les l
		une mon ma mes je est il lo gli uno mio mia o os as um uma meu minha de het een mijn ik`)

	politeWords = unionSets(greetingWords,
		words.NewSet(`please pls plz bitte kindly now just asap immediately jetzt sofort gleich gern gerne mal ahora favor
			por porfa maintenant svp stp vous s plait te want need would like wanna d can could you me will let ll want mochte
			will kann konnte ich quiero quisiera necesito puedo je veux voudrais peux vorrei voglio quero gostaria thanks
			thank danke gracias merci`))

	greetingWords = words.NewSet(`hi hello hey dear there ok okay well so then also and yes yeah sure hallo guten tag moin
		also und ja hola buenas y vale bonjour salut et oui ciao salve e sim ola hoi dag en`)

	denialWords = words.NewSet(`not never without cannot dont doesnt didnt cant wont don doesn didn isn aren won wouldn
		shouldn couldn wasn haven hasn instead avoid refuse unable tried failed managed considering versucht uberlege
		intente essaye no nicht nie niemals kein keine keinen keinem keiner ohne statt anstatt nunca jamas sin tampoco
		lugar ne pas jamais sans aucun aucune lieu non senza nao sem niet geen nooit zonder не нет никогда без لا لم لن ليس
		ليست لست بدون دون عدم بلا ابدا مش`)

	// politeDenialPhrases begin questions that are requests.
	politeDenialPhrases = []string{"can t i", "can t we", "couldn t i", "cant i", "can i not", "could i not",
		"kann ich nicht", "konnte ich nicht", "no puedo", "no podria", "ne puis je pas", "puis je pas"}

	interjectionFollowers = words.NewSet(`i we please just can could let je`)
	trailingNegations     = words.NewSet(`nicht niet mehr`)

	howQuestionWords = words.NewSet(`how why wie warum wieso weshalb como comment pourquoi perche hoe waarom как почему
		зачем know explain information info wissen erklaren saber explicar informacion savoir expliquer`)

	// whatQuestionWords ask wherever they are; whichQuestionWords may also join a clause to another.
	whatQuestionWords  = words.NewSet(`what whats wat cosa qu что`)
	whichQuestionWords = words.NewSet(`where wheres when which who whose whom wo wann wer welche welcher welches wem wen
		donde cuando cual quien que quand quel quelle qui
		ou dove quando quale chi onde qual quem waar wanneer welke wie где когда какой кто`)

	possessiveWords = words.NewSet(`my mine our mein meine meiner meinen meinem meines unser unsere mi mis mio mia nuestro
		nuestra mon ma mes notre nos meu minha mijn ons мой моя мои моего`)

	// auxiliaryVerbs ask, before a subject, whether something is so.
	auxiliaryVerbs = words.NewSet(`do does did am are is was were have has had should must shall muss musst soll sollte
		sollen habe hast haben bin ist sind hat moet moest`)
	subjectPronouns = words.NewSet(`i you we they he she it this that these my your the there ich du sie wir man er es
		mein meine ik je we`)

	// obligationVerbs ask so wherever they are in a question.
	obligationVerbs = words.NewSet(`debo deberia debemos tengo dois doit devrais devo dovrei preciso`)

	possibilityWords = words.NewSet(`can could may might would possible not so konnte konnten kann moglich puedo podria
		pudiera posible peux pouvais pourrais possible potessi posso possibile puder pudesse possivel`)

	// pastTenseEndings tell of something that was done.
	pastTenseEndings = []string{"ed", "é", "ée", "és", "ées", "ó", "ado", "ido", "ato", "ito"}

	cancelWords = words.NewSet(`cancel stop quit nevermind never mind forget it no not nope skip abbrechen abbruch egal
		vergiss es nein stopp cancelar cancela olvidalo dejalo da igual annuler annule laisse laissez tomber oublie oubliez
		non annulla niente nao cancele esquece nee laat maar отмена нет`)
	cancelPhrasesUnspaced = []string{"算了", "取消", "不用了", "不要了", "没事了", "やめます", "いいです", "キャンセル"}
)

func isCancellation(message string) bool {
	text := strings.Trim(message, " \t\r\n.!。！,，")
	if slices.Contains(cancelPhrasesUnspaced, text) {
		return true
	}
	messageWords, cancels := splitWords(text), false
	for _, w := range messageWords {
		cancels = cancels || cancelWords[w] && !greetingWords[w]
		if !cancelWords[w] && !politeWords[w] && !ignorableWords[w] {
			return false
		}
	}
	return cancels
}

// isQuestionOrRemark reports whether the message is a question or a remark rather than an answer.
func isQuestionOrRemark(message string) bool {
	lang := guessLanguage(message)
	if _, ok := answerSmallTalk(message, lang); ok {
		return true
	}
	return slices.ContainsFunc(splitSentences(message), func(s parsedSentence) bool {
		return s.isQuestion() || len(s.tokens) > 0 && howQuestionWords[s.tokens[0].Word]
	})
}
