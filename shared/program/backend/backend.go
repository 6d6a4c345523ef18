// Package backend opens, for a program, the AWS services that the platform stands
// on. Nothing here makes a call: the first one happens when a request needs it.
//
// Each constructor reads the variables that name what it opens, so a program reads those of what it uses and no other.
// This package opens what is in DynamoDB; the clients of other services are in the packages below it, so that a program
// links only those that it uses. A constructor makes something new each time: a store that remembers what it has read
// (Functions, Jobs) is opened once.
package backend

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth"
	"minicloud/shared/program"
)

// Backend is the AWS account as one program sees it. Tests and the simulation put others in the place of the clients
// and of the clock.
type Backend struct {
	*program.Program
	Config   aws.Config // for the clients of other services
	DynamoDB *dynamodb.Client
	Clock    clock.Clock
	IDs      *id.Source
}

// Run runs a program that uses AWS: wire is as in program.Run.
func Run(wire func(*Backend) any) {
	program.Run(func(p *program.Program) any { return wire(Open(p)) })
}

// Open reads the AWS_* environment; Ready ends the program when something of it is missing.
func Open(p *program.Program) *Backend {
	cfg := config(&p.Reader)
	return &Backend{Program: p, Config: cfg, DynamoDB: dynamo.New(cfg), Clock: clock.System, IDs: new(id.Source)}
}

// Public is a face for callers that routes tell apart by themselves.
func (b *Backend) Public(routes []httpapi.Route) *httpapi.API {
	return &httpapi.API{Routes: routes, Origins: b.Default("ALLOWED_ORIGINS", "*"), Log: b.Log, Clock: b.Clock}
}

// API is a face for callers with an access token, a run token or a console token.
func (b *Backend) API(routes []httpapi.Route) *httpapi.API {
	face := b.Public(routes)
	tokens := &appdb.Tokens{Client: b.DynamoDB, Table: b.String("APPLICATIONS_TABLE")}
	callers, runs := &oauth.Authenticator{Store: tokens, Clock: b.Clock}, b.RunVerifier()
	face.Authenticator, face.Likely, face.Runs, face.Depths = callers, callers.Likely, runs, runs
	face.Consoles, face.Audit = &console.Verifier{Store: b.Applications(), Clock: b.Clock}, b.Audit()
	face.Replay = &idempotency.Service{
		Store: &claimdb.Store{Client: b.DynamoDB, Table: b.String("IDEMPOTENCY_TABLE")}, Clock: b.Clock,
	}
	return face
}

// RunVerifier knows run tokens, and how deep the chain of runs is that they stand for.
func (b *Backend) RunVerifier() *oauth.RunVerifier {
	return &oauth.RunVerifier{Store: b.Applications(), Clock: b.Clock}
}
