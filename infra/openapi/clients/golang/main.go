// Command golang plays a story with the client that oapi-codegen generates from the description: get a token, run a
// function, create a table and a row, and query the row. It reads BASE_URL, CLIENT_ID and CLIENT_SECRET.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
)

//go:generate go tool oapi-codegen -config config.yaml ../../../../shared/httpapi/openapi/openapi.json

func main() {
	if err := play(context.Background(), os.Getenv("BASE_URL"), os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, base, id, secret string) error {
	c, err := signIn(ctx, base, id, secret)
	if err != nil {
		return err
	}

	made, err := c.CreateFunctionWithResponse(ctx, nil, CreateFunctionJSONRequestBody{
		Name: "golangClient", FunctionCode: "exports.main = async (event) => `hello ${event.data.name}`",
	})
	if err != nil || made.JSON201 == nil {
		return fmt.Errorf("create a function: %w, %s", err, made.Body)
	}
	ran, err := c.RunFunctionWithResponse(ctx, made.JSON201.Name, nil,
		RunFunctionJSONRequestBody{Data: map[string]any{"name": "Ada"}})
	if err != nil || ran.JSON200 == nil {
		return fmt.Errorf("run it: %w, %s", err, ran.Body)
	}
	if run, err := ran.JSON200.AsRun(); err != nil || run.Data != "hello Ada" {
		return fmt.Errorf("it answered %v, %w", run.Data, err)
	}

	table, err := c.CreateTableWithResponse(ctx, nil, CreateTableJSONRequestBody{
		Name: "golang_client", Schema: &TableSchemaDraft{Fields: []ColumnDraft{{Name: "height", Type: ColumnDraftTypeNumber}}},
	})
	if err != nil || table.JSON201 == nil {
		return fmt.Errorf("create a table: %w, %s", err, table.Body)
	}
	var row CreateRowsJSONRequestBody
	if err := row.FromRowDraft(RowDraft{AdditionalProperties: map[string]any{"height": 20.5}}); err != nil {
		return err
	}
	if created, err := c.CreateRowsWithResponse(ctx, table.JSON201.Name, nil, row); err != nil || created.JSON201 == nil {
		return fmt.Errorf("create a row: %w, %s", err, created.Body)
	}
	where := `{"height":{"$gte":10}}`
	found, err := c.ListRowsWithResponse(ctx, table.JSON201.Name, &ListRowsParams{Where: &where})
	if err != nil || found.JSON200 == nil {
		return fmt.Errorf("list rows: %w, %s", err, found.Body)
	}
	if n := len(found.JSON200.Objects); n != 1 {
		return fmt.Errorf("found %d rows, want 1", n)
	}
	return nil
}

// signIn returns a client with an access token.
func signIn(ctx context.Context, base, id, secret string) (*ClientWithResponses, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	token := ""
	c, err := NewClientWithResponses(base, WithHTTPClient(&http.Client{Jar: jar}),
		WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			// The closure reads the variable for each request: the first two requests precede the token.
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		}))
	if err != nil {
		return nil, err
	}

	code, err := c.AuthorizeWithResponse(ctx, nil, ClientCredentials{ClientId: id, ClientSecret: secret})
	if err != nil || code.JSON200 == nil {
		return nil, fmt.Errorf("authorize: %w, %s", err, code.Body)
	}
	var grant TokenRequest
	if err := grant.FromCodeExchange(CodeExchange{
		ClientId: id, ClientSecret: secret, Code: code.JSON200.Code, GrantType: "authorization_code",
	}); err != nil {
		return nil, err
	}
	tokens, err := c.GetTokensWithResponse(ctx, grant)
	if err != nil || tokens.JSON200 == nil {
		return nil, fmt.Errorf("exchange the code: %w, %s", err, tokens.Body)
	}
	token = tokens.JSON200.AccessToken
	return c, nil
}
