// Program oauth serves the token endpoints 10–12.
package main

import (
	"context"
	"os"
	"time"

	"minicloud/functions/oauth/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/httpapi"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/logging"
	"minicloud/shared/oauth"
)

func main() {
	var r env.Reader
	table := r.String("APPLICATIONS_TABLE")
	seconds := r.Int("ACCESS_TOKEN_SECONDS", int(oauth.AccessLifetime.Seconds()))
	origins := r.Default("ALLOWED_ORIGINS", "*")
	log := logging.New(os.Stdout, r.Default("LOG_LEVEL", "info"))
	fatal := func(err error) {
		if err != nil {
			log.Error("cannot start", "error", err.Error())
			os.Exit(1)
		}
	}
	fatal(r.Err())
	client, err := dynamo.Open(context.Background())
	fatal(err)

	group := &api.Group{Log: log, OAuth: &oauth.Service{
		Store:          &dynamo.Tokens{Client: client, Table: table},
		Clock:          clock.System,
		AccessLifetime: time.Duration(seconds) * time.Second,
		Log:            log,
	}}
	face := &httpapi.API{Routes: group.Routes(), Origins: origins, Log: log, Clock: clock.System}
	lambdahttp.Start(face.Handler())
}
