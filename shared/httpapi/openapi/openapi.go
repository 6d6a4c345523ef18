// Package openapi contains the OpenAPI document of all endpoints and serves it with a viewer.
//
// `make openapi` generates openapi.json from common.yaml and from the fragments beside the routes of each program,
// functions/*/api/openapi*.yaml.
package openapi

import _ "embed"

// Document is the OpenAPI 3.1 document as JSON.
//
//go:embed openapi.json
var Document []byte
