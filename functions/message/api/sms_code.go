package api

import (
	"context"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/proof/smscode"
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

// sendCode serves POST /oserve/v2.1/sms-verification-code/ (BaaS.sendSmsCode), and the same under /userve.
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

// verifyCode serves POST /oserve/v1.8/sms-verification-code/verify/ (BaaS.verifySmsCode), and the same under /userve.
func (g *Group) verifyCode(ctx context.Context, in codeGuess) (httpapi.OK, error) {
	return httpapi.Done, g.Codes.Verify(ctx, httpapi.Scope(ctx), string(in.Phone), string(in.Code), in.User.ID)
}

type clientCodeRequest struct {
	Phone text `json:"phone" type:"string,integer" required:"true"`
	// The name of a signature of the SMS setting, or its index from 1.
	Signature text `json:"signature_id" type:"string,integer,null"`
}

// sendClientCode serves POST /hserve/v2.2/sms-verification-code/. It reads no user, so it cannot tell who exists.
func (g *Group) sendClientCode(ctx context.Context, in clientCodeRequest) (httpapi.OK, error) {
	return httpapi.Done, g.Codes.Send(ctx, httpapi.Scope(ctx), smscode.Request{
		Phone: string(in.Phone), Signature: string(in.Signature), Address: httpapi.From(ctx).IP,
	})
}

type clientCodeGuess struct {
	Phone text `json:"phone" type:"string,integer" required:"true"`
	Code  text `json:"code" type:"string,integer" required:"true"`
}

// verifyClientCode serves POST /hserve/v1.8/sms-verification-code/verify/.
func (g *Group) verifyClientCode(ctx context.Context, in clientCodeGuess) (httpapi.OK, error) {
	return httpapi.Done, g.Codes.Verify(ctx, httpapi.Scope(ctx), string(in.Phone), string(in.Code), 0)
}

// clientCodeRoutes returns the endpoints of verification codes for end users.
func (g *Group) clientCodeRoutes() []httpapi.Route {
	post := func(path string, call httpapi.Endpoint) httpapi.Route {
		return httpapi.Route{Method: http.MethodPost, Path: path, Access: httpapi.Client, Call: call}
	}
	send := httpapi.Call(g.sendClientCode)
	return []httpapi.Route{
		post("/hserve/v2.2/sms-verification-code", send),
		post("/hserve/v2.1/sms-verification-code", send),
		post("/hserve/v1.8/sms-verification-code", send),
		post("/hserve/v1.8/sms-verification-code/verify", httpapi.Call(g.verifyClientCode)),
	}
}
