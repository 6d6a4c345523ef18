// The members of util that few functions ask for.
(function (host, load) {
  "use strict";
  const { coded, wrongType, needText } = load("node/errors");
  const errors = "-7 E2BIG argument list too long|-13 EACCES permission denied|-98 EADDRINUSE address already in use|-99 EADDRNOTAVAIL address not available|-97 EAFNOSUPPORT address family not supported|-11 EAGAIN resource temporarily unavailable|-3000 EAI_ADDRFAMILY address family not supported|-3001 EAI_AGAIN temporary failure|-3002 EAI_BADFLAGS bad ai_flags value|-3013 EAI_BADHINTS invalid value for hints|-3003 EAI_CANCELED request canceled|-3004 EAI_FAIL permanent failure|-3005 EAI_FAMILY ai_family not supported|-3006 EAI_MEMORY out of memory|-3007 EAI_NODATA no address|-3008 EAI_NONAME unknown node or service|-3009 EAI_OVERFLOW argument buffer overflow|-3014 EAI_PROTOCOL resolved protocol is unknown|-3010 EAI_SERVICE service not available for socket type|-3011 EAI_SOCKTYPE socket type not supported|-114 EALREADY connection already in progress|-9 EBADF bad file descriptor|-16 EBUSY resource busy or locked|-125 ECANCELED operation canceled|-4080 ECHARSET invalid Unicode character|-103 ECONNABORTED software caused connection abort|-111 ECONNREFUSED connection refused|-104 ECONNRESET connection reset by peer|-89 EDESTADDRREQ destination address required|-17 EEXIST file already exists|-14 EFAULT bad address in system call argument|-27 EFBIG file too large|-113 EHOSTUNREACH host is unreachable|-4 EINTR interrupted system call|-22 EINVAL invalid argument|-5 EIO i/o error|-106 EISCONN socket is already connected|-21 EISDIR illegal operation on a directory|-40 ELOOP too many symbolic links encountered|-24 EMFILE too many open files|-90 EMSGSIZE message too long|-36 ENAMETOOLONG name too long|-100 ENETDOWN network is down|-101 ENETUNREACH network is unreachable|-23 ENFILE file table overflow|-105 ENOBUFS no buffer space available|-19 ENODEV no such device|-2 ENOENT no such file or directory|-12 ENOMEM not enough memory|-64 ENONET machine is not on the network|-92 ENOPROTOOPT protocol not available|-28 ENOSPC no space left on device|-38 ENOSYS function not implemented|-107 ENOTCONN socket is not connected|-20 ENOTDIR not a directory|-39 ENOTEMPTY directory not empty|-88 ENOTSOCK socket operation on non-socket|-95 ENOTSUP operation not supported on socket|-75 EOVERFLOW value too large for defined data type|-1 EPERM operation not permitted|-32 EPIPE broken pipe|-71 EPROTO protocol error|-93 EPROTONOSUPPORT protocol not supported|-91 EPROTOTYPE protocol wrong type for socket|-34 ERANGE result too large|-30 EROFS read-only file system|-108 ESHUTDOWN cannot send after transport endpoint shutdown|-29 ESPIPE invalid seek|-3 ESRCH no such process|-110 ETIMEDOUT connection timed out|-26 ETXTBSY text file is busy|-18 EXDEV cross-device link not permitted|-4094 UNKNOWN unknown error|-4095 EOF end of file|-6 ENXIO no such device or address|-31 EMLINK too many links|-112 EHOSTDOWN host is down|-121 EREMOTEIO remote I/O error|-25 ENOTTY inappropriate ioctl for device|-4028 EFTYPE inappropriate file type or format|-84 EILSEQ illegal byte sequence|-94 ESOCKTNOSUPPORT socket type not supported|-61 ENODATA no data available|-49 EUNATCH protocol driver not attached";
  const styles = "reset 0 0,bold 1 22,dim 2 22,italic 3 23,underline 4 24,blink 5 25,inverse 7 27,hidden 8 28,strikethrough 9 29,doubleunderline 21 24,black 30 39,red 31 39,green 32 39,yellow 33 39,blue 34 39,magenta 35 39,cyan 36 39,white 37 39,bgBlack 40 49,bgRed 41 49,bgGreen 42 49,bgYellow 43 49,bgBlue 44 49,bgMagenta 45 49,bgCyan 46 49,bgWhite 47 49,framed 51 54,overlined 53 55,gray 90 39,redBright 91 39,greenBright 92 39,yellowBright 93 39,blueBright 94 39,magentaBright 95 39,cyanBright 96 39,whiteBright 97 39,bgGray 100 49,bgRedBright 101 49,bgGreenBright 102 49,bgYellowBright 103 49,bgBlueBright 104 49,bgMagentaBright 105 49,bgCyanBright 106 49,bgWhiteBright 107 49";

  const systemErrors = () => new Map(errors.split("|").map((line) => { const [, number, code, text] = /^(\S+) (\S+) (.*)$/.exec(line); return [Number(number), [code, text]]; }));
  function getSystemErrorName(number) {
    if (typeof number !== "number") throw wrongType("err", "number", number);
    if (!Number.isInteger(number) || number >= 0) throw load("node/errors").outOfRange("err", "a negative integer", number);
    return systemErrors().get(number)?.[0] ?? `Unknown system error ${number}`;
  }

  const colors = () => Object.fromEntries(styles.split(",").map((line) => { const [name, on, off] = line.split(" "); return [name, [Number(on), Number(off)]]; }));
  function styleText(format, text) {
    needText(text, "text");
    const table = colors(), list = [].concat(format);
    let before = "", after = "";
    for (const name of list) {
      if (table[name] === undefined) throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'format' must be one of: ${Object.keys(table).map((k) => `'${k}'`).join(", ")}. Received ${load("inspect").inspect(name)}`);
      before += `\u001b[${table[name][0]}m`;
      after = `\u001b[${table[name][1]}m${after}`;
    }
    return before + text + after;
  }

  function parseEnv(content) {
    needText(content, "content");
    const out = {};
    const line = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*("(?:[^"])*"|'(?:[^'])*'|`(?:[^`])*`|[^#\r\n]*)/gm;
    for (const [, key, raw] of content.matchAll(line)) {
      const text = raw.trim(), quote = text[0];
      if (text.length > 1 && (quote === '"' || quote === "'" || quote === "`") && text.endsWith(quote)) out[key] = quote === '"' ? text.slice(1, -1).replaceAll("\\n", "\n") : text.slice(1, -1);
      else out[key] = text;
    }
    return out;
  }

  function aborted(signal, resource) {
    if (typeof signal !== "object" || signal === null || !("aborted" in signal)) throw wrongType("signal", "AbortSignal", signal);
    if (typeof resource !== "object" || resource === null) throw wrongType("resource", "object", resource);
    if (signal.aborted) return Promise.resolve();
    return new Promise((done) => signal.addEventListener("abort", done, { once: true }));
  }

  // The package throws plain errors where Node's are TypeErrors.
  function parseArgs(config) {
    try {
      return load("vendor/parseargs").parseArgs(config);
    } catch (error) {
      throw error.code === undefined || error instanceof TypeError ? error : coded(TypeError, error.code, error.message);
    }
  }

  // ---- media types

  const token = /^[-!#$%&'*+.^_`|~A-Za-z0-9]+$/;
  const invalid = (what, text) => coded(TypeError, "ERR_INVALID_MIME_SYNTAX", `The MIME syntax for a ${what} in ${JSON.stringify(text)} is invalid`);

  class MIMEParams {
    #map = new Map();
    delete(name) { this.#map.delete(`${name}`); }
    get(name) { return this.#map.get(`${name}`) ?? null; }
    has(name) { return this.#map.has(`${name}`); }
    set(name, value) {
      if (!token.test(name)) throw invalid("parameter name", name);
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(`${value}`)) throw invalid("parameter value", value);
      this.#map.set(`${name}`, `${value}`);
    }
    entries() { return this.#map.entries(); }
    keys() { return this.#map.keys(); }
    values() { return this.#map.values(); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return [...this.#map].map(([k, v]) => `${k}=${token.test(v) ? v : `"${v.replace(/[\\"]/g, "\\$&")}"`}`).join(";"); }
    toJSON() { return this.toString(); }
  }

  class MIMEType {
    #type; #subtype;
    #params = new MIMEParams();
    constructor(input) {
      const text = `${input}`.trim(), [head] = text.split(";"), [type, subtype] = head.trim().split("/");
      if (!token.test(type) || subtype === undefined) throw invalid("type", text);
      if (!token.test(subtype)) throw invalid("subtype", text);
      this.#type = type.toLowerCase();
      this.#subtype = subtype.toLowerCase();
      for (const [, name, quoted, plain] of text.slice(head.length).matchAll(/;\s*([^=;]+)=(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g)) {
        const key = name.trim().toLowerCase(), value = quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, "$1");
        if (token.test(key) && !this.#params.has(key) && (quoted !== undefined || value !== "")) this.#params.set(key, value);
      }
    }
    get type() { return this.#type; }
    set type(v) {
      if (!token.test(`${v}`)) throw invalid("type", v);
      this.#type = `${v}`.toLowerCase();
    }
    get subtype() { return this.#subtype; }
    set subtype(v) {
      if (!token.test(`${v}`)) throw invalid("subtype", v);
      this.#subtype = `${v}`.toLowerCase();
    }
    get essence() { return `${this.#type}/${this.#subtype}`; }
    get params() { return this.#params; }
    toString() {
      const params = this.#params.toString();
      return params === "" ? this.essence : `${this.essence};${params}`;
    }
    toJSON() { return this.toString(); }
  }

  return {
    __proto__: null, colors, members: {
      getSystemErrorName, getSystemErrorMap: systemErrors, styleText, parseEnv, aborted, MIMEType, MIMEParams, parseArgs,
      transferableAbortController: () => new (load("event_target").AbortController)(), transferableAbortSignal: (signal) => signal,
      isBuffer: (v) => load("buffer").Buffer.isBuffer(v), log: (...args) => load("console").console.log(...args),
      _extend: (target, source) => (source !== null && typeof source === "object" ? Object.assign(target, source) : target),
    },
  };
});
