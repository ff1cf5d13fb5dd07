package quote

import (
	"parley/internal/text/words"
)

// HandoverText returns the sentence, in the language, that says that a person is going to answer.
func HandoverText(l words.Language) string { return handoverTexts.in(l) }

// conditionWords say of the clause before a wish that it is none: they suppose something, or report what others say.
var conditionWords = words.NewSet(`if when whenever once unless until after before says say said saying asks ask asked
	types typed type writes write wrote wants customers users wenn falls sobald sagt sagen schreibt schreiben fragt
	kunden cuando dice dicen escribe escriben pide clientes quand lorsque dit disent ecrit demande clients quando dice
	dicono scrive chiede clienti diz dizem escreve pede als wanneer zodra zegt zeggen schrijft vraagt klanten если когда
	говорит говорят пишет просит клиенты اذا عندما يقول يكتب`)

var conditionWordsUnspaced = []string{"如果", "当", "说", "時", "とき", "場合", "たら", "言"}

// questionOpenerWords are words with which a question begins: what follows it in the same sentence belongs to it.
var questionOpenerWords = words.NewSet(`how what where which why who does is are if when wie was wo warum wer como donde
	cual por quien si comment ou quel quelle pourquoi qui come cosa dove perche chi se
	onde qual hoe wat waar waarom wie как что где почему кто كيف ماذا اين لماذا من هل`)

// wishGrammar is how a wish for a person is worded: patterns over folded words. What is before and after it may
// be there any number of times; a core has a verb of its own, and bare does without.
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
	englishAffiliation = `(?: (?:from|in|at|on|of) (?:your |the )?(?:[^ ]+ )?(?:team|department|support|sales|` +
		`billing|staff|service|company|office))?`
	englishPerson = `(?:a |an |the |your |some |one of your |any |another |actual |real |live |human |proper |` +
		`different )*(?:humans?|human being|persons?|people|agents?|representatives?|reps?|operators?|advis[oe]rs?|` +
		`employee|staff|staff member|team member|somebody|someone|someone (?:else|real|human)|somebody (?:else|real)|` +
		`supervisor|manager|specialist|support|support (?:agent|person|rep|representative|team|staff|member|specialist)|` +
		`customer (?:service|support|care)|customer (?:service|support|care) (?:agent|rep|representative|person|team)|` +
		`sales (?:rep|representative|team|person|agent)|team)` + englishAffiliation
	englishHuman = `(?:a |an |the |some |another )?(?:real |live |actual |proper )*(?:human|human (?:being|agent|` +
		`operator|representative|rep|person|support|help|assistance|advisor|assistant)|real (?:person|agent|people|one)|` +
		`actual person|live (?:person|agent|support|operator|representative|human)|person|operator|representative|` +
		`customer (?:service|support) (?:agent|rep|representative|person)|support agent)`
	englishPermission = `(?:(?:can|could|may|might) (?:i|we)|(?:can|could|would|will) you let (?:me|us)|` +
		`(?:please )?(?:let|allow) (?:me|us)|is it possible|would it be possible|i demand|i insist)`
	englishDesire = `(?:i|we) (?:just |really |only |still |now |rather |simply |urgently |do )*(?:want|wanna|need|wish|` +
		`prefer|would like|would love|would prefer|would rather|d like|d love|d prefer|d rather|have|must|am asking|ask)`
)

