package quote

import (
	"strings"
	"testing"

	"parley/internal/text/words"
)

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

func TestEveryLanguageHasAHandoverText(t *testing.T) {
	for _, g := range wishGrammars {
		if handoverTexts[g.language] == "" {
			t.Error("nothing is said in language", g.language)
		}
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
