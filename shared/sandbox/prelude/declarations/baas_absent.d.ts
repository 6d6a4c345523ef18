// What BaaS names and cannot do.
declare namespace BaaS {
  // What follows rejects with code 611: it is there so that code that names it loads.
  function sendSmsCode(options: any): Promise<never>;
  function verifySmsCode(options: any): Promise<never>;
  function sendSmsMessage(options: any): Promise<never>;
  function sendTemplateMessage(options: any): Promise<never>;
  function getTemplateMsgTicketCount(options: any): Promise<never>;
  function chatAccessToken(...options: any[]): Promise<never>;
  function chatCensorImage(...options: any[]): Promise<never>;
  function chatCensorText(...options: any[]): Promise<never>;
  function getChatCode(...options: any[]): Promise<never>;
  function chatPromotionTransfer(...options: any[]): Promise<never>;
  function RedPack(...options: any[]): Promise<never>;
  function censorText(...options: any[]): Promise<never>;
  const chat: { [name: string]: (...options: any[]) => Promise<never> };
  const alt: { [name: string]: (...options: any[]) => Promise<never> };
  const tpay: { [name: string]: (...options: any[]) => Promise<never> };
  class File { [name: string]: any }
  class FileCategory { [name: string]: any }
  class Content { [name: string]: any }
  class ContentGroup { [name: string]: any }
  class ContentCategory { [name: string]: any }
}
