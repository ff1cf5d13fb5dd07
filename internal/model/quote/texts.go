package quote

import "parley/internal/text/words"

// What the built-in model says by itself in each language.

// smallTalkTexts are the few sentences of its own that the built-in model has in a language.
type smallTalkTexts struct {
	hello, thanks, bye string // answers
	unknown            string
}

var smallTalkTextsByLanguage = textsByLanguage[smallTalkTexts]{
	words.English: {"Hello! What would you like to know?",
		"You're welcome! Is there anything else you would like to know?", "Goodbye!",
		"I don't know: I could not find an answer to that in my sources."},
	words.German: {"Hallo! Was möchten Sie wissen?", "Gern geschehen! Möchten Sie noch etwas wissen?", "Auf Wiedersehen!",
		"Das weiß ich nicht: In meinen Quellen habe ich keine Antwort darauf gefunden."},
	words.Spanish: {"¡Hola! ¿Qué le gustaría saber?", "¡De nada! ¿Hay algo más que le gustaría saber?", "¡Hasta luego!",
		"No lo sé: no he encontrado una respuesta en mis fuentes."},
	words.French: {"Bonjour ! Que souhaitez-vous savoir ?", "Avec plaisir ! Souhaitez-vous savoir autre chose ?",
		"Au revoir !", "Je ne sais pas : je n'ai pas trouvé de réponse dans mes sources."},
	words.Italian: {"Buongiorno! Che cosa desidera sapere?", "Prego! Desidera sapere altro?", "Arrivederci!",
		"Non lo so: nelle mie fonti non ho trovato una risposta."},
	words.Portuguese: {"Olá! O que gostaria de saber?", "De nada! Gostaria de saber mais alguma coisa?", "Até logo!",
		"Não sei: não encontrei uma resposta nas minhas fontes."},
	words.Dutch: {"Hallo! Wat wilt u weten?", "Graag gedaan! Wilt u nog iets weten?", "Tot ziens!",
		"Dat weet ik niet: ik heb in mijn bronnen geen antwoord gevonden."},
	words.Russian: {"Здравствуйте! Что вы хотите узнать?", "Пожалуйста! Хотите узнать что-нибудь ещё?", "До свидания!",
		"Я не знаю: в моих источниках нет ответа на этот вопрос."},
	words.Arabic: {"مرحبا! ماذا تود أن تعرف؟", "على الرحب والسعة! هل تود معرفة شيء آخر؟", "مع السلامة!",
		"لا أعرف: لم أجد إجابة عن ذلك في مصادري."},
	words.Chinese:  {"您好！请问您想了解什么？", "不客气！还有什么想了解的吗？", "再见！", "我不知道：在我的资料中没有找到答案。"},
	words.Japanese: {"こんにちは。何をお知りになりたいですか。", "どういたしまして。ほかに知りたいことはありますか。", "さようなら。", "分かりません。資料の中に答えが見つかりませんでした。"},
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
	unsure            string // before the quote of an answer that may be none
}

