package model

import (
	"slices"
	"strings"

	"parley/internal/text/words"
)

// likelyLanguages returns the languages that the text shows equally well, none where it shows none. Words that hold sentences together
// tell first; where they are common to several languages, or missing, words that customers use do.
func likelyLanguages(text string) []words.Language {
	tokens := words.AppendTokens(nil, blankEmails(text))
	guessed, sure := words.GuessLanguage(tokens)
	if guessed >= words.Russian {
		return []words.Language{guessed}
	}
	var likely []words.Language
	most := 1
	for l := range words.Russian {
		n := 0
		for _, t := range tokens {
			if l.IsStopWord(t.Word) {
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
		likely = slices.Collect(latinLanguages)
	}
	if byHint := hintedLanguages(tokens, likely); byHint != nil {
		return byHint
	}
	if !sure {
		return nil
	}
	return likely
}

func latinLanguages(yield func(words.Language) bool) {
	for l := range words.Russian {
		if !yield(l) {
			return
		}
	}
}

// hintedLanguages returns those of the languages of which the text holds the most words that customers use, nil where it holds none.
func hintedLanguages(tokens []words.Token, among []words.Language) (matching []words.Language) {
	most := 1
	for _, l := range among {
		n := 0
		for _, t := range tokens {
			if languageHints[l][t.Word] {
				n++
			}
		}
		if n > most {
			matching, most = nil, n
		}
		if n == most {
			matching = append(matching, l)
		}
	}
	return matching
}

// languageHints are folded words that customers use, by language.
var languageHints = map[words.Language]map[string]bool{
	words.English: newWordSet(`cancel order track refund delivery invoice account subscription speak talk human person please thanks where`),
	words.German: newWordSet(`bestellung bestellungen stornieren storniere storniert verfolgen verfolge kundigen kundige abo rechnung lieferung ruckerstattung
		konto sprechen mochte danke mensch menschen`),
	words.Spanish: newWordSet(`cancelar cancela cancele cancelen anular anula anule pedido seguir sigue rastrear rastrea reembolso reembolsar devolver envio factura
		cuenta suscripcion hablar quiero quisiera gracias persona dinero`),
	words.French: newWordSet(`annuler annulez annule commande commander suivre suivez suivi rembourser remboursez remboursement livraison colis facture adresse
		resilier resiliez abonnement supprimer supprimez parler parlez conseiller humain voudrais souhaite bonjour merci veuillez svp stp plait`),
	words.Italian: newWordSet(`annullare annulla annulli annullate annullamento ordine ordini tracciare traccia tracciate rimborso rimborsare spedizione fattura
		disdire abbonamento cancellare parlare vorrei voglio grazie favore persona`),
	words.Portuguese: newWordSet(`cancelar cancela cancele encomenda pedido rastrear rastreie reembolso reembolsar entrega fatura conta assinatura falar quero gostaria
		queria obrigado obrigada pessoa`),
	words.Dutch: newWordSet(`bestelling annuleren annuleer volgen volg terugbetaling levering pakket factuur rekening abonnement opzeggen spreken graag bedankt`),
}

// likeliestLanguage is the likeliest language of the text, English where it shows none.
func likeliestLanguage(text string) words.Language {
	return append(likelyLanguages(text), words.English)[0]
}

// surestLanguage returns the language of the last text that shows one. Where it shows several, those before it decide among them.
func surestLanguage(texts []string) words.Language {
	var left []words.Language
	for _, text := range slices.Backward(texts) {
		languages := likelyLanguages(text)
		if left == nil {
			left = languages
		} else if both := commonLanguages(left, languages); len(both) > 0 {
			left = both
		}
		if len(left) == 1 {
			break
		}
	}
	return append(left, words.English)[0]
}

func commonLanguages(a, b []words.Language) (both []words.Language) {
	for _, l := range a {
		if slices.Contains(b, l) {
			both = append(both, l)
		}
	}
	return both
}

// questionLanguage is the one to answer the last message in: its own, or where it shows none that of what the user said before, else the
// agent's.
func questionLanguage(req Request) words.Language {
	texts := userTexts(req.Messages)
	last := texts[len(texts)-1]
	if _, sure := words.GuessLanguage(words.AppendTokens(nil, blankEmails(last))); sure {
		return likeliestLanguage(last)
	}
	return surestLanguage(append(agentTexts(req), texts...))
}

const maxAgentTextBytes = 4000 // bytes of what is looked at for the language of an agent

// agentTexts are texts that tell what language an agent speaks: of its tools and of its passages.
func agentTexts(req Request) []string {
	var tools, passages strings.Builder
	for _, t := range req.Tools {
		if tools.Len() < maxAgentTextBytes {
			tools.WriteString(strings.Join(t.Triggers, " ") + " " + t.Description + " ")
		}
	}
	for _, p := range req.Passages {
		if passages.Len() < maxAgentTextBytes {
			passages.WriteString(p.Text + " ")
		}
	}
	return []string{truncateWithEllipsis(tools.String(), maxAgentTextBytes), truncateWithEllipsis(passages.String(), maxAgentTextBytes)}
}
