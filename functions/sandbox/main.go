// Program sandbox runs the code of one tenant's functions. Lambda starts it as the supervisor; it starts itself again
// as the engine child, which holds the JavaScript and nothing else (package process).
//
// The program takes a sandbox.Request and returns a sandbox.Result, also if nothing ran; an error means that the
// sandbox itself failed. Its role has no permissions.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/functions/sandbox/wire"
	"minicloud/shared/program"
	"minicloud/shared/runtime/process"
)

func main() {
	if process.IsChild() {
		process.ChildMain()
	}
	p := program.New()
	// A file descriptor that Lambda's runtime left open must not be visible to users' code.
	p.Must(process.Harden())
	s := wire.Supervisor(p)
	p.Ready()

	s.Warm()
	lambda.Start(wire.Handler(s))
}
