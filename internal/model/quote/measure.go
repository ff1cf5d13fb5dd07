package quote

import (
	"regexp"
	"slices"

	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// measureKind is what a word of the question asks to be measured. A text answers it by an amount, and seldom holds the
// word itself: "how long" is answered by "two days", "the maximum size" by "25 MB at most".
type measureKind uint8

const (
	measureNone   measureKind = iota
	measureAmount             // any number
	measureDuration
	measureSize
	measurePrice
	measureBound
	measurePhoneNumber
	measureClockTime
	measureLanguage
)

// measureKindCount is how many kinds there are.
const measureKindCount = int(measureLanguage) + 1

const (
	measureWeight   = 0.5 // of the word's weight: an amount says less than a word that is met
	measureStrength = 0.8 // how surely an amount of the right kind answers the word
)

// measurePhrases reports which phrases of a question are looked for with several of its words.
type measurePhrases struct{ hasHowMuch, hasWhen bool }

func findMeasurePhrases(question string) measurePhrases {
	return measurePhrases{hasHowMuch: words.ContainsPhrase(question, howMuchPhrases),
		hasWhen: words.ContainsPhrase(question, whenPhrases)}
}

// measureOf returns what the word asks to be measured, in the light of the one before it.
func (m measurePhrases) measureOf(before, word string) measureKind {
	if (before == "how" || before == "wie") && measureByAdjective[word] != measureNone {
		return measureByAdjective[word]
	}
	if paymentVerbs[word] && m.hasHowMuch {
		return measurePrice
	}
	if openingHoursWords[word] && m.hasWhen {
		return measureClockTime
	}
	if telephoneWords[before] && (word == "number" || word == "nummer") {
		return measurePhoneNumber
	}
	return measureByNoun[word]
}

// timeUnitReach is how many words after a number its unit is: "5 to 7 working days".
const timeUnitReach = 3

// answersMeasure reports whether the text holds an amount of the kind.
func (q *parsedQuestion) answersMeasure(m measureKind, text string) bool {
	switch m {
	case measureDuration:
		return q.hasTimeSpan(text)
	case measureSize:
		return sizePattern.MatchString(text)
	case measurePrice:
		return pricePattern.MatchString(text)
	case measureBound:
		return boundPattern.MatchString(text)
	case measurePhoneNumber:
		return telephonePattern.MatchString(text)
	case measureClockTime:
		return clockTimePattern.MatchString(text)
	case measureLanguage:
		return len(languageNamePattern.FindAllString(text, 2)) == 2
	case measureNone, measureAmount:
	}
	return q.hasAmount(text)
}

// hasAmount reports whether there is a number that the question does not name itself and that is no year.
func (q *parsedQuestion) hasAmount(text string) bool {
	return containsWord(text, func(w string) bool { return q.isNewNumber(w) && words.KindOf(w)&words.Time == 0 })
}

func (q *parsedQuestion) hasTimeSpan(text string) bool {
	left := 0
	for token := range words.Tokens(text) {
		left--
		if isNumber(token.Word) || countingArticles[token.Word] {
			left = timeUnitReach
		} else if left >= 0 && timeUnitWords[token.Word] {
			return true
		}
	}
	return durationPattern.MatchString(text)
}

var countingArticles = words.NewSet("a an ein eine einen einem einer un una une uno")

// missingAmountLoss is what the confidence loses, in its exponent, where the amount that is asked for is missing.
const missingAmountLoss = 1

// lacksAmount reports whether the question asks for an amount and that none of its kind is there.
func (q *parsedQuestion) lacksAmount(found []float64) bool {
	for i, s := range q.terms {
		// "how often" may be answered by "seldom"
		if s.fromLastMessage && s.measure > measureAmount && found[i] < relatedStrength {
			return true
		}
	}
	return false
}

// unitHasAmount reports whether the sentence itself holds the amount that the question asks for.
func (q *parsedQuestion) unitHasAmount(u quotableUnit) bool {
	return u.kind == markdown.Paragraph && slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.fromLastMessage && s.measure > measureAmount && u.ownMatch[q.termIndex(s.word)] >= relatedStrength
	})
}

// addMeasureMatches adds to what was found the words of the question that an amount in the text answers.
func (q *parsedQuestion) addMeasureMatches(found []float64, text string) {
	var looked, present [measureKindCount]bool
	for i, s := range q.terms {
		if s.measure == measureNone || found[i] >= measureStrength {
			continue
		}
		if !looked[s.measure] {
			looked[s.measure], present[s.measure] = true, q.answersMeasure(s.measure, text)
		}
		if present[s.measure] {
			found[i] = measureStrength
		}
	}
}

