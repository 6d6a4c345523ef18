// Package templatemessage sends template messages to users of mini programs (contract, Actions: Template message; D42).
// A vendor takes one where the user has done something: a form id proves that, and is good for a few messages. How
// often, to whom and how fast something is sent is for others to say.
//
//	Ticket    counts the subscriptions of a user to the messages of a template     ticket.go
//	FormID    proves that a user may be written to; spent nearest expiry first     form_id.go
//	Gateway   the port to a vendor, and what it refuses                            gateway.go
//	Tokens    access tokens of vendors, one for all instances                      token.go
//	Account   who an environment is at a vendor, ready to send                     account.go
package templatemessage
