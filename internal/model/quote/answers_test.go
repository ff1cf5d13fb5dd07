package quote

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/text/contact"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// helpPage makes a passage of a help centre, found well enough to be answered from.
func helpPage(heading, text string) parley.Passage {
	return parley.Passage{Heading: heading, Text: text}
}

// askHelpPages asks one question over the pages and returns the answer.
func askHelpPages(t *testing.T, pages []model.Passage, messages ...model.Message) streamedReply {
	t.Helper()
	req := model.Request{Messages: messages, Passages: pages}
	s := streamReply(t, req)
	for _, c := range s.citations {
		p := req.Passages[c.PassageIndex]
		if got, want := p.Text[c.Start-p.Start:c.End-p.Start], s.text[c.AnswerStart:c.AnswerEnd]; got != want {
			t.Errorf("cited %q for %q", got, want)
		}
	}
	return s
}

var languageByCode = map[string]words.Language{"en": words.English, "de": words.German, "es": words.Spanish,
	"fr": words.French, "zh": words.Chinese, "ar": words.Arabic}

func userMessage(text string) model.Message { return model.Message{Role: "user", Text: text} }

const plansTable = `| Plan | Price a month | Storage |
|---|---|---|
| Basic | 4 EUR | 10 GB |
| Pro | 12 EUR | 200 GB |
| Team | 30 EUR | 1 TB |`

const germanPlansTable = `| Tarif | Preis im Monat | Speicher |
|---|---|---|
| Basis | 4 EUR | 10 GB |
| Profi | 12 EUR | 200 GB |
| Gruppe | 30 EUR | 1 TB |`

const spanishPlansTable = `| Plan | Precio al mes | Espacio |
|---|---|---|
| Básico | 4 EUR | 10 GB |
| Experto | 12 EUR | 200 GB |
| Equipo | 30 EUR | 1 TB |`

func TestTablesAreReadByRow(t *testing.T) {
	const umbrellas = "| Umbrella | Price | Size | Colour |\n|---|---|---|---|\n| Rain | €29.90 | large | " +
		"blue |\n| Storm " +
		"| €49.90 | | red |\n| Sun | €19.50 | small | |"
	for _, c := range []struct{ heading, table, question, want string }{
		{"Plans", plansTable, "What does the Pro plan cost?", "Pro: Price a month 12 EUR"},
		{"Plans", plansTable, "How much storage has the Team plan?", "Team: Storage 1 TB"},
		{"Tarife", germanPlansTable, "Was kostet der Tarif Profi?", "Profi: Preis im Monat 12 EUR"},
		{"Planes", spanishPlansTable, "¿Cuánto cuesta el plan Experto?", "Experto: Precio al mes 12 EUR"},
		{"套餐", "| 套餐 | 每月价格 |\n|---|---|\n| 基础版 | 4欧元 |\n| 专业版 | 12欧元 |\n| 团队版 | 30欧元 |", "专业版套餐的价格是多少？",
			"专业版: 每月价格 12欧元"},
		{"Umbrellas", umbrellas, "Which colour has the umbrella Storm?", "Storm: Colour red"},
		{"Umbrellas", umbrellas, "Which size has the umbrella Sun?", "Sun: Size small"},
		{"Umbrellas", umbrellas, "What is the umbrella Storm like?", "Storm: Price €49.90, Colour red"},
	} {
		s := askHelpPages(t, scoredPassages(helpPage(c.heading, c.table)), userMessage(c.question))
		if s.text != c.want {
			t.Errorf("%q: %q", c.question, s.text)
		}
	}
	if s := askHelpPages(t, scoredPassages(helpPage("Plans", plansTable)),
		userMessage("Which plans are there?")); !strings.Contains(s.text, "Basic") || !strings.Contains(s.text, "Team") {
		t.Errorf("the whole table: %q", s.text)
	}
	if s := askHelpPages(t, scoredPassages(helpPage("Plans", plansTable)),
		userMessage("What is the difference between Basic and Team?")); !strings.HasPrefix(s.text, "| Plan |") ||
		strings.Contains(s.text, "Pro") {
		t.Errorf("two rows are a table: %q", s.text)
	}
}

func TestStepsAreQuotedWhole(t *testing.T) {
	for _, c := range []struct{ heading, text, question, first, last string }{
		{"Reset your password",
			"You need your email address.\n\n1. Open **Sign in**.\n2. Press **Forgot password**.\n3. Follow the " +
				"link in the email.",
			"How do I reset my password?", "1. Open", "the email."},
		{"Passwort zurücksetzen",
			"Sie brauchen Ihre Adresse.\n\n1. Öffnen Sie die **Anmeldung**.\n2. Klicken Sie auf **Passwort " +
				"vergessen**.\n3. Folgen Sie dem Link.",
			"Wie kann ich mein Passwort zurücksetzen?", "1. Öffnen", "dem Link."},
		{"Restablecer la contraseña",
			"Necesita su dirección.\n\n1. Abra **Entrar**.\n2. Pulse **He olvidado la contraseña**.\n3. Siga el enlace.",
			"¿Cómo puedo restablecer mi contraseña?", "1. Abra", "el enlace."},
		{"重置密码", "您需要邮箱地址。\n\n1. 打开登录页面。\n2. 点击忘记密码。\n3. 打开邮件中的链接。", "如何重置密码？", "1. 打开登录", "的链接。"},
	} {
		s := askHelpPages(t, scoredPassages(helpPage(c.heading, c.text)), userMessage(c.question))
		if !strings.Contains(s.text, c.first) || !strings.HasSuffix(s.text, c.last) {
			t.Errorf("%q: %q", c.question, s.text)
		}
	}
}

