package llm

import (
	"maps"
	"strings"
)

// wordSet makes a set of the words of a text; they are folded.
func wordSet(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		all[w] = true
	}
	return all
}

func joined(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

var (
	// contrasts begin a clause that holds though the one before it was denied.
	contrasts = wordSet(`but aber sondern pero sino mais maar но`)

	// particles are Chinese and Japanese characters that a request may have or leave out.
	particles = "的了吗呢吧请问我你您一下个把帮给を"

	// ignorable words of a trigger need not be in the message, and may be in it without being in the trigger.
	ignorable = wordSet(`a an the my me i we our to is are am s do does can you your it der die das den dem ein eine einen einem mein meine meinen
		ich wir bitte ist sind zu el la los las un una unos mi mis es esta yo le les l une mon ma mes je est il lo gli uno mio mia o os as um uma
		meu minha de het een mijn ik`)

	polite = joined(greetings, wordSet(`please pls plz bitte kindly now just asap immediately jetzt sofort gleich gern gerne mal ahora favor por porfa
		maintenant svp stp vous s plait te want need would like wanna d can could you me will let ll want mochte will kann konnte ich quiero
		quisiera necesito puedo je veux voudrais peux vorrei voglio quero gostaria thanks thank danke gracias merci`))

	greetings = wordSet(`hi hello hey dear there ok okay well so then also and yes yeah sure hallo guten tag moin also und ja hola buenas y vale bonjour
		salut et oui ciao salve e sim ola hoi dag en`)

	denials = wordSet(`not never without cannot dont doesnt didnt cant wont don doesn didn isn aren won wouldn shouldn couldn wasn haven hasn instead
		avoid refuse unable tried failed managed considering versucht uberlege intente essaye no nicht nie niemals kein keine keinen keinem keiner ohne statt anstatt nunca jamas sin tampoco lugar ne pas jamais sans aucun
		aucune lieu non senza nao sem niet geen nooit zonder не нет никогда без
		لا لم لن ليس ليست لست بدون دون عدم بلا ابدا مش`)

	// politeDenials begin questions that are requests.
	politeDenials = []string{"can t i", "can t we", "couldn t i", "cant i", "can i not", "could i not", "kann ich nicht", "konnte ich nicht", "no puedo", "no podria",
		"ne puis je pas", "puis je pas"}

	interjected = wordSet(`i we please just can could let je`)
	trailing    = wordSet(`nicht niet mehr`)

	asksHow = wordSet(`how why wie warum wieso weshalb como comment pourquoi perche hoe waarom как почему зачем know explain information info wissen
		erklaren saber explicar informacion savoir expliquer`)

	// asksWhat ask wherever they stand; asksWhich may also join a clause to another.
	asksWhat  = wordSet(`what whats wat cosa qu что`)
	asksWhich = wordSet(`where wheres when which who whose whom wo wann wer welche welcher welches wem wen donde cuando cual quien que quand quel quelle qui
		ou dove quando quale chi onde qual quem waar wanneer welke wie где когда какой кто`)

	own = wordSet(`my mine our mein meine meiner meinen meinem meines unser unsere mi mis mio mia nuestro nuestra mon ma mes notre nos meu minha mijn ons
		мой моя мои моего`)

	// auxiliaries ask, before a subject, whether something is so.
	auxiliaries = wordSet(`do does did am are is was were have has had should must shall muss musst soll sollte sollen habe hast haben bin ist sind hat moet moest`)
	subjects    = wordSet(`i you we they he she it this that these my your the there ich du sie wir man er es mein meine ik je we`)

	// obligations ask so wherever they stand in a question.
	obligations = wordSet(`debo deberia debemos tengo dois doit devrais devo dovrei preciso`)

	couldBe = wordSet(`can could may might would possible not so konnte konnten kann moglich puedo podria pudiera posible peux pouvais pourrais possible
		potessi posso possibile puder pudesse possivel`)

	// pastEndings tell of something that was done.
	pastEndings = []string{"ed", "é", "ée", "és", "ées", "ó", "ado", "ido", "ato", "ito"}

	givingUp = wordSet(`cancel stop quit nevermind never mind forget it no not nope skip abbrechen abbruch egal vergiss es nein stopp cancelar cancela olvidalo
		dejalo da igual annuler annule laisse laissez tomber oublie oubliez non annulla niente nao cancele esquece nee laat maar отмена нет`)
	givingUpDense = []string{"算了", "取消", "不用了", "不要了", "没事了", "やめます", "いいです", "キャンセル"}
)

// givesUp reports that the message only takes back what was asked for.
func givesUp(message string) bool {
	text := strings.Trim(message, " \t\r\n.!。！,，")
	for _, p := range givingUpDense {
		if text == p {
			return true
		}
	}
	said, gave := spoken(text), false
	for _, w := range said {
		gave = gave || givingUp[w] && !greetings[w]
		if !givingUp[w] && !polite[w] && !ignorable[w] {
			return false
		}
	}
	return gave
}

// turnsAway reports that the message is a question or a remark rather than an answer.
func turnsAway(message string) bool {
	lang := guess(message)
	if _, ok := smallTalk(message, lang); ok {
		return true
	}
	for _, s := range listen(message) {
		if s.asks() || len(s.tokens) > 0 && asksHow[s.tokens[0].Word] {
			return true
		}
	}
	return false
}
