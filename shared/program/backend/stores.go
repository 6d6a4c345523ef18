package backend

import (
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/message/messaging"
	"minicloud/shared/oauth"
	"minicloud/shared/order/payment"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/table/manage"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
	"minicloud/shared/user/session"
)

// Applications returns the store of applications and their keys.
func (b *Backend) Applications() *appdb.Applications {
	return &appdb.Applications{Client: b.DynamoDB, Table: b.String("APPLICATIONS_TABLE")}
}

// RunSigner returns the signer of run tokens.
func (b *Backend) RunSigner() *oauth.RunSigner {
	return &oauth.RunSigner{Applications: b.Applications(), Clock: b.Clock}
}

// Functions returns the store of cloud functions; it caches the code it has read.
func (b *Backend) Functions() *functiondb.Functions {
	return &functiondb.Functions{Client: b.DynamoDB, Table: b.String("FUNCTIONS_TABLE")}
}

// Jobs returns the store of jobs, without the counters that lists need.
func (b *Backend) Jobs() *jobdb.Store {
	return &jobdb.Store{Client: b.DynamoDB, Table: b.String("JOBS_TABLE")}
}

// Counts returns the store of counters.
func (b *Backend) Counts() *countdb.Store {
	return &countdb.Store{Client: b.DynamoDB, Table: b.String("COUNTS_TABLE"), Clock: b.Clock}
}

// Schemas returns the store of the tables that users define.
func (b *Backend) Schemas() *rowdb.Tables {
	return &rowdb.Tables{Client: b.DynamoDB, Name: b.String("TABLES_TABLE")}
}

// Rows returns the store of the rows of user tables.
func (b *Backend) Rows() *rowdb.Rows {
	return &rowdb.Rows{
		Client: b.DynamoDB, Table: b.String("ROWS_TABLE"), Indexes: b.String("ROW_INDEXES_TABLE"),
		Schemas: b.String("TABLES_TABLE"),
	}
}

// Tables returns the table engine, without the counters and the worker that table changes need.
func (b *Backend) Tables() *manage.Service {
	return &manage.Service{Schemas: b.Schemas(), Rows: b.Rows(), Clock: b.Clock, IDs: b.IDs}
}

// Operations returns the store of bulk operations, which are stored as rows.
func (b *Backend) Operations() *bulkdb.Operations {
	return &bulkdb.Operations{Client: b.DynamoDB, Rows: b.Rows()}
}

