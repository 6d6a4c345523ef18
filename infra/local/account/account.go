// Package account opens the account that a tool works on: that of the AWS_* environment, or the running local cloud.
package account

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/shared/program/env"
)

// Open opens the account whose resources the variables name. If none is set, it opens the local cloud that runs on
// DATA_DIR, with the names that its programs have. Some without the others are an error: a tool would work on both.
func Open(ctx context.Context, variables ...string) (cfg aws.Config, names map[string]string, err error) {
	var r env.Reader
	names, set := map[string]string{}, 0
	for _, variable := range variables {
		if names[variable] = r.Default(variable, ""); names[variable] != "" {
			set++
		}
	}
	switch set {
	case len(variables):
		cfg, err = config.LoadDefaultConfig(ctx)
		return cfg, names, err
	case 0:
		return running(r.Default("DATA_DIR", ".local"), r.Default("AWS_BIND", "127.0.0.1"), names)
	}
	return cfg, nil, fmt.Errorf("set all of %s, or none for the running local cloud", strings.Join(variables, ", "))
}

// running opens the local cloud on a data directory, whose services are bound to an address, and fills in the names.
func running(dataDir, bind string, names map[string]string) (aws.Config, map[string]string, error) {
	path := filepath.Join(dataDir, cloud.SAMFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return aws.Config{}, nil, fmt.Errorf("`make run` has not been here: %w", err)
	}
	var programs map[string]map[string]string
	if err := json.Unmarshal(text, &programs); err != nil {
		return aws.Config{}, nil, fmt.Errorf("%s: %w", path, err)
	}

	address := ""
	for _, environment := range programs {
		address = cmp.Or(environment["AWS_ENDPOINT_URL"], address)
		for variable := range names {
			names[variable] = cmp.Or(environment[variable], names[variable])
		}
	}
	at, err := url.Parse(address)
	if err != nil || address == "" {
		return aws.Config{}, nil, fmt.Errorf("%s: it names no address of the services: %q", path, address)
	}
	at.Host = net.JoinHostPort(bind, at.Port()) // the file has the name that containers use
	return ddb.SDK(at.String()), names, nil
}
