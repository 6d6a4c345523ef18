package table

// Tune makes the planner change its mind early, so that small tables show it.
func (s *Service) Tune(few, try, segment int) {
	s.limits = limits{few: few, look: try, segment: segment, total: 20, sure: 60}
}
