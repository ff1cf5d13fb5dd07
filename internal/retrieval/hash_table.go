package retrieval

import "unsafe"

// hashTable finds ids by hash, with open addressing. Hashes need no second hashing, and nothing is ever removed.
type hashTable struct {
	slots []slot // a power of two of them
	count int
}

type slot struct {
	key uint64
	id  uint32 // and one: 0 is an empty slot
}

func (k *hashTable) find(key uint64) (id uint32, ok bool) {
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

// bytes returns how much memory the table takes.
func (k *hashTable) bytes() int64 { return int64(len(k.slots)) * int64(unsafe.Sizeof(slot{})) }

// add adds a key that is not there yet.
func (k *hashTable) add(key uint64, id uint32) {
	if k.isFull(1) {
		k.grow()
	}
	k.insert(slot{key, id + 1})
	k.count++
}

// isFull reports whether the table must grow before more keys are added.
func (k *hashTable) isFull(more int) bool { return 3*len(k.slots) <= 4*(k.count+more) }

func (k *hashTable) grow() {
	old := k.slots
	k.slots = make([]slot, max(64, 2*len(old)))
	for _, s := range old {
		if s.id != 0 {
			k.insert(s)
		}
	}
}

func (k *hashTable) insert(s slot) {
	mask := uint64(len(k.slots) - 1)
	i := s.key & mask
	for k.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	k.slots[i] = s
}