var westernWishGrammars = []wishGrammar{
	{language: words.English,
		stems: `human person people agent representative operator advis someone somebody anyone manager ` +
			`supervisor support customer team rep staff employee specialist`,
		prefixes: `hi|hello|hey|there|good (?:morning|afternoon|evening)|yes|nope|ok|okay|please|pls|sorry|` +
			`thanks|thank you|but|well|actually|so|then|now|um|and|alright|enough|stop|again|just|anyway|look|` +
			`listen|seriously|fine|to be honest`,
		corePatterns: []string{
			`(?:(?:` + englishPermission + `|(?:` + englishDesire + `)|(?:i|we) d like|id like|i wanna) (?:please |just |` +
				`maybe |now |also |to )*)?(?:talk|speak|chat|be connected|be transferred|be put through|be forwarded|` +
				`get connected|get transferred|have a (?:word|chat|conversation))(?: (?:directly|live|now|please))? (?:to|with) ` +
				englishPerson + `(?: (?:about|regarding|concerning|because|since|(?:who|that) (?:can|could|will|understands|` +
				`knows|speaks|is)) .*)?`,
			`(?:(?:(?:can|could|would|will) (?:you|u)|i (?:want|need|would like) (?:you )?to|please) (?:please |` +
				`just )*)?(?:connect|transfer|put|pass|hand|forward|redirect|switch|escalate|route)(?: (?:me|us|this|it|(?:the|` +
				`this|my) (?:chat|conversation|call|case|issue)))?(?: (?:over|through|on|straight|directly))? (?:to|with) ` +
				englishPerson + `(?: (?:about|regarding|concerning|because|since|(?:who|that) (?:can|could|will|understands|` +
				`knows|speaks|is)) .*)?`,
			`(?:(?:can|could) (?:you |i )(?:please )?)?(?:give|get|find) me ` + englishHuman,
			`is there (?:a |an |any )?(?:real |actual |live )?(?:human|person|someone|somebody|anyone|agent)(?: ` +
				`here)? (?:that |who )?i (?:can|could) (?:talk|speak|chat) (?:to|with)`,
			`(?:` + englishDesire + `|(?:i|we) d like|id like|can i (?:have|get)|could i (?:have|` +
				`get))(?: to have)?(?: (?:help|support|assistance) from)? ` + englishHuman,
		},
		barePattern: `(?:a )?(?:real |live |actual )*(?:human|human (?:being|agent|operator|representative|` +
			`person|support|help|assistance)|live (?:agent|person|operator|representative)|real (?:person|human|` +
			`agent)|actual (?:person|human)|representative|customer service representative|operator)` +
			`|(?:a |an )?(?:person|agent|support agent|customer service|someone real) (?:please|pls)`,
		suffixes: `please|pls|plz|thanks|thank you|now|right now|immediately|asap|instead|today|again|here|directly|` +
			`at once|urgently|though|then|ok|okay|if possible|if you can|if that s possible|in person|on the phone|` +
			`(?:and )?not (?:to |with )?(?:a |an |the |this )?(?:bot|robot|machine|ai|computer|chatbot|you)|(?:instead of|` +
			`rather than) .*bot`},
	{language: words.German,
		stems: `mensch person mitarbeit berater jemand kunden support ansprech agent operator sachbearb vorgesetzt kolleg`,
		prefixes: `hallo|hi|guten (?:tag|morgen|abend)|bitte|nein|ja|ok|okay|danke|also|aber|und|jetzt|nun|` +
			`entschuldigung|doch|dann|so|stopp|moin|servus|gut`,
		corePatterns: []string{
			`(?:(?:ich|wir) (?:möchte|will|würde|muss|wollen|möchten|würden|wünsche|müsste|hätte)|(?:kann|könnte|darf|` +
				`dürfte) (?:ich|man)|(?:können|könnten|dürfen) wir|lassen sie mich|lass mich)?(?: ?(?:bitte|gerne?|lieber|jetzt|` +
				`sofort|nur|endlich|mal|vielleicht|auch|doch|direkt|einfach|dringend|wegen (?:[^ ]+ ){1,3}))* ?mit ` +
				germanPerson + ` (?:sprechen|reden|chatten|schreiben|telefonieren|verbunden werden|verbunden|kommunizieren|` +
				`sprechen können)`,
			`(?:verbinden|verbinde|verbindet|stell|stellen|leite|leiten|übergeben|übergib)(?: sie)? (?:mich|uns)(?: bitte|` +
				` jetzt)* (?:mit|zu|an) ` + germanPerson + `(?: weiter| durch)?`,
			`(?:können|könnten|würden) sie mich(?: bitte| jetzt)* (?:mit|zu|an) ` + germanPerson +
				` (?:verbinden|weiterleiten|durchstellen|übergeben)`,
			`(?:kannst|könntest) du mich(?: bitte| jetzt)* (?:mit|zu|an) ` + germanPerson +
				` (?:verbinden|weiterleiten|durchstellen|übergeben)`,
			`(?:ich (?:will|möchte|brauche|hätte gerne?|bevorzuge|verlange)|kann ich|gib mir|geben sie mir)(?: ` +
				`(?:bitte|jetzt|sofort|endlich|lieber))* (?:einen|eine|nen) (?:echten? |richtigen? |` +
				`menschlichen? |wirklichen? |realen? )*(?:menschen|mensch|mitarbeiter|mitarbeiterin|person|` +
				`ansprechpartner|ansprechpartnerin|kundenberater|support mitarbeiter)(?: sprechen| haben)?`,
		},
		barePattern: `mensch|(?:einen )?menschen bitte|(?:ein(?:en|e)? )?(?:(?:echten? |echter |richtiger |` +
			`richtigen? )+(?:mensch|menschen)|menschlicher (?:mitarbeiter|ansprechpartner|support)|echter? (?:mitarbeiter|` +
			`person))|(?:ein(?:en|e)? )?(?:mitarbeiter|mitarbeiterin|kundenberater|person|ansprechpartner) bitte`,
		suffixes: `bitte|danke|jetzt|sofort|gleich|endlich|direkt|(?:und )?nicht mit (?:einem|einer|nem|dem|` +
			`der|dir|ihnen) ?(?:bot|roboter|maschine|ki|computer|chatbot)?|(?:an)?statt mit .*|(?:wegen|über|` +
			`bezüglich|zu meine[mr]|weil|da) .*`},
	{language: words.Spanish,
		stems: `person humano agente asesor operad representante empleado supervisor encargado ejecutivo ` +
			`alguien soporte atencion servicio`,
		prefixes: `hola|buenos dias|buenas tardes|buenas noches|buenas|por favor|si|ok|vale|gracias|pero|pues|` +
			`bueno|entonces|ahora|disculpe|perdon|y`,
		corePatterns: []string{
			`(?:(?:quiero|quisiera|necesito|me gustaría|deseo|prefiero|puedo|podría|podemos|queremos|déjame|déjeme|es posible|` +
				`sería posible|se puede|exijo|tengo que) (?:por favor )?)?(?:hablar|chatear|comunicarme|conversar|platicar|` +
				`charlar|ser atendid[oa]|que me atienda)(?: directamente| por favor)? (?:con )?` + spanishPerson +
				`(?: (?:sobre|acerca de|por|porque|de mi) .*)?`,
			`(?:(?:me )?(?:puede|puedes|podría|podrías) )?(?:páseme|pásame|pasarme|comuníqueme|comunícame|comunicarme|` +
				`comunicar|pasar|conécteme|conéctame|conectarme|conectar|transfiérame|transfiéreme|transferirme|transferir|` +
				`póngame|ponme|derívame|derívenme)(?: por favor)? (?:con|a|al) ` + spanishPerson,
			`(?:quiero|necesito|deme|dame|prefiero|quisiera) (?:a )?(?:un|una) (?:humano|persona real|persona de verdad|` +
				`persona|agente humano|agente real|operador|operadora|operador humano|ser humano|asesor|asesor humano)`,
		},
		barePattern: `(?:un |una )?(?:humano|ser humano|persona real|agente humano|operador humano|asesor humano|` +
			`agente real)|(?:un |una )?(?:agente|persona|asesor|operador|operadora|representante) por favor`,
		suffixes: `por favor|gracias|ahora|ya|ahora mismo|inmediatamente|urgentemente|directamente|(?:y )?no ` +
			`con (?:un|una|este) (?:bot|robot|máquina|chatbot)|en vez de .*bot|en lugar de .*bot`},
	{language: words.French,
		stems: `humain person conseill agent operat employe represent responsable service support quelqu interlocut`,
		prefixes: `bonjour|bonsoir|salut|s il vous plaît|s il te plaît|svp|stp|non|oui|ok|merci|mais|bon|alors|` +
			`et|maintenant|pardon|désolée?`,
		corePatterns: []string{
			`(?:(?:je (?:veux|voudrais|souhaite|souhaiterais|aimerais|préfère|préférerais|désire|dois|peux)|j aimerais|` +
				`nous (?:voulons|voudrions|souhaitons)|est ce que je (?:peux|pourrais)|puis je|pourrais je|peut on|` +
				`est il possible de?|serait il possible de?|laissez moi|laisse moi|j ai besoin de)(?: vraiment| bien|` +
				` s il vous plaît| juste)* )?(?:parler|discuter|échanger|chatter|tchatter|communiquer|être mise? en (?:relation|` +
				`contact))(?: directement)? (?:à|avec) ` + frenchPerson + `(?: (?:au sujet|à propos|concernant|car|parce|` +
				`par rapport|pour ma|pour mon|pour mes|de ma|de mon) .*)?`,
			`(?:(?:pouvez|pourriez) vous |(?:peux|pourrais) tu )?(?:me )?(?:passez moi|passe moi|mettez moi en (?:relation|` +
				`contact) avec|transférez moi (?:à|vers)|connectez moi (?:à|avec)|redirigez moi vers|passer|` +
				`mettre en (?:relation|contact) avec|transférer (?:à|vers)|connecter (?:à|avec)|rediriger vers) ` + frenchPerson,
			`(?:je (?:veux|voudrais|souhaite|préfère)|j ai besoin d|donnez moi) (?:un|une) (?:vrai |vraie ` +
				`)?(?:humain|être humain|personne|personne réelle|conseiller|conseillère|conseiller humain|` +
				`agent humain|opérateur|interlocuteur humain)`,
		},
		barePattern: `(?:un |une )?(?:humain|vrai humain|être humain|agent humain|conseiller humain|vraie ` +
			`personne|personne réelle)|(?:un |une )?(?:conseiller|conseillère|agent|personne|opérateur) (?:s il ` +
			`vous plaît|s il te plaît|svp|stp)`,
		suffixes: `s il vous plaît|s il te plaît|svp|stp|merci|maintenant|tout de suite|immédiatement|` +
			`directement|(?:et )?(?:pas|non) (?:à|avec) (?:un|une) (?:robot|bot|machine|ia|chatbot)|plutôt qu .*`},
}

