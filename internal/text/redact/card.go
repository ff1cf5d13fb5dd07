package redact

const (
	minCardDigits = 13
	maxCardDigits = 19 // digits
)

// findCards finds payment cards: 13 to 19 digits that begin as the networks' do and pass the Luhn check, whole or in
// groups.
func (r *foldedText) findCards() []span {
	return r.longestRuns(minCardDigits, maxCardDigits, func(run []digitGroup) bool {
		for i, g := range run[:len(run)-1] {
			if g.size() < 3 || g.gap != run[0].gap || g.gap != " " && g.gap != "-" && g.gap != "." || run[i+1].size() > 7 {
				return false
			}
		}
		number := r.digitsIn(span{run[0].Start, run[len(run)-1].End})
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
