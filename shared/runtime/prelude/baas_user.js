// BaaS.User and the groups that users are in. What only functions may do has
// endpoints of its own, below /dserve/.
(function (host, load) {
  "use strict";
  const { api, wrong, key, BaaSError } = load("baas");
  const { Record, Selection, rows, counted, quiet, many, count } = load("baas_record");
  const { Query } = load("baas_query");
  const listed = "/userve/v2.2/miniapp/user_profile/", written = "/dserve/v1/user/profile/", table = "_userprofile";

  class NewUser extends Record {
    constructor() { super(table); }
    save() { return rows(api("POST", written, null, this.take())); }
  }

  class StoredUser extends Record {
    #send;
    constructor(id, send) {
      super(table, id);
      this.#send = send;
    }
    update(options) { return this.#send(this.take(), options); }
    save() { return Promise.reject(new BaaSError(609, "save failed: the user is there already, call update()")); }
    setAccount({ username, email, phone, password } = {}) {
      if (this.id === undefined) throw wrong("setAccount needs the record of one user");
      return api("PUT", `/userve/v2.2/miniapp/user/account/${key(this.id)}/`, null, { username, email, phone, new_password: password });
    }
  }

  class User extends Selection {
    get(id) { return rows(api("GET", `${listed}${key(id, "a user")}/`, this.parameters()), this.expansion()); }
    find(options) { return rows(api("GET", listed, this.parameters(counted(options))), this.expansion()); }
    count() { return count(listed, this.parameters()); }
    create() { return new NewUser(); }
    getWithoutData(target) {
      if (target instanceof Query) return new StoredUser(undefined, (body, options) => api("PUT", written, many(this, target, options), body));
      const path = `${written}${key(target, "a user")}/`;
      return new StoredUser(target, (body, options) => rows(api("PUT", path, quiet(options), body)));
    }
    delete(id) { return api("DELETE", `${written}${key(id, "a user")}/`); }
  }

  const list = (one) => [one].flat().map((id) => (id instanceof Record ? id.id : id));
  const membership = (op, users, groups) =>
    api("PATCH", "/oserve/v1/miniapp/group/membership/", null, [{ op, path: "/membership", users: list(users).map(Number), groups: list(groups).map(Number) }]);

  // Groups is what groups and super groups have in common.
  class Groups {
    #path;
    constructor(path) { this.#path = path; }
    #one(id) { return `${this.#path}${key(id, "a group")}/`; }
    get(id) { return api("GET", this.#one(id)); }
    list(query) { return api("GET", this.#path, query); }
    create(body) { return api("POST", this.#path, null, { ...body }); }
    update(id, body) { return api("PUT", this.#one(id), null, { ...body }); }
    delete(ids) {
      const all = list(ids);
      if (all.length === 0) throw wrong("delete needs ids");
      return api("DELETE", this.#path, { id__in: all.map((id) => key(id, "a group")).join(",") });
    }
  }
  const groups = new Groups("/oserve/v1/user-group/"), superGroups = new Groups("/oserve/v1/user-supergroup/");

  class UserGroup {
    get(id) { return groups.get(id); }
    getUserGroupList({ parentID, offset, limit } = {}) { return groups.list({ parent_id: parentID, offset, limit }); }
    create(body) { return groups.create(body); }
    update(id, body) { return groups.update(id, body); }
    delete(ids) { return groups.delete(ids); }
    addUserIntoGroup(users, into) { return membership("add", users, into); }
    removeUserFromGroup(users, from) { return membership("remove", users, from); }
  }

  // UserSuperGroup is a group of groups; children of update replace those there are.
  class UserSuperGroup {
    get(id) { return superGroups.get(id); }
    getUserSuperGroupList({ offset, limit } = {}) { return superGroups.list({ offset, limit }); }
    create(body) { return superGroups.create(body); }
    update(id, body) { return superGroups.update(id, body); }
    delete(ids) { return superGroups.delete(ids); }
  }

  return { __proto__: null, User, UserGroup, UserSuperGroup };
});
