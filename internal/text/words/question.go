package words

import (
	"slices"
	"strings"
)

// NeedsContext reports whether a message cannot be understood alone: it points at what was said before ("does it cost
// more?"), goes on with it ("and on Sundays?") or names next to nothing ("why?").
func NeedsContext(message string) bool {
	q := padFolded(message)
	goesOn := slices.ContainsFunc(contextStarts, func(start string) bool { return strings.HasPrefix(q, start) })
	if goesOn || containsAny(q, pointingPhrasesUnspaced) {
		return true
	}
	tokens := AppendTokens(nil, message)
	lang, _ := GuessLanguage(tokens)
	names := 0
	for _, t := range tokens {
		if isPointingWord[t.Word] {
			return true
		}
		if !lang.IsStopWord(t.Word) {
			names++
		}
	}
	return names < 2 || names < 3 && IsUnspaced(tokens[0].Word)
}

var contextStarts = []string{" and ", " but ", " or ", " so ", " also ", " then ", " what about ", " how about ",
	" what if ", " any other", " why not ", " und ", " aber ", " oder ", " auch ", " dann ", " was ist mit ",
	" wie sieht es mit ", " y ", " pero ", " o ", " tambien ", " entonces ", " que tal ", " que pasa con ", " et ",
	" mais ", " ou ", " aussi ", " alors ", " qu'en est-il ", " e ", " ma ", " en ", " maar ", " و", " ماذا عن ", " 那",
	" 还有", " 那么", " では", " それ"}

// pointingPhrasesUnspaced point if there are no spaces between words.
var pointingPhrasesUnspaced = []string{"它", "他们", "她们", "这个", "那个", "这些", "那些", "这里", "那里", "それ", "これ", "あれ"}

var isPointingWord = NewSet(Fold(pointingWords))

// Words that are articles or conjunctions too ("das", "la", "that" after a verb) are left out where they would point
// mostly at nothing.
const pointingWords = `it its they them their theirs this these those he she him his her hers one ones there same
	such er sie ihn ihm ihr ihre ihren ihrem ihrer diese dieser dieses diesem diesen dies jene davon dafür damit dazu
	daran darauf darin dort derselbe dasselbe él ella ellos ellas eso esto esa ese esos esas este esta estos estas
	aquello su sus mismo allí il elle ils elles cela ça celui celle ceux celles leur leurs lui هو هي هم هذا هذه ذلك تلك
	هناك это этот эта эти он она они их его там`

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return ContainsPhrase(question, howPhrases) }

var howPhrases = []string{" how do i ", " how do you ", " how do we ", " how can ", " how to ", " how should ",
	" how would ", " what steps ", " wie kann ", " wie mache ", " como ", " comment "}

// ContainsPhrase reports whether one of the phrases, folded and with a space at either end where a word ends, is in
// the question.
func ContainsPhrase(question string, phrases []string) bool {
	return containsAny(padFolded(question), phrases)
}

func containsAny(text string, phrases []string) bool {
	var bytes, afterSpace byteSet // most phrases begin with none of them
	for i := range len(text) {
		bytes.add(text[i])
		if i > 0 && text[i-1] == ' ' {
			afterSpace.add(text[i])
		}
	}
	return slices.ContainsFunc(phrases, func(p string) bool {
		if len(p) > 1 && p[0] == ' ' {
			return afterSpace.contains(p[1]) && strings.Contains(text, p)
		}
		return (p == "" || bytes.contains(p[0])) && strings.Contains(text, p)
	})
}

