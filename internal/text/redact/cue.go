package redact

import (
	"slices"
	"strings"

	"parley/internal/text/words"
)

// numberCue is what the words before a number say that it is.
type numberCue int

const (
	cueNone  numberCue = iota
	cuePhone           // a telephone number
	cueID              // a number of an identity document or a tax payer
	cueItem            // a number of an order, an invoice, a product
)

// maxCueDistance is how many characters before a number are read for a cue.
const maxCueDistance = 32

var cueByWord = words.InvertLists(map[numberCue]string{
	cuePhone: `phone phones telephone phonenumber tel telefon telefono telefone telefonnummer telefonnr mobile mobil
		mobilnummer mobiltelefon movil cell cellphone
		celular telemovel handy handynummer fax whatsapp signal sms call calling dial ring anrufen ruf rufnummer ruckruf
		llamar llame llamame llamanos
		appeler appelez appelle portable gsm hotline callback телефон тел моб мобильный звоните cellulare chiamare
		bellen telefoonnummer`,
	cueID: `passport passports passeport pasaporte reisepass pass passnummer passaporto paspoort ausweis ausweisnummer
		personalausweis ssn itin sozialversicherungsnummer
		steuer steuernummer steueridentifikationsnummer idnr nif dni nie nir nino bsn cpf curp pesel aadhaar licence
		license fuhrerschein identity паспорт`,
	cueItem: `order orders ordernumber invoice ticket case reference ref sku part article artikel artikelnummer item
		tracking shipment parcel sendung
		sendungsnummer bestellung bestellnummer auftrag auftragsnummer rechnung rechnungsnummer kundennummer pedido
		factura commande facture isbn issn ean gtin serial
		seriennummer version build zip plz model заказ`,
})

// phraseCues are cues of more than one word, or are written without spaces between words.
var phraseCues = []struct {
	phrase string
	cue    numberCue
}{{"电话", cuePhone}, {"手机", cuePhone}, {"電話", cuePhone}, {"携帯", cuePhone}, {"微信", cuePhone}, {"护照", cueID},
	{"身份证", cueID}, {"旅券", cueID}, {"订单", cueItem}, {"运单", cueItem}, {"注文", cueItem}, {"social security", cueID},
	{"driver's", cueID}, {"tax id", cueID}, {"id card", cueID}, {"my number", cuePhone}, {"meine nummer", cuePhone},
	{"mi numero", cuePhone}, {"mon numero", cuePhone}, {"contact number", cuePhone}, {"reach me", cuePhone},
	{"text me", cuePhone}, {"my cell", cuePhone}}

// cueBefore returns what the words before a number say that it is.
func (f *foldedText) cueBefore(start int) numberCue {
	if f.cachedCueIndex != start {
		f.cachedCue, f.cachedCueIndex = f.readCue(start), start
	}
	return f.cachedCue
}

// readCue reads the words before a number, the nearest one first, back to another number, a mask, the end of a sentence
// or a line.
func (f *foldedText) readCue(start int) numberCue {
	from := start
	for from > 0 && start-from < maxCueDistance && f.chars[from-1] != maskChar && f.chars[from-1] != '\n' &&
		!isASCIIDigit(f.chars[from-1]) && !f.endsSentenceAt(from-1) {
		from--
	}
	before := string(f.chars[from:start])
	if strings.HasSuffix(strings.TrimRight(before, "(+"), "#") {
		return cueItem
	}
	found, at := cueNone, -1
	for _, c := range phraseCues {
		if i := strings.LastIndex(before, c.phrase); i > at {
			found, at = c.cue, i
		}
	}
	if w, i := findLastCue(before); i > at {
		found = w
	}
	return found
}

// endsSentenceAt reports whether a character ends a sentence; an abbreviation like "tel." ends none.
func (f *foldedText) endsSentenceAt(i int) bool {
	switch f.chars[i] {
	case '!', '?', '。', '；', ';':
		return true
	case '.':
		return f.charAt(i+1) == ' ' && i >= 5 && !slices.ContainsFunc(f.chars[i-4:i], func(c rune) bool {
			return !isWordLetter(c)
		})
	}
	return false
}

func findLastCue(before string) (found numberCue, at int) {
	end := len(before)
	for i := len(before) - 1; i >= -1; i-- {
		if i >= 0 && isCueByte(before[i]) {
			continue
		}
		if c := cueByWord[before[i+1:end]]; c != cueNone {
			return c, i + 1
		}
		end = max(i, 0)
	}
	return cueNone, -1
}

func isCueByte(c byte) bool { return 'a' <= c && c <= 'z' || c >= 0x80 }
