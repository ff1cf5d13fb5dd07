package quote

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/model"
	"parley/internal/text/words"
)

func inputSchemaOf(required string, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`)
}

// testTools is the tools of the tables below.
var testTools = []model.Tool{
	{Name: "track", Triggers: []string{"track order {number}", "where is my order {number}",
		"bestellung {number} verfolgen", "seguir pedido {number}", "suivre la commande {number}", "查询订单{number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "human", Triggers: []string{"talk to a human", "mit einem menschen sprechen", "hablar con una persona",
		"parler à un conseiller", "转人工", "human"},
		Parameters: inputSchemaOf(``, ``)},
	{Name: "weather", Triggers: []string{"weather in {city}", "wetter in {city}", "tiempo en {city}", "météo à {city}",
		"{city}的天气"}, Parameters: inputSchemaOf(`"city"`, `"city":{"type":"string"}`)},
	{Name: "cancel", Triggers: []string{"cancel my subscription", "abo kündigen", "cancelar suscripción",
		"résilier mon abonnement"}},
	{Name: "status", Triggers: []string{"order status"}},
	{Name: "transfer", Triggers: []string{"send {amount} euros to {recipient}"},
		Parameters: inputSchemaOf(`"amount","recipient"`, `"amount":{"type":"number"},"recipient":{"type":"string"}`)},
	{Name: "flight", Triggers: []string{"book flight from {from} to {to}"},
		Parameters: inputSchemaOf(`"from","to"`, `"from":{"type":"string"},"to":{"type":"string"}`)},
}

// calledTool returns the call or the question that answers a message, as "name {input}" or the text.
func calledTool(t *testing.T, req model.Request) string {
	t.Helper()
	r, ok := answerWithTools(req)
	switch {
	case !ok:
		return ""
	case r.toolCall != nil:
		if !json.Valid(r.toolCall.Input) || !strings.HasPrefix(r.toolCall.ID, "call_") {
			t.Errorf("%+v", r.toolCall)
		}
		return r.toolCall.Name + " " + string(r.toolCall.Input)
	}
	return r.text
}

func TestMessageWithTriggerCallsTool(t *testing.T) {
	const human, cancel, status = "human {}", "cancel {}", "status {}"
	testCalledTool(t, map[string]string{
		"track order 12345":                                     `track {"number":"12345"}`,
		"Track order #12345!":                                   `track {"number":"12345"}`,
		"Please track my order A-1234, thanks":                  `track {"number":"A-1234"}`,
		"Hi. Can you track the order with the number 778899?":   `track {"number":"778899"}`,
		"Where's my order 12345?":                               `track {"number":"12345"}`,
		"How can I track order 12345?":                          `track {"number":"12345"}`,
		"track my order, it's number 4711":                      `track {"number":"4711"}`,
		"Bitte die Bestellung 12345 verfolgen":                  `track {"number":"12345"}`,
		"Quiero seguir mi pedido 12345":                         `track {"number":"12345"}`,
		"Je voudrais suivre ma commande 12345, s'il vous plaît": `track {"number":"12345"}`,
		"请帮我查询一下我的订单12345":                                      `track {"number":"12345"}`,
		"I would like to talk to a human please":                human,
		"Can I talk to a real, live human?":                     human,
		"Can't I just talk to a human?":                         human,
		"No, I want to talk to a human":                         human,
		"I don't want a bot, let me talk to a human":            human,
		"I don't want to talk to a bot but to a human":          human,
		"I was wondering if I could talk to a human":            human,
		"Can I talk to a human or not?":                         human,
		"Is it possible to talk to a human?":                    human,
		"Is there a way to talk to a human?":                    human,
		"I have to talk to a human, can I?":                     human,
		"human please":                                          human,
		"HUMAN!":                                                human,
		"Ich möchte mit einem Menschen sprechen":                human,
		"Könnte ich bitte mit einem echten Menschen sprechen?":  human,
		"Quisiera hablar con una persona, por favor":            human,
		"Sí, quiero hablar con una persona":                     human,
		"Je veux parler à un conseiller":                        human,
		"我想转人工客服":                                               human,
		"能不能转人工？":                                               human,
		"对不起，我想转人工":                                             human,
		"What's the weather in Rome?":                           `weather {"city":"Rome"}`,
		"What is the weather like in Rio de Janeiro, please?":   `weather {"city":"Rio de Janeiro"}`,
		"Wie ist das Wetter in Berlin?":                         `weather {"city":"Berlin"}`,
		"¿Qué tiempo hace en Madrid?":                           `weather {"city":"Madrid"}`,
		"北京的天气怎么样？":                                             `weather {"city":"北京"}`,
		"I'd like to cancel my subscription":                    cancel,
		"Ich will mein Abo kündigen":                            cancel,
		"Je souhaite résilier mon abonnement":                   cancel,
		"What is my order status?":                              status,
		"order status":                                          status,
		"Send 20 euros to Ann":                                  `transfer {"amount":20,"recipient":"Ann"}`,
		"please send 1,250.50 euros to Bob because I owe him":   `transfer {"amount":1250.5,"recipient":"Bob"}`,
		"Book a flight from Paris to New York":                  `flight {"from":"Paris","to":"New York"}`,
	})
}

func TestMissingInputIsAskedFor(t *testing.T) {
	testCalledTool(t, map[string]string{
		"Please track my order":               "To go on I need: number.",
		"Where is my order?":                  "To go on I need: number.",
		"Ich will meine Bestellung verfolgen": "Um fortzufahren, brauche ich: number.",
		"Quiero seguir mi pedido":             "Para continuar necesito: number.",
		"Je veux suivre la commande":          "Pour continuer, j'ai besoin de : number.",
		"我想查询订单":                              "要继续，我需要：number。",
	})
}

func TestMessageThatOnlyMentionsTriggerCallsNothing(t *testing.T) {
	testCalledTool(t, map[string]string{
		"What is an order?":                                     "",
		"How do I track an order?":                              "",
		"How can I talk to a human?":                            "",
		"What happens if I cancel my subscription?":             "",
		"What does it cost to cancel my subscription?":          "",
		"If I cancel my subscription, do I get my money back?":  "",
		"Should I cancel my subscription?":                      "",
		"Am I talking to a human?":                              "",
		"Did you cancel my subscription?":                       "",
		"I cancelled my subscription last week":                 "",
		"Why was my order 12 cancelled?":                        "",
		"What is an order status?":                              "",
		"I do not want to talk to a human":                      "",
		"I don't want to talk to a human":                       "",
		"Please help me without talking to a human":             "",
		"Don't cancel my subscription!":                         "",
		"never cancel my subscription":                          "",
		"Instead of talking to a human I want to read the docs": "",
		"The human body is amazing and has many organs":         "",
		"I talk all day to my cat and it is surely not human":   "",
		"Ich möchte nicht mit einem Menschen sprechen":          "",
		"Ich will mein Abo nicht kündigen":                      "",
		"Wie kann ich mein Abo kündigen?":                       "",
		"Muss ich mein Abo kündigen?":                           "",
		"Was passiert, wenn ich mein Abo kündige?":              "",
		"No quiero hablar con una persona":                      "",
		"¿Cómo puedo cancelar mi suscripción?":                  "",
		"Ya hablé con una persona":                              "",
		"Je ne veux pas parler à un conseiller":                 "",
		"Comment résilier mon abonnement ?":                     "",
		"我不想转人工":                                                "",
		"怎么转人工？":                                                "",
		"什么是订单？":                                                "",
		"Hello!":                                                "",
		"Is there a human?":                                     "",
		"Is there an order status page?":                        "",
		"Does my subscription cancel itself?":                   "",
		"Would I have to cancel my subscription?":               "",
		"I was unable to cancel my subscription":                "",
		"I am considering cancelling my subscription":           "",
		"I want to know about cancelling my subscription":       "",
		"Do I have to talk to a human?":                         "",
		"Thanks for tracking order 12":                          "",
		"":                                                      "",
	})
}

// testCalledTool checks what each message leads to: a call, a question for inputs, or nothing.
func testCalledTool(t *testing.T, wanted map[string]string) {
	t.Helper()
	for message, want := range wanted {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: testTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// The phrases of the manual's examples.
func TestManualTriggers(t *testing.T) {
	one := func(name, required, properties string, triggers ...string) model.Tool {
		return model.Tool{Name: name, Triggers: triggers, Parameters: inputSchemaOf(required, properties)}
	}
	tools := []model.Tool{
		one("page", `"color"`, `"color":{"type":"string","enum":["red","blue"]}`, "make the page {color}"),
		one("lead", `"email"`, `"email":{"type":"string"},"name":{"type":"string"}`, "call me back", "my e-mail is {email}"),
		one("prices", ``, ``, "price list", "show me your prices"),
		one("search", `"query"`, `"query":{"type":"string"}`, "search the web for {query}"),
		one("refund", `"number"`, `"number":{"type":"string"}`, "I want my money back", "refund order {number}"),
		one("complain", ``, ``, "I want to complain"),
	}
	for message, want := range map[string]string{
		"Please make the page Blue":                    `page {"color":"blue"}`,
		"make the page green":                          "To go on I need: color (red, blue).",
		"My e-mail is ann@example.com.":                `lead {"email":"ann@example.com"}`,
		"Could you call me back?":                      "To go on I need: email.",
		"Show me your prices":                          "prices {}",
		"Do you have a price list?":                    "",
		"Can I see the price list?":                    "prices {}",
		"Search the web for cheap flights to New York": `search {"query":"cheap flights to New York"}`,
		"search the web":                               "To go on I need: query.",
		"I want my money back for order 77":            `refund {"number":"77"}`,
		"Refund order no. A-77 please":                 `refund {"number":"A-77"}`,
		"How long does it take to get my money back?":  "",
		"I'd like to complain about the delivery":      "complain {}",
		"I don't want to complain":                     "",
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: tools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestTheBestTriggerWins(t *testing.T) {
	tools := []model.Tool{{Name: "short", Triggers: []string{"cancel order"}}, {Name: "long",
		Triggers: []string{"cancel order and refund"}}, {Name: "other", Triggers: []string{"cancel order"}}}
	for message, want := range map[string]string{"Cancel my order and refund it": "long {}",
		"Cancel the order": "short {}"} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: tools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestPlainWishesForAPerson(t *testing.T) {
	codes := map[string]words.Language{"en": words.English, "de": words.German, "es": words.Spanish, "fr": words.French,
		"it": words.Italian, "pt": words.Portuguese,
		"nl": words.Dutch, "ru": words.Russian, "ar": words.Arabic, "zh": words.Chinese, "ja": words.Japanese}
	for lang, messages := range map[string][]string{
		"en": {"I want to talk to a human", "can I speak to an agent please", "Can I talk to a real person?",
			"human please", "HUMAN!!!", "Hi, I'd like to speak with someone from your support team.",
			"Please connect me to a representative", "transfer me to an agent",
			"Could you put me through to customer service?", "let me talk to your manager", "I need a human", "live agent",
			"I don't understand this. I want to talk to a human.", "This is useless, let me talk to a human",
			"I would like to talk to a person about my refund", "Give me a human being, not a bot",
			"can i please chat with a support agent now", "Is it possible to speak to a human?", "talk to a human",
			"I’d rather speak to a person", "\"I want to talk to a human\"", "operator",
			"My parcel 4711 never came and nobody answers my mails. Can I talk to somebody?", "No, human please",
			"we need to speak to a manager immediately", "escalate this to a human", "A person, please",
			"is there a human i can talk to?",
			"I need to speak to someone in billing", "I don't want to talk to a bot, I want a human"},
		"de": {"Ich möchte mit einem Menschen sprechen", "Kann ich bitte mit einem Mitarbeiter reden?",
			"Verbinden Sie mich bitte mit dem Kundendienst", "Mensch bitte", "Ich brauche einen echten Menschen",
			"Ich will jetzt endlich mit jemandem vom Support sprechen!", "mit einem Mitarbeiter sprechen",
			"Können Sie mich mit einem Berater verbinden?", "Ich möchte wegen meiner Bestellung mit einer Person sprechen"},
		"es": {"Quiero hablar con una persona", "¿Puedo hablar con un agente, por favor?", "Páseme con un operador",
			"Necesito un humano", "agente por favor", "Me gustaría hablar con alguien de su equipo",
			"No, quiero hablar con una persona"},
		"fr": {"Je veux parler à un humain", "Puis-je parler à un conseiller, s'il vous plaît ?",
			"Je voudrais parler avec quelqu'un du support", "Passez-moi un conseiller", "J'ai besoin d'une vraie personne",
			"Pouvez-vous me mettre en relation avec un conseiller ?"},
		"it": {"Vorrei parlare con un operatore", "Posso parlare con una persona reale, per favore?",
			"Mi passi un operatore", "Voglio un umano"},
		"pt": {"Quero falar com uma pessoa", "Posso falar com um atendente, por favor?",
			"Gostaria de falar com alguém da equipa", "atendimento humano"},
		"nl": {"Ik wil met een mens praten", "Kan ik met een medewerker spreken?",
			"Verbind me met een medewerker alstublieft", "kan ik iemand spreken?", "Ik wil graag een medewerker spreken"},
		"ru": {"Хочу поговорить с человеком", "Соедините меня с оператором", "Можно поговорить с живым человеком?",
			"Позовите оператора, пожалуйста", "оператор", "Можно оператора?", "мне нужен оператор"},
		"ar": {"أريد التحدث مع موظف", "هل يمكنني التحدث إلى شخص حقيقي؟", "حولني إلى موظف من فضلك"},
		"zh": {"转人工", "我想和真人说话", "请帮我转人工客服，谢谢", "可以找人工客服吗？", "我要人工服务"},
		"ja": {"担当者と話したいです", "オペレーターにつないでください", "人と話せますか？", "人間と話したい", "有人対応に切り替えてください", "誰かと話したいです"},
	} {
		for _, message := range messages {
			if got, ok := AsksForPerson(message, nil); !ok || got != codes[lang] {
				t.Errorf("%q: %v, language %d, want %d", message, ok, got, codes[lang])
			}
		}
	}
}

func TestQuestionsAboutPeopleAreNoWishes(t *testing.T) {
	for _, message := range []string{
		"how do I talk to a human customer", "do you have human support on weekends?", "human resources policy",
		"What does a human agent cost?", "Can I talk to an agent on weekends?", "I don't want to talk to a human",
		"I hate talking to a human", "Are you a human?", "How many people work here?", "Is there live chat support?",
		"When can I speak to a representative?", "How can customers talk to a person?",
		"If I say I want to talk to a human, what happens?",
		"When a customer says, I want to talk to a human, what does the agent do?",
		`What happens when somebody writes "I want to talk to a human"?`,
		`They write "Help. Can I talk to a human?" What then?`, "Can I create an agent?", "I need an agent for my website",
		"agent", "I want to connect my agent to a support team inbox in Slack", "support", "I need support with my order",
		"contact support", "people", "How do I escalate to a human?", "Integrations, human agent, live agent, bots",
		"Does your operator speak German?", "I talked to a human yesterday", "A human told me to write here.",
		"can you talk to a human like a human", "Is the person in the picture an employee?",
		"Speak to the customer in a friendly tone", "I want to talk to a customer",
		"Can I transfer my account to another person?", "Can I give my licence to a person in my team?",
		"Talk to a person who has been dead for a hundred years", "no human please", "Can a person be added to the team?",
		"human error", "Which person signs the contract?", "I am a representative of a company",
		"Wie kann ich mit einem Menschen sprechen?", "Ich möchte nicht mit einem Menschen sprechen",
		"Haben Sie am Wochenende menschlichen Support?", "Wie viele Mitarbeiter haben Sie?", "Menschenrechte",
		"Mitarbeiter", "Wenn ich sage, ich möchte mit einem Menschen sprechen, was passiert dann?",
		"¿Cuántas personas trabajan aquí?", "No quiero hablar con una persona", "¿Cómo puedo hablar con una persona?",
		"recursos humanos", "Combien de conseillers avez-vous ?", "Je ne veux pas parler à un humain",
		"ressources humaines", "Quante persone lavorano qui?", "Non voglio parlare con un operatore",
		"Não quero falar com uma pessoa", "Hoeveel medewerkers hebben jullie?", "Ik wil niet met een mens praten",
		"Сколько человек у вас работает?", "Я не хочу говорить с человеком", "كم موظف لديكم؟", "لا أريد التحدث مع موظف",
		"人工客服几点上班？", "有人工客服吗？", "我不想和真人说话", "不要转人工", "人工智能是什么", "有人対応はありますか", "担当者は何時までいますか", "人と話したくない", "", "?", "😀",
	} {
		if lang, ok := AsksForPerson(message, nil); ok {
			t.Errorf("%q is taken for a wish in language %d", message, lang)
		}
	}
}

func TestLanguageOfAWishThatSeveralShare(t *testing.T) {
	earlier := func(texts ...string) func() []string { return func() []string { return texts } }
	if got, ok := AsksForPerson("humano", earlier("Olá, onde está a minha encomenda? Não recebi nada.")); !ok ||
		got != words.Portuguese {
		t.Error(got, ok)
	}
	if got, ok := AsksForPerson("humano", earlier("¿Dónde está mi pedido? No lo he recibido.")); !ok ||
		got != words.Spanish {
		t.Error(got, ok)
	}
}

func FuzzAsksForPerson(f *testing.F) {
	f.Add("I want to talk to a human, please")
	f.Add("人と話し, \"「human")
	f.Fuzz(func(_ *testing.T, message string) { AsksForPerson(message, nil) })
}

func TestLongMessagesAreNoWishes(t *testing.T) {
	if _, ok := AsksForPerson(strings.Repeat("word ", 1000)+". I want to talk to a human", nil); ok {
		t.Error("a document is taken for a wish")
	}
}

// orderTools is the tools of the tables below.
var orderTools = []model.Tool{
	{Name: "track", Triggers: []string{"track order {number}", "bestellung {number} verfolgen", "查询订单{number}",
		"تتبع الطلب {number}", "注文{number}を確認", "suivre la commande {number}",
		"traccia ordine {number}", "seguir pedido {number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "cancel", Triggers: []string{"cancel order {number}", "bestellung {number} stornieren", "注文{number}をキャンセル",
		"取消订单{number}", "annuler la commande {number}", "annulla ordine {number}", "cancelar pedido {number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "human", Triggers: []string{"talk to a human", "speak to a person", "mit einem menschen sprechen", "转人工",
		"hablar con una persona", "parler à un conseiller"}},
}

func TestTellingIsNoAsking(t *testing.T) {
	const track, cancel, human = `track {"number":"4711"}`, `cancel {"number":"4711"}`, "human {}"
	for message, want := range map[string]string{
		// denied
		"لا أريد تتبع الطلب 4711":                             "",
		"لا تتبع الطلب 4711":                                  "",
		"لم أطلب تتبع الطلب 4711":                             "",
		"أريد تتبع الطلب 4711":                                track,
		"تتبع الطلب 4711 من فضلك":                             track,
		"لا، أريد تتبع الطلب 4711":                            track,
		"I'd hate to talk to a human":                         "",
		"I hate having to speak to a person":                  "",
		"I hate talking to a human":                           "",
		"I hate it when I have to talk to a human":            "",
		"Ich hasse es, mit einem Menschen sprechen zu müssen": "",
		"Odio hablar con una persona":                         "",
		"Je déteste parler à un conseiller":                   "",
		"I hate this bot, talk to a human":                    human,
		"I hate waiting, let me talk to a human":              human,
		"I hate waiting so please let me talk to a human":     human,
		"I hate bots and want to talk to a human":             human,

		// done
		"我已经查询订单4711了":                                          "",
		"我查询了订单4711":                                            "",
		"我刚刚取消订单4711":                                           "",
		"我取消订单4711了":                                            "",
		"我想取消订单4711了":                                           cancel,
		"我已经付款了，请查询订单4711":                                      track,
		"我已经付款了请查询订单4711":                                       track,
		"我要查询订单4711":                                            track,
		"查询订单4711":                                              track,
		"注文4711をキャンセルしました":                                      "",
		"注文4711をキャンセルした":                                        "",
		"注文4711をキャンセル済みです":                                      "",
		"注文4711をキャンセルされました":                                     "",
		"注文4711をキャンセルしたいです":                                     cancel,
		"注文4711をキャンセルしてください":                                    cancel,
		"注文4711をキャンセルしたいのですが":                                   cancel,
		"困りました、注文4711をキャンセルお願いします":                              cancel,
		"Meine Schwester hat Bestellung 4711 stornieren lassen": "",
		"Ich habe die Bestellung 4711 stornieren wollen":        "",
		"Ich habe Bestellung 4711 storniert":                    "",
		"Ich habe Bestellung 4711 verfolgt":                     "",
		"Ich will Bestellung 4711 stornieren lassen":            cancel,
		"Ich möchte Bestellung 4711 stornieren lassen":          cancel,
		"Bitte Bestellung 4711 stornieren":                      cancel,
		"Ich hätte gern Bestellung 4711 stornieren lassen":      cancel,
		"J'ai fait annuler la commande 4711":                    "",
		"Je viens d'annuler la commande 4711":                   "",
		"Acabo de cancelar el pedido 4711":                      "",
		"I had to cancel order 4711":                            "",
		"I was about to cancel order 4711":                      "",
		"I used to talk to a human":                             "",
		"I was hoping to talk to a human":                       human,
		"I'm going to cancel order 4711":                        cancel,

		// reported or taken back
		"I was told to track order 4711 but I changed my mind": "",
		"I wanted to track order 4711, but never mind":         "",
		"Please track order 4711 but quickly":                  track,
		"Cancel order 4711, I changed my mind":                 cancel,
		"I changed my mind, cancel order 4711":                 cancel,
		`He said "talk to a human" and left`:                   "",
		"He said talk to a human and left":                     "",
		`"Talk to a human", she said`:                          "",
		`Er sagte „mit einem Menschen sprechen“ und ging`:      "",
		`A button called "talk to a human" is missing`:         "",
		`I said "talk to a human"!`:                            human,
		`"talk to a human"`:                                    human,
		"他说转人工":                                                "",
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: orderTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