var asideTextsByLanguage = textsByLanguage[asideTexts]{
	words.English: {"I am an automated assistant. I answer questions with what stands in my sources.",
		"I am an automated assistant and cannot hand this conversation over to a person. Please use the contact " +
			"details of the people who run this service.",
		"I am sorry that this is annoying. Please tell me what you would like to know, and I will look it up.",
		"I did not understand that. What would you like to know?",
		"All right. I am here if you would like to know something else.",
		[2]string{"Which one do you mean: ", "?"}, [2]string{"My sources speak of: ", "."}, " or ",
		"I am not sure. The closest that I have is:"},
	words.German: {"Ich bin ein automatischer Assistent. Ich beantworte Fragen mit dem, was in meinen Quellen steht.",
		"Ich bin ein automatischer Assistent und kann dieses Gespräch nicht an einen Menschen übergeben. Bitte " +
			"nutzen Sie die Kontaktangaben der Betreiber.",
		"Es tut mir leid, dass das ärgerlich ist. Bitte sagen Sie mir, was Sie wissen möchten, und ich sehe nach.",
		"Das habe ich nicht verstanden. Was möchten Sie wissen?",
		"In Ordnung. Ich bin da, wenn Sie noch etwas wissen möchten.",
		[2]string{"Was meinen Sie genau: ", "?"}, [2]string{"Meine Quellen handeln von: ", "."}, " oder ",
		"Ich bin nicht sicher. Am nächsten kommt dem das hier:"},
	words.Spanish: {"Soy un asistente automático. Respondo a las preguntas con lo que dicen mis fuentes.",
		"Soy un asistente automático y no puedo pasar esta conversación a una persona. Utilice, por favor, los " +
			"datos de contacto de quienes ofrecen este servicio.",
		"Siento que esto sea molesto. Dígame, por favor, qué le gustaría saber y lo buscaré.",
		"No lo he entendido. ¿Qué le gustaría saber?", "De acuerdo. Aquí estoy si quiere saber algo más.",
		[2]string{"¿A cuál se refiere: ", "?"}, [2]string{"Mis fuentes hablan de: ", "."}, " o ",
		"No estoy seguro. Lo más parecido que tengo es:"},
	words.French: {"Je suis un assistant automatique. Je réponds aux questions avec ce que disent mes sources.",
		"Je suis un assistant automatique et je ne peux pas transmettre cette conversation à une personne. " +
			"Veuillez utiliser les coordonnées de ceux qui proposent ce service.",
		"Je suis désolé que ce soit agaçant. Dites-moi ce que vous souhaitez savoir, et je chercherai.",
		"Je n'ai pas compris. Que souhaitez-vous savoir ?", "Très bien. Je suis là si vous souhaitez savoir autre chose.",
		[2]string{"Lequel voulez-vous dire : ", " ?"}, [2]string{"Mes sources parlent de : ", "."}, " ou ",
		"Je n'en suis pas sûr. Ce que j'ai de plus proche :"},
	words.Italian: {"Sono un assistente automatico. Rispondo alle domande con quello che dicono le mie fonti.",
		"Sono un assistente automatico e non posso passare questa conversazione a una persona. Usi per favore i " +
			"recapiti di chi offre questo servizio.",
		"Mi dispiace che sia fastidioso. Mi dica che cosa desidera sapere e lo cercherò.",
		"Non ho capito. Che cosa desidera sapere?", "Va bene. Sono qui se desidera sapere altro.",
		[2]string{"Quale intende: ", "?"}, [2]string{"Le mie fonti parlano di: ", "."}, " o ",
		"Non ne sono sicuro. La cosa più vicina che ho è:"},
	words.Portuguese: {"Sou um assistente automático. Respondo às perguntas com o que dizem as minhas fontes.",
		"Sou um assistente automático e não posso passar esta conversa a uma pessoa. Utilize, por favor, os " +
			"contactos de quem oferece este serviço.",
		"Lamento que isto seja incómodo. Diga-me o que gostaria de saber e vou procurar.",
		"Não percebi. O que gostaria de saber?", "Está bem. Estou aqui se quiser saber mais alguma coisa.",
		[2]string{"A qual se refere: ", "?"}, [2]string{"As minhas fontes falam de: ", "."}, " ou ",
		"Não tenho a certeza. O mais próximo que tenho é:"},
	words.Dutch: {"Ik ben een automatische assistent. Ik beantwoord vragen met wat er in mijn bronnen staat.",
		"Ik ben een automatische assistent en kan dit gesprek niet aan een mens overdragen. Gebruik alstublieft " +
			"de contactgegevens van de aanbieder.",
		"Het spijt me dat dit vervelend is. Zeg me wat u wilt weten, dan zoek ik het op.",
		"Dat heb ik niet begrepen. Wat wilt u weten?", "Goed. Ik ben er als u nog iets wilt weten.",
		[2]string{"Welke bedoelt u: ", "?"}, [2]string{"Mijn bronnen gaan over: ", "."}, " of ",
		"Ik weet het niet zeker. Dit komt er het dichtst bij:"},
	words.Russian: {"Я автоматический помощник. Я отвечаю на вопросы тем, что сказано в моих источниках.",
		"Я автоматический помощник и не могу передать этот разговор человеку. Пожалуйста, воспользуйтесь " +
			"контактами тех, кто оказывает эту услугу.",
		"Мне жаль, что это вызывает досаду. Скажите, пожалуйста, что вы хотите узнать, и я поищу.",
		"Я не понял. Что вы хотите узнать?", "Хорошо. Я здесь, если вы захотите узнать что-нибудь ещё.",
		[2]string{"Что вы имеете в виду: ", "?"}, [2]string{"В моих источниках говорится о следующем: ", "."}, " или ",
		"Я не уверен. Ближе всего к этому вот что:"},
	words.Arabic: {"أنا مساعد آلي. أجيب عن الأسئلة بما ورد في مصادري.",
		"أنا مساعد آلي ولا أستطيع تحويل هذه المحادثة إلى شخص. يرجى استخدام بيانات الاتصال الخاصة بمقدمي هذه الخدمة.",
		"أعتذر عن الإزعاج. أخبرني من فضلك بما تود معرفته وسأبحث عنه.", "لم أفهم ذلك. ماذا تود أن تعرف؟",
		"حسنا. أنا هنا إذا أردت معرفة شيء آخر.",
		[2]string{"أيها تقصد: ", "؟"}, [2]string{"تتحدث مصادري عن: ", "."}, " أو ",
		"لست متأكدا. أقرب ما وجدته هو:"},
	words.Chinese: {"我是自动助手，根据我的资料回答问题。", "我是自动助手，无法把对话转给人工。请使用服务提供方的联系方式。", "很抱歉给您带来不便。请告诉我您想了解什么，我来查找。",
		"我没有明白。请问您想了解什么？", "好的。如果还想了解什么，请随时告诉我。", [2]string{"您指的是哪一个：", "？"}, [2]string{"我的资料涉及：", "。"}, "，还是",
		"我不太确定。我找到的最接近的内容是："},
	words.Japanese: {"私は自動のアシスタントです。資料に書かれていることをもとにお答えします。", "私は自動のアシスタントで、担当者におつなぎすることはできません。サービス提供者の連絡先をご利用ください。",
		"ご不便をおかけして申し訳ありません。お知りになりたいことを教えてください。お調べします。", "うまく理解できませんでした。何をお知りになりたいですか。",
		"承知しました。ほかに知りたいことがあればお知らせください。", [2]string{"どれのことでしょうか：", "？"}, [2]string{"資料にあるのは次の内容です：", "。"}, "、または",
		"確かではありませんが、最も近い内容は次のとおりです："},
}