// measureByAdjective are adjectives behind "how", named words that ask for an amount wherever they are.
var (
	measureByAdjective = words.InvertLists(map[measureKind]string{
		measureAmount:   "high tall deep wide far fast often hot heavy hoch tief breit weit schnell oft schwer",
		measureDuration: "long lang lange old alt",
		measureSize:     "big large gross",
	})
	measureByNoun = words.InvertLists(map[measureKind]string{
		measureDuration: "duration dauer dauert duracion tarda dure duree durata dura duur",
		measureSize:     "size grosse tamano taille dimensione tamanho grootte",
		measurePrice: `cost costs price prices pricing fee fees kosten kostet preis preise gebuhr
			cuesta cuestan coste costo precio precios coute coutent prix tarif
			costa costano prezzo custa custam preco kost prijs стоит цена`,
		measureBound:       "maximum max maximal maximale maximo maxima massimo",
		measurePhoneNumber: "telefonnummer rufnummer telefoonnummer",
		measureLanguage:    "language languages sprache sprachen idioma idiomas langue langues lingua lingue taal talen",
	})
	telephoneWords    = words.NewSet("phone telephone fax mobile")
	paymentVerbs      = words.NewSet("pay charge spend zahle zahlen bezahlen bezahle pagar pago payer paie pagare betalen")
	openingHoursWords = words.NewSet("close closed geoffnet offen zu abierto abierta abren abre cierran cierra " +
		"ouvert ouverts ouvrez fermez aperto aperti aberto open geopend")
)

var (
	pricePattern = regexp.MustCompile(`(?i)[€$£¥₹]\s?\d|\d\s?[€$£¥₹]|\d\s?(eur|usd|gbp|chf|euros?|dollars?|` +
		`pounds?|francs?|franken|欧元|美元|元|円|يورو)\b|\b(free of charge|for free|kostenlos|kostenfrei|gratis|gratuit)`)
	sizePattern = regexp.MustCompile(`(?i)\d\s?(bytes?|[kmgt]i?b|mm|cm|m|km|px|inch|inches|zoll|m²|pages|` +
		`seiten|characters|zeichen)\b`)
	boundPattern = regexp.MustCompile(`(?i)\b(at most|up to|no more than|maximum|not exceed|h(ö|oe)chstens|` +
		`maximal|bis zu|(como )?m(á|a)ximo|hasta|au (plus|maximum)|jusqu)`)
	telephonePattern = regexp.MustCompile(`\+?\d[\d ()/.-]{5,}\d`)
	clockTimePattern = regexp.MustCompile(`(?i)\b\d{1,2}([:.]\d\d|\s?(am|pm|a\.m|p\.m|uhr|h)\b)`)
	durationPattern  = regexp.MustCompile(`(\d|[一二三四五六七八九十两])\s?(秒|分|小时|時間|天|日|周|週|星期|个月|か月|年)`)
)

// languageNamePattern finds languages by their names, in some of them.
var languageNamePattern = regexp.MustCompile(`(?i)\b(english|german|spanish|french|italian|portuguese|dutch|` +
	`arabic|chinese|japanese|russian|turkish|polish|englisch|deutsch|spanisch|franz(ö|oe)sisch|italienisch|` +
	`portugiesisch|niederl(ä|ae)ndisch|arabisch|chinesisch|japanisch|russisch|t(ü|ue)rkisch|polnisch|ingl(é|e)s|` +
	`alem(á|a)n|espa(ñ|n)ol|franc(é|e)s|italiano|portugu(é|e)s|(á|a)rabe|chino|anglais|allemand|espagnol|fran(ç|` +
	`c)ais|italien|portugais|arabe|chinois)`)

var howMuchPhrases = []string{" how much ", " wie viel", " wieviel ", " cuanto ", " combien ", " quanto ", " hoeveel "}

var whenPhrases = []string{" when ", " what time ", " wann ", " cuando ", " a que hora ", " quand ", " a quelle heure ",
	" quando ", " wanneer "}

// timeUnitWords are units of time, by the stems that the languages give them.
var timeUnitWords = words.NewSet(`second seconds sec min mins minute minutes hr hrs hour hours day days workday
	workdays week weeks month months year years std sekunde sekunden minuten stunde stunden tag tage tagen werktag
	werktage werktagen arbeitstag arbeitstage arbeitstagen woche wochen monat monate monaten jahr jahre jahren segundo
	segundos minuto minutos hora horas dia dias semana semanas mes meses ano anos seconde secondes heure heures jour
	jours semaine semaines mois an ans secondi minuti ora ore giorno giorni settimana settimane mese mesi anno anni`)
