// require, and which modules there are. Packages are bundled into the function with esbuild; any other module throws
// an error that says how.

/** A module that loads and whose members throw when they are called. */
interface AbsentModule {}

/** Every member throws when it is called. @deprecated the only way out is BaaS.request or fetch */
declare module "tls" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated the only way out is BaaS.request or fetch */
declare module "dgram" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated the only way out is BaaS.request or fetch */
declare module "dns" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated the only way out is BaaS.request or fetch */
declare module "dns/promises" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated the only way out is BaaS.request or fetch */
declare module "http2" {
  const absent: AbsentModule;
  export = absent;
}
/**
 * Every member throws when it is called. @deprecated a function runs alone; start another with BaaS.invoke(name,
 * data)
 */
declare module "child_process" {
  const absent: AbsentModule;
  export = absent;
}
/**
 * Every member throws when it is called. @deprecated a function runs alone; start another with BaaS.invoke(name,
 * data)
 */
declare module "cluster" {
  const absent: AbsentModule;
  export = absent;
}
/**
 * Every member throws when it is called. @deprecated a function runs alone; start another with BaaS.invoke(name,
 * data)
 */
declare module "worker_threads" {
  const absent: AbsentModule;
  export = absent;
}
/**
 * Every member throws when it is called. @deprecated a function runs alone; start another with BaaS.invoke(name,
 * data)
 */
declare module "vm" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated catch errors where they happen */
declare module "domain" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated write with console */
declare module "inspector" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated write with console */
declare module "inspector/promises" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated nobody is at a terminal */
declare module "readline" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated nobody is at a terminal */
declare module "readline/promises" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated nobody is at a terminal */
declare module "repl" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated use stream */
declare module "stream/web" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated write with console */
declare module "trace_events" {
  const absent: AbsentModule;
  export = absent;
}
/** Every member throws when it is called. @deprecated take the JavaScript build of the package */
declare module "wasi" {
  const absent: AbsentModule;
  export = absent;
}

/** Every module of Node loads, with or without "node:"; what it cannot do here throws when it is called. */
interface NodeModules {
  assert: typeof import("assert");
  "assert/strict": typeof import("assert/strict");
  async_hooks: typeof import("async_hooks");
  buffer: typeof import("buffer");
  child_process: typeof import("child_process");
  cluster: typeof import("cluster");
  console: typeof import("console");
  constants: typeof import("constants");
  crypto: typeof import("crypto");
  dgram: typeof import("dgram");
  diagnostics_channel: typeof import("diagnostics_channel");
  dns: typeof import("dns");
  "dns/promises": typeof import("dns/promises");
  domain: typeof import("domain");
  events: typeof import("events");
  fs: typeof import("fs");
  "fs/promises": typeof import("fs/promises");
  http: typeof import("http");
  http2: typeof import("http2");
  https: typeof import("https");
  inspector: typeof import("inspector");
  "inspector/promises": typeof import("inspector/promises");
  module: typeof import("module");
  net: typeof import("net");
  os: typeof import("os");
  path: typeof import("path");
  "path/posix": typeof import("path/posix");
  "path/win32": typeof import("path/win32");
  perf_hooks: typeof import("perf_hooks");
  process: typeof import("process");
  punycode: typeof import("punycode");
  querystring: typeof import("querystring");
  readline: typeof import("readline");
  "readline/promises": typeof import("readline/promises");
  repl: typeof import("repl");
  stream: typeof import("stream");
  "stream/consumers": typeof import("stream/consumers");
  "stream/promises": typeof import("stream/promises");
  "stream/web": typeof import("stream/web");
  string_decoder: typeof import("string_decoder");
  sys: typeof import("sys");
  timers: typeof import("timers");
  "timers/promises": typeof import("timers/promises");
  tls: typeof import("tls");
  trace_events: typeof import("trace_events");
  tty: typeof import("tty");
  url: typeof import("url");
  util: typeof import("util");
  "util/types": typeof import("util/types");
  v8: typeof import("v8");
  vm: typeof import("vm");
  wasi: typeof import("wasi");
  worker_threads: typeof import("worker_threads");
  zlib: typeof import("zlib");
}
interface Require {
  <Name extends keyof NodeModules>(name: Name | `node:${Name}`): NodeModules[Name];
  (name: string): any;
  /** The name, if there is such a module. */
  resolve(name: string): string;
  readonly main: any;
  readonly cache: any;
  readonly extensions: any;
}
declare var require: Require;

