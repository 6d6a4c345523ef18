package bulk

// Waiting returns the number of runs that wait for another step.
func (r *Runs) Waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.groups {
		n += len(g.waiting)
	}
	return n
}
