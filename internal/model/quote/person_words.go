package quote

import "parley/internal/text/words"

// handoverTexts is what the customer is told when a person is going to answer.
var handoverTexts = map[words.Language]string{
	words.English:    "A person from the team will take over this conversation. Please wait a moment; the answer will appear here.",
	words.German:     "Ein Mensch aus dem Team übernimmt dieses Gespräch. Bitte haben Sie einen Moment Geduld; die Antwort erscheint hier.",
	words.Spanish:    "Una persona del equipo se hará cargo de esta conversación. Espere un momento, por favor; la respuesta aparecerá aquí.",
	words.French:     "Une personne de l'équipe va reprendre cette conversation. Veuillez patienter un instant ; la réponse apparaîtra ici.",
	words.Italian:    "Una persona del team prenderà in carico questa conversazione. Attenda un momento, per favore; la risposta apparirà qui.",
	words.Portuguese: "Uma pessoa da equipa vai assumir esta conversa. Aguarde um momento, por favor; a resposta aparecerá aqui.",
	words.Dutch:      "Iemand van het team neemt dit gesprek over. Een ogenblik geduld alstublieft; het antwoord verschijnt hier.",
	words.Russian:    "Этот разговор продолжит сотрудник нашей команды. Пожалуйста, подождите немного: ответ появится здесь.",
	words.Arabic:     "سيتولى شخص من الفريق هذه المحادثة. يرجى الانتظار لحظة، وسيظهر الرد هنا.",
	words.Chinese:    "团队中的工作人员将接手此对话。请稍候，回复会显示在这里。",
	words.Japanese:   "担当者がこの会話を引き継ぎます。少々お待ちください。返信はここに表示されます。",
}

// HandoverText is what the customer is told, in the language, when a person is going to answer.
func HandoverText(l words.Language) string { return textsInLanguage(handoverTexts, l) }

// conditionWords say of the clause before a wish that it is none: they suppose something, or report what others say.
var conditionWords = newWordSet(`if when whenever once unless until after before says say said saying asks ask asked types typed type writes write wrote wants customers users
	wenn falls sobald sagt sagen schreibt schreiben fragt kunden cuando dice dicen escribe escriben pide clientes quand lorsque dit disent ecrit demande clients quando dice dicono scrive chiede clienti
	diz dizem escreve pede als wanneer zodra zegt zeggen schrijft vraagt klanten если когда говорит говорят пишет просит клиенты اذا عندما يقول يكتب`)

var conditionWordsUnspaced = []string{"如果", "当", "说", "時", "とき", "場合", "たら", "言"}

// questionOpenerWords are words with which a question begins: what follows it in the same sentence belongs to it.
var questionOpenerWords = newWordSet(`how what where which why who does is are if when wie was wo warum wer como donde cual por quien si comment ou quel quelle pourquoi qui come cosa dove perche chi se
	onde qual hoe wat waar waarom wie как что где почему кто كيف ماذا اين لماذا من هل`)

// wishGrammar is how a wish for a person is worded: patterns over folded words. What stands before and after it may stand there any number
// of times; a core has a verb of its own, and bare does without.
type wishGrammar struct {
	language     words.Language
	stems        string // folded parts of words, one of which every wish holds
	prefixes     string
	corePatterns []string
	barePattern  string
	suffixes     string
}