// Words for a person, in the form that they have behind the verbs of wishGrammars.
const (
	germanPerson = `(?:(?:einem|einer|eurem|eurer|ihrem|ihrer|dem|der|nem|ner|irgend|echten|richtigen|wirklichen|realen|` +
		`menschlichen|anderen|lebendigen) )*(?:menschen|mensch|person|mitarbeiter|mitarbeiterin|mitarbeitenden|` +
		`kundenberater|kundenberaterin|berater|beraterin|kundendienst|kundenservice|kundensupport|support|` +
		`support mitarbeiter|supportmitarbeiter|servicemitarbeiter|ansprechpartner|ansprechpartnerin|agenten|operator|` +
		`sachbearbeiter|vorgesetzten|kollegen|jemand|jemandem|jemand(?:em)? (?:anderem|echtem|richtigem))(?: (?:aus|von|` +
		`vom|beim) (?:dem |der |eurem |ihrem )?(?:team|support|kundenservice|kundendienst|vertrieb|service))?`
	spanishPerson = `(?:(?:un|una|el|la|algún|alguna|su|verdader[oa]|otro|otra) )*(?:persona|humano|ser humano|agente|` +
		`asesor|asesora|operador|operadora|representante|empleado|supervisor|supervisora|encargado|ejecutivo|alguien|` +
		`soporte|atención al cliente|servicio al cliente)(?: (?:real|reales|human[oa]|de verdad|de carne y hueso|más|(?:de|` +
		`del) (?:su |el |la )?(?:equipo|soporte|servicio al cliente|atención al cliente|empresa)))*`
	frenchPerson = `(?:(?:un|une|votre|le|la|l|vrai|vraie|véritable|autre) )*(?:humain|être humain|personne|conseiller|` +
		`conseillère|agent|opérateur|opératrice|employé|employée|représentant|responsable|service client|support|quelqu un|` +
		`interlocuteur)(?: (?:humain|humaine|réel|réelle|de réel|d humain|d autre|(?:de|du|de l|de la|de votre) (?:équipe|` +
		`support|service client|service|société)))*`
	italianPerson = `(?:(?:un|una|uno|il|la|l|vostro|vostra|vero|vera|altro|altra) )*(?:persona|umano|operatore|` +
		`operatrice|essere umano|agente|assistente|consulente|rappresentante|responsabile|addetto|qualcuno|assistenza|` +
		`servizio|assistenza clienti|servizio clienti)(?: (?:reale|vera|vero|umano|umana|in carne e ossa|(?:del|dell|della|` +
		`di|del vostro) (?:team|assistenza|supporto|servizio clienti)))*`
	portuguesePerson = `(?:(?:um|uma|o|a|algum|alguma|verdadeir[oa]|outr[oa]) )*(?:pessoa|humano|ser humano|` +
		`atendente|agente|operador|operadora|assistente|representante|funcionário|funcionária|gerente|` +
		`supervisor|responsável|alguém|suporte|apoio ao cliente|atendimento)` +
		`(?: (?:real|human[oa]|de verdade|de carne e osso|(?:da|do) (?:equipa|equipe|suporte|atendimento|apoio ao cliente)))*`
	dutchPerson = `(?:(?:een|n|de|jullie|uw|je|echte?|menselijke|levend|andere) )*(?:mens|persoon|medewerker|` +
		`medewerkster|collega|agent|vertegenwoordiger|klantenservice|adviseur|leidinggevende|supportmedewerker|` +
		`iemand|iemand anders|mensen)` +
		`(?: (?:van vlees en bloed|(?:van|bij) (?:de |het |jullie |uw )?(?:team|klantenservice|support|afdeling|helpdesk)))?`
	russianPersonInstrumental = `(?:(?:живым|живыми|настоящим|реальным|вашим|другим) )*(?:человеком|оператором|` +
		`сотрудником|специалистом|менеджером|консультантом|представителем|агентом|людьми|кем нибудь|службой ` +
		`поддержки|поддержкой)(?: (?:поддержки|службы поддержки|из поддержки|вашей компании))?`
	russianPersonAccusative = `(?:(?:живого|настоящего|реального|живой|настоящий) )*(?:человека|оператора|сотрудника|` +
		`специалиста|менеджера|консультанта|человек|оператор|сотрудник|специалист|менеджер|консультант)(?: поддержки)?`
	arabicPerson = `(?:مع |إلى |ب|ل)?(?:أي |أحد )?(?:شخص|موظف|إنسان|بشر|ممثل|وكيل|مسؤول|مشرف|أحد|` +
		`خدمة العملاء|فريق الدعم|الدعم|موظفي|موظفيكم)(?: (?:ما|حقيقي|بشري|خدمة العملاء|الدعم|دعم|من (?:الفريق|` +
		`فريق الدعم|خدمة العملاء|فريقكم)))*`
)

