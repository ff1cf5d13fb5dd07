package words

// Grams appends the hashes of the word's 4-character stretches, with its two edges as characters: "_word_" has _wor,
// word and ord_. A shorter word is one stretch. In scripts without spaces they are the first character, and the pair.
func Grams(into []uint64, word string) []uint64 {
	if first, n := decodeNext(word, 0); IsUnspacedRune(first) {
		into = append(into, hash4(0, 0, first, 2))
		if second, _ := decodeNext(word, n); second != 0 {
			into = append(into, hash4(0, first, second, 1))
		}
		return into
	}
	const edge = '_'
	var a, b, c rune = 0, 0, edge
	count := 1
	push := func(r rune) {
		count++
		if count >= 4 {
			into = append(into, hash4(a, b, c, r))
		}
		a, b, c = b, c, r
	}
	for i := 0; i < len(word); {
		r, n := decodeRune(word, i)
		push(r)
		i += n
	}
	push(edge)
	if count < 4 {
		into = append(into, hash4(a, b, c, 0))
	}
	return into
}

// Hash returns a 64-bit hash that is the same on every machine and in every run, because results must not depend on
// either.
func Hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mixBits(h)
}

func hash4(a, b, c, d rune) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(uint32(a))
	h = h*prime + uint64(uint32(b))
	h = h*prime + uint64(uint32(c))
	h = h*prime + uint64(uint32(d))
	return mixBits(h)
}

func mixBits(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}
