package quote

import "parley/internal/text/words"

// Words for a person, in the form that they have behind the verbs of wishGrammars.
const (
	germanPerson = `(?:(?:einem|einer|eurem|eurer|ihrem|ihrer|dem|der|nem|ner|irgend|echten|richtigen|wirklichen|realen|menschlichen|anderen|lebendigen) )*(?:menschen|mensch|person|mitarbeiter|mitarbeiterin|mitarbeitenden|kundenberater|` +
		`kundenberaterin|berater|beraterin|kundendienst|kundenservice|kundensupport|support|support mitarbeiter|supportmitarbeiter|servicemitarbeiter|ansprechpartner|ansprechpartnerin|agenten|operator|sachbearbeiter|vorgesetzten|kollegen|jemand|jemandem|jemand(?:em)? (?:anderem|echtem|richtigem))` +
		`(?: (?:aus|von|vom|beim) (?:dem |der |eurem |ihrem )?(?:team|support|kundenservice|kundendienst|vertrieb|service))?`
	spanishPerson = `(?:(?:un|una|el|la|algún|alguna|su|verdader[oa]|otro|otra) )*(?:persona|humano|ser humano|agente|asesor|asesora|operador|operadora|representante|empleado|supervisor|supervisora|encargado|ejecutivo|alguien|soporte|atención al cliente|servicio al cliente)` +
		`(?: (?:real|reales|human[oa]|de verdad|de carne y hueso|más|(?:de|del) (?:su |el |la )?(?:equipo|soporte|servicio al cliente|atención al cliente|empresa)))*`
	frenchPerson = `(?:(?:un|une|votre|le|la|l|vrai|vraie|véritable|autre) )*(?:humain|être humain|personne|conseiller|conseillère|agent|opérateur|opératrice|employé|employée|représentant|responsable|service client|support|quelqu un|interlocuteur)` +
		`(?: (?:humain|humaine|réel|réelle|de réel|d humain|d autre|(?:de|du|de l|de la|de votre) (?:équipe|support|service client|service|société)))*`
	italianPerson = `(?:(?:un|una|uno|il|la|l|vostro|vostra|vero|vera|altro|altra) )*(?:persona|umano|operatore|operatrice|essere umano|agente|assistente|consulente|rappresentante|responsabile|addetto|qualcuno|assistenza|servizio|assistenza clienti|servizio clienti)` +
		`(?: (?:reale|vera|vero|umano|umana|in carne e ossa|(?:del|dell|della|di|del vostro) (?:team|assistenza|supporto|servizio clienti)))*`
	portuguesePerson = `(?:(?:um|uma|o|a|algum|alguma|verdadeir[oa]|outr[oa]) )*(?:pessoa|humano|ser humano|atendente|agente|operador|operadora|assistente|representante|funcionário|funcionária|gerente|supervisor|responsável|alguém|suporte|apoio ao cliente|atendimento)` +
		`(?: (?:real|human[oa]|de verdade|de carne e osso|(?:da|do) (?:equipa|equipe|suporte|atendimento|apoio ao cliente)))*`
	dutchPerson = `(?:(?:een|n|de|jullie|uw|je|echte?|menselijke|levend|andere) )*(?:mens|persoon|medewerker|medewerkster|collega|agent|vertegenwoordiger|klantenservice|adviseur|leidinggevende|supportmedewerker|iemand|iemand anders|mensen)` +
		`(?: (?:van vlees en bloed|(?:van|bij) (?:de |het |jullie |uw )?(?:team|klantenservice|support|afdeling|helpdesk)))?`
	russianPersonInstrumental = `(?:(?:живым|живыми|настоящим|реальным|вашим|другим) )*(?:человеком|оператором|сотрудником|специалистом|менеджером|консультантом|представителем|агентом|людьми|кем нибудь|службой поддержки|поддержкой)(?: (?:поддержки|службы поддержки|из поддержки|вашей компании))?`
	russianPersonAccusative   = `(?:(?:живого|настоящего|реального|живой|настоящий) )*(?:человека|оператора|сотрудника|специалиста|менеджера|консультанта|человек|оператор|сотрудник|специалист|менеджер|консультант)(?: поддержки)?`
	arabicPerson              = `(?:مع |إلى |ب|ل)?(?:أي |أحد )?(?:شخص|موظف|إنسان|بشر|ممثل|وكيل|مسؤول|مشرف|أحد|خدمة العملاء|فريق الدعم|الدعم|موظفي|موظفيكم)(?: (?:ما|حقيقي|بشري|خدمة العملاء|الدعم|دعم|من (?:الفريق|فريق الدعم|خدمة العملاء|فريقكم)))*`
)

