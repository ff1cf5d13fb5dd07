package quote

import (
	"slices"
	"strings"
	"unicode"

	"parley/internal/model"
	"parley/internal/text/words"
)

// answerAside answers a message that asks nothing of the sources: greetings and thanks, whether a person answers, a
// wish for one, an insult, a yes or no, or no words at all.
func answerAside(req model.Request, last string) (reply, bool) {
	own := func(text string) (reply, bool) { return reply{text: text, score: 1}, true }
	messageWords, lang := splitWords(last), func() asideTexts { return asideTextsByLanguage.in(questionLanguage(req)) }
	switch {
	case len(messageWords) == 0 && strings.ContainsAny(last, "👍🙏❤"):
		return own(smallTalkTextsByLanguage.in(questionLanguage(req)).thanks)
	case len(messageWords) == 0:
		return own(lang().notUnderstood)
	case consentKind(messageWords, last) == 'n' && len(req.Messages) > 1:
		return own(lang().acknowledgement)
	case consentKind(messageWords, last) != 0 && !askedWhichMeaning(req.Messages):
		return own(whatElseQuestion(questionLanguage(req)))
	case asksIfMachine(messageWords, last):
		return own(lang().isAutomated)
	case wantsPerson(messageWords, last):
		return replyWithHandover(req, last, lang())
	}
	if text, ok := answerSmallTalk(last, guessLanguage(last)); ok {
		return own(text)
	}
	if isRude(messageWords, last) {
		return own(lang().replyToInsult)
	}
	return reply{}, false
}

// consentKind returns y or n where the message says nothing else, and 0 otherwise.
func consentKind(messageWords []string, message string) byte {
	text := strings.Trim(message, " \n\t.!。！，,")
	switch {
	case slices.Contains(affirmativesUnspaced, text):
		return 'y'
	case slices.Contains(negativesUnspaced, text):
		return 'n'
	case len(messageWords) > 3:
		return 0
	}
	kind := byte(0)
	for _, w := range messageWords {
		switch {
		case affirmativeWords[w] && kind != 'n':
			kind = 'y'
		case negativeWords[w] && kind != 'y':
			kind = 'n'
		case !greetingWords[w] && !politeWords[w]:
			return 0
		}
	}
	return kind
}

// whatElseQuestion returns the question what the user would like to know, which is the end of the greeting.
func whatElseQuestion(l words.Language) string {
	hello := smallTalkTextsByLanguage.in(l).hello
	for _, end := range []string{"! ", "！", "。"} {
		if _, rest, ok := strings.Cut(hello, end); ok {
			return rest
		}
	}
	return hello
}

const maxAsideWords = 9 // words

func asksIfMachine(messageWords []string, message string) bool {
	if containsAny(strings.ToLower(message), machineQuestionsUnspaced...) && len([]rune(message)) <= 16 {
		return true
	}
	line := " " + strings.Join(messageWords, " ") + " "
	return len(messageWords) <= maxAsideWords && slices.ContainsFunc(machineQuestions, func(p string) bool {
		return strings.Contains(line, " "+words.Fold(p)+" ")
	})
}

