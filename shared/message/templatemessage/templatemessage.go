// Package templatemessage sends template messages to users of mini programs (contract, Actions: Template message; D42).
// Package consent stores the form ids and subscriptions that vendors require. Callers decide on recipients, and limit
// the number and the rate of messages.
//
//	Gateway   the port to a vendor, and its refusals                               gateway.go
//	Tokens    access tokens of vendors, one for all instances                      token.go
//	Account   an environment's account at a vendor, which sends                    account.go
package templatemessage