// Accounts returns the store of user accounts.
func (b *Backend) Accounts() *userdb.Accounts {
	return &userdb.Accounts{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// EndUserSessions returns the store of the sessions of end users.
func (b *Backend) EndUserSessions() *userdb.Sessions {
	return &userdb.Sessions{Client: b.DynamoDB, Table: b.String("USERS_TABLE"), Rows: b.Rows()}
}

// EndUserSessionReader returns the sessions of end users for programs that write none: it needs no table of indexes, and
// their roles have no permission for it.
func (b *Backend) EndUserSessionReader() session.Reader {
	return &userdb.Sessions{
		Client: b.DynamoDB, Table: b.String("USERS_TABLE"),
		Rows: &rowdb.Rows{Client: b.DynamoDB, Table: b.String("ROWS_TABLE")},
	}
}

// SessionKeys returns the store of the session keys of end users at vendors.
func (b *Backend) SessionKeys() *userdb.SessionKeys {
	return &userdb.SessionKeys{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// LoginAttempts returns the counters of failed passwords and new users.
func (b *Backend) LoginAttempts() *attemptdb.Store {
	return &attemptdb.Store{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// Groups returns the store of user groups.
func (b *Backend) Groups() *userdb.Groups {
	return &userdb.Groups{Client: b.DynamoDB, Table: b.String("USERS_TABLE"), Rows: b.Rows()}
}

// Tickets returns the store of user subscriptions.
func (b *Backend) Tickets() *userdb.Tickets {
	return &userdb.Tickets{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// FormIDs returns the service of the users' form ids.
func (b *Backend) FormIDs(users *user.Service) *consent.FormIDs {
	store := &userdb.FormIDs{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
	return &consent.FormIDs{Store: store, Users: users, Clock: b.Clock}
}

// Orders returns the store of orders, without the counters that lists need.
func (b *Backend) Orders() *orderdb.Store {
	return &orderdb.Store{Client: b.DynamoDB, Table: b.String("ORDERS_TABLE")}
}

// Triggers returns the store of triggers, without the Listeners that trigger changes need.
func (b *Backend) Triggers() *triggerdb.Triggers {
	return &triggerdb.Triggers{Client: b.DynamoDB, Table: b.String("TRIGGERS_TABLE"), Clock: b.Clock}
}

// OwnTriggers returns the store of triggers for programs that change them: it also updates each table's count of
// listening triggers.
func (b *Backend) OwnTriggers() *triggerdb.Triggers {
	triggers := b.Triggers()
	triggers.Listeners = b.Schemas()
	return triggers
}

// Runs returns the store of trigger runs, the trigger log.
func (b *Backend) Runs() *rundb.Runs {
	return &rundb.Runs{Client: b.DynamoDB, Table: b.String("TRIGGER_LOG_TABLE")}
}

// Claims returns the store of sent messages, by recipient.
func (b *Backend) Claims() *triggerdb.Claims {
	return &triggerdb.Claims{Client: b.DynamoDB, Table: b.String("TRIGGER_LOG_TABLE"), Clock: b.Clock}
}

// Quotas returns the store of send counts.
func (b *Backend) Quotas() *triggerdb.Quotas {
	return &triggerdb.Quotas{Client: b.DynamoDB, Table: b.String("TRIGGER_LOG_TABLE"), Clock: b.Clock}
}

// Codes returns the store of SMS verification codes.
func (b *Backend) Codes() *proofdb.Codes {
	return &proofdb.Codes{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// MailTokens returns the store of tokens in links of mails.
func (b *Backend) MailTokens() *proofdb.Links {
	return &proofdb.Links{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}
}

// MailClaims returns the store of mails to users that were sent once.
func (b *Backend) MailClaims() *triggerdb.Claims {
	return &triggerdb.Claims{Client: b.DynamoDB, Table: b.String("USERS_TABLE"), Clock: b.Clock}
}

// Marks returns the store of the row changes that runs have made.
func (b *Backend) Marks() *bulkdb.Marks {
	return &bulkdb.Marks{Client: b.DynamoDB, Rows: b.Rows()}
}

// MessageSettings returns the settings of mail, SMS and template messages, without the Sealer that changes need.
func (b *Backend) MessageSettings() *messaging.Settings {
	name := b.String("SETTINGS_TABLE")
	return &messaging.Settings{
		MailStore:    &settingdb.Messages[messaging.Mail]{Client: b.DynamoDB, Table: name, Kind: "mail"},
		SMSStore:     &settingdb.Messages[messaging.SMS]{Client: b.DynamoDB, Table: name, Kind: "sms"},
		VendorStores: settingdb.Vendors(b.DynamoDB, name), Providers: &settingdb.Providers{Client: b.DynamoDB, Table: name},
		Clock: b.Clock,
	}
}

// Allowances returns the store of senders, budgets and suppressed addresses.
func (b *Backend) Allowances() *settingdb.Allowances {
	return &settingdb.Allowances{Client: b.DynamoDB, Table: b.String("SETTINGS_TABLE")}
}

// VendorTokens returns the store of access tokens for the vendors of template messages.
func (b *Backend) VendorTokens() *settingdb.Tokens {
	return &settingdb.Tokens{Client: b.DynamoDB, Table: b.String("SETTINGS_TABLE")}
}

// PaymentSettings returns the settings of payment vendors; secrets encrypts their secrets.
func (b *Backend) PaymentSettings(secrets sealed.Sealer) *payment.Settings {
	store := &settingdb.Payments{Client: b.DynamoDB, Table: b.String("SETTINGS_TABLE")}
	return &payment.Settings{Store: store, Sealer: secrets, Clock: b.Clock}
}

// PaymentAddresses returns the deployment's addresses of the payment vendors, for settings without one.
func (b *Backend) PaymentAddresses() map[payment.Vendor]string {
	return map[payment.Vendor]string{
		payment.Chat: b.String("CHAT_PAY_API"), payment.Alt: b.String("ALT_PAY_API"), payment.Tpay: b.String("TPAY_PAY_API"),
	}
}

// Console returns the store of console accounts.
func (b *Backend) Console() *consoledb.Store {
	return &consoledb.Store{Client: b.DynamoDB, Table: b.String("CONSOLE_TABLE")}
}

// ConsoleAttempts opens the counts of wrong passwords of the console, in its table.
func (b *Backend) ConsoleAttempts() *attemptdb.Store { return (*attemptdb.Store)(b.Console()) }

// Audit returns the store of changes made by console accounts.
func (b *Backend) Audit() *consoledb.Audit {
	return &consoledb.Audit{Client: b.DynamoDB, Table: b.String("AUDIT_TABLE"), Accounts: b.String("CONSOLE_TABLE")}
}

// Promotions returns the store of promotions from one environment to another.
func (b *Backend) Promotions() *consoledb.Promotions {
	return &consoledb.Promotions{Client: b.DynamoDB, Table: b.String("CONSOLE_TABLE")}
}