// Steps that were cut between two passages are told in their order, each from the passage that holds it.
func TestStepsGoOnInTheNextPassage(t *testing.T) {
	text := "1. Open the grinder.\n2. Take the burrs out.\n3. Brush the burrs clean.\n4. Put the burrs back.\n5. " +
		"Close the grinder.\n"
	cut := strings.Index(text, "3. ")
	pages := scoredPassages(parley.Passage{SourceID: "s", Heading: "Clean the grinder", Start: 0, End: cut,
		Text: text[:cut]},
		parley.Passage{SourceID: "s", Heading: "Clean the grinder", Start: cut, End: len(text), Text: text[cut:]})
	pages[0].Start, pages[0].End = 0, cut
	pages[1].Start, pages[1].End = cut, len(text)
	for _, order := range [][]model.Passage{{pages[0], pages[1]}, {pages[1], pages[0]}} {
		if s := askHelpPages(t, order, userMessage("How do I clean the grinder?")); s.text != strings.TrimSpace(text) ||
			len(s.citations) != 2 {
			t.Errorf("%q", s.text)
		}
	}
}

func TestAnswersAreAsLongAsTheQuestionWants(t *testing.T) {
	text := "Novabrew is a coffee subscription. It was started in 2016 in a small roastery. Each month a parcel with " +
		"two kinds of beans is sent. You can pause it whenever you like. The beans are roasted on the day before they are " +
		"sent, and they keep for three months. Every parcel comes with a card that tells where the beans come from and how " +
		"they taste best. Members can swap one kind for another until the last day of the month. A year of the " +
		"subscription can be given away as a present. Nobody has to return the empty bags, which can go into the paper bin."
	pages := scoredPassages(helpPage("Novabrew", text))
	fact, overview := askHelpPages(t, pages, userMessage("When was Novabrew started?")),
		askHelpPages(t, pages, userMessage("Tell me about Novabrew"))
	if !strings.Contains(fact.text, "2016") || strings.Count(fact.text, ". ") > 2 {
		t.Errorf("a fact: %q", fact.text)
	}
	if len(overview.text) < 2*len(fact.text) || strings.Count(overview.text, ". ") < 3 {
		t.Errorf("a paragraph: %q, a fact: %q", overview.text, fact.text)
	}
}

func TestSentencesThatLeanTakeTheOneBefore(t *testing.T) {
	for text, question := range map[string]string{
		"The voucher card is sold in the shop. It can be redeemed within three years of the purchase in every " +
			"branch of ours.": "Can vouchers be redeemed within three years?",
		"Die Karte gibt es im Laden. Diese kann innerhalb von drei Jahren nach dem Kauf in jeder Filiale " +
			"eingelöst werden.": "Kann man sie innerhalb von drei Jahren in jeder Filiale einlösen?",
		"La tarjeta se vende en la tienda. Esta se puede canjear durante tres años después de la compra en todas " +
			"nuestras sucursales y demás.": "¿Se puede canjear durante tres años en todas las sucursales?",
		"礼品卡在商店出售。它可以在购买后三年内在任何分店使用。": "可以在三年内在任何分店使用吗？",
	} {
		if s := askHelpPages(t, scoredPassages(helpPage("", text)), userMessage(question)); !strings.HasPrefix(text,
			s.text[:12]) {
			t.Errorf("%q: %q", question, s.text)
		}
	}
}

func shopPages(parts ...string) (all []model.Passage) {
	var pages []parley.Passage
	for i := 0; i+1 < len(parts); i += 2 {
		pages = append(pages, helpPage(parts[i], parts[i+1]))
	}
	return scoredPassages(pages...)
}

func TestShortQuestionsAreAskedBack(t *testing.T) {
	english := shopPages("Grinder G1 › Price", "The price of the grinder G1 is 49 euros.", "Kettle K2 › Price",
		"The price of the kettle K2 is 39 euros.",
		"Scale S3 › Price", "The price of the scale S3 is 29 euros.")
	german := shopPages("Mühle M1 › Preis", "Der Preis der Mühle M1 ist 49 Euro.", "Kessel K2 › Preis",
		"Der Preis des Kessels K2 ist 39 Euro.")
	chinese := shopPages("磨豆机 › 价格", "磨豆机的价格是四十九欧元。", "水壶 › 价格", "水壶的价格是三十九欧元。")
	for question, c := range map[string]struct {
		pages []model.Passage
		want  string
	}{
		"price?": {english, "Which one do you mean: Grinder G1, Kettle K2 or Scale S3?"},
		"Preis?": {german, "Was meinen Sie genau: Mühle M1 oder Kessel K2?"},
		"价格":     {chinese, "您指的是哪一个：磨豆机，还是水壶？"},
	} {
		s := askHelpPages(t, c.pages, userMessage(question))
		if s.text != c.want || s.finish.IsRefusal || len(s.citations) > 0 {
			t.Errorf("%q: %q", question, s.text)
		}
		again := askHelpPages(t, c.pages, userMessage(question), model.Message{Role: "assistant", Text: s.text},
			userMessage(question))
		if len(again.citations) == 0 {
			t.Errorf("%q, asked twice: %q", question, again.text)
		}
	}
	back := model.Message{Role: "assistant", Text: "Which one do you mean: Grinder G1, Kettle K2 or Scale S3?"}
	if s := askHelpPages(t, english, userMessage("price?"), back, userMessage("the kettle")); !strings.Contains(s.text,
		"39 euros") {
		t.Errorf("the answer to the question back: %q", s.text)
	}
	if s := askHelpPages(t, english, userMessage("What is the price of the grinder G1?")); !strings.Contains(s.text,
		"49 euros") {
		t.Errorf("a whole question: %q", s.text)
	}
}

