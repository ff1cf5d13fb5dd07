package words

import (
	"regexp"
	"slices"
	"strings"
)

var emailPattern = regexp.MustCompile(`[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}`)

// BlankEmails replaces e-mail addresses by spaces: their words and digits say nothing about the text.
func BlankEmails(text string) string {
	return emailPattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// LikelyLanguages returns the languages that the text shows equally well, none where it shows none. Stop words decide
// first; where they are common to several languages, or missing, words that customers use do.
func LikelyLanguages(text string) []Language {
	tokens := AppendTokens(nil, BlankEmails(text))
	guessed, sure := GuessLanguage(tokens)
	if guessed >= Russian {
		return []Language{guessed}
	}
	var likely []Language
	most := 1
	for l := range Russian {
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

func latinLanguages(yield func(Language) bool) {
	for l := range Russian {
		if !yield(l) {
			return
		}
	}
}

// hintedLanguages returns those of the languages of which the text holds the most words that customers use, nil where
// it holds none.
func hintedLanguages(tokens []Token, among []Language) (matching []Language) {
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
var languageHints = map[Language]map[string]bool{
	English: wordSet(`cancel order track refund delivery invoice account subscription speak talk human person ` +
		`please thanks where`),
	German: wordSet(`bestellung bestellungen stornieren storniere storniert verfolgen verfolge kundigen kundige abo rechnung lieferung ruckerstattung
		konto sprechen mochte danke mensch menschen`),
	Spanish: wordSet(`cancelar cancela cancele cancelen anular anula anule pedido seguir sigue rastrear rastrea reembolso reembolsar devolver envio factura
		cuenta suscripcion hablar quiero quisiera gracias persona dinero`),
	French: wordSet(`annuler annulez annule commande commander suivre suivez suivi rembourser remboursez remboursement livraison colis facture adresse
		resilier resiliez abonnement supprimer supprimez parler parlez conseiller humain voudrais souhaite bonjour merci veuillez svp stp plait`),
	Italian: wordSet(`annullare annulla annulli annullate annullamento ordine ordini tracciare traccia tracciate rimborso rimborsare spedizione fattura
		disdire abbonamento cancellare parlare vorrei voglio grazie favore persona`),
	Portuguese: wordSet(`cancelar cancela cancele encomenda pedido rastrear rastreie reembolso reembolsar entrega fatura conta assinatura falar quero gostaria
		queria obrigado obrigada pessoa`),
	Dutch: wordSet(`bestelling annuleren annuleer volgen volg terugbetaling levering pakket factuur rekening ` +
		`abonnement opzeggen spreken graag bedankt`),
}

// LikeliestLanguage returns the likeliest language of the text, English where it shows none.
func LikeliestLanguage(text string) Language {
	return append(LikelyLanguages(text), English)[0]
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}
