package bulk

// Waiting is how many runs wait for a step that is under way.
func (r *Runs) Waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.groups {
		n += len(g.waiting)
	}
	return n
}
