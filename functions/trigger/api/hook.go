package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/hook"
)

// HookCall is a call with all its members (G25): an accepted call has null as its reason.
type HookCall struct {
	hook.ReceivedCall
	Reason *string `json:"reason"` // The reason of the refusal. null for an accepted call.
}

// calls serves GET /oserve/v3/trigger/:id/hook/: the last calls of an incoming webhook (G17, G25).
func (g *Group) calls(ctx context.Context, in pageOf) (answer httpapi.Envelope[HookCall], err error) {
	found, err := g.Triggers.Calls(ctx, httpapi.Scope(ctx), in.ID, in.Page)
	return httpapi.ListOf(ctx, in.Page, found, func(c hook.ReceivedCall) HookCall {
		return HookCall{c, httpapi.OrNull(c.Reason)}
	}), err
}

type hookAddress struct {
	URL string `json:"hook_url"`
}

// resetHook serves POST /oserve/v3/trigger/:id/hook/: the hook gets a new URL, and the old one answers 404 at once.
func (g *Group) resetHook(ctx context.Context, in byID) (address hookAddress, err error) {
	t, err := g.Triggers.ResetHook(ctx, httpapi.Scope(ctx), in.ID)
	if err != nil {
		return address, err
	}
	_, r := httpapi.Exchange(ctx)
	return hookAddress{g.view(r, t).HookURL}, nil
}