// toolTexts are the sentences about tools that the built-in model has in a language.
type toolTexts struct {
	needInputs    [2]string // around the list of inputs that a call lacks
	listSeparator string    // between the parts of a list
	resultEmpty   string    // a result that says nothing
	callFailed    string    // a call that failed; the reason follows
	resultMissing string    // a call that got no result
}

var toolTextsByLanguage = textsByLanguage[toolTexts]{
	words.English: {[2]string{"To go on I need: ", "."}, ", ", "Done.", "That did not work",
		"That was not done: no result came."},
	words.German: {[2]string{"Um fortzufahren, brauche ich: ", "."}, ", ", "Erledigt.", "Das hat nicht geklappt",
		"Das wurde nicht ausgeführt: Es kam kein Ergebnis."},
	words.Spanish: {[2]string{"Para continuar necesito: ", "."}, ", ", "Hecho.", "Eso no ha funcionado",
		"No se ha hecho: no llegó ningún resultado."},
	words.French: {[2]string{"Pour continuer, j'ai besoin de : ", "."}, ", ", "C'est fait.", "Cela n'a pas fonctionné",
		"Cela n'a pas été fait : aucun résultat n'est arrivé."},
	words.Italian: {[2]string{"Per continuare ho bisogno di: ", "."}, ", ", "Fatto.", "Non ha funzionato",
		"Non è stato fatto: non è arrivato alcun risultato."},
	words.Portuguese: {[2]string{"Para continuar, preciso de: ", "."}, ", ", "Feito.", "Isso não funcionou",
		"Isso não foi feito: não chegou nenhum resultado."},
	words.Dutch: {[2]string{"Om verder te gaan heb ik nodig: ", "."}, ", ", "Gedaan.", "Dat is niet gelukt",
		"Dat is niet gedaan: er kwam geen resultaat."},
	words.Russian: {[2]string{"Чтобы продолжить, мне нужно: ", "."}, ", ", "Готово.", "Это не получилось",
		"Это не сделано: результат не пришёл."},
	words.Arabic:   {[2]string{"للمتابعة أحتاج إلى: ", "."}, "، ", "تم.", "لم ينجح ذلك", "لم يتم ذلك: لم تصل أي نتيجة."},
	words.Chinese:  {[2]string{"要继续，我需要：", "。"}, "、", "已完成。", "操作没有成功", "没有执行：没有收到结果。"},
	words.Japanese: {[2]string{"続けるには次の情報が必要です：", "。"}, "、", "完了しました。", "うまくいきませんでした", "実行されませんでした。結果が届いていません。"},
}

var handoverTexts = textsByLanguage[string]{
	words.English: "A person from the team will take over this conversation. Please wait a moment; the answer " +
		"will appear here.",
	words.German: "Ein Mensch aus dem Team übernimmt dieses Gespräch. Bitte haben Sie einen Moment Geduld; " +
		"die Antwort erscheint hier.",
	words.Spanish: "Una persona del equipo se hará cargo de esta conversación. Espere un momento, por favor; " +
		"la respuesta aparecerá aquí.",
	words.French: "Une personne de l'équipe va reprendre cette conversation. Veuillez patienter un instant ; " +
		"la réponse apparaîtra ici.",
	words.Italian: "Una persona del team prenderà in carico questa conversazione. Attenda un momento, per " +
		"favore; la risposta apparirà qui.",
	words.Portuguese: "Uma pessoa da equipa vai assumir esta conversa. Aguarde um momento, por favor; a resposta " +
		"aparecerá aqui.",
	words.Dutch: "Iemand van het team neemt dit gesprek over. Een ogenblik geduld alstublieft; het antwoord " +
		"verschijnt hier.",
	words.Russian: "Этот разговор продолжит сотрудник нашей команды. Пожалуйста, подождите немного: ответ " +
		"появится здесь.",
	words.Arabic:   "سيتولى شخص من الفريق هذه المحادثة. يرجى الانتظار لحظة، وسيظهر الرد هنا.",
	words.Chinese:  "团队中的工作人员将接手此对话。请稍候，回复会显示在这里。",
	words.Japanese: "担当者がこの会話を引き継ぎます。少々お待ちください。返信はここに表示されます。",
}
