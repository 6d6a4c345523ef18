// Package templatemessage sends template messages to users of mini programs (contract, Actions: Template message; D42).
// A vendor takes one where the user has done something: a form id proves that, and is good for a few messages.
//
//	FormID    proves that a user may be written to; spent nearest expiry first     form_id.go
package templatemessage
