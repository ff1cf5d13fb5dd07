package prose

import (
	"slices"
	"strings"
)

// cue is what the words before a number say that it is.
type cue int

const (
	noCue    cue = iota
	phoneCue     // a telephone number
	idCue        // a number of an identity document or a tax payer
	itemCue      // a number of an order, an invoice, a product
)

// lookBack is how many characters before a number are read for a cue.
const lookBack = 32

var cues = cueTable(map[cue]string{
	phoneCue: `phone phones telephone phonenumber tel telefon telefono telefone telefonnummer telefonnr mobile mobil mobilnummer mobiltelefon movil cell cellphone
		celular telemovel handy handynummer fax whatsapp signal sms call calling dial ring anrufen ruf rufnummer ruckruf llamar llame llamame llamanos
		appeler appelez appelle portable gsm hotline callback телефон тел моб мобильный звоните cellulare chiamare bellen telefoonnummer`,
	idCue: `passport passports passeport pasaporte reisepass pass passnummer passaporto paspoort ausweis ausweisnummer personalausweis ssn itin sozialversicherungsnummer
		steuer steuernummer steueridentifikationsnummer idnr nif dni nie nir nino bsn cpf curp pesel aadhaar licence license fuhrerschein identity паспорт`,
	itemCue: `order orders ordernumber invoice ticket case reference ref sku part article artikel artikelnummer item tracking shipment parcel sendung
		sendungsnummer bestellung bestellnummer auftrag auftragsnummer rechnung rechnungsnummer kundennummer pedido factura commande facture isbn issn ean gtin serial
		seriennummer version build zip plz model заказ`,
})

// denseCues are written without spaces between words.
var denseCues = []struct {
	word string
	cue  cue
}{{"电话", phoneCue}, {"手机", phoneCue}, {"電話", phoneCue}, {"携帯", phoneCue}, {"微信", phoneCue}, {"护照", idCue}, {"身份证", idCue}, {"旅券", idCue}, {"订单", itemCue}, {"运单", itemCue}, {"注文", itemCue}}

// phraseCues are cues of more than one word.
var phraseCues = []struct {
	word string
	cue  cue
}{{"social security", idCue}, {"driver's", idCue}, {"tax id", idCue}, {"id card", idCue}, {"my number", phoneCue}, {"meine nummer", phoneCue}, {"mi numero", phoneCue},
	{"mon numero", phoneCue}, {"contact number", phoneCue}, {"reach me", phoneCue}, {"text me", phoneCue}, {"my cell", phoneCue}}

func cueTable(lists map[cue]string) map[string]cue {
	all := map[string]cue{}
	for c, list := range lists {
		for w := range strings.FieldsSeq(list) {
			all[w] = c
		}
	}
	return all
}

// cue tells what the words before a number say that it is.
func (r *reading) cue(start int) cue {
	if r.knownFor != start {
		r.known, r.knownFor = r.readCue(start), start
	}
	return r.known
}

// readCue reads the words before a number, the nearest one first, back to another number, a mask, the end of a sentence or a line.
func (r *reading) readCue(start int) cue {
	from := start
	for from > 0 && start-from < lookBack && r.chars[from-1] != wallChar && r.chars[from-1] != '\n' && !isFigure(r.chars[from-1]) && !r.stops(from-1) {
		from--
	}
	before := string(r.chars[from:start])
	if strings.HasSuffix(strings.TrimRight(before, "(+"), "#") {
		return itemCue
	}
	found, at := noCue, -1
	for _, list := range [][]struct {
		word string
		cue  cue
	}{denseCues, phraseCues} {
		for _, c := range list {
			if i := strings.LastIndex(before, c.word); i > at {
				found, at = c.cue, i
			}
		}
	}
	if w, i := lastCue(before); i > at {
		found = w
	}
	return found
}

// stops reports the end of a sentence; an abbreviation like "tel." ends none.
func (r *reading) stops(i int) bool {
	switch r.chars[i] {
	case '!', '?', '。', '；', ';':
		return true
	case '.':
		return r.char(i+1) == ' ' && i >= 5 && !slices.ContainsFunc(r.chars[i-4:i], func(c rune) bool { return !isJoined(c) })
	}
	return false
}

// lastCue finds the last word that is a cue.
func lastCue(before string) (found cue, at int) {
	end := len(before)
	for i := len(before) - 1; i >= -1; i-- {
		if i >= 0 && isCueByte(before[i]) {
			continue
		}
		if c := cues[before[i+1:end]]; c != noCue {
			return c, i + 1
		}
		end = max(i, 0)
	}
	return noCue, -1
}

func isCueByte(c byte) bool { return 'a' <= c && c <= 'z' || c >= 0x80 }
