package words

import (
	"regexp"
	"strings"
)

// EmailPattern finds e-mail addresses.
var EmailPattern = regexp.MustCompile(`[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}`)

// BlankEmails replaces e-mail addresses by spaces: their words and digits say nothing about the text.
func BlankEmails(text string) string {
	return EmailPattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// LikelyLanguages returns the languages that the text shows equally well, none where it shows none. Stop words decide
// first; where they are common to several languages, or missing, words that customers use do.
func LikelyLanguages(text string) []Language {
	tokens := AppendTokens(nil, BlankEmails(text))
	guessed, sure := GuessLanguage(tokens)
	if guessed >= Russian {
		return []Language{guessed}
	}
	likely := latinLanguages
	if sure {
		likely = mostMatching(tokens, latinLanguages, Language.IsStopWord)
	}
	isHint := func(l Language, word string) bool { return languageHints[l][word] }
	if byHint := mostMatching(tokens, likely, isHint); byHint != nil || !sure {
		return byHint
	}
	return likely
}

var latinLanguages = []Language{English, German, Spanish, French, Italian, Portuguese, Dutch, Swedish, Danish,
	Norwegian, Finnish, Turkish}

// mostMatching returns those of the languages to which the most of the tokens belong, nil where none belongs to any.
func mostMatching(tokens []Token, among []Language, belongs func(l Language, word string) bool) (matching []Language) {
	most := 1
	for _, l := range among {
		n := 0
		for _, t := range tokens {
			if belongs(l, t.Word) {
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
	English: NewSet(`cancel order track refund delivery invoice account subscription speak talk human person ` +
		`please thanks where`),
	German: NewSet(`bestellung bestellungen stornieren storniere storniert verfolgen verfolge kundigen kundige abo rechnung lieferung ruckerstattung
		konto sprechen mochte danke mensch menschen`),
	Spanish: NewSet(`cancelar cancela cancele cancelen anular anula anule pedido seguir sigue rastrear rastrea reembolso reembolsar devolver envio factura
		cuenta suscripcion hablar quiero quisiera gracias persona dinero`),
	French: NewSet(`annuler annulez annule commande commander suivre suivez suivi rembourser remboursez remboursement livraison colis facture adresse
		resilier resiliez abonnement supprimer supprimez parler parlez conseiller humain voudrais souhaite bonjour merci veuillez svp stp plait`),
	Italian: NewSet(`annullare annulla annulli annullate annullamento ordine ordini tracciare traccia tracciate rimborso rimborsare spedizione fattura
		disdire abbonamento cancellare parlare vorrei voglio grazie favore persona`),
	Portuguese: NewSet(`cancelar cancela cancele encomenda pedido rastrear rastreie reembolso reembolsar entrega fatura conta assinatura falar quero gostaria
		queria obrigado obrigada pessoa`),
	Dutch: NewSet(`bestelling annuleren annuleer volgen volg terugbetaling levering pakket factuur rekening ` +
		`abonnement opzeggen spreken graag bedankt`),
}

// LikeliestLanguage returns the likeliest language of the text, English where it shows none.
func LikeliestLanguage(text string) Language {
	return append(LikelyLanguages(text), English)[0]
}

// NewSet returns the words of a text as a set.
func NewSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// InvertLists returns for each word of the lists, which are separated by spaces, the key of its list.
func InvertLists[K comparable](lists map[K]string) map[string]K {
	keys := map[string]K{}
	for key, list := range lists {
		for w := range strings.FieldsSeq(list) {
			keys[w] = key
		}
	}
	return keys
}
