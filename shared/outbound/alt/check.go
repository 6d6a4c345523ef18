package alt

import (
	"context"

	"minicloud/shared/message/censor"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/vendor"
)

const checkMethod = "alipay.security.risk.content.detect"

// CheckText implements censor.TextCheck. It does not use the token, nor the user.
func (c *Client) CheckText(
	ctx context.Context, who templatemessage.Identity, _ string, t censor.Text,
) (risky bool, err error) {
	form, err := payment.SignForm(who.AppID, who.Secret, checkMethod, map[string]string{"content": t.Content}, c.Clock.Now())
	if err != nil {
		return false, err
	}
	a, err := c.post(ctx, who, checkMethod, form)
	if err != nil {
		return false, err
	}
	if err := a.sent(); err != nil {
		return false, err
	}

	var told struct {
		Action string `json:"action"` // PASSED or REJECTED
	}
	if err := vendor.Decode(a.said, &told); err != nil {
		return false, err
	}
	switch told.Action {
	case "PASSED":
		return false, nil
	case "REJECTED":
		return true, nil
	}
	return false, vendor.Unknown("its answer has no action")
}
