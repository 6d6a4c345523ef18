// DOMException, the error class of the web's own functions.
(function () {
  "use strict";
  const codes = {
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NoModificationAllowedError: 7,
    NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13,
    NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };

  class DOMException extends Error {
    #name;
    constructor(message = "", options = "Error") {
      super(message);
      this.#name = typeof options === "object" && options !== null ? `${options.name ?? "Error"}` : `${options}`;
      if (typeof options === "object" && options !== null && "cause" in options) {
        Object.defineProperty(this, "cause", { value: options.cause, writable: true, configurable: true });
      }
    }
    get name() { return this.#name; }
    get code() { return codes[this.#name] ?? 0; }
    get [Symbol.toStringTag]() { return "DOMException"; }
  }
  for (const [name, value] of Object.entries(codes)) {
    const constant = name.replace(/Error$/, "").replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase() + "_ERR";
    Object.defineProperty(DOMException, constant, { value, enumerable: true });
    Object.defineProperty(DOMException.prototype, constant, { value, enumerable: true });
  }
  return { __proto__: null, DOMException };
});
