package eval_test

import "testing"

var bikeShop = map[string]string{
	"Hours": "# Rad und Tal\n\nThe workshop is open from Tuesday to Saturday, 9:15 to 17:45.\n\nThe bar is open daily " +
		"from 11:00.\n\nOn Mondays the team is on tour.",
	"Countries": "We deliver to Norway, Latvia and Cyprus within nine days.\n\nOur tours lead through Tuscany and " +
		"Umbria.\n\nRentals cost 14 euros a day.",
}

var dayKinds = []kindOfQuestion{
	{"a day within a range", bikeShop, []kindCase{
		{"Is the workshop open on Wednesday?", "Tuesday to Saturday", "11:00|tour", ""},
		{"At what time does the workshop open on Thursday?", "9:15", "11:00|tour", ""},
		{"at what tiem is the workshop opne on wensday", "9:15", "11:00|tour", ""},
		{"When is the bar open on Sunday?", "11:00", "9:15|tour", ""},
	}},
	{"a day within a range, German", map[string]string{
		"Zeiten": "Das Bad ist von Dienstag bis Samstag von 8:45 bis 20:15 Uhr geöffnet.\n\nDer Kiosk schließt um " +
			"19:05 Uhr.",
	}, []kindCase{
		{"Ist das Bad am Donnerstag geöffnet?", "8:45", "19:05", ""},
		{"Wann ist das Bad am Mittwoch geöffnet?", "8:45", "19:05", ""},
	}},
	{"a day within a range, abbreviated", map[string]string{
		"Hours": "Opening hours of the archive: Tue–Fri 10:20–16:40.\n\nThe reading room has 30 seats.",
	}, []kindCase{
		{"Is the archive open on Wednesday?", "Tue–Fri", "seats", ""},
	}},
	{"a day within a range, Spanish", map[string]string{
		"Horario": "La piscina abre de martes a domingo, de 9:25 a 21:35.\n\nEl bar cierra a las 22:10.",
	}, []kindCase{
		{"¿A qué hora abre la piscina el jueves?", "9:25", "22:10", ""},
	}},
	{"a day within a range, French", map[string]string{
		"Horaires": "La bibliothèque est ouverte du mardi au samedi, de 10:05 à 18:25.\n\nLe café ferme à 19:50.",
	}, []kindCase{
		{"La bibliothèque est-elle ouverte le jeudi ?", "10:05", "19:50", ""},
	}},
	{"a day within a range, Japanese", map[string]string{
		"時間": "博物館は火曜日から土曜日まで9時35分から開館しています。\n\n売店は12時に閉まります。",
	}, []kindCase{
		{"木曜日に博物館は開館していますか？", "火曜日から土曜日", "売店", ""},
	}},
	{"lines of a list by days", map[string]string{
		"Archive": "# Opening hours\n\n- Tuesday to Friday: 9:20–17:40\n- Saturday: 10:10–13:50\n- Sunday and " +
			"Monday: closed\n",
		"Pool": "The pool is open:\n\n- Mon: 7:05–12:30\n- Wed: 13:25–18:15\n- Sat: closed\n\nThe water has 26 degrees.\n",
	}, []kindCase{
		{"When is the archive open on Wednesday?", "9:20–17:40", "10:10|closed|13:25", ""},
		{"Is the archive open on Saturday?", "10:10–13:50", "9:20|closed", ""},
		{"Is the archive open on Monday?", "closed", "9:20|10:10|7:05", ""},
		{"When is the pool open on Wednesday?", "13:25–18:15", "7:05|closed|9:20", ""},
	}},
	{"lines of a list by days, French", map[string]string{
		"Horaires": "# Horaires d'ouverture\n\n- Mardi à vendredi : 9:15–17:45\n- Samedi : 10:05–12:35\n- Dimanche : " +
			"fermé\n",
	}, []kindCase{
		{"À quelle heure ouvrez-vous le jeudi ?", "9:15–17:45", "10:05|fermé", ""},
		{"À quelle heure ouvrez-vous le samedi ?", "10:05–12:35", "9:15|fermé", ""},
	}},
	{"a day with a rule of its own", map[string]string{
		"Studio": "The studio is open daily from 8:35 to 20:45. On Thursday it closes at 16:05. The rent of a drum kit is 7" +
			" euros.",
	}, []kindCase{
		{"When does the studio close on Thursday?", "16:05", "drum", ""},
		{"When is the studio open on Tuesday?", "8:35", "16:05|drum", ""},
	}},
	{"rows of a table by days, German", map[string]string{
		"Amt": "| Tag | Zeit |\n|---|---|\n| Mo–Mi | 8:15–16:35 |\n| Do | 8:25–19:45 |\n| Fr | geschlossen |\n",
	}, []kindCase{
		{"Wann ist das Amt am Dienstag geöffnet?", "8:15–16:35", "19:45|geschlossen|| |---", ""},
		{"Wann ist das Amt am Donnerstag geöffnet?", "8:25–19:45", "16:35|geschlossen|| |---", ""},
	}},
	{"whether something is allowed", map[string]string{
		"Ferry": "Bicycles are allowed on the lower deck.\n\nDogs are welcome in the hall, but not in the restaurant.\n\n" +
			"A ticket costs 9 euros.\n\nThe bicycle repair stand is next to the harbour office.",
	}, []kindCase{
		{"Can I bring my dog?", "not in the restaurant", "Bicycles|9 euros", ""},
		{"May I bring a bicycle?", "lower deck", "Dogs|repair", ""},
		{"Can I bring a parrot?", "", "Dogs|Bicycles", "not sure"},
		{"Are dogs allowed?", "not in the restaurant", "Bicycles|9 euros", ""},
	}},
	{"whether something is allowed, German", map[string]string{
		"Fähre": "Hunde sind in der Halle willkommen, im Restaurant nicht.\n\nRauchen ist nur auf Deck 4 erlaubt.\n\nEin " +
			"Fahrschein kostet 9 Euro.",
	}, []kindCase{
		{"Darf ich meinen Hund mitbringen?", "willkommen", "9 Euro|Deck 4", ""},
		{"Darf man rauchen?", "Deck 4", "9 Euro|Hunde", ""},
		{"Sind Hunde erlaubt?", "willkommen", "9 Euro|Deck 4", ""},
	}},
	{"whether something is allowed, Spanish", map[string]string{
		"Bar": "Se permiten perros en la terraza.\n\nUn café cuesta 2 euros.",
	}, []kindCase{
		{"¿Puedo llevar a mi perro?", "terraza", "2 euros", ""},
	}},
	{"whether something is allowed, French", map[string]string{
		"Parc": "Les chiens sont autorisés dans le jardin.\n\nUne entrée coûte 6 euros.",
	}, []kindCase{
		{"Puis-je amener mon chien ?", "jardin", "6 euros", ""},
	}},
	{"which countries", bikeShop, []kindCase{
		{"Which countries do you deliver to?", "Norway, Latvia and Cyprus", "Tuscany|14 euros", ""},
		{"What countries do you deliver to?", "Norway, Latvia and Cyprus", "Tuscany|14 euros", ""},
		{"Which regions do your tours lead through?", "Tuscany and Umbria", "Norway|14 euros", ""},
	}},
	{"which countries, German", map[string]string{
		"Versand": "Wir liefern nach Norwegen, Lettland und Zypern.\n\nEine Rückgabe kostet 7 Euro.",
	}, []kindCase{
		{"In welche Länder liefern Sie?", "Norwegen, Lettland und Zypern", "7 Euro", ""},
		{"Welche Länder beliefert ihr?", "Norwegen, Lettland und Zypern", "7 Euro", ""},
	}},
	{"which countries, French", map[string]string{
		"Livraison": "Nous livrons en Norvège, en Lettonie et à Chypre.\n\nUn retour coûte 7 euros.",
	}, []kindCase{
		{"À quels pays livrez-vous ?", "Norvège", "7 euros", ""},
	}},
	{"which countries, Spanish", map[string]string{
		"Envíos": "Enviamos a Noruega, Letonia y Chipre.\n\nUna devolución cuesta 7 euros.",
	}, []kindCase{
		{"¿A qué países envían?", "Noruega", "7 euros", ""},
	}},
	{"what is announced", map[string]string{
		"Network": "The relay needs two ports. The first is 9441 for control. The second is 9557 for sound.\n\nThe relay " +
			"weighs 3 kg.",
		"Saving": "The lamp has several tools to save power.\n\n- The night mode dims it.\n- The timer switches it off.\n\n" +
			"The lamp weighs 2 kg.",
	}, []kindCase{
		{"Which ports does the relay need?", "9441|9557", "3 kg", ""},
		{"What tools does the lamp have to save power?", "night mode|timer", "2 kg", ""},
	}},
	{"one line of a list", map[string]string{
		"Marché": "# Jours de marché\n\n- Légumes : mardi et samedi\n- Poisson : jeudi\n- Fromage : vendredi\n",
		"Market": "# Stalls\n\n- Bread: Monday and Friday\n- Honey: Thursday\n- Flowers: Saturday\n",
		"Plans": "# Plans\n\n- Start: free, 80 photos, one device\n- Plus: 6 euros a month, 900 photos\n- Family: 11 euros " +
			"a month, five devices\n",
	}, []kindCase{
		{"Quel jour y a-t-il du poisson ?", "jeudi", "vendredi|mardi", ""},
		{"When can I buy honey?", "Thursday", "Saturday|Monday", ""},
		{"On which day is there honey?", "Thursday", "Saturday|Monday", ""},
		{"How much is the Plus plan?", "6 euros", "11 euros|free", ""},
	}},
	{"one of two is not known", map[string]string{
		"Haus": "WLAN ist in allen Zimmern kostenlos.\n\nParkplätze gibt es hinter dem Haus.\n\nDas Frühstück kostet " +
			"12 Euro.",
	}, []kindCase{
		{"Wo kann ich parken?", "hinter dem Haus", "Frühstück|WLAN", ""},
	}},
	{"German forms of verbs", map[string]string{
		"Verleih": "Spiele können zwei Wochen ausgeliehen werden.\n\nHunde müssen draußen bleiben.\n\nEine Karte kostet " +
			"15 Euro im Jahr.",
		"Bestellung": "Bestellungen können innerhalb von drei Stunden geändert werden.\n\nLampen werden ohne Birne " +
			"geliefert.",
	}, []kindCase{
		{"Wie lange darf ich Spiele ausleihen?", "zwei Wochen", "15 Euro|Hunde", ""},
		{"Kann ich meine Bestellung ändern?", "drei Stunden", "Birne", ""},
		{"Wie lange kann ich eine Bestellung noch ändern?", "drei Stunden", "Birne", ""},
		{"Dürfen Hunde hinein?", "draußen", "15 Euro|Spiele", ""},
	}},
	{"everyday columns in Japanese", map[string]string{
		"商品": "| 商品 | 価格 | 重さ | 色 |\n|---|---|---|---|\n| 帽子 | 4,200円 | 150 g | 黒 |\n| 手袋 | 2,600円 | 90 g | 青 |\n" +
			"| 傘 | 3,100円 | 400 g | 赤 |\n",
	}, []kindCase{
		{"帽子はいくらですか？", "4,200円", "2,600|150|| |---", ""},
		{"手袋の値段を教えてください", "2,600円", "4,200|90 g|| |---", ""},
		{"傘の重さは？", "400 g", "3,100|150|| |---", ""},
	}},
	{"not a member", map[string]string{
		"Fees": "Members pay 7 euros for a swim.\n\nVisitors who are not members pay 12 euros.\n\nThe sauna closes at 21:30.",
	}, []kindCase{
		{"I am not a member. What do I pay for a swim?", "12 euros", "7 euros", ""},
		{"I don't have a membership, how much is a swim?", "12 euros", "7 euros", ""},
		{"What do non-members pay?", "12 euros", "7 euros", ""},
		{"I am a member. What do I pay for a swim?", "7 euros", "12 euros", ""},
	}},
	{"typing errors in French", map[string]string{
		"Livraison": "La livraison est gratuite à partir de 55 euros.\n\nLe magasin ferme à midi le samedi.",
	}, []kindCase{
		{"a partir de cmbien la livraisn est gratuite", "55 euros", "midi", ""},
		{"a quelle heur ferme le magsin le samdi", "midi", "55", ""},
	}},
	{"a pronoun that stands for nothing", map[string]string{
		"Film": "The director Solveig was born in Bergen. It has been said that the film Tundra was shot in nine days. " +
			"Many critics liked it.",
	}, []kindCase{
		{"In how many days was the film Tundra shot?", "nine days", "Bergen|critics", ""},
	}},
}

// TestDayKinds asks for days within a range, for the names of places, for one line of a list, for what is announced,
// and whether something is allowed.
func TestDayKinds(t *testing.T) {
	for _, kind := range dayKinds {
		t.Run(kind.name, func(t *testing.T) {
			answers := askSources(t, kind)
			for _, c := range kind.cases {
				checkKindCase(t, c, answers[c.question])
			}
		})
	}
}
