package sqldb

// QueueLengths counts the transactions of each lane that wait for the one writer of SQLite. PostgreSQL has no such
// queue here: then it reports false.
func (db *DB) QueueLengths() (turns, bulk int, ok bool) {
	l, ok := db.engine.(*sqliteEngine)
	if !ok {
		return 0, 0, false
	}
	q := l.writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting[Interactive]), len(q.waiting[Bulk]), true
}
