package redact

// ibanLengths are how many characters the account numbers of a country have.
var ibanLengths = map[string]int{
	"ad": 24, "ae": 23, "al": 28, "at": 20, "az": 28, "ba": 20, "be": 16, "bg": 22, "bh": 22, "br": 29, "by": 28,
	"ch": 21, "cr": 22, "cy": 28, "cz": 24, "de": 22, "dk": 18, "do": 28, "ee": 20, "eg": 29, "es": 24, "fi": 18,
	"fo": 18, "fr": 27, "gb": 22, "ge": 22, "gi": 23, "gl": 18, "gr": 27, "gt": 28, "hr": 21, "hu": 28, "ie": 22,
	"il": 23, "iq": 23, "is": 26, "it": 27, "jo": 30, "kw": 30, "kz": 20, "lb": 28, "lc": 32, "li": 21, "lt": 20,
	"lu": 20, "lv": 21, "ly": 25, "mc": 27, "md": 24, "me": 22, "mk": 19, "mr": 27, "mt": 31, "mu": 30, "nl": 18,
	"no": 15, "pk": 24, "pl": 28, "ps": 29, "pt": 25, "qa": 29, "ro": 24, "rs": 22, "sa": 24, "sc": 31, "se": 24,
	"si": 19, "sk": 24, "sm": 27, "sv": 28, "tn": 24, "tr": 26, "ua": 29, "va": 22, "vg": 24, "xk": 20,
}

// findIBANs finds international bank account numbers, in one word or in groups, by their country's length and their
// check digits.
func (f *foldedText) findIBANs() (found []span) {
	for i := 0; i+15 <= len(f.chars); i++ {
		if !isLatinLetter(f.chars[i]) || !isLatinLetter(f.chars[i+1]) || !isASCIIDigit(f.chars[i+2]) ||
			!isASCIIDigit(f.chars[i+3]) || isWordLetter(f.charAt(i-1)) || isASCIIDigit(f.charAt(i-1)) {
			continue
		}
		if end := f.ibanEnd(i); end > 0 {
			found = append(found, span{i, end})
			i = end - 1
		}
	}
	return found
}

// ibanEnd returns where the account number ends that begins here, 0 if there is none.
func (f *foldedText) ibanEnd(i int) int {
	length := ibanLengths[string(f.chars[i:i+2])]
	code := make([]rune, 0, length)
	for length > 0 {
		switch c := f.charAt(i); {
		case isCodeChar(c):
			code = append(code, c)
		case c != ' ' && c != '-' && (c != '+' || !f.isInQuery(i)) || !isCodeChar(f.charAt(i+1)):
			return 0
		}
		if i++; len(code) == length {
			break
		}
	}
	if length == 0 || isWordLetter(f.charAt(i)) || isASCIIDigit(f.charAt(i)) {
		return 0
	}
	rest := 0
	for _, c := range append(code[4:], code[:4]...) {
		if isASCIIDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'a') + 10) % 97
		}
	}
	if rest != 1 {
		return 0
	}
	return i
}

const (
	minCardDigits = 13
	maxCardDigits = 19 // digits
)

// findCards finds payment cards: 13 to 19 digits that begin as the networks' do and pass the Luhn check, whole or in
// groups.
func (f *foldedText) findCards() []span {
	return f.longestRuns(minCardDigits, maxCardDigits, func(run []digitGroup) bool {
		for i, g := range run[:len(run)-1] {
			if g.size() < 3 || g.gap != run[0].gap || g.gap != " " && g.gap != "-" && g.gap != "." || run[i+1].size() > 7 {
				return false
			}
		}
		number := f.digitsIn(span{run[0].Start, run[len(run)-1].End})
		return '2' <= number[0] && number[0] <= '6' && passesLuhn(number)
	})
}

func passesLuhn(number []byte) bool {
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
