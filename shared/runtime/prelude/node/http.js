// The modules http and https: requests with whole bodies over the door of BaaS.request. The classes that are streams
// lie in http_client.js, so that requiring is cheap; servers throw.
(function (host, load) {
  "use strict";
  const { coded, unavailable } = load("node/errors");
  const network = "the only way out is BaaS.request";
  const methods = "ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE";
  const statuses = "100 Continue|101 Switching Protocols|102 Processing|103 Early Hints|200 OK|201 Created|202 Accepted|203 Non-Authoritative Information|204 No Content|205 Reset Content|206 Partial Content|207 Multi-Status|208 Already Reported|226 IM Used|300 Multiple Choices|301 Moved Permanently|302 Found|303 See Other|304 Not Modified|305 Use Proxy|307 Temporary Redirect|308 Permanent Redirect|400 Bad Request|401 Unauthorized|402 Payment Required|403 Forbidden|404 Not Found|405 Method Not Allowed|406 Not Acceptable|407 Proxy Authentication Required|408 Request Timeout|409 Conflict|410 Gone|411 Length Required|412 Precondition Failed|413 Payload Too Large|414 URI Too Long|415 Unsupported Media Type|416 Range Not Satisfiable|417 Expectation Failed|418 I'm a Teapot|421 Misdirected Request|422 Unprocessable Entity|423 Locked|424 Failed Dependency|425 Too Early|426 Upgrade Required|428 Precondition Required|429 Too Many Requests|431 Request Header Fields Too Large|451 Unavailable For Legal Reasons|500 Internal Server Error|501 Not Implemented|502 Bad Gateway|503 Service Unavailable|504 Gateway Timeout|505 HTTP Version Not Supported|506 Variant Also Negotiates|507 Insufficient Storage|508 Loop Detected|509 Bandwidth Limit Exceeded|510 Not Extended|511 Network Authentication Required";

  function validateHeaderName(name, label = "Header name") {
    if (typeof name !== "string" || !/^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/.test(name)) throw coded(TypeError, "ERR_INVALID_HTTP_TOKEN", `${label} must be a valid HTTP token ["${String(name)}"]`);
  }
  function validateHeaderValue(name, value) {
    if (value === undefined) throw coded(TypeError, "ERR_HTTP_INVALID_HEADER_VALUE", `Invalid value "${value}" for header "${name}"`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw coded(TypeError, "ERR_INVALID_CHAR", `Invalid character in header content ["${name}"]`);
  }

  const { EventEmitter } = load("events");

  // Agent keeps what it is told; every request has a connection of its own.
  function Agent(options) {
    if (!(this instanceof Agent)) return new Agent(options);
    EventEmitter.call(this);
    this.options = { __proto__: null, ...options };
    if (this.options.noDelay === undefined) this.options.noDelay = true;
    this.options.path = null;
    this.requests = { __proto__: null };
    this.sockets = { __proto__: null };
    this.freeSockets = { __proto__: null };
    this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
    this.keepAlive = this.options.keepAlive || false;
    this.maxSockets = this.options.maxSockets || Infinity;
    this.maxFreeSockets = this.options.maxFreeSockets || 256;
    this.scheduling = this.options.scheduling || "lifo";
    this.maxTotalSockets = this.options.maxTotalSockets || Infinity;
    this.totalSocketCount = 0;
  }
  Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Agent, EventEmitter);
  Object.assign(Agent.prototype, {
    defaultPort: 80, protocol: "http:",
    getName(options = {}) { return `${options.host || "localhost"}:${options.port || ""}:${options.localAddress || ""}${options.family === 4 || options.family === 6 ? `:${options.family}` : ""}`; },
    destroy() {},
    createConnection() { throw unavailable("http.Agent.createConnection", network); },
  });

  function SecureAgent(options) {
    if (!(this instanceof SecureAgent)) return new SecureAgent(options);
    Agent.call(this, options);
    this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
  }
  Object.defineProperty(SecureAgent, "name", { value: "Agent", configurable: true });
  Object.setPrototypeOf(SecureAgent.prototype, Agent.prototype);
  Object.setPrototypeOf(SecureAgent, Agent);
  Object.assign(SecureAgent.prototype, { defaultPort: 443, protocol: "https:" });

  const usual = { keepAlive: true, scheduling: "lifo", timeout: 5000 };
  const server = (module, name) => ({ [name]: function () { throw unavailable(`${module}.${name}`, network); } })[name];

  function lazy(module, name, make) {
    const set = (value) => Object.defineProperty(module, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(module, name, { __proto__: null, enumerable: true, configurable: true, set, get() { set(make()); return module[name]; } });
  }

  function make(name, AgentClass) {
    const module = { Agent: AgentClass, globalAgent: new AgentClass(usual) };
    for (const key of ["Server", "createServer"]) module[key] = server(name, key);
    module.request = function request(...args) { return load("node/http_client").request(module, ...args); };
    module.get = function get(...args) {
      const made = module.request(...args);
      made.end();
      return made;
    };
    return module;
  }

  const http = make("http", Agent);
  for (const name of ["ClientRequest", "IncomingMessage", "OutgoingMessage"]) lazy(http, name, () => load("node/http_client")[name]);
  lazy(http, "METHODS", () => methods.split(" "));
  lazy(http, "STATUS_CODES", () => Object.fromEntries(statuses.split("|").map((line) => [line.slice(0, 3), line.slice(4)])));
  http.ServerResponse = server("http", "ServerResponse");
  Object.assign(http, { validateHeaderName, validateHeaderValue, setMaxIdleHTTPParsers() {}, maxHeaderSize: 16384 });
  return { __proto__: null, http, https: make("https", SecureAgent) };
});
