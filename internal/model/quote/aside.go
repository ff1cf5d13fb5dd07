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

// whatElseQuestion asks what the user would like to know: what stands behind the greeting.
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

// keyboardRows of a keyboard, as fingers run over them.
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

// asideTexts are the model's own sentences where a message asks nothing of the sources, or not enough.
type asideTexts struct {
	isAutomated       string // it is no person
	noPersonAvailable string // nobody can be called from here
	replyToInsult     string // to an insult
	notUnderstood     string // to what holds no words
	acknowledgement   string // to a "no" that ends what was offered
	whichOne          [2]string
	sourceTopics      [2]string // what the sources speak of
	orSeparator       string
}

var asideTextsByLanguage = textsByLanguage[asideTexts]{
	words.English: {"I am an automated assistant. I answer questions with what stands in my sources.",
		"I am an automated assistant and cannot hand this conversation over to a person. Please use the contact " +
			"details of the people who run this service.",
		"I am sorry that this is annoying. Please tell me what you would like to know, and I will look it up.",
		"I did not understand that. What would you like to know?",
		"All right. I am here if you would like to know something else.",
		[2]string{"Which one do you mean: ", "?"}, [2]string{"My sources speak of: ", "."}, " or "},
	words.German: {"Ich bin ein automatischer Assistent. Ich beantworte Fragen mit dem, was in meinen Quellen steht.",
		"Ich bin ein automatischer Assistent und kann dieses Gespräch nicht an einen Menschen übergeben. Bitte " +
			"nutzen Sie die Kontaktangaben der Betreiber.",
		"Es tut mir leid, dass das ärgerlich ist. Bitte sagen Sie mir, was Sie wissen möchten, und ich sehe nach.",
		"Das habe ich nicht verstanden. Was möchten Sie wissen?",
		"In Ordnung. Ich bin da, wenn Sie noch etwas wissen möchten.",
		[2]string{"Was meinen Sie genau: ", "?"}, [2]string{"Meine Quellen handeln von: ", "."}, " oder "},
	words.Spanish: {"Soy un asistente automático. Respondo a las preguntas con lo que dicen mis fuentes.",
		"Soy un asistente automático y no puedo pasar esta conversación a una persona. Utilice, por favor, los " +
			"datos de contacto de quienes ofrecen este servicio.",
		"Siento que esto sea molesto. Dígame, por favor, qué le gustaría saber y lo buscaré.",
		"No lo he entendido. ¿Qué le gustaría saber?", "De acuerdo. Aquí estoy si quiere saber algo más.",
		[2]string{"¿A cuál se refiere: ", "?"}, [2]string{"Mis fuentes hablan de: ", "."}, " o "},
	words.French: {"Je suis un assistant automatique. Je réponds aux questions avec ce que disent mes sources.",
		"Je suis un assistant automatique et je ne peux pas transmettre cette conversation à une personne. " +
			"Veuillez utiliser les coordonnées de ceux qui proposent ce service.",
		"Je suis désolé que ce soit agaçant. Dites-moi ce que vous souhaitez savoir, et je chercherai.",
		"Je n'ai pas compris. Que souhaitez-vous savoir ?", "Très bien. Je suis là si vous souhaitez savoir autre chose.",
		[2]string{"Lequel voulez-vous dire : ", " ?"}, [2]string{"Mes sources parlent de : ", "."}, " ou "},
	words.Italian: {"Sono un assistente automatico. Rispondo alle domande con quello che dicono le mie fonti.",
		"Sono un assistente automatico e non posso passare questa conversazione a una persona. Usi per favore i " +
			"recapiti di chi offre questo servizio.",
		"Mi dispiace che sia fastidioso. Mi dica che cosa desidera sapere e lo cercherò.",
		"Non ho capito. Che cosa desidera sapere?", "Va bene. Sono qui se desidera sapere altro.",
		[2]string{"Quale intende: ", "?"}, [2]string{"Le mie fonti parlano di: ", "."}, " o "},
	words.Portuguese: {"Sou um assistente automático. Respondo às perguntas com o que dizem as minhas fontes.",
		"Sou um assistente automático e não posso passar esta conversa a uma pessoa. Utilize, por favor, os " +
			"contactos de quem oferece este serviço.",
		"Lamento que isto seja incómodo. Diga-me o que gostaria de saber e vou procurar.",
		"Não percebi. O que gostaria de saber?", "Está bem. Estou aqui se quiser saber mais alguma coisa.",
		[2]string{"A qual se refere: ", "?"}, [2]string{"As minhas fontes falam de: ", "."}, " ou "},
	words.Dutch: {"Ik ben een automatische assistent. Ik beantwoord vragen met wat er in mijn bronnen staat.",
		"Ik ben een automatische assistent en kan dit gesprek niet aan een mens overdragen. Gebruik alstublieft " +
			"de contactgegevens van de aanbieder.",
		"Het spijt me dat dit vervelend is. Zeg me wat u wilt weten, dan zoek ik het op.",
		"Dat heb ik niet begrepen. Wat wilt u weten?", "Goed. Ik ben er als u nog iets wilt weten.",
		[2]string{"Welke bedoelt u: ", "?"}, [2]string{"Mijn bronnen gaan over: ", "."}, " of "},
	words.Russian: {"Я автоматический помощник. Я отвечаю на вопросы тем, что сказано в моих источниках.",
		"Я автоматический помощник и не могу передать этот разговор человеку. Пожалуйста, воспользуйтесь " +
			"контактами тех, кто оказывает эту услугу.",
		"Мне жаль, что это вызывает досаду. Скажите, пожалуйста, что вы хотите узнать, и я поищу.",
		"Я не понял. Что вы хотите узнать?", "Хорошо. Я здесь, если вы захотите узнать что-нибудь ещё.",
		[2]string{"Что вы имеете в виду: ", "?"}, [2]string{"В моих источниках говорится о следующем: ", "."}, " или "},
	words.Arabic: {"أنا مساعد آلي. أجيب عن الأسئلة بما ورد في مصادري.",
		"أنا مساعد آلي ولا أستطيع تحويل هذه المحادثة إلى شخص. يرجى استخدام بيانات الاتصال الخاصة بمقدمي هذه الخدمة.",
		"أعتذر عن الإزعاج. أخبرني من فضلك بما تود معرفته وسأبحث عنه.", "لم أفهم ذلك. ماذا تود أن تعرف؟",
		"حسنا. أنا هنا إذا أردت معرفة شيء آخر.",
		[2]string{"أيها تقصد: ", "؟"}, [2]string{"تتحدث مصادري عن: ", "."}, " أو "},
	words.Chinese: {"我是自动助手，根据我的资料回答问题。", "我是自动助手，无法把对话转给人工。请使用服务提供方的联系方式。", "很抱歉给您带来不便。请告诉我您想了解什么，我来查找。",
		"我没有明白。请问您想了解什么？", "好的。如果还想了解什么，请随时告诉我。", [2]string{"您指的是哪一个：", "？"}, [2]string{"我的资料涉及：", "。"}, "，还是"},
	words.Japanese: {"私は自動のアシスタントです。資料に書かれていることをもとにお答えします。", "私は自動のアシスタントで、担当者におつなぎすることはできません。サービス提供者の連絡先をご利用ください。",
		"ご不便をおかけして申し訳ありません。お知りになりたいことを教えてください。お調べします。", "うまく理解できませんでした。何をお知りになりたいですか。",
		"承知しました。ほかに知りたいことがあればお知らせください。", [2]string{"どれのことでしょうか：", "？"}, [2]string{"資料にあるのは次の内容です：", "。"}, "、または"},
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

// rudeWords are insults and oaths, folded. What else such a message holds is still answered.
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
