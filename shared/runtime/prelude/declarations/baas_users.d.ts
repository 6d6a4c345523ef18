// Users and their groups.

declare namespace BaaS {
  interface ProfileMembers {
    id: number;
    _id: number;
    created_at: number;
    updated_at: number;
    nickname?: string | null;
    gender?: 0 | 1 | 2 | null;
    country?: string | null;
    province?: string | null;
    city?: string | null;
    language?: string | null;
    avatar?: string | null;
    is_authorized?: boolean;
    _username?: string | null;
    _email?: string | null;
    _email_verified?: boolean;
    _phone?: string | null;
    _phone_verified?: boolean;
    /** Ids of the user at vendors, by platform. */
    _provider?: { [platform: string]: any };
  }
  /** A user, with the custom fields of the table _userprofile. */
  type Profile<Custom = any> = Custom & ProfileMembers;
  type ProfileField<Custom> = Extract<keyof Custom | keyof ProfileMembers, string>;

  interface NewUser extends Changes {
    /**
     * 200 with the profile. Needs `_username`, `_phone`, `_email` or `_provider {platform: {openid, unionid,
     * user_id}}`; `_password` needs a name or an email. `_phone_verified`, `_email_verified`, `is_authorized` may be
     * set, too.
     */
    save(): Promise<Answer<Profile>>;
  }
  interface UserChanges extends Changes {
    /** Rejects with 609: the user is there already. @deprecated call update() */
    save(): Promise<never>;
    /** How one user logs in; null resets. Of a query it throws 605. */
    setAccount(account: AccountChanges): Promise<Answer<Account>>;
  }
  interface StoredUser extends UserChanges {
    update(options?: { enableTrigger?: boolean }): Promise<Answer<Profile>>;
  }
  interface StoredUsers extends UserChanges {
    update(options: WriteOptions & { enableTrigger: false }): Promise<Answer<ManyChanged | ManyStarted>>;
    update(options?: WriteOptions): Promise<Answer<ManyChanged>>;
  }
  interface AccountChanges {
    username?: string | null;
    email?: string | null;
    phone?: string | null;
    password?: string;
  }
  interface Account {
    username: string | null;
    email: string | null;
    email_verified: boolean;
    phone: string | null;
    phone_verified: boolean;
  }

  /** Users of the application. A query finds those of groups by `in("_group", ids)`. */
  class User<Custom = any> {
    get(id: number | string): Promise<Answer<Profile<Custom>>>;
    find(options: { withCount: true }): Promise<Answer<CountedPage<Profile<Custom>>>>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page<Profile<Custom>>>>;
    count(): Promise<number>;
    create(): NewUser;
    /** Custom fields, and nickname gender country province city language avatar, may be changed. */
    getWithoutData(id: number | string): StoredUser;
    getWithoutData(query: Query): StoredUsers;
    /** 204. */
    delete(id: number | string): Promise<Answer<"">>;
  }
  interface User<Custom = any> extends Selection {}

  interface Group {
    id: number;
    name: string;
    members: number;
    parent?: { id: number; name: string } | null;
  }
  type Ids = number | string | Changes | (number | string | Changes)[];
  class UserGroup {
    get(id: number | string): Promise<Answer<Group>>;
    getUserGroupList(options?: { parentID?: number; offset?: number; limit?: number }): Promise<Answer<Page<Group>>>;
    create(group: { name: string; parent?: number }): Promise<Answer<Group>>;
    update(id: number | string, group: { name: string }): Promise<Answer<Group>>;
    /** 204. */
    delete(ids: number | string | (number | string)[]): Promise<Answer<"">>;
    /** 204; users are ids or records. */
    addUserIntoGroup(users: Ids, groups: Ids): Promise<Answer<"">>;
    removeUserFromGroup(users: Ids, groups: Ids): Promise<Answer<"">>;
  }

  interface SuperGroup {
    id: number;
    name: string;
    /** How many groups it has. */
    children: number;
    user_group: { id: number; name: string }[];
  }
  /** Groups of groups. */
  class UserSuperGroup {
    get(id: number | string): Promise<Answer<SuperGroup>>;
    getUserSuperGroupList(options?: { offset?: number; limit?: number }): Promise<Answer<Page<SuperGroup>>>;
    create(group: { name: string; children?: number[] }): Promise<Answer<SuperGroup>>;
    /** children replaces those there were. */
    update(id: number | string, group: { name?: string; children?: number[] }): Promise<Answer<SuperGroup>>;
    /** 204. */
    delete(ids: number | string | (number | string)[]): Promise<Answer<"">>;
  }
}
