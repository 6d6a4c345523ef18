package ses

// reputation counts mails. Those to the mailbox simulator count too, unlike those of SES: nobody else bounces here.
type reputation struct{ sent, bounced, complained float64 }

// add counts a mail. Service.mu must be held.
func (r *reputation) add(to []string) {
	r.sent++
	for _, recipient := range to {
		switch simulatorBox(addressOf(recipient)) {
		case "bounce":
			r.bounced++
		case "complaint":
			r.complained++
		}
	}
}

// Report records the reputation that SES measures, if there was any mail. SES measures it over a representative number of
// mails; the local cloud takes all since its start.
func (s *Service) Report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.reputation; r.sent > 0 {
		s.cfg.Metrics.Put("AWS/SES", "Reputation.BounceRate", r.bounced/r.sent)
		s.cfg.Metrics.Put("AWS/SES", "Reputation.ComplaintRate", r.complained/r.sent)
	}
}
