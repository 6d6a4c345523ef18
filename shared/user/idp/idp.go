// Package idp logs end users in with their identities at the vendors of mini programs (C11, C12, C13, C37).
//
//	Exchange   the port to a vendor: a one-time code for an identity     exchange.go
//	Profile    what a vendor tells about a user                          profile.go
//	Sealed     data that the page got from the vendor: signed, encrypted sealed.go
//
// The page of a mini program gets a code from its host and posts it. The vendor exchanges the code for the user's
// identity and, at chat and tpay, for a session key, which signs and encrypts what the host tells the page.
package idp
