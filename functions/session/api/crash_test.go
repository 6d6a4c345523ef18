package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/page"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

func tables(t *testing.T) *dynamodb.Client {
	return dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable", "IdempotencyTable")
}

// profiles returns the number of users.
func (p *platform) profiles(t testing.TB) int {
	t.Helper()
	found, err := p.logins.Users.Profiles(t.Context(), shopScope, user.Query{Page: page.Request{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Objects)
}

// TestFailedRegistrationLeavesNothing: whatever call fails, a registration creates the user whole or not at all, and
// the name is free for the next one.
func TestFailedRegistrationLeavesNothing(t *testing.T) {
	client, tries := tables(t), 0
	p := platformOn(client)
	guest := p.want(t, nil, loginAnonymous, "", 201).text("token")
	for _, before := range []*session.Identity{nil, p.identity(t, guest)} {
		name := fmt.Sprintf("ada %v", before != nil)
		dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
			tries++
			_, err := platformOn(failing).logins.Register(t.Context(), shopScope, login.Credentials{
				Method: app.LoginUsername, Name: name, Password: "correct horse",
			}, before)
			if err != nil && p.profiles(t) != 1 && before == nil {
				t.Errorf("try %d left %d profiles", tries, p.profiles(t))
			}
			if err != nil && before != nil && !p.live(t, nil, guest) {
				t.Errorf("try %d ended the session of the guest", tries)
			}
			return err
		})
		p.want(t, nil, loginUsername, fmt.Sprintf(`{"username":%q,"password":"correct horse"}`, name), 201)
		if before == nil {
			p.want(t, nil, registerUsername, fmt.Sprintf(`{"username":%q,"password":"correct horse"}`, name), 400)
		}
	}
	if got := p.profiles(t); got != 2 {
		t.Errorf("%d profiles after one guest and one registration", got)
	}
}

// identity returns the user of a token.
func (p *platform) identity(t testing.TB, token string) *session.Identity {
	t.Helper()
	verifier := session.Verifier{Store: p.sessions, Clock: p.time}
	who, err := verifier.VerifySession(t.Context(), shopScope, token)
	if err != nil {
		t.Fatal(err)
	}
	return &who
}

// TestLostAnswers: a call whose answer is lost is sent again and takes effect once.
func TestLostAnswers(t *testing.T) {
	client, lost := tables(t), ""
	p := platformOn(dynamotest.Faulty(client, func(operation string) dynamotest.Fault {
		if operation == lost {
			lost = ""
			return dynamotest.Unheard
		}
		return 0
	}))
	lose := func(operation string, from caller, request, body string, status int) answer {
		t.Helper()
		lost = operation
		got := p.want(t, from, request, body, status)
		if lost != "" {
			t.Errorf("%s makes no call of %s", request, operation)
		}
		return got
	}

	made := lose("TransactWriteItems", nil, registerUsername, ada, 201)
	here := caller{}.with(made.text("token"))
	lose("PutItem", nil, loginUsername, ada, 201)
	lose("TransactWriteItems", here, account, `{"new_password":"longer horse","password":"correct horse"}`, 200)
	lose("TransactWriteItems", here, closing, `{"password":"longer horse"}`, 201)
	if got := p.profiles(t); got != 1 {
		t.Errorf("%d users", got)
	}
	p.want(t, nil, loginUsername, strings.Replace(ada, "correct", "longer", 1), 400)
}

// TestClosingGoesOn: whatever call fails, a repeated call closes the account.
func TestClosingGoesOn(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	made := p.want(t, nil, registerUsername, ada, 201)
	who, word := p.identity(t, made.text("token")), "correct horse"
	dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
		return platformOn(failing).logins.CloseOwn(t.Context(), shopScope, login.Caller{Identity: *who, Password: &word})
	})
	p.want(t, nil, registerUsername, ada, 201)
	if all, err := p.sessions.Sessions(t.Context(), shopScope, made.id()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
