package retrieval

import "unsafe"

// keys finds ids by hash: a table with open addressing, for hashes need no second hashing. Nothing is ever taken out.
type keys struct {
	slots []slot // a power of two of them
	used  int
}

type slot struct {
	key uint64
	id  uint32 // and one: 0 is an empty slot
}

func (k *keys) find(key uint64) (id uint32, ok bool) {
	if len(k.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(k.slots) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		switch s := &k.slots[i]; {
		case s.id == 0:
			return 0, false
		case s.key == key:
			return s.id - 1, true
		}
	}
}

// bytes is how much memory the table takes.
func (k *keys) bytes() int64 { return int64(len(k.slots)) * int64(unsafe.Sizeof(slot{})) }

// add notes a key that is not there yet.
func (k *keys) add(key uint64, id uint32) {
	if k.full(1) {
		k.grow()
	}
	k.place(slot{key, id + 1})
	k.used++
}

// full reports that so many more would stand too close.
func (k *keys) full(more int) bool { return 3*len(k.slots) <= 4*(k.used+more) }

func (k *keys) grow() {
	old := k.slots
	k.slots = make([]slot, max(64, 2*len(old)))
	for _, s := range old {
		if s.id != 0 {
			k.place(s)
		}
	}
}

func (k *keys) place(s slot) {
	mask := uint64(len(k.slots) - 1)
	i := s.key & mask
	for k.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	k.slots[i] = s
}
