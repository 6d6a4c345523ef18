package ses

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// simulatorDomain is the domain of the mailbox simulator of SES.
const simulatorDomain = "@simulator.amazonses.com"

// simulatorBox returns the box of an address of the mailbox simulator, "" for other addresses. As in SES, a label may
// follow a plus sign.
func simulatorBox(address string) string {
	box, simulated := strings.CutSuffix(strings.ToLower(address), simulatorDomain)
	if !simulated {
		return ""
	}
	box, _, _ = strings.Cut(box, "+")
	return box
}

// simulate puts the events of a mail to the mailbox simulator on the bus: a bounce for bounce@ and suppressionlist@, a
// complaint for complaint@.
func (s *Service) simulate(id string, in request, to []string) {
	set := s.set(in.ConfigurationSetName)
	if set == nil {
		return
	}
	for _, recipient := range to {
		address := addressOf(recipient)
		switch box := simulatorBox(address); box {
		case "bounce", "suppressionlist":
			s.event(set.Name, set.Events, "BOUNCE", "Email Bounced", s.detail(id, in, to, "Bounce", "bounce", s.bounce(box, address)))
		case "complaint":
			s.event(set.Name, set.Events, "COMPLAINT", "Email Complaint Received",
				s.detail(id, in, to, "Complaint", "complaint", map[string]any{
					"complainedRecipients": []map[string]any{{"emailAddress": address}}, "feedbackId": rand.Text(),
					"complaintFeedbackType": "abuse", "timestamp": s.at(), "complaintSubType": nil,
				}))
		}
	}
}

// bounce is the part of an event that describes a bounce.
func (s *Service) bounce(box, address string) map[string]any {
	kind := map[string]string{"bounce": "General", "suppressionlist": "OnAccountSuppressionList"}[box]
	return map[string]any{
		"bounceType": "Permanent", "bounceSubType": kind, "feedbackId": rand.Text(), "timestamp": s.at(),
		"bouncedRecipients": []map[string]any{{
			"emailAddress": address, "action": "failed", "status": "5.1.1",
			"diagnosticCode": "smtp; 550 5.1.1 user unknown",
		}},
	}
}

func (s *Service) at() string { return s.cfg.Clock().UTC().Format(time.RFC3339Nano) }

// detail is the detail of an event.
func (s *Service) detail(id string, in request, to []string, kind, member string, about map[string]any) map[string]any {
	tags := map[string][]string{
		"ses:configuration-set": {in.ConfigurationSetName}, "ses:from-domain": {in.FromEmailAddress},
	}
	for _, tag := range in.EmailTags {
		tags[tag.Name] = []string{tag.Value}
	}
	return map[string]any{
		"eventType": kind, member: about, "mail": map[string]any{
			"timestamp": s.at(), "source": in.FromEmailAddress, "messageId": id, "destination": to, "tags": tags,
		},
	}
}

// event puts an event on the bus if the configuration set publishes its type.
func (s *Service) event(set string, published []string, kind, detailType string, detail map[string]any) {
	if !slices.Contains(published, kind) {
		return
	}
	text, err := json.Marshal(detail)
	if err != nil {
		return // it is of texts
	}
	s.cfg.Event(detailType, []string{s.arn("configuration-set/" + set)}, text)
}