var wishGrammars = append(westernWishGrammars, furtherWishGrammars...)

var furtherWishGrammars = []wishGrammar{
	{language: words.Italian,
		stems:    `person umano operat agente assisten consulent rappresent responsabil addetto qualcuno servizio`,
		prefixes: `ciao|salve|buongiorno|buonasera|per favore|no|sì|ok|grazie|ma|allora|e|adesso|scusi|scusa|bene`,
		corePatterns: []string{
			`(?:(?:voglio|vorrei|desidero|preferisco|preferirei|posso|potrei|devo|ho bisogno di|mi piacerebbe|vogliamo|` +
				`possiamo|è possibile|sarebbe possibile|si può|fammi|mi faccia|fatemi)(?: per favore)? )?(?:parlare|chattare|` +
				`comunicare|conversare|essere mess[oa] in contatto)(?: direttamente| per favore)? con (?:l |qualcuno )?` +
				italianPerson + `(?: (?:riguardo|circa|a proposito|perché|sul|sulla|del mio|della mia) .*)?`,
			`(?:mi )?(?:(?:può|puoi|potete|potrebbe|potresti) )?(?:passi|passami|passatemi|passarmi|mettimi in contatto con|` +
				`metta in contatto con|mettetemi in contatto con|mettermi in contatto con|trasferisca a|trasferiscimi a|` +
				`trasferirmi a|passare|colleghi con|collegami con|collegarmi con|connettimi con)(?: a)? ` + italianPerson,
			`(?:voglio|vorrei|mi serve|ho bisogno di|preferisco) (?:un|una) (?:umano|essere umano|persona reale|` +
				`persona vera|vera persona|persona|operatore|operatrice|operatore umano|agente umano)`,
		},
		barePattern: `(?:un |una )?(?:operatore|operatrice|operatore umano|umano|essere umano|persona reale|` +
			`persona vera|agente umano)|(?:un |una )?(?:persona|consulente|agente) per favore`,
		suffixes: `per favore|grazie|adesso|ora|subito|immediatamente|direttamente|(?:e )?non con (?:un|una) ` +
			`(?:bot|robot|macchina|chatbot)|invece di .*bot`},
	{language: words.Portuguese,
		stems: `pessoa human atend agente operador assistente represent funcionari gerente supervisor ` +
			`responsavel alguem suporte apoio`,
		prefixes: `olá|oi|bom dia|boa tarde|boa noite|por favor|sim|ok|obrigad[oa]|mas|então|e|agora|desculpe`,
		corePatterns: []string{
			`(?:(?:quero|queria|gostaria de|preciso de|preciso|desejo|prefiro|posso|poderia|podia|podemos|é possível|` +
				`seria possível|dá para|tem como|deixe me|me deixe)(?: por favor)? )?(?:falar|conversar|comunicar|` +
				`ser atendid[oa])(?: diretamente| directamente| por favor)? (?:com|por) ` + portuguesePerson +
				`(?: (?:sobre|acerca|a respeito|porque|por causa) .*)?`,
			`(?:(?:pode|podes|poderia|podia) )?(?:me )?(?:passe|passa|passar|transfira|transfere|transferir|conecte|conecta|` +
				`conectar|ligue|ligar|encaminhe|encaminhar)(?: me)? (?:para|com|a) ` + portuguesePerson,
			`(?:quero|preciso de|prefiro|queria) (?:um|uma) (?:humano|ser humano|atendente|atendente humano|` +
				`pessoa real|pessoa de verdade|pessoa|operador humano|agente humano|atendimento humano)`,
		},
		barePattern: `(?:um |uma )?(?:humano|ser humano|atendente|atendente humano|atendimento humano|pessoa ` +
			`real|agente humano)|(?:um |uma )?(?:pessoa|operador|agente) por favor`,
		suffixes: `por favor|obrigad[oa]|agora|já|imediatamente|diretamente|(?:e )?não com (?:um|uma) (?:robô|` +
			`bot|máquina|chatbot)|em vez de .*bot`},
	{language: words.Dutch,
		stems: `mens persoon medewerk collega agent vertegenw klantens adviseur leidingg supportm iemand`,
		prefixes: `hallo|hoi|hi|goedemorgen|goedemiddag|goedenavond|goedendag|alstublieft|alsjeblieft|nee|ja|ok|` +
			`oké|bedankt|maar|dus|en|nu|sorry`,
		corePatterns: []string{
			`(?:(?:ik|wij|we) (?:wil|zou|wens|moet|willen)|(?:kan|mag|zou) ik|kunnen we|laat me|laat mij)?(?: ?(?:graag|nu|` +
				`liever|gewoon|even|alsjeblieft|alstublieft|misschien|ook|direct|echt))* ?met ` + dutchPerson +
				` (?:willen |kunnen |mogen )?(?:spreken|praten|chatten|doorverbonden worden|worden doorverbonden|in contact komen)`,
			`(?:verbindt?|schakel|zet|doorverbinden)(?: u)?(?: mij| me)?(?: alsjeblieft| alstublieft)?(?: door)? (?:met|naar|` +
				`aan) ` + dutchPerson + `(?: door)?`,
			`(?:kunt u|kun je|kan je|wilt u|wil je) (?:mij|me)(?: alsjeblieft| alstublieft)? (?:met|naar) ` +
				dutchPerson + ` (?:verbinden|doorverbinden|doorschakelen)`,
			`(?:(?:ik|wij|we) (?:wil|zou|willen)|(?:kan|mag|zou) ik)(?: graag| nu| liever| alstublieft| alsjeblieft|` +
				` misschien)* (?:iemand|(?:een )(?:echte? |menselijke )*(?:mens|persoon|medewerker))(?: (?:van de|van het|` +
				`van jullie|van uw) [^ ]+)? (?:spreken|kunnen spreken|willen spreken)`,
			`ik (?:wil|heb|zou)(?: graag| nu| liever)* een (?:echte? |menselijke )?(?:mens|persoon|` +
				`medewerker)(?: nodig| spreken| willen spreken)?`,
		},
		barePattern: `(?:een )?(?:echt mens|mens|echte persoon|menselijke medewerker|echte medewerker)|(?:een ` +
			`)?(?:medewerker|persoon) (?:alstublieft|alsjeblieft|graag|aub|ajb)`,
		suffixes: `alstublieft|alsjeblieft|aub|ajb|graag|bedankt|nu|meteen|direct|(?:en )?niet met een (?:bot|` +
			`robot|machine|computer|chatbot)|(?:over|omdat|vanwege) .*`},
	{language: words.Russian,
		stems:    `челове оператор сотрудник специалист менеджер консультант представител агент людьми кем поддержк`,
		prefixes: `здравствуйте|привет|добрый день|добрый вечер|пожалуйста|нет|да|но|тогда|ок|спасибо|извините`,
		corePatterns: []string{
			`(?:(?:я )?(?:хочу|хотел бы|хотела бы|хотелось бы|нужно|надо|можно|могу ли я|могу я|можно ли|прошу|желаю|дайте|` +
				`предпочитаю)(?: мне)? |мне (?:нужно|надо|хотелось бы) )?(?:поговорить|говорить|пообщаться|общаться|связаться|` +
				`переговорить|побеседовать)(?: напрямую)? со? ` + russianPersonInstrumental,
			`(?:(?:можете|можно|не могли бы вы|вы можете) )?(?:меня )?(?:соедините|переключите|переведите|свяжите|соедини|` +
				`переключи|переведи|соединить|переключить|перевести|связать)(?: меня)?(?: пожалуйста)? (?:со? ` +
				russianPersonInstrumental + `|на ` + russianPersonAccusative + `)`,
			`(?:можно )?` + russianPersonAccusative + `(?: позовите| позови| дайте)`,
			`можно (?:мне )?(?:живого )?(?:человека|оператора|специалиста|консультанта)`,
			`(?:позовите|позови|дайте|пригласите|мне нужен|нужен|хочу|требую)(?: мне)?(?: пожалуйста)? ` +
				russianPersonAccusative,
		},
		barePattern: `(?:живой |настоящий )?(?:оператор|человек)|живой (?:сотрудник|консультант)`,
		suffixes: `пожалуйста|спасибо|сейчас|немедленно|срочно|прямо сейчас|а? ?не с (?:ботом|роботом|` +
			`машиной)|(?:о|об|обо|про|по|насчёт|потому) .*`},
	{language: words.Arabic,
		stems:    `شخص موظف انسان بشر ممثل وكيل مسوول مشرف احد خدمه الدعم`,
		prefixes: `مرحبا|السلام عليكم|أهلا|من فضلك|من فضلكم|لو سمحت|لو سمحتم|نعم|شكرا|رجاء`,
		corePatterns: []string{
			`(?:(?:أريد|نريد|أرغب في|أحتاج|أحتاج إلى|أود|أبغى|أبي|عايز|عاوز|بدي|هل يمكنني|هل يمكن|يمكنني|ممكن|هل أستطيع|` +
				`أفضل)(?: أن)? )?(?:التحدث|أتحدث|التكلم|أتكلم|الحديث|الكلام|أكلم|التواصل|أتواصل|الدردشة)(?: مباشرة)? ` +
				arabicPerson,
			`(?:هل يمكنك |ممكن |أرجو )?(?:حولني|حولوني|تحويلي|وصلني|أوصلني|صلني|انقلني)(?: من فضلك)? ` + arabicPerson,
			`(?:أريد|أحتاج|أحتاج إلى|أبغى|عايز) (?:موظفا?|إنسانا?|(?:شخصا?|موظفا?|إنسانا?|وكيلا?) (?:حقيقيا?|بشريا?))`,
		},
		barePattern: `(?:موظف|شخص|إنسان|وكيل) (?:حقيقي|بشري|من فضلك)`,
		suffixes: `من فضلك|من فضلكم|لو سمحت|لو سمحتم|رجاء|شكرا|الآن|حالا|فورا|مباشرة|(?:حول|بخصوص|بشأن|عن|لأن|` +
			`لأنني) .*|وليس .*|ليس .*روبوت`},
	{language: words.Chinese,
		stems:    `人 客服 经理 主管`,
		prefixes: `你好|您好|请问|请|請|麻烦|麻煩|那|好的|好|我|想要|想|需要|要|可以|可不可以|能不能|能否|能|帮我|幫我|给我|給我|直接|现在|马上|立刻`,
		corePatterns: []string{
			`(?:转接?|轉接?|换|叫|接通|连接|转到|呼叫|找|要|联系|聯繫)(?:到|给|一下)?(?:一个|一位|个|位|你们的)?(?:人工客服|人工服务|人工坐席|真人客服|真人|人工|客服人员|客服经理|在线客服|活人)`,
			`(?:跟|和|与|與|同|找)(?:一个|一位|个|個|位|你们的|你们)?(?:真人客服|人工客服|真人|人工|活人|人|客服|客服人员|工作人员|经理|主管)(?:直接)?(?:说话|說話|说|` +
				`聊|聊天|聊聊|谈|談|谈谈|交谈|沟通|对话|讲话|讲|通话|联系)`,
		},
		barePattern: `人工|人工客服|人工服务|真人客服|真人`,
		suffixes:    `一下|吗|嗎|么|吧|呢|谢谢|謝謝|好吗|行吗|可以吗|不要机器人|啊|了|现在|马上|立刻|服务|帮忙|处理`},
	{language: words.Japanese,
		stems:    `人 誰か 担当 オペレータ スタッフ 係 責任者 上司 社員 サポート`,
		prefixes: `すみません|すいません|あの|こんにちは|お願いします|では|じゃあ|いいえ|いや|はい|やっぱり|今すぐ|すぐに|できれば|まず|ちょっと`,
		corePatterns: []string{
			`(?:本物の|生身の|実際の|人間の|サポートの|サポート|カスタマーサポートの|別の)?(?:誰か|担当者|担当の方|担当の人|担当|オペレーター|オペレータ|人間|人|スタッフ|係の人|係の方|係員|責任者|上司|社員|` +
				`カスタマーサポート)(?:の方|の人|さん)?(?:と|に|へ|を)(?:直接)?(?:話したい|話がしたい|話をしたい|お話したい|お話ししたい|話させて|話せます|話すことはできます|話し?できます|お話しできます|` +
				`お話できます|つないで|繋いで|つなげて|繋げて|つなげ|繋げ|代わって|替わって|変わって|かわって|取り次いで|お願い|チャットしたい|相談したい|相談できます|呼んで|出して)`,
			`有人対応(?:を|に|で)(?:お願い|切り替えて|してほしい|希望)`,
		},
		barePattern: `オペレーター|有人対応|オペレーターお願い|担当者お願い`,
		suffixes: `です|のです|んです|が|けど|けれど|か|ね|よ|ください|下さい|ほしい|欲しい|もらえます|いただけます|頂けます|くれます|もらえません|いただけません|くれません|くれ|` +
			`ません|します|いたします|致します|でしょう|と思います|今すぐ|すぐに`},
}
