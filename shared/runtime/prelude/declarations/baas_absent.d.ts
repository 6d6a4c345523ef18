// What BaaS names and cannot do: it rejects with 611 and says what to do instead.

declare namespace BaaS {
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function chatAccessToken(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function chatCensorImage(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function chatCensorText(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function getChatCode(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function chatPromotionTransfer(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function RedPack(...options: any[]): Promise<never>;
  /** Rejects with 611. @deprecated call the vendor with BaaS.request */
  function censorText(...options: any[]): Promise<never>;

  const chat: VendorMessages & {
    sendSubscribeMessage(message: TemplateMessage): Promise<Answer<Sent>>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    censorText(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated not available to functions */
    decryptData(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    updateUserInfo(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    getUserRiskRank(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    createActivityID(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    UrlScheme(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    livestreaming(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    profitSharing(...options: any[]): Promise<never>;
  };

  const alt: VendorMessages & {
    /** Rejects with 611. @deprecated use sendTemplateMessage */
    sendSubscribeMessage(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    censorText(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    profitSharing(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    getQRCode(...options: any[]): Promise<never>;
  };

  const tpay: VendorMessages & {
    sendSubscribeMessage(message: TemplateMessage): Promise<Answer<Sent>>;
    /** Rejects with 611. @deprecated call the vendor with BaaS.request */
    censorText(...options: any[]): Promise<never>;
  };

  /** Each method rejects with 611. @deprecated store the data in a table */
  class Content {
    get(...options: any[]): Promise<never>;
    static get(...options: any[]): Promise<never>;
    create(...options: any[]): Promise<never>;
    static create(...options: any[]): Promise<never>;
    getWithoutData(...options: any[]): Promise<never>;
    static getWithoutData(...options: any[]): Promise<never>;
    update(...options: any[]): Promise<never>;
    static update(...options: any[]): Promise<never>;
    delete(...options: any[]): Promise<never>;
    static delete(...options: any[]): Promise<never>;
    find(...options: any[]): Promise<never>;
    static find(...options: any[]): Promise<never>;
    count(...options: any[]): Promise<never>;
    static count(...options: any[]): Promise<never>;
    setQuery(...options: any[]): Promise<never>;
    static setQuery(...options: any[]): Promise<never>;
    limit(...options: any[]): Promise<never>;
    static limit(...options: any[]): Promise<never>;
    offset(...options: any[]): Promise<never>;
    static offset(...options: any[]): Promise<never>;
    orderBy(...options: any[]): Promise<never>;
    static orderBy(...options: any[]): Promise<never>;
    select(...options: any[]): Promise<never>;
    static select(...options: any[]): Promise<never>;
    expand(...options: any[]): Promise<never>;
    static expand(...options: any[]): Promise<never>;
  }

  /** Each method rejects with 611. @deprecated store the data in a table */
  class ContentGroup {
    get(...options: any[]): Promise<never>;
    static get(...options: any[]): Promise<never>;
    create(...options: any[]): Promise<never>;
    static create(...options: any[]): Promise<never>;
    getWithoutData(...options: any[]): Promise<never>;
    static getWithoutData(...options: any[]): Promise<never>;
    update(...options: any[]): Promise<never>;
    static update(...options: any[]): Promise<never>;
    delete(...options: any[]): Promise<never>;
    static delete(...options: any[]): Promise<never>;
    find(...options: any[]): Promise<never>;
    static find(...options: any[]): Promise<never>;
    count(...options: any[]): Promise<never>;
    static count(...options: any[]): Promise<never>;
    setQuery(...options: any[]): Promise<never>;
    static setQuery(...options: any[]): Promise<never>;
    limit(...options: any[]): Promise<never>;
    static limit(...options: any[]): Promise<never>;
    offset(...options: any[]): Promise<never>;
    static offset(...options: any[]): Promise<never>;
    orderBy(...options: any[]): Promise<never>;
    static orderBy(...options: any[]): Promise<never>;
    select(...options: any[]): Promise<never>;
    static select(...options: any[]): Promise<never>;
    expand(...options: any[]): Promise<never>;
    static expand(...options: any[]): Promise<never>;
    getContent(...options: any[]): Promise<never>;
    static getContent(...options: any[]): Promise<never>;
    getCategory(...options: any[]): Promise<never>;
    static getCategory(...options: any[]): Promise<never>;
    getCategoryList(...options: any[]): Promise<never>;
    static getCategoryList(...options: any[]): Promise<never>;
  }

  /** Each method rejects with 611. @deprecated store the data in a table */
  class ContentCategory {
    get(...options: any[]): Promise<never>;
    static get(...options: any[]): Promise<never>;
    create(...options: any[]): Promise<never>;
    static create(...options: any[]): Promise<never>;
    getWithoutData(...options: any[]): Promise<never>;
    static getWithoutData(...options: any[]): Promise<never>;
    update(...options: any[]): Promise<never>;
    static update(...options: any[]): Promise<never>;
    delete(...options: any[]): Promise<never>;
    static delete(...options: any[]): Promise<never>;
    find(...options: any[]): Promise<never>;
    static find(...options: any[]): Promise<never>;
    count(...options: any[]): Promise<never>;
    static count(...options: any[]): Promise<never>;
    setQuery(...options: any[]): Promise<never>;
    static setQuery(...options: any[]): Promise<never>;
    limit(...options: any[]): Promise<never>;
    static limit(...options: any[]): Promise<never>;
    offset(...options: any[]): Promise<never>;
    static offset(...options: any[]): Promise<never>;
    orderBy(...options: any[]): Promise<never>;
    static orderBy(...options: any[]): Promise<never>;
    select(...options: any[]): Promise<never>;
    static select(...options: any[]): Promise<never>;
    expand(...options: any[]): Promise<never>;
    static expand(...options: any[]): Promise<never>;
  }
}
