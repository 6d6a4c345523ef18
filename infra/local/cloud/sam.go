package cloud

import (
	"context"
	"maps"
	"net"
	"net/url"
	"path/filepath"

	"minicloud/infra/local/disk"
	"minicloud/infra/local/iam"
)

// SAMFile is the file in the data directory for `sam local --env-vars`: environment variables that make programs in
// sam's containers use the services of this cloud.
const SAMFile = "sam-env.json"

// hostOfContainers is the host name of this machine inside containers. Docker Desktop defines it; elsewhere `make
// sam-local` adds it.
const hostOfContainers = "host.docker.internal"

// keepSAMEnvironment writes SAMFile. The template declares AWS_ENDPOINT_URL because sam passes on only declared
// variables.
func (c *Cloud) keepSAMEnvironment(context.Context) error {
	endpoint, err := c.endpointForContainers()
	if err != nil {
		return err
	}

	environments := map[string]map[string]string{}
	for _, f := range c.Template.Functions {
		// Clone the map: the host uses it for its own processes.
		environment := maps.Clone(f.Environment)
		if iam.Uses(f) {
			environment["AWS_ENDPOINT_URL"] = endpoint
		}
		environments[f.ID] = environment
	}
	return disk.ReplaceJSON(filepath.Join(c.cfg.DataDir, SAMFile), environments)
}

// endpointForContainers returns the address of the services for containers.
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
