package eval_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
)

// The kinds of questions that people type: how somebody is reached, when something is, what a number in a contract
// says, what an abbreviation means.
var kindsOfSmallQuestions = []kindOfQuestion{
	{"contacts in English", map[string]string{
		"Harbour bikes": "# Harbour bikes\n\nA tandem costs 31 euros a day.\n\n## Find us\n\n7 Anchor Lane, Exeter " +
			"EX4 3PL\n\n" +
			"Ring 01392 555 870 or write to desk@harbour.example.\n\n## History\n\nThe shop began in 1988.",
	}, []kindCase{
		{"How can I reach you?", "desk@harbour.example", "1988|31 euros", ""},
		{"How do I contact you?", "desk@harbour.example", "1988", ""},
		{"How can I get in touch with you?", "desk@harbour.example", "1988", ""},
		{"Where are you?", "7 Anchor Lane", "1988", ""},
		{"Where can I find you?", "7 Anchor Lane", "1988", ""},
		{"What's your address?", "7 Anchor Lane", "1988", ""},
		{"How can I reach you by phone?", "01392 555 870", "1988", ""},
	}},
	{"contacts in German", map[string]string{
		"Töpferei Ruhland": "# Töpferei Ruhland\n\nWir binden keine Bücher, wir töpfern. Ein Becher kostet 18 Euro.\n\n" +
			"## So finden Sie uns\n\nTöpferei Ruhland, Ulmenweg 5, 04229 Leipzig\n\nTel. 0341 555 90 12, ton@ruhland.example",
	}, []kindCase{
		{"Wo befindet ihr euch?", "Ulmenweg 5, 04229 Leipzig", "Becher", ""},
		{"Wo befinden Sie sich?", "Ulmenweg 5", "Bücher", ""},
		{"Was ist eure Adresse?", "Ulmenweg 5, 04229 Leipzig", "Becher", ""},
		{"Wie ist Ihre Adresse?", "Ulmenweg 5", "Becher", ""},
		{"Wo seid ihr?", "Ulmenweg 5", "Becher", ""},
		{"Anschrift?", "Ulmenweg 5", "Becher", ""},
		{"Wie kann ich euch erreichen?", "0341 555 90 12", "Becher", ""},
		{"Wie kann ich Sie kontaktieren?", "ton@ruhland.example", "Becher", ""},
	}},
	{"contacts in Spanish", map[string]string{
		"Imprenta": "# Imprenta Sol\n\nImprimimos tarjetas por 20 euros.\n\n## Dónde\n\nAvenida del Mar 14, " +
			"46011 Valencia. " +
			"Llámanos al 961 550 207 o escribe a taller@sol.example.",
	}, []kindCase{
		{"¿Cuál es vuestro correo electrónico?", "taller@sol.example", "tarjetas", ""},
		{"¿Cuál es el teléfono?", "961 550 207", "tarjetas", ""},
		{"¿Cuál es vuestra dirección?", "Avenida del Mar 14", "tarjetas", ""},
		{"¿Dónde están ustedes?", "Avenida del Mar 14", "tarjetas", ""},
		{"¿Dónde estáis?", "Avenida del Mar 14", "tarjetas", ""},
		{"¿Cómo puedo contactar con vosotros?", "taller@sol.example", "tarjetas", ""},
	}},
	{"contacts in French", map[string]string{
		"Reliure": "# Reliure Morel\n\nNous avons une boutique en ville.\n\n38 avenue des Lilas, 44000 Nantes, " +
			"02 55 50 31 42, nantes@morel.example",
	}, []kindCase{
		{"Quelle est l’adresse à Nantes ?", "38 avenue des Lilas, 44000 Nantes", "boutique", ""},
		{"Quel est le numéro de téléphone à Nantes ?", "02 55 50 31 42", "boutique", ""},
		{"Où êtes-vous ?", "38 avenue des Lilas", "boutique", ""},
		{"Où se trouve votre magasin ?", "38 avenue des Lilas", "", ""},
		{"Comment puis-je vous joindre ?", "nantes@morel.example", "boutique", ""},
		{"Comment vous contacter ?", "nantes@morel.example", "boutique", ""},
	}},
	{"contacts in Italian", map[string]string{
		"Bottega": "# Bottega Luna\n\nUna lampada costa 40 euro.\n\nVia delle Rose 17, 50122 Firenze. Telefono 055 555 0318",
	}, []kindCase{
		{"Qual è il vostro indirizzo?", "Via delle Rose 17", "lampada", ""},
		{"Dove siete?", "Via delle Rose 17", "lampada", ""},
		{"Dove vi trovate?", "Via delle Rose 17", "lampada", ""},
		{"Come posso contattarvi?", "055 555 0318", "lampada", ""},
	}},
	{"contacts in other languages", map[string]string{
		"Loja": "# Loja\n\nUma caneca custa 9 euros.\n\nRua das Flores 61, 4050-265 Porto. Ligue 222 550 184.",
	}, []kindCase{
		{"Qual é o vosso endereço?", "Rua das Flores 61", "caneca", ""},
		{"Onde ficam?", "Rua das Flores 61", "caneca", ""},
		{"Como posso contactar vocês?", "222 550 184", "caneca", ""},
		{"Qual é a morada?", "Rua das Flores 61", "caneca", ""},
	}},
	{"contacts in Dutch", map[string]string{
		"Winkel": "# Winkel\n\nEen mok kost 9 euro.\n\nMolenstraat 44, 3512 CK Utrecht. Bel 030 555 0172.",
	}, []kindCase{
		{"Wat is jullie adres?", "Molenstraat 44", "mok", ""},
		{"Waar zitten jullie?", "Molenstraat 44", "mok", ""},
		{"Hoe kan ik jullie bereiken?", "030 555 0172", "mok", ""},
		{"Waar zijn jullie?", "Molenstraat 44", "mok", ""},
	}},
	{"days in German", map[string]string{
		"Kalender": "# Kalender\n\nDer Flohmarkt ist am 4. Januar 2027.\n\nDas Neujahrsessen ist am 14. Januar 2027.\n\n" +
			"Die Chorprobe ist am 07.08.2027.\n\nDas Sommerfest ist am 7. September 2027 ab 15 Uhr.",
	}, []kindCase{
		{"Was ist am 04.01.?", "Flohmarkt", "Neujahrsessen|Chorprobe", ""},
		{"Was ist am 04.01.2027?", "Flohmarkt", "Neujahrsessen|Chorprobe", ""},
		{"Was ist am 4.1.2027?", "Flohmarkt", "Neujahrsessen|Chorprobe", ""},
		{"Was ist am 14.01.2027?", "Neujahrsessen", "Flohmarkt|Chorprobe", ""},
		{"Was ist am 7. August?", "Chorprobe", "Sommerfest", ""},
		{"Was ist am 07.09.?", "Sommerfest", "Chorprobe", ""},
	}},
	{"days in French", map[string]string{
		"Agenda": "# Agenda\n\nLa brocante a lieu le 1er mai 2027.\n\nLe bal a lieu le 11 mai 2027.\n\n" +
			"La projection a lieu le 01.09.2027.",
	}, []kindCase{
		{"Qu’y a-t-il le 01.05.2027 ?", "brocante", "bal|projection", ""},
		{"Qu’y a-t-il le 1er mai ?", "brocante", "bal|projection", ""},
		{"Qu’y a-t-il le 11.05.2027 ?", "bal", "brocante|projection", ""},
		{"Qu’y a-t-il le 1er septembre ?", "projection", "brocante|bal", ""},
	}},
	{"days in Spanish", map[string]string{
		"Agenda": "# Agenda\n\nEl mercadillo es el 5 de marzo de 2027.\n\nEl concierto es el 15 de marzo de 2027.\n\n" +
			"La carrera es el 25/04/2027.",
	}, []kindCase{
		{"¿Qué hay el 05.03.2027?", "mercadillo", "concierto|carrera", ""},
		{"¿Qué hay el 15/03/2027?", "concierto", "mercadillo|carrera", ""},
		{"¿Qué hay el 25 de abril?", "carrera", "mercadillo|concierto", ""},
		{"¿Qué hay el 5 de marzo?", "mercadillo", "concierto|carrera", ""},
	}},
	{"days in Italian", map[string]string{
		"Calendario": "# Calendario\n\nLa regata è il 6 agosto 2027.\n\nIl torneo è il 16 agosto 2027.\n\nLa cena è il " +
			"28.10.2027.",
	}, []kindCase{
		{"Che cosa c’è il 06.08.2027?", "regata", "torneo|cena", ""},
		{"Che cosa c’è il 16/08/2027?", "torneo", "regata|cena", ""},
		{"Che cosa c’è il 28 ottobre?", "cena", "regata|torneo", ""},
		{"Quando è la regata?", "6 agosto", "torneo|cena", ""},
	}},
	{"abbreviations", map[string]string{
		"Terms": "# Terms\n\nEvery parcel gets a parcel tracking code (PTC), which we send you. The PTC is valid for " +
			"21 days.\n\n" +
			"The TWI (tyre and windscreen insurance) costs 6 euros a day.\n\nOur quality of service pledge, or QSP for short, " +
			"promises a call within 2 hours.\n\nNPA stands for new provider agreement. You sign the NPA once.",
		"AGB": "# Regeln\n\nEs gelten die Allgemeinen Mietbedingungen (AMB). Die AMB gelten ab März.",
	}, []kindCase{
		{"What does PTC stand for?", "parcel tracking code (PTC)", "windscreen|pledge", ""},
		{"What does PTC mean?", "parcel tracking code (PTC)", "windscreen|pledge", ""},
		{"What does TWI stand for?", "tyre and windscreen insurance", "parcel|pledge", ""},
		{"What does QSP mean?", "quality of service pledge", "parcel|windscreen", ""},
		{"What does NPA stand for?", "new provider agreement", "parcel|pledge", ""},
		{"What is the meaning of PTC?", "parcel tracking code (PTC)", "windscreen", ""},
		{"Wofür steht AMB?", "Allgemeinen Mietbedingungen (AMB)", "parcel", ""},
		{"Was bedeutet AMB?", "Allgemeinen Mietbedingungen (AMB)", "parcel", ""},
	}},
	{"numbered parts", map[string]string{
		"Storage": "# Storage contract\n\n1. Object\n\n1.1 The box has 6 square metres.\n\n1.2 The box is dry.\n\n2. " +
			"Payment\n\n" +
			"2.1 The rent is 75 euros a month.\n\n2.2 It is paid in advance.\n\n2.3 A late payment costs 8 euros.\n\n3. " +
			"End\n\n" +
			"3.1 Notice is given two weeks before.",
		"Club": "# Article II Guests\n\nA member may bring two guests.\n\n# Article III Boats\n\n## § 3.1 Use\n\nA boat " +
			"is used for " +
			"three hours at most.\n\n## § 3.2 Damage\n\nDamage is told to the keeper.\n\n# Article IV Votes\n\nTwo thirds " +
			"decide.",
	}, []kindCase{
		{"What does clause 2.3 say?", "A late payment costs 8 euros", "in advance|75|Notice", ""},
		{"What does 2.1 say?", "75 euros", "in advance|late|6 square", ""},
		{"What is in clause 3.1?", "two weeks before", "late|75", ""},
		{"What is 2.2?", "paid in advance", "late|75", ""},
		{"What does Article IV say?", "Two thirds decide", "guests|boat", ""},
		{"What does Article II say?", "two guests", "thirds|boat", ""},
		{"What is Article III about?", "three hours at most", "thirds|guests", ""},
		{"What is in § 3.2?", "told to the keeper", "thirds|guests", ""},
		{"What does clause 7.4 say?", "", "", "not sure"},
	}},
	{"amounts in short questions", map[string]string{
		"Hütte": "# Hütte\n\nDie Mindestbelegung sind drei Nächte. Die Endreinigung kostet 60 Euro.",
		"기숙사":   "# 기숙사\n\n보증금은 한 달 3000원입니다. 사용료는 하루 200원입니다. 체크인은 오후 두 시입니다.\n\n세탁은 무료입니다.",
		"Cabin": "# Cabin\n\nThe minimum stay is five nights.",
		"Gîte":  "# Gîte\n\nLe séjour minimum est de quatre nuits.",
	}, []kindCase{
		{"Wie lang ist die Mindestbelegung?", "drei Nächte", "", ""},
		{"보증금은 얼마입니까?", "3000원", "", ""},
		{"사용료는 얼마입니까?", "200원", "", ""},
		{"How long is the minimum stay?", "five nights", "", ""},
		{"Combien de temps dure le séjour minimum ?", "quatre nuits", "", ""},
	}},
}

