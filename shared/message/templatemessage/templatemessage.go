// Package templatemessage sends template messages to users of mini programs (contract, Actions: Template message; D42).
// Package consent has the form IDs and subscriptions that vendors ask for; callers limit how often, to whom and how fast
// messages are sent.
//
//	Gateway   the port to a vendor, and what it refuses                            gateway.go
//	Tokens    access tokens of vendors, one for all instances                      token.go
//	Account   who an environment is at a vendor, ready to send                     account.go
package templatemessage
