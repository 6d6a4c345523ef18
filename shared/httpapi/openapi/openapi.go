// Package openapi is the description of all endpoints and the page that shows it.
//
// openapi.json is made by `make openapi` out of common.yaml and of what stands beside the routes of each program, in
// functions/*/api/openapi*.yaml.
package openapi

import _ "embed"

// Document is the description, OpenAPI 3.1 as JSON.
//
//go:embed openapi.json
var Document []byte
