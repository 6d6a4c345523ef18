package child

// Info is a process of this machine.
type Info struct {
	Pid, Parent int
	Program     string // the first word of its command line
	Zombie      bool   // ended, but not yet reaped by its parent
}

// Below returns all descendants of the process ancestor.
func Below(ancestor int) ([]Info, error) {
	all, err := list()
	if err != nil {
		return nil, err
	}
	parents := map[int]int{}
	for _, p := range all {
		parents[p.Pid] = p.Parent
	}

	var found []Info
	for _, p := range all {
		// Processes may be listed before their parents, so follow the ancestry only once the map is complete.
		for at := p.Parent; at > 0; at = parents[at] {
			if at == ancestor {
				found = append(found, p)
				break
			}
		}
	}
	return found, nil
}

// Find returns the process with this ID, or false if none exists.
func Find(pid int) (Info, bool, error) {
	all, err := list()
	if err != nil {
		return Info{}, false, err
	}
	for _, p := range all {
		if p.Pid == pid {
			return p, true, nil
		}
	}
	return Info{}, false, nil
}