func TestAsides(t *testing.T) {
	pages := shopPages("Delivery", "We deliver within three days.")
	machine, person, calm := func(a *language.Texts) string { return a.IsAutomated }, func(a *language.Texts) string {
		return a.NoPersonAvailable
	}, func(a *language.Texts) string { return a.ReplyToInsult }
	text := func(a *language.Texts) string { return a.NotUnderstood }
	for message, c := range map[string]struct {
		in   string
		want func(*language.Texts) string
	}{
		"Are you a bot?": {"en", machine}, "Am I talking to a real person?": {"en", machine},
		"Bist du ein Mensch?": {"de", machine}, "¿Eres un robot?": {"es", machine},
		"Êtes-vous un robot ?": {"fr", machine}, "你是机器人吗？": {"zh", machine}, "هل أنت روبوت؟": {"ar", machine},
		"I want to talk to a human": {"en", person}, "human please": {"en", person},
		"can I speak to an agent":                {"en", person},
		"Ich möchte mit einem Menschen sprechen": {"de", person}, "Quiero hablar con una persona": {"es", person},
		"转人工": {"zh", person}, "أريد التحدث مع موظف": {"ar", person},
		"you are a stupid bot": {"en", calm}, "fuck you": {"en", calm}, "du bist so dumm": {"de", calm},
		"¡Eres un idiota!": {"es", calm}, "你这个白痴": {"zh", calm},
		"?!": {"en", text}, "😀": {"en", text}, "asdfgh": {"en", text}, "kjhgfds": {"en", text},
	} {
		want := c.want(textsIn(languageByCode[c.in]))
		if s := askHelpPages(t, pages, userMessage(message)); s.text != want || len(s.citations) > 0 {
			t.Errorf("%q: %q, want %q", message, s.text, want)
		}
	}
}

// Messages before there is a question get a reply in their language that offers what the sources are about.
func TestFirstMessages(t *testing.T) {
	pages := shopPages("Delivery", "We deliver within three days.", "Returns", "Returns are free.")
	const identity, comes, recalled = true, false, "How long does delivery take?"
	for message, c := range map[string]struct {
		in     string
		asksID bool
	}{
		"Who are you?": {"en", identity}, "what can you do": {"en", identity},
		"Hi, what can you help me with?": {"en", identity},
		"I have a question":              {"en", comes}, "Can I ask you something?": {"en", comes}, "help": {"en", comes},
		"Wer sind Sie?": {"de", identity}, "Was kannst du?": {"de", identity}, "Ich habe eine Frage.": {"de", comes},
		"Hallo, darf ich etwas fragen?": {"de", comes},
		"¿Quién eres?":                  {"es", identity}, "Tengo una pregunta": {"es", comes},
		"Qui êtes-vous ?": {"fr", identity}, "J'ai une question": {"fr", comes},
		"Chi sei?": {"it", identity}, "Ho una domanda": {"it", comes},
		"Wie bent u?": {"nl", identity}, "Ik heb een vraag": {"nl", comes},
		"Quem é você?": {"pt", identity}, "Tenho uma dúvida": {"pt", comes},
		"Кто вы?": {"ru", identity}, "У меня вопрос": {"ru", comes},
		"من أنت؟": {"ar", identity}, "عندي سؤال": {"ar", comes},
		"あなたは誰ですか？": {"ja", identity}, "質問があります。": {"ja", comes},
		"你是谁？": {"zh", identity}, "我有一个问题": {"zh", comes},
	} {
		lang := languageOfTag(t, c.in)
		texts := textsIn(lang)
		s := askHelpPages(t, pages, userMessage(message))
		topics := texts.MyTopics[0] + "Delivery" + texts.ListSeparator + "Returns" + texts.MyTopics[1]
		if words.IsUnspaced(texts.MyTopics[0]) {
			topics = "" // the names of these sources are in another script
		}
		if strings.Contains(s.text, texts.IsAutomated) != c.asksID || !strings.Contains(s.text, topics) ||
			!strings.HasSuffix(s.text, whatElseQuestion(lang)) || s.finish.IsRefusal || len(s.citations) > 0 {
			t.Errorf("%q: %q", message, s.text)
		}
	}
	for message, in := range map[string]string{"What did I just ask?": "en", "Was habe ich gerade gefragt?": "de",
		"刚才我问了什么？": "zh"} {
		texts := textsIn(languageOfTag(t, in))
		s := askHelpPages(t, pages, userMessage(recalled), model.Message{Role: "assistant", Text: "Three days."},
			userMessage(message))
		if s.text != texts.YouAsked[0]+recalled+texts.YouAsked[1] {
			t.Errorf("%q: %q", message, s.text)
		}
	}
	for _, message := range []string{"Who are you delivering with?", "Can I ask you to deliver on Sunday?",
		"What can you do about a late delivery?", "I have a question about returns"} {
		if IsOpening(message) {
			t.Errorf("%q asks something", message)
		}
	}
	answer := model.Passage{Passage: parley.Passage{Heading: "Who are you?", Text: "We are a shop for kettles.",
		End: 26, IsQnA: true}, Score: 0.9, Signals: model.MatchSignals{Title: 1}}
	if s := askHelpPages(t, []model.Passage{answer}, userMessage("Who are you?")); s.text != answer.Text {
		t.Errorf("the operator's answer: %q", s.text)
	}
}