var wishGrammars = append(westernWishGrammars, furtherWishGrammars...)

var furtherWishGrammars = []wishGrammar{
	{language: words.Italian,
		stems:    `person umano operat agente assisten consulent rappresent responsabil addetto qualcuno servizio`,
		prefixes: `ciao|salve|buongiorno|buonasera|per favore|no|sì|ok|grazie|ma|allora|e|adesso|scusi|scusa|bene`,
		corePatterns: []string{
			`(?:(?:voglio|vorrei|desidero|preferisco|preferirei|posso|potrei|devo|ho bisogno di|mi piacerebbe|vogliamo|possiamo|è possibile|sarebbe possibile|si può|fammi|mi faccia|fatemi)(?: per favore)? )?(?:parlare|chattare|comunicare|conversare|essere mess[oa] in contatto)(?: direttamente| per favore)? con (?:l |qualcuno )?` + italianPerson + `(?: (?:riguardo|circa|a proposito|perché|sul|sulla|del mio|della mia) .*)?`,
			`(?:mi )?(?:(?:può|puoi|potete|potrebbe|potresti) )?(?:passi|passami|passatemi|passarmi|mettimi in contatto con|metta in contatto con|mettetemi in contatto con|mettermi in contatto con|trasferisca a|trasferiscimi a|trasferirmi a|passare|colleghi con|collegami con|collegarmi con|connettimi con)(?: a)? ` + italianPerson,
			`(?:voglio|vorrei|mi serve|ho bisogno di|preferisco) (?:un|una) (?:umano|essere umano|persona reale|persona vera|vera persona|persona|operatore|operatrice|operatore umano|agente umano)`,
		},
		barePattern: `(?:un |una )?(?:operatore|operatrice|operatore umano|umano|essere umano|persona reale|persona vera|agente umano)|(?:un |una )?(?:persona|consulente|agente) per favore`,
		suffixes:    `per favore|grazie|adesso|ora|subito|immediatamente|direttamente|(?:e )?non con (?:un|una) (?:bot|robot|macchina|chatbot)|invece di .*bot`},
	{language: words.Portuguese,
		stems:    `pessoa human atend agente operador assistente represent funcionari gerente supervisor responsavel alguem suporte apoio`,
		prefixes: `olá|oi|bom dia|boa tarde|boa noite|por favor|sim|ok|obrigad[oa]|mas|então|e|agora|desculpe`,
		corePatterns: []string{
			`(?:(?:quero|queria|gostaria de|preciso de|preciso|desejo|prefiro|posso|poderia|podia|podemos|é possível|seria possível|dá para|tem como|deixe me|me deixe)(?: por favor)? )?(?:falar|conversar|comunicar|ser atendid[oa])(?: diretamente| directamente| por favor)? (?:com|por) ` + portuguesePerson + `(?: (?:sobre|acerca|a respeito|porque|por causa) .*)?`,
			`(?:(?:pode|podes|poderia|podia) )?(?:me )?(?:passe|passa|passar|transfira|transfere|transferir|conecte|conecta|conectar|ligue|ligar|encaminhe|encaminhar)(?: me)? (?:para|com|a) ` + portuguesePerson,
			`(?:quero|preciso de|prefiro|queria) (?:um|uma) (?:humano|ser humano|atendente|atendente humano|pessoa real|pessoa de verdade|pessoa|operador humano|agente humano|atendimento humano)`,
		},
		barePattern: `(?:um |uma )?(?:humano|ser humano|atendente|atendente humano|atendimento humano|pessoa real|agente humano)|(?:um |uma )?(?:pessoa|operador|agente) por favor`,
		suffixes:    `por favor|obrigad[oa]|agora|já|imediatamente|diretamente|(?:e )?não com (?:um|uma) (?:robô|bot|máquina|chatbot)|em vez de .*bot`},
	{language: words.Dutch,
		stems:    `mens persoon medewerk collega agent vertegenw klantens adviseur leidingg supportm iemand`,
		prefixes: `hallo|hoi|hi|goedemorgen|goedemiddag|goedenavond|goedendag|alstublieft|alsjeblieft|nee|ja|ok|oké|bedankt|maar|dus|en|nu|sorry`,
		corePatterns: []string{
			`(?:(?:ik|wij|we) (?:wil|zou|wens|moet|willen)|(?:kan|mag|zou) ik|kunnen we|laat me|laat mij)?(?: ?(?:graag|nu|liever|gewoon|even|alsjeblieft|alstublieft|misschien|ook|direct|echt))* ?met ` + dutchPerson + ` (?:willen |kunnen |mogen )?(?:spreken|praten|chatten|doorverbonden worden|worden doorverbonden|in contact komen)`,
			`(?:verbindt?|schakel|zet|doorverbinden)(?: u)?(?: mij| me)?(?: alsjeblieft| alstublieft)?(?: door)? (?:met|naar|aan) ` + dutchPerson + `(?: door)?`,
			`(?:kunt u|kun je|kan je|wilt u|wil je) (?:mij|me)(?: alsjeblieft| alstublieft)? (?:met|naar) ` + dutchPerson + ` (?:verbinden|doorverbinden|doorschakelen)`,
			`(?:(?:ik|wij|we) (?:wil|zou|willen)|(?:kan|mag|zou) ik)(?: graag| nu| liever| alstublieft| alsjeblieft| misschien)* (?:iemand|(?:een )(?:echte? |menselijke )*(?:mens|persoon|medewerker))(?: (?:van de|van het|van jullie|van uw) [^ ]+)? (?:spreken|kunnen spreken|willen spreken)`,
			`ik (?:wil|heb|zou)(?: graag| nu| liever)* een (?:echte? |menselijke )?(?:mens|persoon|medewerker)(?: nodig| spreken| willen spreken)?`,
		},
		barePattern: `(?:een )?(?:echt mens|mens|echte persoon|menselijke medewerker|echte medewerker)|(?:een )?(?:medewerker|persoon) (?:alstublieft|alsjeblieft|graag|aub|ajb)`,
		suffixes:    `alstublieft|alsjeblieft|aub|ajb|graag|bedankt|nu|meteen|direct|(?:en )?niet met een (?:bot|robot|machine|computer|chatbot)|(?:over|omdat|vanwege) .*`},
	{language: words.Russian,
		stems:    `челове оператор сотрудник специалист менеджер консультант представител агент людьми кем поддержк`,
		prefixes: `здравствуйте|привет|добрый день|добрый вечер|пожалуйста|нет|да|но|тогда|ок|спасибо|извините`,
		corePatterns: []string{
			`(?:(?:я )?(?:хочу|хотел бы|хотела бы|хотелось бы|нужно|надо|можно|могу ли я|могу я|можно ли|прошу|желаю|дайте|предпочитаю)(?: мне)? |мне (?:нужно|надо|хотелось бы) )?(?:поговорить|говорить|пообщаться|общаться|связаться|переговорить|побеседовать)(?: напрямую)? со? ` + russianPersonInstrumental,
			`(?:(?:можете|можно|не могли бы вы|вы можете) )?(?:меня )?(?:соедините|переключите|переведите|свяжите|соедини|переключи|переведи|соединить|переключить|перевести|связать)(?: меня)?(?: пожалуйста)? (?:со? ` + russianPersonInstrumental + `|на ` + russianPersonAccusative + `)`,
			`(?:можно )?` + russianPersonAccusative + `(?: позовите| позови| дайте)`,
			`можно (?:мне )?(?:живого )?(?:человека|оператора|специалиста|консультанта)`,
			`(?:позовите|позови|дайте|пригласите|мне нужен|нужен|хочу|требую)(?: мне)?(?: пожалуйста)? ` + russianPersonAccusative,
		},
		barePattern: `(?:живой |настоящий )?(?:оператор|человек)|живой (?:сотрудник|консультант)`,
		suffixes:    `пожалуйста|спасибо|сейчас|немедленно|срочно|прямо сейчас|а? ?не с (?:ботом|роботом|машиной)|(?:о|об|обо|про|по|насчёт|потому) .*`},
	{language: words.Arabic,
		stems:    `شخص موظف انسان بشر ممثل وكيل مسوول مشرف احد خدمه الدعم`,
		prefixes: `مرحبا|السلام عليكم|أهلا|من فضلك|من فضلكم|لو سمحت|لو سمحتم|نعم|شكرا|رجاء`,
		corePatterns: []string{
			`(?:(?:أريد|نريد|أرغب في|أحتاج|أحتاج إلى|أود|أبغى|أبي|عايز|عاوز|بدي|هل يمكنني|هل يمكن|يمكنني|ممكن|هل أستطيع|أفضل)(?: أن)? )?(?:التحدث|أتحدث|التكلم|أتكلم|الحديث|الكلام|أكلم|التواصل|أتواصل|الدردشة)(?: مباشرة)? ` + arabicPerson,
			`(?:هل يمكنك |ممكن |أرجو )?(?:حولني|حولوني|تحويلي|وصلني|أوصلني|صلني|انقلني)(?: من فضلك)? ` + arabicPerson,
			`(?:أريد|أحتاج|أحتاج إلى|أبغى|عايز) (?:موظفا?|إنسانا?|(?:شخصا?|موظفا?|إنسانا?|وكيلا?) (?:حقيقيا?|بشريا?))`,
		},
		barePattern: `(?:موظف|شخص|إنسان|وكيل) (?:حقيقي|بشري|من فضلك)`,
		suffixes:    `من فضلك|من فضلكم|لو سمحت|لو سمحتم|رجاء|شكرا|الآن|حالا|فورا|مباشرة|(?:حول|بخصوص|بشأن|عن|لأن|لأنني) .*|وليس .*|ليس .*روبوت`},
	{language: words.Chinese,
		stems:    `人 客服 经理 主管`,
		prefixes: `你好|您好|请问|请|請|麻烦|麻煩|那|好的|好|我|想要|想|需要|要|可以|可不可以|能不能|能否|能|帮我|幫我|给我|給我|直接|现在|马上|立刻`,
		corePatterns: []string{
			`(?:转接?|轉接?|换|叫|接通|连接|转到|呼叫|找|要|联系|聯繫)(?:到|给|一下)?(?:一个|一位|个|位|你们的)?(?:人工客服|人工服务|人工坐席|真人客服|真人|人工|客服人员|客服经理|在线客服|活人)`,
			`(?:跟|和|与|與|同|找)(?:一个|一位|个|個|位|你们的|你们)?(?:真人客服|人工客服|真人|人工|活人|人|客服|客服人员|工作人员|经理|主管)(?:直接)?(?:说话|說話|说|聊|聊天|聊聊|谈|談|谈谈|交谈|沟通|对话|讲话|讲|通话|联系)`,
		},
		barePattern: `人工|人工客服|人工服务|真人客服|真人`,
		suffixes:    `一下|吗|嗎|么|吧|呢|谢谢|謝謝|好吗|行吗|可以吗|不要机器人|啊|了|现在|马上|立刻|服务|帮忙|处理`},
	{language: words.Japanese,
		stems:    `人 誰か 担当 オペレータ スタッフ 係 責任者 上司 社員 サポート`,
		prefixes: `すみません|すいません|あの|こんにちは|お願いします|では|じゃあ|いいえ|いや|はい|やっぱり|今すぐ|すぐに|できれば|まず|ちょっと`,
		corePatterns: []string{
			`(?:本物の|生身の|実際の|人間の|サポートの|サポート|カスタマーサポートの|別の)?(?:誰か|担当者|担当の方|担当の人|担当|オペレーター|オペレータ|人間|人|スタッフ|係の人|係の方|係員|責任者|上司|社員|カスタマーサポート)(?:の方|の人|さん)?(?:と|に|へ|を)(?:直接)?(?:話したい|話がしたい|話をしたい|お話したい|お話ししたい|話させて|話せます|話すことはできます|話し?できます|お話しできます|お話できます|つないで|繋いで|つなげて|繋げて|つなげ|繋げ|代わって|替わって|変わって|かわって|取り次いで|お願い|チャットしたい|相談したい|相談できます|呼んで|出して)`,
			`有人対応(?:を|に|で)(?:お願い|切り替えて|してほしい|希望)`,
		},
		barePattern: `オペレーター|有人対応|オペレーターお願い|担当者お願い`,
		suffixes:    `です|のです|んです|が|けど|けれど|か|ね|よ|ください|下さい|ほしい|欲しい|もらえます|いただけます|頂けます|くれます|もらえません|いただけません|くれません|くれ|ません|します|いたします|致します|でしょう|と思います|今すぐ|すぐに`},
}
