package cloud

import (
	"encoding/json"
	"maps"
	"net"
	"net/url"
	"path/filepath"

	"minicloud/infra/local/disk"
	"minicloud/infra/local/iam"
)

// SAMFile is the file in the data directory that `sam local --env-vars` reads:
// the environment that makes a program in a container of sam's use the services
// of this cloud.
const SAMFile = "sam-env.json"

// hostOfContainers is what containers call the machine they run on. Docker
// Desktop knows the name; elsewhere `make sam-local` adds it.
const hostOfContainers = "host.docker.internal"

// keepSAMEnvironment writes SAMFile. sam passes on only variables that the
// template declares; AWS_ENDPOINT_URL is declared for its sake.
func (c *Cloud) keepSAMEnvironment() error {
	endpoint, err := c.endpointForContainers()
	if err != nil {
		return err
	}

	environments := map[string]map[string]string{}
	for _, f := range c.Template.Functions {
		// A copy: the host uses the template's map for its own processes.
		environment := maps.Clone(f.Environment)
		if iam.Uses(f) {
			environment["AWS_ENDPOINT_URL"] = endpoint
		}
		environments[f.ID] = environment
	}
	text, err := json.MarshalIndent(environments, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(c.cfg.DataDir, SAMFile), append(text, '\n'))
}

// endpointForContainers is the address of the services as containers reach it.
func (c *Cloud) endpointForContainers() (string, error) {
	address, err := url.Parse(c.Services)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(address.Hostname()); ip != nil && ip.IsLoopback() {
		address.Host = net.JoinHostPort(hostOfContainers, address.Port())
	}
	return address.String(), nil
}