// A question for a mail address, a number or a street is answered by the line that holds one, in every language.
func TestContacts(t *testing.T) {
	const reach, place = "Write to help@shop.example or call 0800 555 010.", "Our office is at Mill Lane 4, Norwood."
	english := shopPages("Returns", "You can return an item within 30 days.", "Contact", reach+" "+place)
	linked := shopPages("Help", "The shop opened on 2026-03-05.\n\n- [Contact us](mailto:help@shop.example)")
	for _, c := range []struct {
		pages          []model.Passage
		question, want string
	}{
		{english, "What is your email?", reach}, {english, "email?", reach}, {english, "phone number", reach},
		{english, "Do you have a phone number?", reach}, {english, "What is your address?", place},
		{english, "Where are you located?", place}, {english, "Where is your office?", place},
		{english, "Where are you?", place}, {english, "e-mail address please", reach},
		{shopPages("Kontakt", "Schreiben Sie an hilfe@laden.example. Telefon: 030 123 45 67."),
			"Wie lautet Ihre Telefonnummer?", "Telefon: 030 123 45 67."},
		{shopPages("Kontakt", "Unser Büro ist in der Mühlgasse 4 in Nordheim."), "Wo ist Ihr Büro?",
			"Unser Büro ist in der Mühlgasse 4 in Nordheim."},
		{shopPages("Kontakt", "Unser Büro ist in der Mühlgasse 4. Schreiben Sie an hilfe@laden.example."),
			"Wie ist Ihre Adresse?", "Unser Büro ist in der Mühlgasse 4."},
		{shopPages("Contacto", "Escriba a ayuda@tienda.example."), "¿Cuál es su correo electrónico?",
			"Escriba a ayuda@tienda.example."},
		{shopPages("Contact", "Appelez le 01.23.45.67.89."), "Quel est votre numéro de téléphone ?",
			"Appelez le 01.23.45.67.89."},
		{shopPages("Contatti", "Scrivete a aiuto@negozio.example."), "Qual è la vostra email?",
			"Scrivete a aiuto@negozio.example."},
		{shopPages("Contact", "Bel ons op 020 123 4567."), "Wat is jullie telefoonnummer?", "Bel ons op 020 123 4567."},
		{shopPages("Contato", "Escreva para ajuda@loja.example."), "Qual é o seu email?",
			"Escreva para ajuda@loja.example."},
		{shopPages("Контакты", "Пишите на help@shop.example."), "Какая у вас почта?", "Пишите на help@shop.example."},
		{shopPages("اتصل بنا", "هاتف: 0800 555 010"), "ما هو رقم هاتفكم؟", "هاتف: 0800 555 010"},
		{shopPages("お問い合わせ", "電話：03-1234-5678"), "電話番号は？", "電話：03-1234-5678"},
		{shopPages("联系我们", "邮箱：help@shop.example"), "你们的邮箱是什么？", "邮箱：help@shop.example"},
	} {
		s := askHelpPages(t, c.pages, userMessage(c.question))
		if s.text != c.want || s.finish.IsUnsure || s.finish.DecidedBy != parley.ReasonContact {
			t.Errorf("%q: %q, decided by %q", c.question, s.text, s.finish.DecidedBy)
		}
	}
	if s := askHelpPages(t, linked, userMessage("What is your email?")); !strings.Contains(s.text, "help@shop.example") {
		t.Errorf("behind a link: %q", s.text)
	}
	for _, question := range []string{"How do I change my email?", "What is my phone number?", "Is email support free?",
		"Where do I enter the address of the server?", "When is the office open?", "Where is it?", "I lost my phone",
		"我的订单在哪里？", "电话客服几点上班？", "メールを変更できますか"} {
		if kind := ContactKind(question); kind != contact.None {
			t.Errorf("%q asks for a contact: %d", question, kind)
		}
		if list := ContactWords(question); list != nil {
			t.Errorf("%q is looked for with %q", question, list)
		}
	}
	dates := shopPages("Contact", "We have been here since 2010-2026, and moved on 2026-03-05.")
	if s := askHelpPages(t, dates, userMessage("phone number?")); strings.Contains(s.text, "2026") && !s.finish.IsUnsure {
		t.Errorf("a date is taken for a number: %q", s.text)
	}
}

func languageOfTag(t *testing.T, tag string) words.Language {
	t.Helper()
	for i, l := range language.All() {
		if l.Tag == tag {
			return words.Language(i)
		}
	}
	t.Fatal("no language ", tag)
	return 0
}

