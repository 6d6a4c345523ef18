package openapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"minicloud/infra/openapi/routes"
)

// Missing reports routes that a document does not describe, and operations whose operationId is missing or used
// twice.
func Missing(document []byte, all []routes.Route) []string {
	var read struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return []string{err.Error()}
	}

	var problems []string
	described, named := map[string]bool{}, map[string]string{}
	for path, item := range read.Paths {
		for _, method := range methods {
			text, ok := item[method]
			if !ok {
				continue
			}
			// Shapes are compared, because names of path variables differ between routes and document.
			here := strings.ToUpper(method) + " " + routes.Shape(path)
			described[here] = true
			var operation struct {
				OperationID string
				Summary     string
			}
			if err := json.Unmarshal(text, &operation); err != nil || operation.OperationID == "" || operation.Summary == "" {
				problems = append(problems, here+" has no operationId or no summary")
			}
			if other, twice := named[operation.OperationID]; twice {
				problems = append(problems, fmt.Sprintf("%s and %s are both called %s", here, other, operation.OperationID))
			}
			named[operation.OperationID] = here
		}
	}

	for _, r := range all {
		if !described[r.Method+" "+routes.Shape(r.Path)] {
			problems = append(problems, fmt.Sprintf(
				"functions/%s/api/openapi.yaml describes no %s %s: add it and run make openapi", r.Program, r.Method, r.Path))
		}
	}
	return problems
}
