package child

// Info is a process of this machine.
type Info struct {
	Pid, Parent int
	Program     string // as it was called: the first word of its command line
	Zombie      bool   // ended, and not yet reaped by its parent
}

// Below returns the processes that ancestor started, and those they started.
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
		// Parents may be listed after their children, so ancestry is only followed once the map is complete.
		for at := p.Parent; at > 0; at = parents[at] {
			if at == ancestor {
				found = append(found, p)
				break
			}
		}
	}
	return found, nil
}

// Find returns the process with the id, false when there is none.
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