func TestAsidesLeaveQuestionsAlone(t *testing.T) {
	pages := shopPages("Delivery", "A human representative of ours delivers the damn stupid parcel within three days.")
	for _, message := range []string{"How many representatives deliver the parcel?",
		"Hello, when is the parcel delivered?", "When is the fucking parcel delivered?",
		"Hi! Is the parcel delivered within three days?"} {
		if s := askHelpPages(t, pages, userMessage(message)); len(s.citations) == 0 {
			t.Errorf("%q: %q", message, s.text)
		}
	}
}

func TestYesAndNo(t *testing.T) {
	pages := shopPages("Delivery", "We deliver within three days.")
	thanks := model.Message{Role: "assistant", Text: textsIn(languageByCode["en"]).Thanks}
	for message, want := range map[string]string{"no": textsIn(languageByCode["en"]).Acknowledgement,
		"No, thanks": textsIn(languageByCode["en"]).Acknowledgement, "yes": "What would you like to know?",
		"Sí, por favor": "¿Qué le gustaría saber?", "はい": "何をお知りになりたいですか。",
		"Nein danke": textsIn(languageByCode["de"]).Acknowledgement,
		"不用了":        textsIn(languageByCode["zh"]).Acknowledgement} {
		if s := askHelpPages(t, pages, userMessage("Thanks!"), thanks, userMessage(message)); s.text != want {
			t.Errorf("%q: %q, want %q", message, s.text, want)
		}
	}
}

func TestTheHandOverIsCalled(t *testing.T) {
	tools := []model.Tool{{Name: "call_a_person", IsHandover: true,
		Parameters: inputSchemaOf(``, `"reason":{"type":"string"}`)}}
	for _, message := range []string{"I want to talk to a human", "Ich will mit einem Mitarbeiter sprechen",
		"quiero hablar con un agente", "转人工"} {
		r := answerRequest(t.Context(), model.Request{Messages: userMessages(message), Tools: tools})
		if want := `{"reason":` + string(jsonString(message)) + `}`; r.toolCall == nil ||
			r.toolCall.Name != "call_a_person" || string(r.toolCall.Input) != want {
			t.Errorf("%q: %+v", message, r)
		}
	}
	for _, message := range []string{"I do not want to talk to a human", "I hate talking to a human",
		"How many people work here?"} {
		if r := answerRequest(t.Context(), model.Request{Messages: userMessages(message), Tools: tools}); r.toolCall != nil {
			t.Errorf("%q: %+v", message, r)
		}
	}
}

func TestRefusalsNameTheNearestTopic(t *testing.T) {
	for question, c := range map[string]struct {
		page model.Passage
		want string
	}{
		"Can I cancel my subscription by fax?": {foreignPassages(scoredPassages(helpPage("Cancel the subscription",
			"You can pause it for a month.")))[0], "The closest topic in them is: Cancel the subscription."},
		"Kann ich das Abonnement per Fax kündigen?": {foreignPassages(scoredPassages(helpPage("Abonnement kündigen",
			"Sie können es einen Monat lang aussetzen.")))[0], "Am nächsten liegt darin das Thema: Abonnement kündigen."},
		"¿Puedo cancelar la suscripción por fax?": {foreignPassages(scoredPassages(helpPage("Cancelar la suscripción",
			"Se puede pausar durante un mes.")))[0], "El tema más cercano en ellas es: Cancelar la suscripción."},
		"Who was the first astronaut on the far moon?": {foreignPassages(scoredPassages(helpPage("Subscription",
			"You can pause it for a month.")))[0], ""},
	} {
		s := askHelpPages(t, []model.Passage{c.page}, userMessage(question))
		if !s.finish.IsRefusal || c.want != "" && !strings.HasSuffix(s.text, c.want) || c.want == "" &&
			strings.Contains(s.text, ": Subscription") {
			t.Errorf("%q: %q", question, s.text)
		}
	}
}

// manifest is the middle and the end of an example, as it is in a passage that was cut out of it.
const manifest = `sources:
  - key: opening-hours
    name: Opening hours
    content: |
      # Opening hours

      The shop is open from Monday to Friday, from 9 to 17.
  - key: returns
    file: returns.md
`

// Code answers those who ask about code, where the passage holds its beginning; to a customer's question it is no
// answer.
func TestCodeIsQuotedToThoseWhoAskForIt(t *testing.T) {
	passages := map[string]string{
		"the end of code":    manifest + "```\n\nThe manifest is a file of YAML.\n",
		"the middle of code": manifest,
		"code":               "```yaml\n" + manifest + "```\n",
		"code below a line":  "This is a manifest:\n\n```yaml\n" + manifest + "```\n",
	}
	for name, text := range passages {
		ask := func(question string) reply {
			return answerRequest(t.Context(), model.Request{Messages: userMessages(question), Passages: []model.Passage{
				{Passage: parley.Passage{SourceName: "Agents as code", Heading: "A manifest", Text: text,
					End: len(text)}, Score: 0.9, TermWeights: map[string]float64{}}}})
		}
		for _, question := range []string{"What are your opening hours?", "Is the shop open on Friday?",
			"When is the shop open?"} {
			if r := ask(question); strings.Contains(r.text, "key:") || !r.isRefusal {
				t.Errorf("%s: %q is answered %q", name, question, r.text)
			}
		}
		for _, question := range []string{"Show me an example of a manifest with opening hours",
			"How do I write the opening hours into a manifest?"} {
			isWhole := strings.Contains(text, "```yaml")
			if r := ask(question); strings.Contains(r.text, "key: opening-hours") != isWhole {
				t.Errorf("%s: %q is answered %q", name, question, r.text)
			}
		}
	}
}

