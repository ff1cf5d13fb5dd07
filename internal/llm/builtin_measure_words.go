package llm

import (
	"regexp"
	"strings"
)

// scaled are adjectives behind "how", named words that ask for an amount wherever they stand.
var (
	scaled = measuresOf(map[measure]string{
		amount:   "high tall deep wide far fast often hot heavy hoch tief breit weit schnell oft schwer",
		duration: "long lang lange old alt",
		size:     "big large gross",
	})
	named = measuresOf(map[measure]string{
		duration: "duration dauer dauert duracion tarda dure duree durata dura duur",
		size:     "size grosse tamano taille dimensione tamanho grootte",
		price: `cost costs price prices pricing fee fees kosten kostet preis preise gebuhr cuesta cuestan coste costo precio precios coute coutent prix tarif
			costa costano prezzo custa custam preco kost prijs стоит цена`,
		bound:           "maximum max maximal maximale maximo maxima massimo",
		telephoneNumber: "telefonnummer rufnummer telefoonnummer",
		spokenTongue:    "language languages sprache sprachen idioma idiomas langue langues lingua lingue taal talen",
	})
	telephones = wordSet("phone telephone fax mobile")
	payments   = wordSet("pay charge spend zahle zahlen bezahlen bezahle pagar pago payer paie pagare betalen")
	openFor    = wordSet("close closed geoffnet offen zu abierto abierta abren abre cierran cierra ouvert ouverts ouvrez fermez aperto aperti aberto open geopend")
)

func measuresOf(lists map[measure]string) map[string]measure {
	all := map[string]measure{}
	for m, list := range lists {
		for w := range strings.FieldsSeq(list) {
			all[w] = m
		}
	}
	return all
}

var (
	priced    = regexp.MustCompile(`(?i)[€$£¥₹]\s?\d|\d\s?[€$£¥₹]|\d\s?(eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?|franken|欧元|美元|元|円|يورو)\b|\b(free of charge|for free|kostenlos|kostenfrei|gratis|gratuit)`)
	sized     = regexp.MustCompile(`(?i)\d\s?(bytes?|[kmgt]i?b|mm|cm|m|km|px|inch|inches|zoll|m²|pages|seiten|characters|zeichen)\b`)
	bounded   = regexp.MustCompile(`(?i)\b(at most|up to|no more than|maximum|not exceed|h(ö|oe)chstens|maximal|bis zu|(como )?m(á|a)ximo|hasta|au (plus|maximum)|jusqu)`)
	telephone = regexp.MustCompile(`\+?\d[\d ()/.-]{5,}\d`)
	timed     = regexp.MustCompile(`(?i)\b\d{1,2}([:.]\d\d|\s?(am|pm|a\.m|p\.m|uhr|h)\b)`)
	lasting   = regexp.MustCompile(`(\d|[一二三四五六七八九十两])\s?(秒|分|小时|時間|天|日|周|週|星期|个月|か月|年)`)
)

// tongueNames finds languages by their names, in some of them.
var tongueNames = regexp.MustCompile(`(?i)\b(english|german|spanish|french|italian|portuguese|dutch|arabic|chinese|japanese|russian|turkish|polish|englisch|deutsch|spanisch|franz(ö|oe)sisch|italienisch|portugiesisch|niederl(ä|ae)ndisch|arabisch|chinesisch|japanisch|russisch|t(ü|ue)rkisch|polnisch|ingl(é|e)s|alem(á|a)n|espa(ñ|n)ol|franc(é|e)s|italiano|portugu(é|e)s|(á|a)rabe|chino|anglais|allemand|espagnol|fran(ç|c)ais|italien|portugais|arabe|chinois)`)

var muchWords = []string{" how much ", " wie viel", " wieviel ", " cuanto ", " combien ", " quanto ", " hoeveel "}

var whenWords = []string{" when ", " what time ", " wann ", " cuando ", " a que hora ", " quand ", " a quelle heure ", " quando ", " wanneer "}

// spans are units of time, by the stems that the languages give them.
var spans = wordSet(`second seconds sec min mins minute minutes hr hrs hour hours day days workday workdays week weeks month months year years
	std sekunde sekunden minuten stunde stunden tag tage tagen werktag werktage werktagen arbeitstag arbeitstage arbeitstagen woche wochen monat monate monaten jahr jahre jahren
	segundo segundos minuto minutos hora horas dia dias semana semanas mes meses ano anos
	seconde secondes heure heures jour jours semaine semaines mois an ans secondi minuti ora ore giorno giorni settimana settimane mese mesi anno anni`)