// The English words for a person, in a sentence that says what is wished with them.
const (
	englishAffiliation = `(?: (?:from|in|at|on|of) (?:your |the )?(?:[^ ]+ )?(?:team|department|support|sales|billing|staff|service|company|office))?`
	englishPerson      = `(?:a |an |the |your |some |one of your |any |another |actual |real |live |human |proper |different )*(?:humans?|human being|persons?|people|agents?|representatives?|reps?|operators?|advis[oe]rs?|employee|` +
		`staff|staff member|team member|somebody|someone|someone (?:else|real|human)|somebody (?:else|real)|supervisor|manager|specialist|support|support (?:agent|person|rep|representative|team|staff|member|specialist)|` +
		`customer (?:service|support|care)|customer (?:service|support|care) (?:agent|rep|representative|person|team)|sales (?:rep|representative|team|person|agent)|team)` + englishAffiliation
	englishHuman = `(?:a |an |the |some |another )?(?:real |live |actual |proper )*(?:human|human (?:being|agent|operator|representative|rep|person|support|help|assistance|advisor|assistant)|real (?:person|agent|people|one)|` +
		`actual person|live (?:person|agent|support|operator|representative|human)|person|operator|representative|customer (?:service|support) (?:agent|rep|representative|person)|support agent)`
	englishPermission = `(?:(?:can|could|may|might) (?:i|we)|(?:can|could|would|will) you let (?:me|us)|(?:please )?(?:let|allow) (?:me|us)|is it possible|would it be possible|i demand|i insist)`
	englishDesire     = `(?:i|we) (?:just |really |only |still |now |rather |simply |urgently |do )*(?:want|wanna|need|wish|prefer|would like|would love|would prefer|would rather|d like|d love|d prefer|d rather|have|must|am asking|ask)`
)