// A row is said with the head of its table. Where a passage begins in the middle of one, that part answers nothing.
func TestRowsAreSaidWithTheirHead(t *testing.T) {
	rows := "| Kettle | 49 euros |\n| Grinder | 129 euros |\n| Scale | 39 euros |\n"
	for text, want := range map[string]string{
		"| Product | Price |\n|---|---|\n" + rows:         "Grinder: Price 129 euros",
		rows + "\nAll prices of the grinder hold a year.": "All prices of the grinder hold a year.",
	} {
		s := askHelpPages(t, scoredPassages(helpPage("Prices", text)), userMessage("What is the price of the grinder?"))
		if s.text != want && !strings.HasSuffix(s.text, "\n\n"+want) {
			t.Errorf("%q is answered %q", text, s.text)
		}
	}
}

// Neither marks nor names of files are said to a customer, and what is named by a question ends as one.
func TestUnsureAnswersAreSentences(t *testing.T) {
	for heading, want := range map[string]string{
		"How do I export invoices?": "The closest topic in them is: Billing › How do I export invoices?",
		"Export of invoices":        "The closest topic in them is: Billing › Export of invoices.",
	} {
		page := parley.Passage{Heading: "Billing › " + heading, SourceName: "billing.md",
			Text: "billing.md\n\n|\n\nOpen the settings."}
		q := parseQuestion([]string{"How do I export invoices to my accountant?"}, scoredPassages(page))
		pages := q.layOutPassages(t.Context(), scoredPassages(page))
		for _, u := range pages[0].units {
			if text := page.Text[u.start:u.end]; text != "Open the settings." {
				t.Errorf("%q can be quoted", text)
			}
		}
		req := model.Request{Messages: userMessages("How do I export invoices to my accountant?"),
			Passages: scoredPassages(page)}
		if got := q.unknownAnswer(req, pages, pages[0].units[0]); !strings.HasSuffix(got, want) {
			t.Errorf("%q", got)
		}
	}
}

// "How do I cancel it?" is about what was spoken of before.
func TestFollowUpsKeepTheirSubject(t *testing.T) {
	pages := scoredPassages(helpPage("Newsletter", "To cancel the newsletter, follow the link in its last line."),
		helpPage("Subscription", "To cancel the subscription, open the settings of your account."))
	s := askHelpPages(t, pages, userMessage("What does the subscription cost?"),
		model.Message{Role: "assistant", Text: "Ten euros a month."}, userMessage("And how do I cancel it?"))
	if !strings.Contains(s.text, "cancel the subscription") {
		t.Errorf("%q", s.text)
	}
}

// What an acronym stands for is answered where the sources say it, and a price is found by either wording.
func TestAcronymsAndWordings(t *testing.T) {
	returns := shopPages("Returns", "You need a return merchandise authorisation (RMA) before you send goods back.",
		"Delivery", "We deliver within three days.")
	boxes := shopPages("Boxes", "| Box | Price | Weight |\n|---|---|---|\n| Small box | 4 euros | 1 kg |\n"+
		"| Large box | 9 euros | 3 kg |\n")
	for question, c := range map[string]struct {
		pages       []model.Passage
		want, other string
	}{
		"What does RMA stand for?":      {returns, "return merchandise authorisation", "three days"},
		"What does RMA mean?":           {returns, "return merchandise authorisation", "three days"},
		"What is an RMA?":               {returns, "return merchandise authorisation", "three days"},
		"What does the large box cost?": {boxes, "Large box: Price 9 euros", "kg"},
		"Large box price":               {boxes, "Large box: Price 9 euros", "kg"},
		"price of the large box":        {boxes, "Large box: Price 9 euros", "kg"},
	} {
		s := askHelpPages(t, c.pages, userMessage(question))
		if !strings.Contains(s.text, c.want) || strings.Contains(s.text, c.other) || s.finish.IsRefusal {
			t.Errorf("%q: %q", question, s.text)
		}
	}
}

