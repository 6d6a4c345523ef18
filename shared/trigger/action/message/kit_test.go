package message_test

import (
	"context"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/user/consent"
)

// death is the panic value of a program that is killed at a call.
type death string

// die kills the program at the call with the number dieAt.
func (p *platform) die(where string) {
	if p.calls++; p.calls == p.dieAt {
		panic(death(where))
	}
}

// mortalClaims are claims of a program that can be killed before and after each write.
type mortalClaims struct {
	message.Claims
	p *platform
}

func (c mortalClaims) Claim(
	ctx context.Context, scope tenant.Scope, claim action.Claim,
) (action.ClaimState, error) {
	c.p.die("before the claim")
	state, err := c.Claims.Claim(ctx, scope, claim)
	c.p.die("after the claim")
	return state, err
}

func (c mortalClaims) Sent(ctx context.Context, scope tenant.Scope, claim action.Claim) error {
	c.p.die("before it is noted as sent")
	err := c.Claims.Sent(ctx, scope, claim)
	c.p.die("after it was noted as sent")
	return err
}

// mortalForms are form ids of a program that can be killed before and after each write.
type mortalForms struct {
	consent.FormIDStore
	p *platform
}

func (f mortalForms) Spend(
	ctx context.Context, scope tenant.Scope, form consent.FormID, name string, now time.Time,
) error {
	f.p.die("before a form id is spent")
	err := f.FormIDStore.Spend(ctx, scope, form, name, now)
	f.p.die("after a form id was spent")
	return err
}

// mortalTickets are tickets of a program that can be killed before and after each write.
type mortalTickets struct {
	consent.TicketStore
	p *platform
}

func (s mortalTickets) SpendTicket(
	ctx context.Context, scope tenant.Scope, of consent.Ticket, name string,
) error {
	s.p.die("before a ticket is spent")
	err := s.TicketStore.SpendTicket(ctx, scope, of, name)
	s.p.die("after a ticket was spent")
	return err
}

// beside lets another worker do all its work before the first claim of this one.
type beside struct {
	mortalClaims
	other func()
	done  *bool
}

func (b beside) Claim(ctx context.Context, scope tenant.Scope, claim action.Claim) (action.ClaimState, error) {
	if !*b.done {
		*b.done = true
		b.other()
	}
	return b.mortalClaims.Claim(ctx, scope, claim)
}
