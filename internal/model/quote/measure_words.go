package quote

import (
	"regexp"
	"strings"
)

// measureByAdjective are adjectives behind "how", named words that ask for an amount wherever they stand.
var (
	measureByAdjective = invertMeasureLists(map[measureKind]string{
		measureAmount:   "high tall deep wide far fast often hot heavy hoch tief breit weit schnell oft schwer",
		measureDuration: "long lang lange old alt",
		measureSize:     "big large gross",
	})
	measureByNoun = invertMeasureLists(map[measureKind]string{
		measureDuration: "duration dauer dauert duracion tarda dure duree durata dura duur",
		measureSize:     "size grosse tamano taille dimensione tamanho grootte",
		measurePrice: `cost costs price prices pricing fee fees kosten kostet preis preise gebuhr cuesta cuestan coste costo precio precios coute coutent prix tarif
			costa costano prezzo custa custam preco kost prijs стоит цена`,
		measureBound:       "maximum max maximal maximale maximo maxima massimo",
		measurePhoneNumber: "telefonnummer rufnummer telefoonnummer",
		measureLanguage:    "language languages sprache sprachen idioma idiomas langue langues lingua lingue taal talen",
	})
	telephoneWords    = newWordSet("phone telephone fax mobile")
	paymentVerbs      = newWordSet("pay charge spend zahle zahlen bezahlen bezahle pagar pago payer paie pagare betalen")
	openingHoursWords = newWordSet("close closed geoffnet offen zu abierto abierta abren abre cierran cierra ouvert ouverts ouvrez fermez aperto aperti aberto open geopend")
)

func invertMeasureLists(lists map[measureKind]string) map[string]measureKind {
	all := map[string]measureKind{}
	for m, list := range lists {
		for w := range strings.FieldsSeq(list) {
			all[w] = m
		}
	}
	return all
}

var (
	pricePattern     = regexp.MustCompile(`(?i)[€$£¥₹]\s?\d|\d\s?[€$£¥₹]|\d\s?(eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?|franken|欧元|美元|元|円|يورو)\b|\b(free of charge|for free|kostenlos|kostenfrei|gratis|gratuit)`)
	sizePattern      = regexp.MustCompile(`(?i)\d\s?(bytes?|[kmgt]i?b|mm|cm|m|km|px|inch|inches|zoll|m²|pages|seiten|characters|zeichen)\b`)
	boundPattern     = regexp.MustCompile(`(?i)\b(at most|up to|no more than|maximum|not exceed|h(ö|oe)chstens|maximal|bis zu|(como )?m(á|a)ximo|hasta|au (plus|maximum)|jusqu)`)
	telephonePattern = regexp.MustCompile(`\+?\d[\d ()/.-]{5,}\d`)
	clockTimePattern = regexp.MustCompile(`(?i)\b\d{1,2}([:.]\d\d|\s?(am|pm|a\.m|p\.m|uhr|h)\b)`)
	durationPattern  = regexp.MustCompile(`(\d|[一二三四五六七八九十两])\s?(秒|分|小时|時間|天|日|周|週|星期|个月|か月|年)`)
)

// languageNamePattern finds languages by their names, in some of them.
var languageNamePattern = regexp.MustCompile(`(?i)\b(english|german|spanish|french|italian|portuguese|dutch|arabic|chinese|japanese|russian|turkish|polish|englisch|deutsch|spanisch|franz(ö|oe)sisch|italienisch|portugiesisch|niederl(ä|ae)ndisch|arabisch|chinesisch|japanisch|russisch|t(ü|ue)rkisch|polnisch|ingl(é|e)s|alem(á|a)n|espa(ñ|n)ol|franc(é|e)s|italiano|portugu(é|e)s|(á|a)rabe|chino|anglais|allemand|espagnol|fran(ç|c)ais|italien|portugais|arabe|chinois)`)

var howMuchPhrases = []string{" how much ", " wie viel", " wieviel ", " cuanto ", " combien ", " quanto ", " hoeveel "}

var whenPhrases = []string{" when ", " what time ", " wann ", " cuando ", " a que hora ", " quand ", " a quelle heure ", " quando ", " wanneer "}

// timeUnitWords are units of time, by the stems that the languages give them.
var timeUnitWords = newWordSet(`second seconds sec min mins minute minutes hr hrs hour hours day days workday workdays week weeks month months year years
	std sekunde sekunden minuten stunde stunden tag tage tagen werktag werktage werktagen arbeitstag arbeitstage arbeitstagen woche wochen monat monate monaten jahr jahre jahren
	segundo segundos minuto minutos hora horas dia dias semana semanas mes meses ano anos
	seconde secondes heure heures jour jours semaine semaines mois an ans secondi minuti ora ore giorno giorni settimana settimane mese mesi anno anni`)
