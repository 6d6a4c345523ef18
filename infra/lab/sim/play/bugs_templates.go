package play

import (
	"context"

	"minicloud/shared/templatemessage"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/user"
)

// unheld says of no message that somebody has it.
type unheld struct{ message.Claims }

func nobodyHeld(real message.Claims) message.Claims { return unheld{real} }

// Held implements message.Claims.
func (unheld) Held(context.Context, scopes.Scope, string, string, string) (map[string]message.Held, error) {
	return nil, nil
}

// templates turn what nobody knows into what was not sent.
type templates struct{ templatemessage.Gateway }

func sureOfTemplates(real templatemessage.Gateway) templatemessage.Gateway { return templates{real} }

// Send implements templatemessage.Gateway.
func (s templates) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	return sure(s.Gateway.Send(ctx, who, token, m))
}

// pages are without the last one of several users.
type pages struct{ action.Users }

func oneForgotten(real action.Users) action.Users { return pages{real} }

// Profiles implements action.Users.
func (p pages) Profiles(ctx context.Context, scope scopes.Scope, q user.Query) (user.List, error) {
	list, err := p.Users.Profiles(ctx, scope, q)
	if last := len(list.Objects) - 1; last > 0 {
		list.Objects = list.Objects[:last]
	}
	return list, err
}