// "How much is it?" asks for the price of what was spoken of before, and gets no price of anything else.
func TestFollowUpsForAPrice(t *testing.T) {
	kettles := shopPages("Kettles", "The kettle Aster boils a litre of water. The kettle Aster costs 39 euros.\n\n"+
		"The lamp Birch is made of wood. The lamp Birch costs 59 euros.")
	german := shopPages("Kessel", "Der Kessel Aster fasst einen Liter Wasser. Der Kessel Aster kostet 39 Euro.\n\n"+
		"Die Lampe Birke ist aus Holz. Die Lampe Birke kostet 59 Euro.")
	for _, c := range []struct {
		pages                         []model.Passage
		before, question, want, other string
	}{
		{kettles, "What is the kettle Aster?", "How much is it?", "39 euros", "59"},
		{kettles, "What is the kettle Aster?", "How much?", "39 euros", "59"},
		{kettles, "What is the kettle Aster?", "What does it cost?", "39 euros", "59"},
		{kettles, "What is the lamp Birch made of?", "How much is it?", "59 euros", "39"},
		{german, "Was ist der Kessel Aster?", "Wie viel?", "39 Euro", "59"},
		{german, "Was ist der Kessel Aster?", "Was kostet er?", "39 Euro", "59"},
		{shopPages("Hervidores", "El hervidor Aster cuesta 39 euros."), "¿Qué es el hervidor Aster?", "¿Cuánto es?",
			"39 euros", "59"},
		{shopPages("Bouilloires", "La bouilloire Aster coûte 39 euros."), "Qu'est-ce que la bouilloire Aster ?",
			"Combien ça coûte ?", "39 euros", "59"},
		{shopPages("Bollitori", "Il bollitore Aster costa 39 euro."), "Che cos'è il bollitore Aster?", "Quanto costa?",
			"39 euro", "59"},
		{shopPages("Waterkokers", "De waterkoker Aster kost 39 euro."), "Wat is de waterkoker Aster?", "Hoeveel?",
			"39 euro", "59"},
		{shopPages("Chaleiras", "A chaleira Aster custa 39 euros."), "O que é a chaleira Aster?", "Quanto custa?",
			"39 euros", "59"},
	} {
		s := askHelpPages(t, c.pages, userMessage(c.before), model.Message{Role: "assistant", Text: "It is a thing."},
			userMessage(c.question))
		if !strings.Contains(s.text, c.want) || strings.Contains(s.text, c.other) || s.finish.IsRefusal {
			t.Errorf("%q, %q: %q", c.before, c.question, s.text)
		}
	}
	s := askHelpPages(t, shopPages("Cases", "The case CS fits the Aster. The lamp Birch costs 59 euros."),
		userMessage("Which phone does the case CS fit?"), model.Message{Role: "assistant", Text: "The Aster."},
		userMessage("How much is it?"))
	if strings.Contains(s.text, "59") && !s.finish.IsUnsure {
		t.Errorf("the price of something else: %q", s.text)
	}
}

// A question for a subject as such is answered from where its page introduces it.
func TestASubjectIsIntroducedFirst(t *testing.T) {
	first := parley.Passage{SourceID: "s", Heading: "Vouchers › What is it good for?",
		Text: "A gift of any amount can be given away as a present that never expires."}
	later := parley.Passage{SourceID: "s", Ordinal: 3, Heading: "Vouchers › What is sent with it?",
		Text: "Vouchers are sent with a card and an envelope."}
	s := askHelpPages(t, scoredPassages(later, first), userMessage("Can I use vouchers?"))
	if !strings.Contains(s.text, first.Text) {
		t.Errorf("%q", s.text)
	}
}

// What is behind the end of code is prose, though the code's beginning is in another passage.
func TestProseBehindCode(t *testing.T) {
	text := manifest + "```\n\nReturns are free within 30 days.\n"
	r := answerRequest(t.Context(), model.Request{Messages: userMessages("Are returns free?"),
		Passages: []model.Passage{{Passage: parley.Passage{Text: text, End: len(text)}, Score: 0.9}}})
	if r.text != "Returns are free within 30 days." {
		t.Errorf("the answer is %q", r.text)
	}
	for _, plain := range []string{"Note: this is it.\nWe open at nine.\n", "1. Open it\n   and wait.\n2. Close it.\n",
		"a\n\n```\ncode\n```\n\nb", "", "- one\n- two\n  - three\n- four\n"} {
		if end := leadingCodeEnd(plain); end != 0 {
			t.Errorf("%q begins in code up to %d", plain, end)
		}
	}
}

// cutPassages cuts a text into passages of one source before each of the marks; a passage begins with a repetition of
// so many bytes.
func cutPassages(heading, text string, repeated int, marks ...string) []model.Passage {
	var all []parley.Passage
	from := 0
	for _, m := range append(marks, "") {
		to := len(text)
		if m != "" {
			to = strings.Index(text, m)
		}
		start := max(0, from-repeated)
		all = append(all, parley.Passage{SourceID: "s", Heading: heading, Start: start, Text: text[start:to],
			Ordinal: len(all)})
		from = to
	}
	scored := scoredPassages(all...)
	for i := range scored {
		scored[i].End = scored[i].Start + len(scored[i].Text)
	}
	return scored
}

// Code that was cut between passages is quoted whole, or not at all where its end is in no passage.
func TestCodeIsQuotedToItsEnd(t *testing.T) {
	text := "This is a manifest of an agent:\n\n```yaml\n" + manifest + "```\n\nIt is a file of YAML.\n"
	pages := cutPassages("A manifest", text, 0, "  - key: returns")
	question := userMessage("Show me an example of a manifest of an agent")
	whole := strings.TrimSuffix(text, "\n\nIt is a file of YAML.\n")
	if s := askHelpPages(t, pages, question); s.text != whole || len(s.citations) != 2 {
		t.Errorf("%q", s.text)
	}
	if s := askHelpPages(t, pages[:1], question); strings.Contains(s.text, "key:") {
		t.Errorf("without its end: %q", s.text)
	}
	if s := askHelpPages(t, cutPassages("A manifest", text, 0, "opening-hours"), question); strings.Contains(s.text,
		"key:") {
		t.Errorf("cut within a line: %q", s.text)
	}
}

