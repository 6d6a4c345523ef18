// BaaS.Validator: the handler of each kind of event of a table validator.
(function () {
  "use strict";
  class Validator {
    #handlers;
    constructor(handlers) { this.#handlers = { ...handlers }; }
    // validate calls onCreate, onBulkUpdate … by event.data.event. What nobody
    // handles is valid.
    validate(event) {
      const name = `${event?.data?.event ?? ""}`.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
      const handler = this.#handlers[`on${name}`];
      return typeof handler === "function" ? handler.call(this.#handlers, event) : true;
    }
  }
  return { __proto__: null, Validator };
});
