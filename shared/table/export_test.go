package table

// Tune makes the planner change its mind early, so that small tables show it. To
// counters it turns from these offsets on.
func (s *Service) Tune(few, try, segment, offset int) {
	s.limits = limits{few: few, look: try, segment: segment, offset: offset, total: 20, sure: 60}
}
