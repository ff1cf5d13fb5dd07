package words

import "strings"

// functionWordLanguages says for a folded word in which languages it carries no meaning of its own, one bit each.
var functionWordLanguages = func() map[string]uint32 {
	all := map[string]uint32{}
	for l, list := range functionWords {
		for w := range strings.FieldsSeq(list) {
			all[Fold(w)] |= 1 << l
		}
	}
	return all
}()

// IsStopWord reports whether the folded word carries no meaning of its own in the language.
func (l Language) IsStopWord(word string) bool {
	if l == Chinese || l == Japanese {
		return isAllFunctionChars(word)
	}
	return functionWordLanguages[word]>>l&1 == 1
}

// chineseFunctionChars are characters that hold sentences and questions together.
const chineseFunctionChars = "的了是在和与及或个什么哪谁吗呢被把对从为以于之有这那其也都就而并等到一些几多少怎样如何时候里人们它他她我你您请问能可会吧啊得着过些何种没不"

// isAllFunctionChars looks at the characters: those of the list, and the Japanese ones that spell endings.
func isAllFunctionChars(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 0x3040 || r > 0x309F) && !strings.ContainsRune(chineseFunctionChars, r)
	})
}

var functionWords = [languageCount]string{
	English: `a about above after again against all also am an and any anyone anything are aren as at be because been
		before being below between both but by can cannot could couldn d did didn do does doesn doing don down during each
		either else ever few for from further get gets getting give given go goes got had hadn has hasn have haven having
		he hello her here hers herself hi him himself his how however i if im in into is isn it its itself ive just know
		let like ll m many may me might mine more most much must my myself need no nor not now of off ok on once one only
		or other ought our ours ourselves out over own please possible re s same she should shouldn so some someone
		something such t tell than thank thanks that the their theirs them themselves then there these they thing this
		those through to too under until up upon us use used using ve very via want was wasn way we were weren what whats
		when where whether which while who whom whose why will with within without won would wouldn y yes yet you your
		yours yourself`,
	German: `aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei
		dadurch damit dann das dass daß dein deine dem den denn der des dessen deren dich die dies diese diesem diesen
		dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euer fur für gab gibt habe haben
		hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder
		jedes kann kannst kein keine können könnte man mehr mein meine meinem meinen meiner mich mir mit muss nach nicht
		nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sollte sowie über
		um und uns unser unter vom von vor wann war waren warum was welche welchem welchen welcher welches wenn wer werde
		werden wie wieder will wir wird wo woher wohin wurde wurden zu zum zur zwischen bitte viele wieviel wessen wem wen`,
	Spanish: `a al algo algun alguna algunas algunos ante antes aquel aquella así aun aunque bajo cada como cómo con
		contra cosa cual cuál cuales cuáles cualquier cuando cuándo cuanta cuántas cuanto cuántos de del desde donde dónde
		dos durante e el él ella ellas ellos en entre era eran es esa ese eso esos esta está estaba estado están estas este
		esto estos fue fueron ha había habían han hasta hay hizo la las le les lo los más me mi mis mucho muy nada ni no
		nos nosotros o os otra otras otro otros para pero poco por porque puede pueden puedo que qué quien quién quienes se
		sea según ser si sí sido sin sobre son su sus también tan tanto te tenía tiene tienen toda todas todo todos tras tu
		tus un una unas uno unos y ya yo favor`,
	French: `a afin ai ainsi alors au aucun aussi autre autres aux avant avec avoir car ce cela celle celui ces cet
		cette chaque chez ci comme comment d dans de depuis des deux doit donc dont du elle elles en encore entre est et
		étaient était été être eu fait faire faut ici il ils j je l la le les leur leurs lors lorsque lui ma mais me même
		mes moi mon n ne nos notre nous on ont ou où par parce pas peu peut peuvent peux plus plusieurs pour pourquoi puis
		puisque qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si soit son sont sous sur ta te tes
		toi ton tous tout toute toutes très tu un une vers voici voilà vos votre vous y combien plait`,
	Italian: `a ad agli ai al alla alle allo anche che chi ci come con cosa cui da dagli dai dal dalla dalle dello dei
		degli del della delle di dove e è ed era erano essere fa gli ha hai hanno ho i il in io l la le lei li lo loro lui
		ma me mi mia mio molto ne negli nei nel nella nelle no noi non nostro o ogni per perché più posso può qual quale
		quali quando quanti quanto quella quelle quelli quello questa queste questi questo se sei si sia sono su sua sue
		sugli sul sulla suo suoi te ti tra tu tutti tutto un una uno vi voi`,
	Portuguese: `a ao aos as às até com como da das de dela dele deles depois do dos e é ela elas ele eles em entre era
		essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no
		nos nós o os ou para pela pelas pelo pelos por porque posso pode podem qual quais quando quanto quantos que quê
		quem são se sem ser seu seus sua suas também te tem têm tinha tu tua um uma você vocês onde fazer`,
	Dutch: `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen
		haar had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet
		na naar niet niets nog nu of om omdat ons ook op over te tegen toch toen tot u uit uw van veel voor want waren was
		wat we wel welke werd wezen wie wij wil worden wordt zal ze zich zij zijn zo zonder zou waar waarom wanneer hoeveel`,
	Swedish: `alla att av blev bli blir de dem den denna deras dess det detta dig din dina ditt du där då efter ej eller
		en er ett från för ha hade han hans har hon hur här i icke ingen inom inte jag ju kan kunde man med mellan men mig
		min mina mitt mot mycket ni nu när någon något och om oss på samma sedan sig sin sina sitta själv skulle som så
		till under upp ut utan vad var vara varför varit vem vi vid vilken vilka`,
	Danish: `af alle at blev bliver da de dem den denne der deres det dette dig din dog du efter eller en end er et for
		fra ham han hans har havde hende hun hvad hvem hvis hvor hvordan hvorfor hvornår i ikke ind jeg jo kan kunne man
		mange med meget men mig min mod nogen noget nu når og også om op os over på sig sin skal skulle som til ud under
		var vi vil ville være været`,
	Norwegian: `alle at av både bare ble blir da de dem den denne der deres det dette deg din du eg ei en er et etter
		for fordi fra ha hadde han hans har henne hun hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke ingen inn jeg
		kan kunne man mange med meg mellom men min mot mye ned noe noen nå når og også om opp oss over på seg selv sin skal
		skulle som så til under ut var ved vi vil ville være vært`,
	Finnish: `ei ja joka jos jotka kun kuin mikä mitä miten missä milloin miksi kuka minä mutta myös nyt näin ole olen
		oli on ovat että se sekä sen siellä sinä tai tämä vain voi voin voiko hän he me te niin nämä ne`,
	Turkish: `acaba ama ancak bana bazı ben beni benim bir biz bu bunu bunun çok da daha de değil diye en gibi hangi hem
		her hiç için ile ise kadar ki kim mi mı mu mü nasıl ne neden nedir nerede niçin o olan olarak oldu olduğu onu onun
		sen siz şu ve veya ya yani kaç var mıdır`,
	Russian: `а без более бы был была были было быть в вам вас ваш весь во вот все всего всех вы где да даже для до его
		ее если есть еще же за здесь и из или им их к как какая какие какое какой какую каком каких ко когда кто ли либо
		мне может мой мы на над надо наш не него нее нет ни них но ну о об однако он она они оно от очень по под после
		потому почему при про с сам свое свои своего себя сколько со так также такой там те тем то того тоже той только том
		тот ты у уже что чего чем чтобы чье чья эта эти это этого этой этом этот я можно нужно`,
	Arabic: `في من على إلى الى عن مع هذا هذه ذلك تلك التي الذي الذين كان كانت يكون تكون هو هي هم ما ماذا متى أين اين كيف
		كم لماذا هل أي اي أية ان أن إن لا لم لن قد كل بعض غير بين عند بعد قبل حتى ثم أو او و كما لكن ليس حيث إذا اذا أنا
		نحن أنت وقد وكان ولم وفي ومن وهو وهي منذ خلال بعد الى له لها لهم به بها فيه فيها منه منها عليه عليها مما عندما بل
		أثناء ضمن`,
}