declare module "node:assert" {
  import module = require("assert");
  export = module;
}
declare module "node:assert/strict" {
  import module = require("assert/strict");
  export = module;
}
declare module "node:async_hooks" {
  export * from "async_hooks";
}
declare module "node:buffer" {
  export * from "buffer";
}
declare module "node:child_process" {
  import module = require("child_process");
  export = module;
}
declare module "node:cluster" {
  import module = require("cluster");
  export = module;
}
declare module "node:console" {
  import module = require("console");
  export = module;
}
declare module "node:constants" {
  import module = require("constants");
  export = module;
}
declare module "node:crypto" {
  export * from "crypto";
}
declare module "node:dgram" {
  import module = require("dgram");
  export = module;
}
declare module "node:diagnostics_channel" {
  export * from "diagnostics_channel";
}
declare module "node:dns" {
  import module = require("dns");
  export = module;
}
declare module "node:dns/promises" {
  import module = require("dns/promises");
  export = module;
}
declare module "node:domain" {
  import module = require("domain");
  export = module;
}
declare module "node:events" {
  import module = require("events");
  export = module;
}
declare module "node:fs" {
  export * from "fs";
}
declare module "node:fs/promises" {
  export * from "fs/promises";
}
declare module "node:http" {
  export * from "http";
}
declare module "node:http2" {
  import module = require("http2");
  export = module;
}
declare module "node:https" {
  export * from "https";
}
declare module "node:inspector" {
  import module = require("inspector");
  export = module;
}
declare module "node:inspector/promises" {
  import module = require("inspector/promises");
  export = module;
}
declare module "node:module" {
  import module = require("module");
  export = module;
}
declare module "node:net" {
  export * from "net";
}
declare module "node:os" {
  export * from "os";
}
declare module "node:path" {
  import module = require("path");
  export = module;
}
declare module "node:path/posix" {
  import module = require("path/posix");
  export = module;
}
declare module "node:path/win32" {
  import module = require("path/win32");
  export = module;
}
declare module "node:perf_hooks" {
  export * from "perf_hooks";
}
declare module "node:process" {
  import module = require("process");
  export = module;
}
declare module "node:punycode" {
  export * from "punycode";
}
declare module "node:querystring" {
  export * from "querystring";
}
declare module "node:readline" {
  import module = require("readline");
  export = module;
}
declare module "node:readline/promises" {
  import module = require("readline/promises");
  export = module;
}
declare module "node:repl" {
  import module = require("repl");
  export = module;
}
declare module "node:stream" {
  export * from "stream";
}
declare module "node:stream/consumers" {
  export * from "stream/consumers";
}
declare module "node:stream/promises" {
  export * from "stream/promises";
}
declare module "node:stream/web" {
  import module = require("stream/web");
  export = module;
}
declare module "node:string_decoder" {
  export * from "string_decoder";
}
declare module "node:sys" {
  export * from "sys";
}
declare module "node:timers" {
  export * from "timers";
}
declare module "node:timers/promises" {
  export * from "timers/promises";
}
declare module "node:tls" {
  import module = require("tls");
  export = module;
}
declare module "node:trace_events" {
  import module = require("trace_events");
  export = module;
}
declare module "node:tty" {
  export * from "tty";
}
declare module "node:url" {
  export * from "url";
}
declare module "node:util" {
  export * from "util";
}
declare module "node:util/types" {
  export * from "util/types";
}
declare module "node:v8" {
  export * from "v8";
}
declare module "node:vm" {
  import module = require("vm");
  export = module;
}
declare module "node:wasi" {
  import module = require("wasi");
  export = module;
}
declare module "node:worker_threads" {
  import module = require("worker_threads");
  export = module;
}
declare module "node:zlib" {
  export * from "zlib";
}