func containsAny(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// wantsPerson reports whether the message is a wish to talk to a person. Asking how to contact somebody is a question
// to the sources.
func wantsPerson(messageWords []string, message string) bool {
	if containsAny(message, personPhrasesUnspaced...) {
		return !strings.ContainsAny(message, "不没")
	}
	if len(messageWords) > 14 || slices.ContainsFunc(messageWords, func(w string) bool {
		return denialWords[w] || dislikeWords[w]
	}) {
		return false
	}
	speaks, person, more := false, false, 0
	for _, w := range messageWords {
		switch {
		case personNouns[w]:
			person = true
		case agentNouns[w] && slices.ContainsFunc(messageWords, func(w string) bool { return talkVerbs[w] }):
			person = true
		case contactVerbs[w]:
			speaks = true
		case !politeWords[w] && !greetingWords[w] && !ignorableWords[w] && !isFunctionWord(w):
			more++
		}
	}
	return person && (speaks && more <= 2 || more == 0 && len(messageWords) <= 3) && !isAboutPeople(messageWords)
}

// isAboutPeople reports whether the message is a question about people rather than a wish for one: "how many", "who".
func isAboutPeople(messageWords []string) bool {
	return slices.ContainsFunc(messageWords, func(w string) bool {
		return listContains("many much who what which when why where viele wer was cuantas quien combien qui", w)
	})
}

func isFunctionWord(word string) bool {
	for l := range words.LanguageCount {
		if words.Language(l).IsStopWord(word) {
			return true
		}
	}
	return listContains("real live actual actually speak team support service kundendienst echten echte wirklich "+
		"real vivo atencion cliente clientes vrai reelle vero", word)
}

// replyWithHandover calls the handover tool, or says that there is none. Where the sources say how to reach somebody,
// they answer.
func replyWithHandover(req model.Request, message string, a asideTexts) (reply, bool) {
	for _, tool := range req.Tools {
		if !tool.IsHandover {
			continue
		}
		w := newCallDraft(tool, message)
		for _, in := range w.inputs {
			if in.name == "reason" {
				w.values[in.name] = jsonString(message)
			}
		}
		return w.makeReply(req), true
	}
	return reply{text: a.noPersonAvailable, score: 1}, true
}

func isRude(messageWords []string, message string) bool {
	if containsAny(message, rudeWordsUnspaced...) {
		return len([]rune(message)) <= 12 && !strings.ContainsAny(message, "?？吗怎")
	}
	found := false
	for _, w := range messageWords {
		switch {
		case rudeWords[w]:
			found = true
		case !rudeFillerWords[w] && !isFunctionWord(w) && !ignorableWords[w]:
			return false
		}
	}
	return found && len(messageWords) <= maxAsideWords
}

// isGibberish reports whether the message is keys struck at random: no word of it could be spoken.
func isGibberish(messageWords []string) bool {
	return len(messageWords) > 0 && len(messageWords) <= 3 &&
		!slices.ContainsFunc(messageWords, func(w string) bool { return !isUnpronounceable(w) })
}

// keyboardRows are letters that are neighbours on a keyboard.
var keyboardRows = []string{"asdf", "sdfg", "dfgh", "fghj", "ghjk", "hjkl", "qwer", "werty", "yuio", "uiop", "zxcv",
	"xcvb", "cvbn", "vbnm", "йцук", "фыва", "ячсм"}

func isUnpronounceable(word string) bool {
	if len(word) < 4 || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return false
	}
	for i := 3; i < len(word); i++ {
		if word[i] == word[i-1] && word[i] == word[i-2] && word[i] == word[i-3] {
			return true
		}
	}
	latin := word[0] < 0x80
	return containsAny(word, keyboardRows...) || latin && !strings.ContainsAny(word, "aeiouy") && len(word) >= 5
}

// machineQuestions are ways of asking whether a person answers; folded words.
var machineQuestions = []string{"are you a bot", "are you a robot", "are you human", "are you a human",
	"are you a real person", "are you real", "are you a person", "are you an ai", "are you ai", "are you a machine",
	"is this a bot", "is this a real person", "am i talking to a bot", "am i talking to a human",
	"am i talking to a robot", "am i talking to a machine", "am i chatting with a bot", "am i talking to a real person",
	"am i talking to a person", "am i speaking to a human", "am i speaking with a bot", "who am i talking to",
	"bist du ein bot", "bist du ein roboter", "bist du ein mensch", "bist du eine ki", "bist du echt",
	"sind sie ein bot", "sind sie ein roboter", "sind sie ein mensch", "sind sie eine ki", "rede ich mit einem",
	"spreche ich mit einem", "eres un bot", "eres un robot", "eres humano", "eres humana", "eres una persona",
	"eres una ia", "es usted un bot", "es usted un robot", "es usted una persona", "hablo con una persona",
	"hablo con un robot", "es tu un robot", "es tu un bot", "es tu humain", "etes vous un robot", "etes vous un bot",
	"etes vous humain", "etes vous une personne", "etes vous une ia", "sei un bot", "sei un robot", "sei umano",
	"sei una persona", "e un bot", "es um bot", "voce e um bot", "voce e um robo", "voce e humano", "voce e uma pessoa",
	"es um robo", "ben je een bot", "ben je een robot", "ben je een mens", "bent u een bot", "bent u een robot",
	"bent u een mens", "ты бот", "вы бот", "ты робот", "вы робот", "ты человек", "вы человек", "هل انت روبوت",
	"هل انت بوت", "هل انت انسان", "هل انت بشر", "هل انت شخص"}

