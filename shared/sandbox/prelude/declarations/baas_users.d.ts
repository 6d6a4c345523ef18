// Users and their groups.
declare namespace BaaS {
  interface NewUser extends Record {
    /** Needs _username, _phone, _email or _provider; _password needs a name or an email. */
    save(): Promise<Answer>;
  }
  interface StoredUser extends Record {
    update(options?: WriteOptions): Promise<Answer>;
    /** How the user logs in; null resets. */
    setAccount(account: { username?: string | null; email?: string | null; phone?: string | null; password?: string }): Promise<Answer>;
  }

  /** Users of the application. */
  class User extends Selection {
    get(id: number): Promise<Answer>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page>>;
    count(): Promise<number>;
    create(): NewUser;
    /** Custom fields, nickname gender country province city language avatar. */
    getWithoutData(target: number | Query): StoredUser;
    delete(id: number): Promise<Answer>;
  }

  class UserGroup {
    get(id: number): Promise<Answer>;
    getUserGroupList(options?: { parentID?: number; offset?: number; limit?: number }): Promise<Answer<Page>>;
    create(group: { name: string; parent?: number }): Promise<Answer>;
    update(id: number, group: { name: string }): Promise<Answer>;
    delete(ids: number | number[]): Promise<Answer>;
    addUserIntoGroup(users: any, groups: number | number[]): Promise<Answer>;
    removeUserFromGroup(users: any, groups: number | number[]): Promise<Answer>;
  }
  /** Rejects with 611: groups have no groups yet. */
  class UserSuperGroup {
    get(id: number): Promise<Answer>;
    getUserSuperGroupList(options?: { offset?: number; limit?: number }): Promise<Answer<Page>>;
    create(group: object): Promise<Answer>;
    update(id: number, group: object): Promise<Answer>;
    delete(ids: number | number[]): Promise<Answer>;
  }
}
