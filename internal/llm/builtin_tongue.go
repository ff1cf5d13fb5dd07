package llm

import (
	"slices"
	"strings"

	"parley/internal/words"
)

// tongues gives the languages that the text shows equally well, none where it shows none. Words that hold sentences together
// tell first; where they are common to several languages, or missing, words that customers use do.
func tongues(text string) []words.Language {
	tokens := words.Cut(nil, withoutEmails(text))
	guessed, sure := words.Guess(tokens)
	if guessed >= words.Russian {
		return []words.Language{guessed}
	}
	var likely []words.Language
	most := 1
	for l := range words.Russian {
		n := 0
		for _, t := range tokens {
			if l.IsStop(t.Word) {
				n++
			}
		}
		if n > most {
			likely, most = nil, n
		}
		if n == most {
			likely = append(likely, l)
		}
	}
	if !sure {
		likely = slices.Collect(latinTongues)
	}
	if told := hinted(tokens, likely); told != nil {
		return told
	}
	if !sure {
		return nil
	}
	return likely
}

func latinTongues(yield func(words.Language) bool) {
	for l := range words.Russian {
		if !yield(l) {
			return
		}
	}
}

// hinted gives those of the languages of which the text holds the most words that customers use, nil where it holds none.
func hinted(tokens []words.Token, among []words.Language) (told []words.Language) {
	most := 1
	for _, l := range among {
		n := 0
		for _, t := range tokens {
			if hints[l][t.Word] {
				n++
			}
		}
		if n > most {
			told, most = nil, n
		}
		if n == most {
			told = append(told, l)
		}
	}
	return told
}

// hints are folded words that customers use, by language.
var hints = map[words.Language]map[string]bool{
	words.English: wordSet(`cancel order track refund delivery invoice account subscription speak talk human person please thanks where`),
	words.German: wordSet(`bestellung bestellungen stornieren storniere storniert verfolgen verfolge kundigen kundige abo rechnung lieferung ruckerstattung
		konto sprechen mochte danke mensch menschen`),
	words.Spanish: wordSet(`cancelar cancela cancele cancelen anular anula anule pedido seguir sigue rastrear rastrea reembolso reembolsar devolver envio factura
		cuenta suscripcion hablar quiero quisiera gracias persona dinero`),
	words.French: wordSet(`annuler annulez annule commande commander suivre suivez suivi rembourser remboursez remboursement livraison colis facture adresse
		resilier resiliez abonnement supprimer supprimez parler parlez conseiller humain voudrais souhaite bonjour merci veuillez svp stp plait`),
	words.Italian: wordSet(`annullare annulla annulli annullate annullamento ordine ordini tracciare traccia tracciate rimborso rimborsare spedizione fattura
		disdire abbonamento cancellare parlare vorrei voglio grazie favore persona`),
	words.Portuguese: wordSet(`cancelar cancela cancele encomenda pedido rastrear rastreie reembolso reembolsar entrega fatura conta assinatura falar quero gostaria
		queria obrigado obrigada pessoa`),
	words.Dutch: wordSet(`bestelling annuleren annuleer volgen volg terugbetaling levering pakket factuur rekening abonnement opzeggen spreken graag bedankt`),
}

// tongue is the likeliest language of the text, English where it shows none.
func tongue(text string) words.Language { return append(tongues(text), words.English)[0] }

// surest gives the language of the last text that shows one. Where it shows several, those before it decide among them.
func surest(texts []string) words.Language {
	var left []words.Language
	for _, text := range slices.Backward(texts) {
		shown := tongues(text)
		if left == nil {
			left = shown
		} else if both := shared(left, shown); len(both) > 0 {
			left = both
		}
		if len(left) == 1 {
			break
		}
	}
	return append(left, words.English)[0]
}

func shared(a, b []words.Language) (both []words.Language) {
	for _, l := range a {
		if slices.Contains(b, l) {
			both = append(both, l)
		}
	}
	return both
}

// languageOf is the one to answer the last message in: its own, or where it shows none that of what the user said before, else the
// agent's.
func languageOf(req Request) words.Language {
	said := asked(req.Messages)
	last := said[len(said)-1]
	if _, sure := words.Guess(words.Cut(nil, withoutEmails(last))); sure {
		return tongue(last)
	}
	return surest(append(agentTexts(req), said...))
}

const longestAgentText = 4000 // bytes of what is looked at for the language of an agent

// agentTexts are texts that tell what language an agent speaks: of its tools and of its passages.
func agentTexts(req Request) []string {
	var tools, passages strings.Builder
	for _, t := range req.Tools {
		if tools.Len() < longestAgentText {
			tools.WriteString(strings.Join(t.Triggers, " ") + " " + t.Description + " ")
		}
	}
	for _, p := range req.Passages {
		if passages.Len() < longestAgentText {
			passages.WriteString(p.Text + " ")
		}
	}
	return []string{cut(tools.String(), longestAgentText), cut(passages.String(), longestAgentText)}
}