var machineQuestionsUnspaced = []string{"你是机器人", "你是真人", "是机器人吗", "是真人吗", "你是人工智能", "你是人吗", "您是机器人", "您是真人", "ロボットですか",
	"人間ですか", "ボットですか", "aiですか"}

// A wish for a person is a verb of speaking and a word for a person, or that word nearly alone.
var (
	contactVerbs = words.NewSet(`talk speak chat connect transfer reach get contact want need give put call escalate
		sprechen reden verbinden verbinde verbinden chatten erreichen brauche will mochte
		hablar comunicar comunicarme contactar pasar paseme pasame quiero necesito parler joindre contacter veux
		voudrais passez parlare voglio vorrei falar quero preciso spreken praten wil
		поговорить соедините связаться позовите переключите хочу اريد التحدث اتحدث التكلم اتكلم احتاج`)
	personNouns = words.NewSet(`human humans person representative rep operator mensch menschen mitarbeiter mitarbeiterin
		berater kundenberater persona humano agente asesor operador humain humaine conseiller conseillere personne umano
		operatore pessoa atendente mens persoon medewerker человеком человека человек оператором оператора оператор
		сотрудником специалистом شخص موظف انسان بشري`)
	// persons only behind a verb of speaking
	agentNouns            = words.NewSet(`agent someone somebody jemandem jemand alguien quelqu qualcuno alguem iemand`)
	personPhrasesUnspaced = []string{"人工客服", "转人工", "真人客服", "人工服务", "找人工", "要人工", "联系人工", "オペレーターに", "担当者と話", "人と話",
		"人間と話", "担当者につな", "有人対応"}
	talkVerbs = words.NewSet(`talk speak chat connect transfer sprechen reden verbinden verbinde hablar comunicar
		comunicarme pasame paseme parler joindre parlare falar spreken praten поговорить соедините позовите
		التحدث اتحدث التكلم اتكلم`)
)

// rudeWords are insults and swear words, folded. What else such a message holds is still answered.
var rudeWords = words.NewSet(`fuck fucking fucked fucker shit shitty crap bullshit idiot idiotic moron stupid dumb
	useless asshole bitch bastard damn suck sucks wtf stfu garbage trash scheisse scheiss scheise idiot blod blode dumm
	dummer nutzlos arschloch mist verdammt mierda idiota estupido estupida inutil imbecil joder puta gilipollas merde
	idiot con connard stupide nul nulle putain cazzo stronzo stupido merda burro inutile klote kut dom stom nutteloos
	идиот тупой дурак бесполезный дерьмо черт غبي احمق تافه لعنه`)

var rudeWordsUnspaced = []string{"傻逼", "白痴", "他妈的", "垃圾", "废物", "笨蛋", "去死", "バカ", "馬鹿", "くそ", "死ね", "役立たず"}

// rudeFillerWords may accompany them without asking anything.
var rudeFillerWords = words.NewSet(`bot robot chatbot machine so totally piece absolutely completely total ganz vollig
	stuck maquina eres sos es tu estas sei voce ben basura boludo quel espece macchina`)

var (
	affirmativeWords = words.NewSet(`yes yeah yep yup sure ok okay ja jawohl klar si oui sim да نعم`)
	negativeWords    = words.NewSet(`no nope nah nein non nao nee нет لا`)
	// affirmativesUnspaced and negativesUnspaced are the same where words are not set apart.
	affirmativesUnspaced = []string{"是", "是的", "对", "好", "好的", "嗯", "はい", "ええ"}
	negativesUnspaced    = []string{"不", "不是", "没有", "不用", "不用了", "いいえ", "いや"}
)

// dislikeWords says that what follows is not wished for.
var dislikeWords = unionSets(dislikeVerbs, words.NewSet(`hate hated loathe dislike odiaba detester ненавижу`))
