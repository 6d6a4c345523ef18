package user

// UpdateAtOnce makes bulk updates of more than n users go on in the background.
func (s *Service) UpdateAtOnce(n int) { s.atOnce = n }
