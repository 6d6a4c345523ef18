package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// signIn signs the administrator in to the console, once.
func (c *client) signIn(ctx context.Context) error {
	if c.cookie != "" {
		return nil
	}
	credentials, err := json.Marshal(map[string]string{
		"email": c.cloud.Credentials.ConsoleEmail, "password": c.cloud.Credentials.ConsolePassword,
	})
	if err != nil {
		return err
	}
	const path = "/console/api/session/"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cloud.URL+path, strings.NewReader(string(credentials)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")

	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		return fmt.Errorf("POST %s answered %d with %d cookies: %s", path, res.StatusCode, len(res.Cookies()), body)
	}

	var session struct {
		CSRF string `json:"csrf_token"`
	}
	c.cookie = res.Cookies()[0].Value
	err = json.Unmarshal(body, &session)
	c.csrf = session.CSRF
	return err
}
