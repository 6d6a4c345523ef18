package consumer

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/tenant"
)

// sesSource is the source of events of Amazon SES.
const sesSource = "aws.ses"

// Values of SES's events.
const (
	permanent    = "Permanent" // a bounce that a later mail to the address would have too
	notSpam      = "not-spam"  // a "complaint" that corrects one
	onSuppressed = "OnAccountSuppressionList"
	maxReason    = 300 // bytes of what a receiving server said
)

// feedbackDetail is the detail of a bounce or a complaint.
type feedbackDetail struct {
	Mail struct {
		Tags map[string][]string `json:"tags"`
	} `json:"mail"`
	Bounce *struct {
		Type       string      `json:"bounceType"`
		SubType    string      `json:"bounceSubType"`
		ID         string      `json:"feedbackId"`
		At         time.Time   `json:"timestamp"`
		Recipients []recipient `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint *struct {
		Type       string      `json:"complaintFeedbackType"`
		SubType    string      `json:"complaintSubType"`
		ID         string      `json:"feedbackId"`
		At         time.Time   `json:"timestamp"`
		Recipients []recipient `json:"complainedRecipients"`
	} `json:"complaint"`
}

type recipient struct {
	Address string `json:"emailAddress"`
	Said    string `json:"diagnosticCode"`
}

// feedback records a bounce or a complaint of SES. A temporary bounce changes nothing, and a mail without tags is not
// of an application but a code of the platform.
func (g *Group) feedback(ctx context.Context, event events.EventBridgeEvent) error {
	var d feedbackDetail
	if err := json.Unmarshal(event.Detail, &d); err != nil {
		return errs.Invalid("the detail is no event of SES: %v", err)
	}
	tag := func(name string) string {
		if values := d.Mail.Tags[name]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	if tag("miniapp") == "" {
		return nil
	}
	app, err := strconv.ParseInt(tag("miniapp"), 10, 64)
	if err != nil || app <= 0 {
		return errs.Invalid("miniapp must be the id of an application")
	}
	if err := g.known(ctx, tenant.Scope{App: tenant.AppID(app), Env: tenant.Production}); err != nil {
		return err
	}

	all := d.all(tag("sender"))
	for _, f := range all {
		if err := g.Allowance.Record(ctx, tenant.AppID(app), f); err != nil {
			return err
		}
	}
	g.Log.InfoContext(ctx, "mail feedback", "event", event.ID, "miniapp", app, "detail_type", event.DetailType,
		"recipients", len(all))
	return nil
}

// all returns the feedback of each recipient.
func (d feedbackDetail) all(sender string) (all []allowance.Feedback) {
	add := func(f allowance.Feedback, recipients []recipient) {
		f.Sender = sender
		for _, r := range recipients {
			f.Address, f.Reason = r.Address, clip.Bytes(r.Said, maxReason)
			all = append(all, f)
		}
	}
	if b := d.Bounce; b != nil && b.Type == permanent {
		add(allowance.Feedback{ID: b.ID, Kind: allowance.Bounce, At: b.At, Counts: b.SubType != onSuppressed}, b.Recipients)
	}
	if c := d.Complaint; c != nil && c.Type != notSpam {
		add(allowance.Feedback{ID: c.ID, Kind: allowance.Complaint, At: c.At, Counts: c.SubType != onSuppressed}, c.Recipients)
	}
	return all
}