func TestKindsOfSmallQuestions(t *testing.T) {
	for _, kind := range kindsOfSmallQuestions {
		t.Run(kind.name, func(t *testing.T) {
			answers := askSources(t, kind)
			for _, c := range kind.cases {
				checkKindCase(t, c, answers[c.question])
			}
		})
	}
}

// TestKindsOfPriceFollowUps asks for the price of what the question before is about.
func TestKindsOfPriceFollowUps(t *testing.T) {
	sources := map[string]string{
		"Boats": "# Boats\n\n## Rowing boat\n\nThe rowing boat seats four people and has two oars. It is blue. The rowing " +
			"boat " +
			"costs 18 euros an hour.\n\n## Life vest\n\nA life vest fits people up to 90 kg. A life vest costs 3 euros.\n\n" +
			"## Sail " +
			"lesson\n\nThe sail lesson lasts two hours.",
		"Baños": "# Baños\n\n## Baño turco\n\nEl baño turco dura una hora y es para parejas. El baño turco cuesta " +
			"44 euros.\n\n" +
			"## Piscina\n\nLa piscina abre a las nueve. La piscina cuesta 7 euros.",
		"Rad": "# Rad\n\n## Bremsenwechsel\n\nDer Bremsenwechsel dauert 25 Minuten. Der Bremsenwechsel kostet 36 Euro.\n\n" +
			"## Felgenprüfung\n\nDie Felgenprüfung dauert zehn Minuten.",
		"Noleggio": "# Noleggio\n\n## Tenda\n\nLa tenda ospita sei persone. La tenda costa 22 euro a notte.",
	}
	cases := [][4]string{
		{"How many people does the rowing boat seat?", "How much is it?", "18 euros", "3 euros"},
		{"How many people does the rowing boat seat?", "How much?", "18 euros", "3 euros"},
		{"Up to what weight does a life vest fit?", "What does it cost?", "3 euros", "18 euros"},
		{"How many oars has the rowing boat?", "and the price?", "18 euros", "3 euros"},
		{"¿Cuánto dura el baño turco?", "¿Cuánto es?", "44 euros", "7 euros"},
		{"¿A qué hora abre la piscina?", "¿Cuánto cuesta?", "7 euros", "44 euros"},
		{"Wie lange dauert der Bremsenwechsel?", "Was kostet das?", "36 Euro", ""},
		{"Wie lange dauert der Bremsenwechsel?", "Wie viel kostet er?", "36 Euro", ""},
		{"Quante persone ospita la tenda?", "Quanto costa?", "22 euro", ""},
		{"How long does the sail lesson last?", "How much is it?", "", ""},
		{"Wie lange dauert die Felgenprüfung?", "Was kostet das?", "", ""},
	}
	for _, c := range cases {
		a := askInTurn(t, sources, c[0], c[1])
		want := kindCase{question: c[0] + " " + c[1], holds: c[2], missing: c[3]}
		if c[2] == "" {
			want.state = "not sure"
		}
		checkKindCase(t, want, a)
	}
}

// askInTurn asks one question after another.
func askInTurn(t *testing.T, sources map[string]string, before, question string) eval.Trial {
	t.Helper()
	var set strings.Builder
	line := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		set.Write(append(text, '\n'))
	}
	for _, title := range slices.Sorted(maps.Keys(sources)) {
		line(map[string]string{"id": title, "title": title, "text": sources[title]})
	}
	line(map[string]any{"id": "1", "question": question, "history": []string{before}})
	report := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, set.String())
	return report.Sets[0].Trials[0]
}
