// Package backend opens the AWS services that a program uses. Opening makes no call: the first call is made when a
// request needs it.
//
// Each constructor reads the environment variables that name its tables, so a program requires only the variables
// of what it uses. This package opens stores in DynamoDB; the packages below it open the clients of other services,
// so that a program links only the clients it uses. Every call of a constructor returns a new value: a program must
// open a store that caches what it reads (Functions, Jobs) once.
package backend

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/app"
	"minicloud/shared/app/clientrate"
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
	"minicloud/shared/user/session"
)

// Backend is the AWS account as one program sees it. Tests and the simulation replace the clients and the clock.
type Backend struct {
	*program.Program
	Config   aws.Config // for the clients of other services
	DynamoDB *dynamodb.Client
	Clock    clock.Clock
	IDs      *id.Source
}

// Run runs a program that uses AWS; wire returns the handler, as in program.Run.
func Run(wire func(*Backend) any) {
	program.Run(func(p *program.Program) any { return wire(Open(p)) })
}

// Open reads the AWS_* variables; if one is missing, Ready ends the program.
func Open(p *program.Program) *Backend {
	cfg := config(&p.Reader)
	return &Backend{Program: p, Config: cfg, DynamoDB: dynamo.New(cfg), Clock: clock.System, IDs: new(id.Source)}
}

// Public returns an API that authenticates no caller; its routes do so themselves.
func (b *Backend) Public(routes []httpapi.Route) *httpapi.API {
	return &httpapi.API{Routes: routes, Origins: b.Default("ALLOWED_ORIGINS", "*"), Log: b.Log, Clock: b.Clock}
}

// API returns an API for callers with an access token, a run token or a console token.
func (b *Backend) API(routes []httpapi.Route) *httpapi.API {
	face := b.Public(routes)
	tokens := &appdb.Tokens{Client: b.DynamoDB, Table: b.String("APPLICATIONS_TABLE")}
	callers, runs := &oauth.Authenticator{Store: tokens, Clock: b.Clock}, b.RunVerifier()
	face.Authenticator, face.Likely, face.Runs, face.Depths = callers, callers.Likely, runs, runs
	face.Consoles, face.Audit = &console.Verifier{Store: b.Applications(), Clock: b.Clock}, b.Audit()
	face.Rates = &clientrate.Limiter{
		Store: &claimdb.Rates{Client: b.DynamoDB, Table: b.String("IDEMPOTENCY_TABLE")}, Clock: b.Clock, Log: b.Log,
	}
	face.Replay = &idempotency.Service{
		Store: &claimdb.Store{Client: b.DynamoDB, Table: b.String("IDEMPOTENCY_TABLE")}, Clock: b.Clock,
	}
	return face
}

// ServeEndUsers makes an API serve Client routes.
func (b *Backend) ServeEndUsers(face *httpapi.API) {
	face.Clients = &app.Clients{Store: b.Applications(), Clock: b.Clock}
	face.EndUsers = &session.Verifier{Store: b.EndUserSessionReader(), Clock: b.Clock}
}

// RunVerifier returns the verifier of run tokens, which also reads the depth of a run's chain of triggers.
func (b *Backend) RunVerifier() *oauth.RunVerifier {
	return &oauth.RunVerifier{Store: b.Applications(), Clock: b.Clock}
}
