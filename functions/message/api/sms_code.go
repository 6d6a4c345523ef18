package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/smscode"
)

type someUser struct {
	// The user that the phone number belongs to. Without it, the code is bound only to the number.
	User someone `json:"user_id" type:"string,integer,null"`
}

type codeRequest struct {
	Phone text `json:"phone" type:"string,integer" required:"true"`
	someUser
	// The name of a signature of the SMS setting, or its index from 1.
	Signature text `json:"signature_id" type:"string,integer,null"`
}

// sendCode serves POST /oserve/v2.1/sms-verification-code/ (BaaS.sendSmsCode).
func (g *Group) sendCode(ctx context.Context, in codeRequest) (httpapi.OK, error) {
	return httpapi.Done, g.Codes.Send(ctx, httpapi.Scope(ctx), smscode.Request{
		Phone: string(in.Phone), User: in.User.ID, Signature: string(in.Signature),
	})
}

type codeGuess struct {
	Phone text `json:"phone" type:"string,integer" required:"true"`
	Code  text `json:"code" type:"string,integer" required:"true"`
	someUser
}

// verifyCode serves POST /oserve/v1.8/sms-verification-code/verify/ (BaaS.verifySmsCode).
func (g *Group) verifyCode(ctx context.Context, in codeGuess) (httpapi.OK, error) {
	return httpapi.Done, g.Codes.Verify(ctx, httpapi.Scope(ctx), string(in.Phone), string(in.Code), in.User.ID)
}
