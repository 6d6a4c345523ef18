package userdb

import (
	"context"
	"slices"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// Tickets implements consent.TicketStore, beside the account of each user:
//
//	pk = <scope>#user#<id>   sk = ticket#<vendor>#<template>   number left, and the names counted so far (a set)
type Tickets struct {
	Client *dynamo.Client
	Table  string
}

type ticketItem struct {
	SK      string   `dynamodbav:"sk"`
	Tickets int      `dynamodbav:"tickets"`
	Names   []string `dynamodbav:"counted,stringset,omitempty"`
	Expires int64    `dynamodbav:"expires_at"` // Unix seconds
}

const ticketPrefix = "ticket#"

// maxNames is the maximum number of stored names. When there are more, all are dropped: a name is needed only while its
// request or run may be repeated, and a repetition that late is unlikely.
const maxNames = 200

func ticketSK(v messaging.Vendor, template string) string {
	return ticketPrefix + string(v) + "#" + template
}

// AddTicket makes one conditional UpdateItem, or two if many names are to be dropped.
func (s *Tickets) AddTicket(
	ctx context.Context, scope tenant.Scope, t consent.Ticket, name string, expires time.Time,
) (int, error) {
	it, _, err := s.count(ctx, scope, t, "+"+name, "SET expires_at = :expires ADD tickets :one, counted :set",
		"(attribute_not_exists(tickets) OR tickets < :most)", dynamo.Item{
			":one": dynamo.Number(1), ":most": dynamo.Number(consent.MaxTickets),
			":expires": dynamo.Instant(expires),
		})
	return it.Tickets, dynamo.Wrap("add a ticket", err)
}

// Tickets makes one BatchGetItem, or one Query for all templates.
func (s *Tickets) Tickets(
	ctx context.Context, scope tenant.Scope, u user.ID, template string, now time.Time,
) (map[messaging.Vendor]int, error) {
	items, err := s.read(ctx, scope, u, template)
	if err != nil {
		return nil, err
	}

	counts := map[messaging.Vendor]int{}
	for _, it := range items {
		vendor, _, _ := strings.Cut(strings.TrimPrefix(it.SK, ticketPrefix), "#")
		// DynamoDB deletes expired items late.
		if it.Expires > now.Unix() {
			counts[messaging.Vendor(vendor)] += it.Tickets
		}
	}
	return counts, nil
}

func (s *Tickets) read(
	ctx context.Context, scope tenant.Scope, u user.ID, template string,
) (items []ticketItem, err error) {
	if template == "" {
		return dynamo.All[ticketItem](ctx, s.Client, dynamo.Query(
			s.Table, userPK(scope, u), ticketPrefix, ticketPrefix+"\x7f", false, 0,
		))
	}

	var keys []dynamo.Item
	for _, v := range messaging.Vendors {
		keys = append(keys, dynamo.Key(userPK(scope, u), ticketSK(v, template)))
	}
	found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read tickets", err)
	}
	for _, raw := range found {
		it, err := dynamo.Decode[ticketItem](raw)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// SpendTicket makes one conditional UpdateItem. A repeated attempt after a lost answer finds its name in the set.
func (s *Tickets) SpendTicket(ctx context.Context, scope tenant.Scope, t consent.Ticket, name string) error {
	it, done, err := s.count(ctx, scope, t, "-"+name, "ADD tickets :minus, counted :set", "tickets > :zero", dynamo.Item{
		":minus": dynamo.Number(-1), ":zero": dynamo.Number(0),
	})
	if err != nil {
		return dynamo.Wrap("spend a ticket", err)
	}
	if !done && !slices.Contains(it.Names, "-"+name) {
		return errs.NotFound("no ticket is left")
	}
	return nil
}

// ReturnTicket makes one conditional UpdateItem.
func (s *Tickets) ReturnTicket(ctx context.Context, scope tenant.Scope, t consent.Ticket, name string) error {
	// A missing name was returned by an attempt whose answer was lost, or was dropped.
	return dynamo.Do(ctx, s.Client, "give a ticket back", nil, dynamo.Update(
		s.Table, userPK(scope, t.User), ticketSK(t.Vendor, t.Template), "ADD tickets :one DELETE counted :set",
		"contains(counted, :name)", dynamo.Item{
			":one": dynamo.Number(1), ":set": set("-" + name), ":name": dynamo.Text("-" + name),
		},
	))
}

// VoidTickets makes one DeleteItem.
func (s *Tickets) VoidTickets(ctx context.Context, scope tenant.Scope, t consent.Ticket) error {
	return dynamo.Do(ctx, s.Client, "void tickets", nil,
		dynamo.Delete(s.Table, userPK(scope, t.User), ticketSK(t.Vendor, t.Template), "", nil))
}

// count changes the number of tickets once per name, and returns the stored item. done is false if the name has been
// counted before or the condition fails.
func (s *Tickets) count(
	ctx context.Context, scope tenant.Scope, t consent.Ticket, name, expression, condition string,
	values dynamo.Item,
) (it ticketItem, done bool, err error) {
	values[":set"], values[":name"] = set(name), dynamo.Text(name)
	pk, sk := userPK(scope, t.User), ticketSK(t.Vendor, t.Template)
	after, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, pk, sk, expression,
		condition+" AND (attribute_not_exists(counted) OR NOT contains(counted, :name))", values))
	if dynamo.ConditionFailed(err) {
		it, err = dynamo.Decode[ticketItem](dynamo.ItemAt(err, 0))
		return it, false, err
	}
	if err != nil {
		return it, false, err
	}

	// Names serve only repeated requests, so they are all dropped before they fill the item.
	if it, err = dynamo.Decode[ticketItem](after); err != nil || len(it.Names) <= maxNames {
		return it, true, err
	}
	_, err = dynamo.UpdateItem(ctx, s.Client, dynamo.Update(
		s.Table, pk, sk, "SET counted = :set", dynamo.Exists, dynamo.Item{":set": set(name)},
	))
	return it, true, err
}