type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) contains(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// padFolded folds the question and adds a space before its first word and after its last.
func padFolded(question string) string { return " " + strings.TrimLeft(Fold(question), " ¿¡") + " " }

// Kind is a set of the sorts of things that a word may name, or that a question may ask for.
type Kind uint8

// The sorts that can be told by looking at a word.
const (
	Number Kind = 1 << iota // 12, 3.5, seven
	Time                    // 1999, March, Monday
)

// KindOf returns what sort of thing the folded word names; 0 if it does not show.
func KindOf(word string) Kind {
	if word == "" {
		return 0
	}
	if !isDigit(word[0]) {
		return kindByWord[word]
	}
	if isYear(word) {
		return Number | Time
	}
	return Number
}

func isYear(word string) bool {
	return len(word) == 4 && word[0] <= '2' && word[0] != '0' && strings.Trim(word, "0123456789") == ""
}

// AsksFor returns what sort of thing the question asks for; 0 if it does not show.
func AsksFor(question string) (k Kind) {
	q := padFolded(question)
	if containsAny(q, numberPhrases) {
		k |= Number
	}
	if containsAny(q, timePhrases) {
		k |= Time
	}
	return k
}

var numberPhrases = []string{" how many ", " how much ", " how long ", " how far ", " how old ", " how large ",
	" how big ", " how tall ", " how high ", " how deep ", " how fast ", " how often ", " how heavy ",
	" what percentage ", " what percent ", " what number ", " what amount ", " what does it cost ", " wie viel",
	" wieviel", " wie lange ", " wie weit ", " wie alt ", " wie gross ", " wie hoch ", " wie oft ", " wie schnell ",
	" wie schwer ", " cuant", " que porcentaje ", " que cantidad ", " que edad ", " que distancia ", " combien ",
	" quel pourcentage ", " quel age ", " quant", " hoeveel ", " hoe lang ", " hur manga ", " hur mycket ", " kac ",
	" сколько ", " كم ", "多少", "几个", "几年", "几次", "多长", "多大", "多高", "多远", "多久", "いくつ", "いくら", "何人", "何個", "何回"}

var timePhrases = []string{" when ", " what year ", " which year ", " what date ", " what day ", " what month ",
	" what time ", " what century ", " wann ", " welchem jahr ", " welches jahr ", " welchem datum ", " welchem tag ",
	" welchem monat ", " welchem jahrhundert ", " cuando ", " que ano ", " que fecha ", " que dia ", " que mes ",
	" que siglo ", " quand ", " quelle annee ", " quelle date ", " quel jour ", " quando ", " wanneer ", " nar ",
	" hvornar ", " milloin ", " ne zaman ", " когда ", " متي ", " اي عام ", " اي سنه ", " اي تاريخ ", " اي قرن ", "何时",
	"什么时候", "哪一年", "哪年", "哪天", "几月", "いつ", "何年"}

var kindByWord = func() map[string]Kind {
	all := map[string]Kind{}
	for w := range strings.FieldsSeq(numberWords) {
		all[Fold(w)] |= Number
	}
	for w := range strings.FieldsSeq(timeWords) {
		all[Fold(w)] |= Time
	}
	return all
}()

// The words are those of English, German, Spanish, French and Arabic; most other languages write the numbers asked for
// in digits.
const numberWords = `two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
	seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand
	thousands million millions billion billions dozen dozens half third quarter twice percent zwei drei vier fünf sechs
	sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig
	vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend million millionen milliarde milliarden dutzend
	hälfte drittel viertel prozent dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
	veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento cientos mil miles millón millones
	docena mitad tercio cuarto deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt
	trente quarante cinquante soixante cent mille milliard moitié اثنان اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة
	عشرون عشرين ثلاثون ثلاثين مائة مئة ألف آلاف مليون ملايين مليار نصف ثلث ربع`

const timeWords = `january february april june july august september october november december monday tuesday
	wednesday thursday friday saturday sunday century decade midnight noon januar februar märz mai juni juli oktober
	dezember montag dienstag mittwoch donnerstag freitag samstag sonntag jahrhundert jahrzehnt enero febrero marzo abril
	mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo
	siglo década janvier février avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi
	vendredi samedi dimanche siècle يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر الاثنين
	الثلاثاء الأربعاء الخميس الجمعة السبت الأحد القرن قرن`