var westernWishGrammars = []wishGrammar{
	{language: words.English,
		stems:    `human person people agent representative operator advis someone somebody anyone manager supervisor support customer team rep staff employee specialist`,
		prefixes: `hi|hello|hey|there|good (?:morning|afternoon|evening)|yes|nope|ok|okay|please|pls|sorry|thanks|thank you|but|well|actually|so|then|now|um|and|alright|enough|stop|again|just|anyway|look|listen|seriously|fine|to be honest`,
		corePatterns: []string{
			`(?:(?:` + englishPermission + `|(?:` + englishDesire + `)|(?:i|we) d like|id like|i wanna) (?:please |just |maybe |now |also |to )*)?(?:talk|speak|chat|be connected|be transferred|be put through|be forwarded|get connected|get transferred|have a (?:word|chat|conversation))(?: (?:directly|live|now|please))? (?:to|with) ` +
				englishPerson + `(?: (?:about|regarding|concerning|because|since|(?:who|that) (?:can|could|will|understands|knows|speaks|is)) .*)?`,
			`(?:(?:(?:can|could|would|will) (?:you|u)|i (?:want|need|would like) (?:you )?to|please) (?:please |just )*)?(?:connect|transfer|put|pass|hand|forward|redirect|switch|escalate|route)(?: (?:me|us|this|it|(?:the|this|my) (?:chat|conversation|call|case|issue)))?(?: (?:over|through|on|straight|directly))? (?:to|with) ` +
				englishPerson + `(?: (?:about|regarding|concerning|because|since|(?:who|that) (?:can|could|will|understands|knows|speaks|is)) .*)?`,
			`(?:(?:can|could) (?:you |i )(?:please )?)?(?:give|get|find) me ` + englishHuman,
			`is there (?:a |an |any )?(?:real |actual |live )?(?:human|person|someone|somebody|anyone|agent)(?: here)? (?:that |who )?i (?:can|could) (?:talk|speak|chat) (?:to|with)`,
			`(?:` + englishDesire + `|(?:i|we) d like|id like|can i (?:have|get)|could i (?:have|get))(?: to have)?(?: (?:help|support|assistance) from)? ` + englishHuman,
		},
		barePattern: `(?:a )?(?:real |live |actual )*(?:human|human (?:being|agent|operator|representative|person|support|help|assistance)|live (?:agent|person|operator|representative)|real (?:person|human|agent)|actual (?:person|human)|representative|customer service representative|operator)` +
			`|(?:a |an )?(?:person|agent|support agent|customer service|someone real) (?:please|pls)`,
		suffixes: `please|pls|plz|thanks|thank you|now|right now|immediately|asap|instead|today|again|here|directly|at once|urgently|though|then|ok|okay|if possible|if you can|if that s possible|in person|on the phone|` +
			`(?:and )?not (?:to |with )?(?:a |an |the |this )?(?:bot|robot|machine|ai|computer|chatbot|you)|(?:instead of|rather than) .*bot`},
	{language: words.German,
		stems:    `mensch person mitarbeit berater jemand kunden support ansprech agent operator sachbearb vorgesetzt kolleg`,
		prefixes: `hallo|hi|guten (?:tag|morgen|abend)|bitte|nein|ja|ok|okay|danke|also|aber|und|jetzt|nun|entschuldigung|doch|dann|so|stopp|moin|servus|gut`,
		corePatterns: []string{
			`(?:(?:ich|wir) (?:möchte|will|würde|muss|wollen|möchten|würden|wünsche|müsste|hätte)|(?:kann|könnte|darf|dürfte) (?:ich|man)|(?:können|könnten|dürfen) wir|lassen sie mich|lass mich)?(?: ?(?:bitte|gerne?|lieber|jetzt|sofort|nur|endlich|mal|vielleicht|auch|doch|direkt|einfach|dringend|wegen (?:[^ ]+ ){1,3}))* ?mit ` +
				germanPerson + ` (?:sprechen|reden|chatten|schreiben|telefonieren|verbunden werden|verbunden|kommunizieren|sprechen können)`,
			`(?:verbinden|verbinde|verbindet|stell|stellen|leite|leiten|übergeben|übergib)(?: sie)? (?:mich|uns)(?: bitte| jetzt)* (?:mit|zu|an) ` + germanPerson + `(?: weiter| durch)?`,
			`(?:können|könnten|würden) sie mich(?: bitte| jetzt)* (?:mit|zu|an) ` + germanPerson + ` (?:verbinden|weiterleiten|durchstellen|übergeben)`,
			`(?:kannst|könntest) du mich(?: bitte| jetzt)* (?:mit|zu|an) ` + germanPerson + ` (?:verbinden|weiterleiten|durchstellen|übergeben)`,
			`(?:ich (?:will|möchte|brauche|hätte gerne?|bevorzuge|verlange)|kann ich|gib mir|geben sie mir)(?: (?:bitte|jetzt|sofort|endlich|lieber))* (?:einen|eine|nen) (?:echten? |richtigen? |menschlichen? |wirklichen? |realen? )*(?:menschen|mensch|mitarbeiter|mitarbeiterin|person|ansprechpartner|ansprechpartnerin|kundenberater|support mitarbeiter)(?: sprechen| haben)?`,
		},
		barePattern: `mensch|(?:einen )?menschen bitte|(?:ein(?:en|e)? )?(?:(?:echten? |echter |richtiger |richtigen? )+(?:mensch|menschen)|menschlicher (?:mitarbeiter|ansprechpartner|support)|echter? (?:mitarbeiter|person))|(?:ein(?:en|e)? )?(?:mitarbeiter|mitarbeiterin|kundenberater|person|ansprechpartner) bitte`,
		suffixes:    `bitte|danke|jetzt|sofort|gleich|endlich|direkt|(?:und )?nicht mit (?:einem|einer|nem|dem|der|dir|ihnen) ?(?:bot|roboter|maschine|ki|computer|chatbot)?|(?:an)?statt mit .*|(?:wegen|über|bezüglich|zu meine[mr]|weil|da) .*`},
	{language: words.Spanish,
		stems:    `person humano agente asesor operad representante empleado supervisor encargado ejecutivo alguien soporte atencion servicio`,
		prefixes: `hola|buenos dias|buenas tardes|buenas noches|buenas|por favor|si|ok|vale|gracias|pero|pues|bueno|entonces|ahora|disculpe|perdon|y`,
		corePatterns: []string{
			`(?:(?:quiero|quisiera|necesito|me gustaría|deseo|prefiero|puedo|podría|podemos|queremos|déjame|déjeme|es posible|sería posible|se puede|exijo|tengo que) (?:por favor )?)?(?:hablar|chatear|comunicarme|conversar|platicar|charlar|ser atendid[oa]|que me atienda)(?: directamente| por favor)? (?:con )?` + spanishPerson + `(?: (?:sobre|acerca de|por|porque|de mi) .*)?`,
			`(?:(?:me )?(?:puede|puedes|podría|podrías) )?(?:páseme|pásame|pasarme|comuníqueme|comunícame|comunicarme|comunicar|pasar|conécteme|conéctame|conectarme|conectar|transfiérame|transfiéreme|transferirme|transferir|póngame|ponme|derívame|derívenme)(?: por favor)? (?:con|a|al) ` + spanishPerson,
			`(?:quiero|necesito|deme|dame|prefiero|quisiera) (?:a )?(?:un|una) (?:humano|persona real|persona de verdad|persona|agente humano|agente real|operador|operadora|operador humano|ser humano|asesor|asesor humano)`,
		},
		barePattern: `(?:un |una )?(?:humano|ser humano|persona real|agente humano|operador humano|asesor humano|agente real)|(?:un |una )?(?:agente|persona|asesor|operador|operadora|representante) por favor`,
		suffixes:    `por favor|gracias|ahora|ya|ahora mismo|inmediatamente|urgentemente|directamente|(?:y )?no con (?:un|una|este) (?:bot|robot|máquina|chatbot)|en vez de .*bot|en lugar de .*bot`},
	{language: words.French,
		stems:    `humain person conseill agent operat employe represent responsable service support quelqu interlocut`,
		prefixes: `bonjour|bonsoir|salut|s il vous plaît|s il te plaît|svp|stp|non|oui|ok|merci|mais|bon|alors|et|maintenant|pardon|désolée?`,
		corePatterns: []string{
			`(?:(?:je (?:veux|voudrais|souhaite|souhaiterais|aimerais|préfère|préférerais|désire|dois|peux)|j aimerais|nous (?:voulons|voudrions|souhaitons)|est ce que je (?:peux|pourrais)|puis je|pourrais je|peut on|est il possible de?|serait il possible de?|laissez moi|laisse moi|j ai besoin de)(?: vraiment| bien| s il vous plaît| juste)* )?(?:parler|discuter|échanger|chatter|tchatter|communiquer|être mise? en (?:relation|contact))(?: directement)? (?:à|avec) ` + frenchPerson + `(?: (?:au sujet|à propos|concernant|car|parce|par rapport|pour ma|pour mon|pour mes|de ma|de mon) .*)?`,
			`(?:(?:pouvez|pourriez) vous |(?:peux|pourrais) tu )?(?:me )?(?:passez moi|passe moi|mettez moi en (?:relation|contact) avec|transférez moi (?:à|vers)|connectez moi (?:à|avec)|redirigez moi vers|passer|mettre en (?:relation|contact) avec|transférer (?:à|vers)|connecter (?:à|avec)|rediriger vers) ` + frenchPerson,
			`(?:je (?:veux|voudrais|souhaite|préfère)|j ai besoin d|donnez moi) (?:un|une) (?:vrai |vraie )?(?:humain|être humain|personne|personne réelle|conseiller|conseillère|conseiller humain|agent humain|opérateur|interlocuteur humain)`,
		},
		barePattern: `(?:un |une )?(?:humain|vrai humain|être humain|agent humain|conseiller humain|vraie personne|personne réelle)|(?:un |une )?(?:conseiller|conseillère|agent|personne|opérateur) (?:s il vous plaît|s il te plaît|svp|stp)`,
		suffixes:    `s il vous plaît|s il te plaît|svp|stp|merci|maintenant|tout de suite|immédiatement|directement|(?:et )?(?:pas|non) (?:à|avec) (?:un|une) (?:robot|bot|machine|ia|chatbot)|plutôt qu .*`},
}
