package table

// Tune makes the planner change its mind early, so that small tables show it.
func (s *Service) Tune(few, try, segment int) { s.tuning = tuning{few, try, segment} }

// Child is the node below.
func (n NodeID) Child(child int) NodeID { return n.child(child) }
