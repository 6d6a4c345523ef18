package cloud

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
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
func (c *Cloud) keepSAMEnvironment() error {
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
	text, err := json.MarshalIndent(environments, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(c.cfg.DataDir, SAMFile), append(text, '\n'))
}

// Running returns the environments of the programs of the local cloud in a data directory, and the address of its
// services, for tools beside it. bind is the address that the services are bound to.
func Running(dataDir, bind string) (programs map[string]map[string]string, address string, err error) {
	path := filepath.Join(dataDir, SAMFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("`make run` has not been here: %w", err)
	}
	if err := json.Unmarshal(text, &programs); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	for _, environment := range programs {
		address = cmp.Or(environment["AWS_ENDPOINT_URL"], address)
	}
	at, err := url.Parse(address)
	if err != nil || address == "" {
		return nil, "", fmt.Errorf("%s: it names no address of the services: %q", path, address)
	}
	at.Host = net.JoinHostPort(bind, at.Port()) // the file has the name that containers use
	return programs, at.String(), nil
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