// What is between two steps belongs to the first of them, and steps without their beginning are not told.
func TestStepsAreToldFromTheFirstOn(t *testing.T) {
	text := "1. Open the grinder.\n2. Take the burrs out:\n\n   ```sh\n   burrs out\n   burrs wash\n   ```\n\n" +
		"You hear a click.\n\n3. Brush the burrs clean.\n4. Close the grinder.\n"
	question := userMessage("How do I clean the grinder?")
	for name, pages := range map[string][]model.Passage{
		"one passage":          cutPassages("Clean the grinder", text, 0),
		"cut before a step":    cutPassages("Clean the grinder", text, 0, "3. Brush"),
		"cut before a remark":  cutPassages("Clean the grinder", text, 0, "You hear"),
		"cut within code":      cutPassages("Clean the grinder", text, 0, "   burrs wash"),
		"cut and repeated":     cutPassages("Clean the grinder", text, 24, "4. Close"),
		"cut into three parts": cutPassages("Clean the grinder", text, 0, "   burrs wash", "4. Close"),
	} {
		s := askHelpPages(t, pages, question)
		if got := strings.Join(strings.Fields(s.text), " "); got != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%s: %q", name, s.text)
		}
		if len(pages) > 1 {
			if s := askHelpPages(t, pages[1:], question); strings.Contains(s.text, "Close") {
				t.Errorf("%s, without the beginning: %q", name, s.text)
			}
		}
	}
}

// A list that was cut between passages is put together; of one that is too long it is said how many items are left out.
func TestListsAreQuotedWholeOrCounted(t *testing.T) {
	short := "The kettle has these colours:\n\n- a dark red\n- a light blue\n- a warm grey\n- a matt black\n"
	question := userMessage("Which colours does the kettle have?")
	for _, mark := range []string{"- a light", "- a warm"} {
		if s := askHelpPages(t, cutPassages("Kettle", short, 5, mark), question); s.text != strings.TrimSpace(short) {
			t.Errorf("cut before %q: %q", mark, s.text)
		}
	}
	long := "The kettle has these colours:\n\n"
	for i := range 40 {
		long += fmt.Sprintf("- colour number %d, which is made for the kettle by hand\n", i+1)
	}
	pages := cutPassages("Kettle", long, 0, "- colour number 15,", "- colour number 31,")
	s := askHelpPages(t, pages, question)
	lead, items, _ := strings.Cut(s.text, "\n\n")
	items, note, _ := strings.Cut(items, "\n\n")
	if lead != "The kettle has these colours:" || len(s.text) > maxListBytes+40 ||
		note != fmt.Sprintf("… and %d more.", 40-strings.Count(items, "- ")) {
		t.Errorf("%q", s.text)
	}
	pages[0], pages[2] = pages[2], pages[0]
	if s := askHelpPages(t, pages, userMessage("Is there a colour number 35 of the kettle?")); !strings.HasPrefix(s.text,
		lead) || !strings.Contains(s.text, "number 35,") || !strings.Contains(s.text, " more.") {
		t.Errorf("%q", s.text)
	}
	for texts := range allTexts() {
		if n := fmt.Sprintf(texts.MoreItems, 7); !strings.Contains(n, "7") || strings.Contains(n, "!") {
			t.Errorf("%s: %q", texts.Hello, n)
		}
	}
}

// What was written as the answer of a Q&A is quoted as it is, unless it is long.
func TestTheAnswerOfAQnAIsQuotedAsItIs(t *testing.T) {
	page := helpPage("How do I return a kettle?",
		"You can return it for a month. Write to us first.\n\nWe pay the parcel.\n\n"+
			"- Kettles go to Graz.\n- Grinders go to Linz.\n")
	page.IsQnA = true
	question := userMessage("How do I return a kettle?")
	if s := askHelpPages(t, scoredPassages(page), question); !strings.HasSuffix(s.text, strings.TrimSpace(page.Text)) {
		t.Errorf("%q", s.text)
	}
	page.Text += strings.Repeat("Something else is said here about other things. ", 30)
	if s := askHelpPages(t, scoredPassages(page), question); len(s.text) > maxWholeAnswerBytes {
		t.Errorf("%d bytes: %q", len(s.text), s.text)
	}
}

// No quote begins with a title that is not marked as one or with what refers to something before it, and none holds the
// marks of callouts.
func TestQuotesBeginWithSentences(t *testing.T) {
	for text, want := range map[string]string{
		"About kettles - our shop\n\nThe kettle is delivered to Graz.": "The kettle is delivered to Graz.",
		"Kettles are made by hand. They last long. The kettle is delivered to Graz on Monday.": "The kettle is delivered " +
			"to Graz on Monday.",
		"The kettle is made by hand. It is delivered to Graz on Monday. Tea is sold here.": "The kettle is made by hand. " +
			"It is delivered to Graz on Monday.",
		"The kettle is delivered to Graz.\n\n> [!NOTE]\n>\n> Not on Sunday.": "The kettle is delivered to Graz.",
	} {
		s := askHelpPages(t, scoredPassages(helpPage("Kettle", text)), userMessage("Is the kettle delivered to Graz?"))
		if s.text != want {
			t.Errorf("%q is answered %q", text, s.text)
		}
	}
	title := "**Is anything missing about the kettle in Graz?**"
	if s := askHelpPages(t, scoredPassages(helpPage("Kettle", title)),
		userMessage("Is the kettle delivered to Graz?")); strings.Contains(s.text, "missing") {
		t.Errorf("%q", s.text)
	}
}
