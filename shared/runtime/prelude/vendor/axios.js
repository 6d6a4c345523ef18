// axios 1.21.1 (MIT), bundled by infra/packages/vendor.mjs.
//
// # Copyright (c) 2014-present Matt Zabriskie & Collaborators
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
(function (host, load) {
var module = { exports: {} }, exports = module.exports, require = (name) => load("require").require(name);
var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __export=(target,all2)=>{for(var name in all2)__defProp(target,name,{get:all2[name],enumerable:!0})},__copyProps=(to,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&
key!==except&&__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var stdin_exports={};__export(stdin_exports,{AxiosHeaders:()=>AxiosHeaders_default,axios:()=>axios_default,buildFullPath:()=>buildFullPath,
buildURL:()=>buildURL,settle:()=>settle});module.exports=__toCommonJS(stdin_exports);function bind(fn,thisArg){return function(){return fn.apply(thisArg,arguments)}}var{toString}=Object.prototype,{getPrototypeOf}=Object,{iterator,toStringTag}=Symbol,hasOwnProperty=(({hasOwnProperty:hasOwnProperty2})=>(obj,prop)=>hasOwnProperty2.
call(obj,prop))(Object.prototype),isUnsafeObjectKey=prop=>typeof prop=="string"&&(prop==="__proto__"||prop==="constructo\
r"||prop==="prototype"),isPrototypeBoundary=(obj,prototype2,source)=>obj===Object.prototype||!source&&prototype2===null,
isSafeAndFullyMutable=obj=>{if(!Object.isExtensible(obj))return!1;let props=Object.getOwnPropertyNames(obj);return Object.
getOwnPropertySymbols&&props.push(...Object.getOwnPropertySymbols(obj)),props.every(prop=>{if(isUnsafeObjectKey(prop))return!1;
let descriptor=Object.getOwnPropertyDescriptor(obj,prop);return!!descriptor&&descriptor.configurable&&descriptor.writable===
!0})},hasOwnInPrototypeChain=(thing,prop)=>{let obj=thing,seen=[];for(;obj!=null;){if(seen.indexOf(obj)!==-1)return!1;seen.
push(obj);let prototype2=getPrototypeOf(obj);if(isPrototypeBoundary(obj,prototype2,obj===thing))return!1;if(hasOwnProperty(
obj,prop))return!0;obj=prototype2}return!1},getSafeProp=(obj,prop)=>obj!=null&&hasOwnInPrototypeChain(obj,prop)?obj[prop]:
void 0,toSafeFlatObject=thing=>{if(thing==null||typeof thing!="object"&&typeof thing!="function")return thing;let sourcePrototype=getPrototypeOf(
thing);if(sourcePrototype===null&&isSafeAndFullyMutable(thing))return thing;let result=Object.create(null),merged=Object.
create(null),seen=[],current=thing;for(;current!=null&&seen.indexOf(current)===-1;){seen.push(current);let prototype2=current===
thing?sourcePrototype:getPrototypeOf(current);if(isPrototypeBoundary(current,prototype2,current===thing))break;let props=Object.
getOwnPropertyNames(current);Object.getOwnPropertySymbols&&props.push(...Object.getOwnPropertySymbols(current));for(let prop of props)
isUnsafeObjectKey(prop)||hasOwnProperty(merged,prop)||(result[prop]=thing[prop],merged[prop]=!0);current=prototype2}return result},
kindOf=(cache=>thing=>{let str=toString.call(thing);return cache[str]||(cache[str]=str.slice(8,-1).toLowerCase())})(Object.
create(null)),kindOfTest=type=>(type=type.toLowerCase(),thing=>kindOf(thing)===type),typeOfTest=type=>thing=>typeof thing===
type,{isArray}=Array,isUndefined=typeOfTest("undefined");function isBuffer(val){return val!==null&&!isUndefined(val)&&val.
constructor!==null&&!isUndefined(val.constructor)&&isFunction(val.constructor.isBuffer)&&val.constructor.isBuffer(val)}var isArrayBuffer=kindOfTest(
"ArrayBuffer");function isArrayBufferView(val){let result;return typeof ArrayBuffer<"u"&&ArrayBuffer.isView?result=ArrayBuffer.
isView(val):result=val&&val.buffer&&isArrayBuffer(val.buffer),result}var isString=typeOfTest("string"),isFunction=typeOfTest(
"function"),isNumber=typeOfTest("number"),isObject=thing=>thing!==null&&typeof thing=="object",isBoolean=thing=>thing===
!0||thing===!1,isPlainObject=val=>{if(!isObject(val))return!1;let prototype2=getPrototypeOf(val);return(prototype2===null||
prototype2===Object.prototype||getPrototypeOf(prototype2)===null)&&(isPrototypeBoundary(val,prototype2,!0)||!hasOwnProperty(
val,toStringTag)&&!hasOwnProperty(val,iterator))},isEmptyObject=val=>{if(!isObject(val)||isBuffer(val))return!1;try{return Object.
keys(val).length===0&&Object.getPrototypeOf(val)===Object.prototype}catch{return!1}},isDate=kindOfTest("Date"),isFile=kindOfTest(
"File"),isReactNativeBlob=value=>!!(value&&typeof value.uri<"u"),isReactNative=formData=>formData&&typeof formData.getParts<
"u",isBlob=kindOfTest("Blob"),isFileList=kindOfTest("FileList"),isSet=kindOfTest("Set"),isStream=val=>isObject(val)&&isFunction(
val.pipe);function getGlobal(){return typeof globalThis<"u"?globalThis:typeof self<"u"?self:typeof window<"u"?window:typeof global<
"u"?global:{}}var G=getGlobal(),FormDataCtor=typeof G.FormData<"u"?G.FormData:void 0,isFormData=thing=>{if(!thing)return!1;
if(FormDataCtor&&thing instanceof FormDataCtor)return!0;let proto=getPrototypeOf(thing);if(!proto||proto===Object.prototype||
!isFunction(thing.append))return!1;let kind=kindOf(thing);return kind==="formdata"||kind==="object"&&isFunction(thing.toString)&&
thing.toString()==="[object FormData]"},isURLSearchParams=kindOfTest("URLSearchParams"),[isReadableStream,isRequest,isResponse,
isHeaders]=["ReadableStream","Request","Response","Headers"].map(kindOfTest),trim=str=>str.trim?str.trim():str.replace(/^[\s\uFEFF\xA0]+|[\s\uFEFF\xA0]+$/g,
"");function forEach(obj,fn,{allOwnKeys=!1}={}){if(obj===null||typeof obj>"u")return;let i,l;if(typeof obj!="object"&&(obj=
[obj]),isArray(obj))for(i=0,l=obj.length;i<l;i++)fn.call(null,obj[i],i,obj);else{if(isBuffer(obj))return;let keys=allOwnKeys?
Object.getOwnPropertyNames(obj):Object.keys(obj),len=keys.length,key;for(i=0;i<len;i++)key=keys[i],fn.call(null,obj[key],
key,obj)}}function findKey(obj,key){if(isBuffer(obj))return null;key=key.toLowerCase();let keys=Object.keys(obj),i=keys.
length,_key;for(;i-- >0;)if(_key=keys[i],key===_key.toLowerCase())return _key;return null}var _global=typeof globalThis<
"u"?globalThis:typeof self<"u"?self:typeof window<"u"?window:global,isContextDefined=context=>!isUndefined(context)&&context!==
_global;function merge(...objs){let{caseless,skipUndefined}=isContextDefined(this)&&this||{},result={},lowerCaseKeys=caseless?
Object.create(null):null,assignValue=(val,key)=>{if(key==="__proto__"||key==="constructor"||key==="prototype")return;let targetKey=key;
if(lowerCaseKeys&&typeof key=="string"){let lowerKey=key.toLowerCase(),knownKey=lowerCaseKeys[lowerKey];knownKey!==void 0&&
hasOwnProperty(result,knownKey)?targetKey=knownKey:lowerCaseKeys[lowerKey]=key}let existing=hasOwnProperty(result,targetKey)?
result[targetKey]:void 0;isPlainObject(existing)&&isPlainObject(val)?result[targetKey]=merge(existing,val):isPlainObject(
val)?result[targetKey]=merge({},val):isArray(val)?result[targetKey]=val.slice():(!skipUndefined||!isUndefined(val))&&(result[targetKey]=
val)};for(let i=0,l=objs.length;i<l;i++){let source=objs[i];if(!source||isBuffer(source)||(forEach(source,assignValue),typeof source!=
"object"||isArray(source)||!Object.getOwnPropertySymbols))continue;let symbols=Object.getOwnPropertySymbols(source);for(let j=0;j<
symbols.length;j++){let symbol=symbols[j];propertyIsEnumerable.call(source,symbol)&&assignValue(source[symbol],symbol)}}
return result}var extend=(a,b,thisArg,{allOwnKeys}={})=>(forEach(b,(val,key)=>{thisArg&&isFunction(val)?Object.defineProperty(
a,key,{__proto__:null,value:bind(val,thisArg),writable:!0,enumerable:!0,configurable:!0}):Object.defineProperty(a,key,{__proto__:null,
value:val,writable:!0,enumerable:!0,configurable:!0})},{allOwnKeys}),a),stripBOM=content=>(content.charCodeAt(0)===65279&&
(content=content.slice(1)),content),inherits=(constructor,superConstructor,props,descriptors)=>{constructor.prototype=Object.
create(superConstructor.prototype,descriptors),Object.defineProperty(constructor.prototype,"constructor",{__proto__:null,
value:constructor,writable:!0,enumerable:!1,configurable:!0}),Object.defineProperty(constructor,"super",{__proto__:null,
value:superConstructor.prototype}),props&&Object.assign(constructor.prototype,props)},toFlatObject=(sourceObj,destObj,filter2,propFilter)=>{
let props,i,prop,merged={};if(destObj=destObj||{},sourceObj==null)return destObj;do{for(props=Object.getOwnPropertyNames(
sourceObj),i=props.length;i-- >0;)prop=props[i],(!propFilter||propFilter(prop,sourceObj,destObj))&&!merged[prop]&&(destObj[prop]=
sourceObj[prop],merged[prop]=!0);sourceObj=filter2!==!1&&getPrototypeOf(sourceObj)}while(sourceObj&&(!filter2||filter2(sourceObj,
destObj))&&sourceObj!==Object.prototype);return destObj},endsWith=(str,searchString,position)=>{str=String(str),(position===
void 0||position>str.length)&&(position=str.length),position-=searchString.length;let lastIndex=str.indexOf(searchString,
position);return lastIndex!==-1&&lastIndex===position},toArray=thing=>{if(!thing)return null;if(isArray(thing))return thing;
let i=thing.length;if(!Number.isSafeInteger(i)||i<0||i>4294967295)return null;let indexes=new Set,seen=new Set,source=thing;
for(;source!=null&&indexes.size<i;){if(seen.has(source))return null;seen.add(source);let prototype2=getPrototypeOf(source);
if(isPrototypeBoundary(source,prototype2,source===thing))break;Object.getOwnPropertyNames(source).forEach(key=>{let index=+key;
Number.isInteger(index)&&index>=0&&index<i&&String(index)===key&&hasOwnProperty(source,key)&&indexes.add(index)}),source=
prototype2}if(indexes.size!==i)return null;let arr=new Array(i);for(;i-- >0;)arr[i]=thing[i];return arr},isTypedArray=(TypedArray=>thing=>TypedArray&&
thing instanceof TypedArray)(typeof Uint8Array<"u"&&getPrototypeOf(Uint8Array)),forEachEntry=(obj,fn)=>{let _iterator=(obj&&
obj[iterator]).call(obj),result;for(;(result=_iterator.next())&&!result.done;){let pair=result.value;fn.call(obj,pair[0],
pair[1])}},matchAll=(regExp,str)=>{let matches,arr=[];for(;(matches=regExp.exec(str))!==null;)arr.push(matches);return arr},
isHTMLForm=kindOfTest("HTMLFormElement"),toCamelCase=str=>str.toLowerCase().replace(/[-_\s]([a-z\d])(\w*)/g,function(m,p1,p2){
return p1.toUpperCase()+p2}),{propertyIsEnumerable}=Object.prototype,isRegExp=kindOfTest("RegExp"),reduceDescriptors=(obj,reducer)=>{
let descriptors=Object.getOwnPropertyDescriptors(obj),reducedDescriptors={};forEach(descriptors,(descriptor,name)=>{let ret;
(ret=reducer(descriptor,name,obj))!==!1&&(reducedDescriptors[name]=ret||descriptor)}),Object.defineProperties(obj,reducedDescriptors)},
freezeMethods=obj=>{reduceDescriptors(obj,(descriptor,name)=>{if(isFunction(obj)&&["arguments","caller","callee"].includes(
name))return!1;let value=obj[name];if(isFunction(value)){if(descriptor.enumerable=!1,"writable"in descriptor){descriptor.
writable=!1;return}descriptor.set||(descriptor.set=()=>{throw Error("Can not rewrite read-only method '"+name+"'")})}})},
toObjectSet=(arrayOrString,delimiter)=>{let obj={},define=arr=>{arr.forEach(value=>{obj[value]=!0})};return isArray(arrayOrString)?
define(arrayOrString):define(String(arrayOrString).split(delimiter)),obj},noop=()=>{},toFiniteNumber=(value,defaultValue)=>value!=
null&&Number.isFinite(value=+value)?value:defaultValue;function isSpecCompliantForm(thing){return!!(thing&&isFunction(thing.
append)&&thing[toStringTag]==="FormData"&&thing[iterator])}var toJSONObject=obj=>{let visited=new WeakSet,visit=source=>{
if(isObject(source)){if(visited.has(source))return;if(isBuffer(source))return source;if(!("toJSON"in source)){visited.add(
source);let target;if(isSet(source)){target=[];for(let value of source){let reducedValue=visit(value);!isUndefined(reducedValue)&&
target.push(reducedValue)}}else target=isArray(source)?[]:{},forEach(source,(value,key)=>{let reducedValue=visit(value);
!isUndefined(reducedValue)&&(target[key]=reducedValue)});return visited.delete(source),target}}return source};return visit(
obj)},isAsyncFn=kindOfTest("AsyncFunction"),isThenable=thing=>thing&&(isObject(thing)||isFunction(thing))&&isFunction(thing.
then)&&isFunction(thing.catch),_setImmediate=((setImmediateSupported,postMessageSupported)=>setImmediateSupported?setImmediate:
postMessageSupported?((token,callbacks)=>(_global.addEventListener("message",({source,data})=>{source===_global&&data===
token&&callbacks.length&&callbacks.shift()()},!1),cb=>{callbacks.push(cb),_global.postMessage(token,"*")}))(`axios@${Math.
random()}`,[]):cb=>setTimeout(cb))(typeof setImmediate=="function",isFunction(_global.postMessage)),asap=typeof queueMicrotask<
"u"?queueMicrotask.bind(_global):typeof process<"u"&&process.nextTick||_setImmediate,isIterable=thing=>thing!=null&&isFunction(
thing[iterator]),isSafeIterable=thing=>thing!=null&&hasOwnInPrototypeChain(thing,iterator)&&isIterable(thing),utils_default={
isArray,isArrayBuffer,isBuffer,isFormData,isArrayBufferView,isString,isNumber,isBoolean,isObject,isPlainObject,isEmptyObject,
isReadableStream,isRequest,isResponse,isHeaders,isUndefined,isDate,isFile,isReactNativeBlob,isReactNative,isBlob,isRegExp,
isFunction,isStream,isURLSearchParams,isTypedArray,isFileList,forEach,merge,extend,trim,stripBOM,inherits,toFlatObject,kindOf,
kindOfTest,endsWith,toArray,forEachEntry,matchAll,isHTMLForm,hasOwnProperty,hasOwnProp:hasOwnProperty,hasOwnInPrototypeChain,
getSafeProp,toSafeFlatObject,reduceDescriptors,freezeMethods,toObjectSet,toCamelCase,noop,toFiniteNumber,findKey,global:_global,
isContextDefined,isSpecCompliantForm,toJSONObject,isAsyncFn,isThenable,setImmediate:_setImmediate,asap,isIterable,isSafeIterable};var ignoreDuplicateOf=utils_default.toObjectSet(["age","authorization","content-length","content-type","etag","expires",
"from","host","if-modified-since","if-unmodified-since","last-modified","location","max-forwards","proxy-authorization",
"referer","retry-after","user-agent"]),parseHeaders_default=rawHeaders=>{let parsed=Object.create(null),key,val,i;return rawHeaders&&
rawHeaders.split(`
`).forEach(function(line){i=line.indexOf(":"),key=line.substring(0,i).trim().toLowerCase(),val=line.substring(i+1).trim();
let hasKey=utils_default.hasOwnProp(parsed,key);!key||hasKey&&utils_default.hasOwnProp(ignoreDuplicateOf,key)||(key==="s\
et-cookie"?hasKey?parsed[key].push(val):parsed[key]=[val]:parsed[key]=hasKey?parsed[key]+", "+val:val)}),parsed};function trimSPorHTAB(str){let start=0,end=str.length;for(;start<end;){let code=str.charCodeAt(start);if(code!==9&&code!==
32)break;start+=1}for(;end>start;){let code=str.charCodeAt(end-1);if(code!==9&&code!==32)break;end-=1}return start===0&&
end===str.length?str:str.slice(start,end)}var INVALID_UNICODE_HEADER_VALUE_CHARS=new RegExp("[\\u0000-\\u0008\\u000a-\\u001f\
\\u007f]+","g"),INVALID_BYTE_STRING_HEADER_VALUE_CHARS=new RegExp("[^\\u0009\\u0020-\\u007e\\u0080-\\u00ff]+","g");function sanitizeValue(value,invalidChars){
return utils_default.isArray(value)?value.map(item=>sanitizeValue(item,invalidChars)):trimSPorHTAB(String(value).replace(
invalidChars,""))}var sanitizeHeaderValue=value=>sanitizeValue(value,INVALID_UNICODE_HEADER_VALUE_CHARS);var $internals=Symbol("internals");function normalizeHeader(header){return header&&String(header).trim().toLowerCase()}function normalizeValue(value){
return value===!1||value==null?value:utils_default.isArray(value)?value.map(normalizeValue):sanitizeHeaderValue(String(value))}
function parseTokens(str){let tokens=Object.create(null),tokensRE=/([^\s,;=]+)\s*(?:=\s*([^,;]+))?/g,match;for(;match=tokensRE.
exec(str);)tokens[match[1]]=match[2];return tokens}var parameterNameRE=/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;function trimOWS(value){
let start=0,end=value.length;for(;start<end;){let code=value.charCodeAt(start);if(code!==9&&code!==32)break;start+=1}for(;end>
start;){let code=value.charCodeAt(end-1);if(code!==9&&code!==32)break;end-=1}return start===0&&end===value.length?value:
value.slice(start,end)}function decodeQuotedString(value){let last=value.length-1;if(last<1||value.charCodeAt(0)!==34||value.
charCodeAt(last)!==34)return value;let decoded="";for(let i=1;i<last;i++){let code=value.charCodeAt(i);if(code===34||code===
92&&(i+=1,i>=last))return value;decoded+=value[i]}return decoded}function parseParameters(value){let parameters=Object.create(
null),str=String(value),start=0,quoted=!1,escaped=!1;function parseParameter(end){let part=trimOWS(str.slice(start,end)),
equals=part.indexOf("=");if(equals<1)return;let name=trimOWS(part.slice(0,equals));if(!parameterNameRE.test(name))return;
let normalizedName=name.toLowerCase();if(normalizedName==="__proto__"||normalizedName==="constructor"||normalizedName===
"prototype")return;let parameterValue=trimOWS(part.slice(equals+1));parameters[normalizedName]=decodeQuotedString(parameterValue)}
for(let i=0;i<str.length;i++){let code=str.charCodeAt(i);quoted?escaped?escaped=!1:code===92?escaped=!0:code===34&&(quoted=
!1):code===34?quoted=!0:(code===44||code===59)&&(parseParameter(i),start=i+1)}return parseParameter(str.length),parameters}
var isValidHeaderName=str=>/^[-_a-zA-Z0-9^`|~,!#$%&'*+.]+$/.test(str.trim()),PROTO_HEADER_SLOT="__Proto__",headerSlot=name=>name===
"__proto__"?PROTO_HEADER_SLOT:name;function matchHeaderValue(context,value,header,filter2,isHeaderNameFilter){if(utils_default.
isFunction(filter2))return filter2.call(context,value,header);if(isHeaderNameFilter&&(value=header),!!utils_default.isString(
value)){if(utils_default.isString(filter2))return value.indexOf(filter2)!==-1;if(utils_default.isRegExp(filter2))return filter2.
test(value)}}function formatHeader(header){return header.trim().toLowerCase().replace(/([a-z\d])(\w*)/g,(w,char,str)=>char.
toUpperCase()+str)}function buildAccessors(obj,header){let accessorName=utils_default.toCamelCase(" "+header);["get","se\
t","has"].forEach(methodName=>{Object.defineProperty(obj,methodName+accessorName,{__proto__:null,value:function(arg1,arg2,arg3){
return this[methodName].call(this,header,arg1,arg2,arg3)},configurable:!0})})}var AxiosHeaders=class{constructor(headers){
headers&&this.set(headers)}set(header,valueOrRewrite,rewrite){let self2=this;function setHeader(_value,_header,_rewrite){
let lHeader=normalizeHeader(_header);if(!lHeader)return;let key=utils_default.findKey(self2,lHeader);(!key||self2[key]===
void 0||_rewrite===!0||_rewrite===void 0&&self2[key]!==!1)&&(self2[headerSlot(key||_header)]=normalizeValue(_value))}let setHeaders=(headers,_rewrite)=>utils_default.
forEach(headers,(_value,_header)=>setHeader(_value,_header,_rewrite));if(utils_default.isPlainObject(header)||header instanceof
this.constructor)setHeaders(header,valueOrRewrite);else if(utils_default.isString(header)&&(header=header.trim())&&!isValidHeaderName(
header))setHeaders(parseHeaders_default(header),valueOrRewrite);else if(utils_default.isObject(header)&&utils_default.isSafeIterable(
header)){let obj=Object.create(null),dest,key;for(let entry of header){if(!utils_default.isArray(entry))throw new TypeError(
"Object iterator must return a key-value pair");key=entry[0],utils_default.hasOwnProp(obj,key)?(dest=obj[key],obj[key]=utils_default.
isArray(dest)?[...dest,entry[1]]:[dest,entry[1]]):obj[key]=entry[1]}setHeaders(obj,valueOrRewrite)}else header!=null&&setHeader(
valueOrRewrite,header,rewrite);return this}get(header,parser){if(header=normalizeHeader(header),header){let key=utils_default.
findKey(this,header);if(key){let value=this[key];if(!parser)return value;if(parser===!0)return parseTokens(value);if(utils_default.
isFunction(parser))return parser.call(this,value,key);if(utils_default.isRegExp(parser))return parser.exec(value);throw new TypeError(
"parser must be boolean|regexp|function")}}}has(header,matcher){if(header=normalizeHeader(header),header){let key=utils_default.
findKey(this,header);return!!(key&&this[key]!==void 0&&(!matcher||matchHeaderValue(this,this[key],key,matcher)))}return!1}delete(header,matcher){
let self2=this,deleted=!1;function deleteHeader(_header){if(_header=normalizeHeader(_header),_header){let key=utils_default.
findKey(self2,_header);key&&(!matcher||matchHeaderValue(self2,self2[key],key,matcher))&&(delete self2[key],deleted=!0)}}
return utils_default.isArray(header)?header.forEach(deleteHeader):deleteHeader(header),deleted}clear(matcher){let keys=Object.
keys(this),i=keys.length,deleted=!1;for(;i--;){let key=keys[i];(!matcher||matchHeaderValue(this,this[key],key,matcher,!0))&&
(delete this[key],deleted=!0)}return deleted}normalize(format){let self2=this,headers=Object.create(null);return utils_default.
forEach(this,(value,header)=>{let key=utils_default.findKey(headers,header);if(key){self2[key]=normalizeValue(value),delete self2[header];
return}let normalized=headerSlot(format?formatHeader(header):String(header).trim());normalized!==header&&delete self2[header],
self2[normalized]=normalizeValue(value),headers[normalized]=!0}),this}concat(...targets){return this.constructor.concat(
this,...targets)}toJSON(asStrings){let obj=Object.create(null);return utils_default.forEach(this,(value,header)=>{value!=
null&&value!==!1&&(obj[header]=asStrings&&utils_default.isArray(value)?value.join(", "):value)}),obj}[Symbol.iterator](){
return Object.entries(this.toJSON())[Symbol.iterator]()}toString(){return Object.entries(this.toJSON()).map(([header,value])=>header+
": "+value).join(`
`)}getSetCookie(){let value=this.get("set-cookie");return utils_default.isArray(value)?value:value==null||value===!1?[]:
[value]}get[Symbol.toStringTag](){return"AxiosHeaders"}static from(thing){return thing instanceof this?thing:new this(thing)}static parseParameters(value){
return parseParameters(value)}static concat(first,...targets){let computed=new this(first);return targets.forEach(target=>computed.
set(target)),computed}static accessor(header){let accessors=(this[$internals]=this[$internals]={accessors:{}}).accessors,
prototype2=this.prototype;function defineAccessor(_header){let lHeader=normalizeHeader(_header);accessors[lHeader]||(buildAccessors(
prototype2,_header),accessors[lHeader]=!0)}return utils_default.isArray(header)?header.forEach(defineAccessor):defineAccessor(
header),this}};AxiosHeaders.accessor(["Content-Type","Content-Length","Accept","Accept-Encoding","User-Agent","Authoriza\
tion"]);utils_default.reduceDescriptors(AxiosHeaders.prototype,({value},key)=>{let mapped=key[0].toUpperCase()+key.slice(
1);return{get:()=>value,set(headerValue){this[mapped]=headerValue}}});utils_default.freezeMethods(AxiosHeaders);var AxiosHeaders_default=AxiosHeaders;var REDACTED="[REDACTED ****]";function hasOwnOrPrototypeToJSON(source){if(utils_default.hasOwnProp(source,"toJSON"))return!0;
let prototype2=Object.getPrototypeOf(source);for(;prototype2&&prototype2!==Object.prototype;){if(utils_default.hasOwnProp(
prototype2,"toJSON"))return!0;prototype2=Object.getPrototypeOf(prototype2)}return!1}function redactConfig(config,redactKeys){
let lowerKeys=new Set(redactKeys.map(k=>String(k).toLowerCase())),seen=[],visit=source=>{if(source===null||typeof source!=
"object"||utils_default.isBuffer(source))return source;if(seen.indexOf(source)!==-1)return;source instanceof AxiosHeaders_default&&
(source=source.toJSON()),seen.push(source);let result;if(utils_default.isArray(source))result=[],source.forEach((v,i)=>{
let reducedValue=visit(v);utils_default.isUndefined(reducedValue)||(result[i]=reducedValue)});else{if(!utils_default.isPlainObject(
source)&&hasOwnOrPrototypeToJSON(source))return seen.pop(),source;result=Object.create(null);for(let[key,value]of Object.
entries(source)){let reducedValue=lowerKeys.has(key.toLowerCase())?REDACTED:visit(value);utils_default.isUndefined(reducedValue)||
(result[key]=reducedValue)}}return seen.pop(),result};return visit(config)}function stringifySafely(value){try{return String(
value)}catch{return""}}function aggregateErrorMessage(error){return error.errors.map(entry=>{try{return entry&&entry.message?
stringifySafely(entry.message):stringifySafely(entry)}catch{return""}}).filter(Boolean).join("; ")||error.name||"Aggrega\
teError"}var CAUSED_BY_SEPARATOR=`
Caused by: `,$causeStack=Symbol("causeStack");function getCauseStackIndex(error,stack){let causeStack=utils_default.hasOwnProp(
error,$causeStack)&&error[$causeStack];return causeStack&&stack.endsWith(causeStack)?stack.length-causeStack.length:-1}function appendCauseStack(target,source){
try{let sourceStack=source&&source.stack;if(typeof sourceStack!="string"||!sourceStack)return;let targetStack=target.stack;
if(typeof targetStack!="string"||!targetStack)return;let causeStack=CAUSED_BY_SEPARATOR+sourceStack;target.stack=targetStack+
causeStack,Object.defineProperty(target,$causeStack,{__proto__:null,value:causeStack})}catch{}}var AxiosError=class _AxiosError extends Error{static from(error,code,config,request,response,customProps){
let message=error.message;!message&&utils_default.isArray(error.errors)&&error.errors.length&&(message=aggregateErrorMessage(
error));let axiosError=new _AxiosError(message,code||error.code,config,request,response);return Object.defineProperty(axiosError,
"cause",{__proto__:null,value:error,writable:!0,enumerable:!1,configurable:!0}),appendCauseStack(axiosError,error),error.
status!=null&&axiosError.status==null&&(axiosError.status=error.status),customProps&&Object.assign(axiosError,customProps),
axiosError}constructor(message,code,config,request,response){super(message),Object.defineProperty(this,"message",{__proto__:null,
value:message,writable:!0,configurable:!0}),Object.defineProperty(this,"name",{__proto__:null,value:"RequestError",writable:!0,
configurable:!0}),Object.defineProperty(this,"isAxiosError",{__proto__:null,value:!0,writable:!0,configurable:!0}),code&&
(this.code=code),config&&Object.defineProperty(this,"config",{__proto__:null,value:config,writable:!0,configurable:!0}),
request&&Object.defineProperty(this,"request",{__proto__:null,value:request,writable:!0,configurable:!0}),response&&(Object.
defineProperty(this,"response",{__proto__:null,value:response,writable:!0,configurable:!0}),Object.defineProperty(this,"\
status",{__proto__:null,value:response.status,writable:!0,configurable:!0}))}toJSON(){let config=this.config,redactKeys=config&&
utils_default.hasOwnProp(config,"redact")?config.redact:void 0,serializedConfig=utils_default.isArray(redactKeys)&&redactKeys.
length>0?redactConfig(config,redactKeys):utils_default.toJSONObject(config);return{message:this.message,name:this.name,description:this.
description,number:this.number,fileName:this.fileName,lineNumber:this.lineNumber,columnNumber:this.columnNumber,stack:this.
stack,config:serializedConfig,code:this.code,status:this.status}}};AxiosError.ERR_BAD_OPTION_VALUE="ERR_BAD_OPTION_VALUE";
AxiosError.ERR_BAD_OPTION="ERR_BAD_OPTION";AxiosError.ECONNABORTED="ECONNABORTED";AxiosError.ETIMEDOUT="ETIMEDOUT";AxiosError.
ECONNREFUSED="ECONNREFUSED";AxiosError.ERR_NETWORK="ERR_NETWORK";AxiosError.ERR_FR_TOO_MANY_REDIRECTS="ERR_FR_TOO_MANY_R\
EDIRECTS";AxiosError.ERR_DEPRECATED="ERR_DEPRECATED";AxiosError.ERR_BAD_RESPONSE="ERR_BAD_RESPONSE";AxiosError.ERR_BAD_REQUEST=
"ERR_BAD_REQUEST";AxiosError.ERR_CANCELED="ERR_CANCELED";AxiosError.ERR_NOT_SUPPORT="ERR_NOT_SUPPORT";AxiosError.ERR_INVALID_URL=
"ERR_INVALID_URL";AxiosError.ERR_FORM_DATA_DEPTH_EXCEEDED="ERR_FORM_DATA_DEPTH_EXCEEDED";var AxiosError_default=AxiosError;var FormData_default=null;var Buffer_default={from:data=>globalThis.Buffer.from(data)};var DEFAULT_FORM_DATA_MAX_DEPTH=100;function isVisitable(thing){return utils_default.isPlainObject(thing)||utils_default.
isArray(thing)}function removeBrackets(key){return utils_default.endsWith(key,"[]")?key.slice(0,-2):key}function renderKey(path,key,dots){
return path?path.concat(key).map(function(token,i){return token=removeBrackets(token),!dots&&i?"["+token+"]":token}).join(
dots?".":""):key}function isFlatArray(arr){return utils_default.isArray(arr)&&!arr.some(isVisitable)}var predicates=utils_default.
toFlatObject(utils_default,{},null,function(prop){return/^is[A-Z]/.test(prop)});function toFormData(obj,formData,options){
if(!utils_default.isObject(obj))throw new TypeError("target must be an object");formData=formData||new(FormData_default||
FormData);let option=(name,fallback)=>{let value=utils_default.getSafeProp(options,name);return utils_default.isUndefined(
value)?fallback:value},metaTokens=option("metaTokens",!0),visitor=option("visitor")||defaultVisitor,dots=option("dots",!1),
indexes=option("indexes",!1),_Blob=option("Blob")||typeof Blob<"u"&&Blob,maxDepth=option("maxDepth",DEFAULT_FORM_DATA_MAX_DEPTH),
useBlob=_Blob&&utils_default.isSpecCompliantForm(formData),stack=[];if(!utils_default.isFunction(visitor))throw new TypeError(
"visitor must be a function");function convertValue(value){if(value===null)return"";if(utils_default.isDate(value))return value.
toISOString();if(utils_default.isBoolean(value))return value.toString();if(!useBlob&&utils_default.isBlob(value))throw new AxiosError_default(
"Blob is not supported. Use a Buffer instead.");if(utils_default.isArrayBuffer(value)||utils_default.isTypedArray(value)){
if(useBlob&&typeof _Blob=="function")return new _Blob([value]);if(Buffer_default&&Buffer_default.isBufferAvailable())return Buffer_default.
from(value);throw new AxiosError_default("Blob is not supported. Use a Buffer instead.",AxiosError_default.ERR_NOT_SUPPORT)}
return value}function throwIfMaxDepthExceeded(depth){if(depth>maxDepth)throw new AxiosError_default("Object is too deepl\
y nested ("+depth+" levels). Max depth: "+maxDepth,AxiosError_default.ERR_FORM_DATA_DEPTH_EXCEEDED)}function stringifyWithDepthLimit(value,depth){
if(maxDepth===1/0)return JSON.stringify(value);let ancestors=[];return JSON.stringify(value,function(_key,currentValue){
if(!utils_default.isObject(currentValue))return currentValue;for(;ancestors.length&&ancestors[ancestors.length-1]!==this;)
ancestors.pop();return ancestors.push(currentValue),throwIfMaxDepthExceeded(depth+ancestors.length-1),currentValue})}function defaultVisitor(value,key,path){
let arr=value;if(utils_default.isReactNative(formData)&&utils_default.isReactNativeBlob(value))return formData.append(renderKey(
path,key,dots),convertValue(value)),!1;if(value&&!path&&typeof value=="object"){if(utils_default.endsWith(key,"{}"))key=
metaTokens?key:key.slice(0,-2),value=stringifyWithDepthLimit(value,1);else if(utils_default.isArray(value)&&isFlatArray(
value)||(utils_default.isFileList(value)||utils_default.endsWith(key,"[]"))&&(arr=utils_default.toArray(value)))return key=
removeBrackets(key),arr.forEach(function(el,index){!(utils_default.isUndefined(el)||el===null)&&formData.append(indexes===
!0?renderKey([key],index,dots):indexes===null?key:key+"[]",convertValue(el))}),!1}return isVisitable(value)?!0:(formData.
append(renderKey(path,key,dots),convertValue(value)),!1)}let exposedHelpers=Object.assign(predicates,{defaultVisitor,convertValue,
isVisitable});function build(value,path,depth=0){if(!utils_default.isUndefined(value)){if(throwIfMaxDepthExceeded(depth),
stack.indexOf(value)!==-1)throw new Error("Circular reference detected in "+path.join("."));stack.push(value),utils_default.
forEach(value,function(el,key){(!(utils_default.isUndefined(el)||el===null)&&visitor.call(formData,el,utils_default.isString(
key)?key.trim():key,path,exposedHelpers))===!0&&build(el,path?path.concat(key):[key],depth+1)}),stack.pop()}}if(!utils_default.
isObject(obj))throw new TypeError("data must be an object");return build(obj),formData}var toFormData_default=toFormData;function encode(str){let charMap={"!":"%21","'":"%27","(":"%28",")":"%29","~":"%7E","%20":"+"};return encodeURIComponent(
str).replace(/[!'()~]|%20/g,function(match){return charMap[match]})}function AxiosURLSearchParams(params,options){this._pairs=
[],params&&toFormData_default(params,this,options)}var prototype=AxiosURLSearchParams.prototype;prototype.append=function(name,value){
this._pairs.push([name,value])};prototype.toString=function(encoder){let _encode=encoder?value=>encoder.call(this,value,
encode):encode;return this._pairs.map(function(pair){return _encode(pair[0])+"="+_encode(pair[1])},"").join("&")};var AxiosURLSearchParams_default=AxiosURLSearchParams;function encode2(val){return encodeURIComponent(val).replace(/%3A/gi,":").replace(/%24/g,"$").replace(/%2C/gi,",").replace(
/%20/g,"+")}function buildURL(url,params,options){if(!params)return url;url=url||"";let _options=utils_default.isFunction(
options)?{serialize:options}:options,_encode=utils_default.getSafeProp(_options,"encode")||encode2,serializeFn=utils_default.
getSafeProp(_options,"serialize"),serializedParams;if(serializeFn?serializedParams=serializeFn(params,_options):serializedParams=
utils_default.isURLSearchParams(params)?params.toString():new AxiosURLSearchParams_default(params,_options).toString(_encode),
serializedParams){let hashmarkIndex=url.indexOf("#");hashmarkIndex!==-1&&(url=url.slice(0,hashmarkIndex)),url+=(url.indexOf(
"?")===-1?"?":"&")+serializedParams}return url}var $internals2=Symbol("internals");function countHandlers(handlers){return handlers?handlers.length:0}function trimHandlers(handlers){
if(handlers)for(;handlers.length&&handlers[handlers.length-1]===null;)handlers.pop()}function normalizeHandlerId(id){return typeof id==
"string"&&id!==""&&String(Number(id))===id?Number(id):id}function syncHandlerEntries(manager,internals){let handlers=manager.
handlers,length=countHandlers(handlers);handlers!==internals.handlersRef?(internals.handlersRef=handlers,internals.handlerEntries.
clear()):length!==internals.handlersLength&&(length?internals.handlerEntries.forEach(function(entry,id){handlers[entry.index]!==
entry.handler&&internals.handlerEntries.delete(id)}):internals.handlerEntries.clear()),internals.handlersLength=length}var InterceptorManager=class{constructor(){
this.handlers=[],this[$internals2]={handlersRef:this.handlers,handlersLength:this.handlers.length,handlerEntries:new Map,
iterationDepth:0,nextId:0}}use(fulfilled,rejected,options){let handler={fulfilled,rejected,synchronous:options?options.synchronous:
!1,runWhen:options?options.runWhen:null},internals=this[$internals2];this.handlers==null&&(this.handlers=[]),syncHandlerEntries(
this,internals);let id=internals.nextId++;return this.handlers.push(handler),internals.handlerEntries.set(id,{handler,index:this.
handlers.length-1}),internals.handlersLength=this.handlers.length,id}eject(id){let internals=this[$internals2];syncHandlerEntries(
this,internals);let handlerId=normalizeHandlerId(id),entry=internals.handlerEntries.get(handlerId);if(entry){if(internals.
handlerEntries.delete(handlerId),this.handlers[entry.index]!==entry.handler)return;this.handlers[entry.index]=null,internals.
iterationDepth||(trimHandlers(this.handlers),internals.handlersLength=this.handlers.length)}}clear(){this.handlers&&(this.
handlers=[],syncHandlerEntries(this,this[$internals2]))}forEach(fn){let internals=this[$internals2];syncHandlerEntries(this,
internals),internals.iterationDepth++;try{utils_default.forEach(this.handlers,function(h){h!==null&&fn(h)})}finally{--internals.
iterationDepth||(syncHandlerEntries(this,internals),trimHandlers(this.handlers),internals.handlersLength=countHandlers(this.
handlers))}}},InterceptorManager_default=InterceptorManager;var transitional_default={silentJSONParsing:!0,forcedJSONParsing:!0,clarifyTimeoutError:!1,legacyInterceptorReqResOrdering:!0,
advertiseZstdAcceptEncoding:!1,validateStatusUndefinedResolves:!0,encodeBasicAuthUsername:!1};var platform_default={isNode:!0,classes:{get URLSearchParams(){return globalThis.URLSearchParams}}};function toURLEncodedForm(data,options){return toFormData_default(data,new platform_default.classes.URLSearchParams,{visitor:function(value,key,path,helpers){
return platform_default.isNode&&utils_default.isBuffer(value)?(this.append(key,value.toString("base64")),!1):helpers.defaultVisitor.
apply(this,arguments)},...options})}var MAX_DEPTH=DEFAULT_FORM_DATA_MAX_DEPTH;function throwIfDepthExceeded(index){if(index>MAX_DEPTH)throw new AxiosError_default(
"FormData field is too deeply nested ("+index+" levels). Max depth: "+MAX_DEPTH,AxiosError_default.ERR_FORM_DATA_DEPTH_EXCEEDED)}
function parsePropPath(name){let path=[],pattern=/[^.[\]]+|\[([^.[\]]*)]/g,match;for(;(match=pattern.exec(name))!==null;)
throwIfDepthExceeded(path.length),path.push(match[0]==="[]"?"":match[1]||match[0]);return path}function arrayToObject(arr){
let obj={},keys=Object.keys(arr),i,len=keys.length,key;for(i=0;i<len;i++)key=keys[i],obj[key]=arr[key];return obj}function normalizeArray(value){
if(!utils_default.isArray(value))return value;let keys=Object.keys(value);return keys.length!==value.length||keys.some((key,index)=>key!==
String(index))?arrayToObject(value):value}function normalizeArrays(obj){let pending=[obj];for(;pending.length;){let target=pending.
pop();Object.keys(target).forEach(key=>{let value=target[key]=normalizeArray(target[key]);(utils_default.isArray(value)||
utils_default.isPlainObject(value))&&pending.push(value)})}return obj}function formDataToJSON(formData){function buildPath(path,value,target,index){
throwIfDepthExceeded(index);let name=path[index++];if(name==="__proto__")return!0;let isNumericKey=Number.isFinite(+name),
isLast=index>=path.length;return name=!name&&utils_default.isArray(target)?target.length:name,isLast?(utils_default.hasOwnProp(
target,name)?(target[name]=normalizeArray(target[name]),target[name]=utils_default.isArray(target[name])?target[name].concat(
value):[target[name],value]):target[name]=value,!isNumericKey):((!utils_default.hasOwnProp(target,name)||!utils_default.
isObject(target[name]))&&(target[name]=[]),buildPath(path,value,target[name],index)&&utils_default.isArray(target[name])&&
(target[name]=arrayToObject(target[name])),!isNumericKey)}if(utils_default.isFormData(formData)&&utils_default.isFunction(
formData.entries)){let obj={};return utils_default.forEachEntry(formData,(name,value)=>{buildPath(parsePropPath(name),value,
obj,0)}),normalizeArrays(obj)}return null}var formDataToJSON_default=formDataToJSON;var methodList=Object.freeze(["get","delete","head","options","post","put","patch","purge","link","unlink","query"]),methodList_default=methodList;var own=(obj,key)=>obj!=null&&utils_default.hasOwnProp(obj,key)?obj[key]:void 0;function stringifySafely2(rawValue,parser,encoder){
if(utils_default.isString(rawValue))try{return(parser||JSON.parse)(rawValue),utils_default.trim(rawValue)}catch(e){if(e.
name!=="SyntaxError")throw e}return(encoder||JSON.stringify)(rawValue)}var defaults={transitional:transitional_default,adapter:[
"xhr","http","fetch"],transformRequest:[function(data,headers){let contentType=headers.getContentType()||"",hasJSONContentType=contentType.
indexOf("application/json")>-1,isObjectPayload=utils_default.isObject(data);if(isObjectPayload&&utils_default.isHTMLForm(
data)&&(data=new FormData(data)),utils_default.isFormData(data))return hasJSONContentType?JSON.stringify(formDataToJSON_default(
data)):data;if(utils_default.isArrayBuffer(data)||utils_default.isBuffer(data)||utils_default.isStream(data)||utils_default.
isFile(data)||utils_default.isBlob(data)||utils_default.isReadableStream(data))return data;if(utils_default.isArrayBufferView(
data))return data.buffer;if(utils_default.isURLSearchParams(data))return headers.setContentType("application/x-www-form-\
urlencoded;charset=utf-8",!1),data.toString();let isFileList2;if(isObjectPayload){let formSerializer=own(this,"formSeria\
lizer");if(contentType.indexOf("application/x-www-form-urlencoded")>-1)return toURLEncodedForm(data,formSerializer).toString();
if((isFileList2=utils_default.isFileList(data))||contentType.indexOf("multipart/form-data")>-1){let env=own(this,"env"),
_FormData=env&&env.FormData;return toFormData_default(isFileList2?{"files[]":data}:data,_FormData&&new _FormData,formSerializer)}}
return isObjectPayload||hasJSONContentType?(headers.setContentType("application/json",!1),stringifySafely2(data)):data}],
transformResponse:[function(data){let transitional2=own(this,"transitional")||defaults.transitional,forcedJSONParsing=transitional2&&
transitional2.forcedJSONParsing,responseType=own(this,"responseType"),JSONRequested=responseType==="json";if(utils_default.
isResponse(data)||utils_default.isReadableStream(data))return data;if(data&&utils_default.isString(data)&&(forcedJSONParsing&&
!responseType||JSONRequested)){let strictJSONParsing=!(transitional2&&transitional2.silentJSONParsing)&&JSONRequested;try{
return JSON.parse(data,own(this,"parseReviver"))}catch(e){if(strictJSONParsing)throw e.name==="SyntaxError"?AxiosError_default.
from(e,AxiosError_default.ERR_BAD_RESPONSE,this,null,own(this,"response")):e}}return data}],timeout:0,xsrfCookieName:"XS\
RF-TOKEN",xsrfHeaderName:"X-XSRF-TOKEN",maxContentLength:-1,maxBodyLength:-1,env:{FormData:platform_default.classes.FormData,
Blob:platform_default.classes.Blob},validateStatus:function(status){return status>=200&&status<300},headers:{common:{Accept:"\
application/json, text/plain, */*","Content-Type":void 0}}};utils_default.forEach(methodList_default,method=>{defaults.headers[method]=
{}});var defaults_default=defaults;function transformData(fns,response){let config=this||defaults_default,context=response||config,headers=AxiosHeaders_default.
from(context.headers),data=context.data;return utils_default.forEach(fns,function(fn){data=fn.call(config,data,headers.normalize(),
response?response.status:void 0)}),headers.normalize(),data}function isCancel(value){return!!(value&&value.__CANCEL__)}var CanceledError=class extends AxiosError_default{constructor(message,config,request){super(message??"canceled",AxiosError_default.
ERR_CANCELED,config,request),this.name="CanceledError",this.__CANCEL__=!0}},CanceledError_default=CanceledError;var adapters_default={getAdapter:given=>[given].flat().find(f=>typeof f=="function")};function throwIfCancellationRequested(config){if(config.cancelToken&&config.cancelToken.throwIfRequested(),config.signal&&
config.signal.aborted)throw new CanceledError_default(null,config)}function resolveClock(){return typeof performance<"u"&&
utils_default.isFunction(performance.now)?()=>performance.now():Date.now}function elapsedSince(now,start){return Math.max(
0,Math.round(now()-start))}function dispatchRequest(_config){let config=utils_default.toSafeFlatObject(_config);throwIfCancellationRequested(
config),config.headers=AxiosHeaders_default.from(utils_default.getSafeProp(config,"headers")),config.data=transformData.
call(config,config.transformRequest),["post","put","patch"].indexOf(config.method)!==-1&&config.headers.setContentType("\
application/x-www-form-urlencoded",!1);let adapter=adapters_default.getAdapter(config.adapter||defaults_default.adapter,
config),now=resolveClock(),start=now();return adapter(config).then(function(response){throwIfCancellationRequested(config),
response.duration=elapsedSince(now,start),config.response=response;try{response.data=transformData.call(config,config.transformResponse,
response)}finally{delete config.response}return response.headers=AxiosHeaders_default.from(response.headers),response},function(reason){
if(!isCancel(reason)&&(throwIfCancellationRequested(config),reason&&reason.response)){reason.response.duration=elapsedSince(
now,start),config.response=reason.response;try{reason.response.data=transformData.call(config,config.transformResponse,reason.
response)}finally{delete config.response}reason.response.headers=AxiosHeaders_default.from(reason.response.headers)}return Promise.
reject(reason)})}function assertParamsAcyclic(params){let pending=[{value:params}],active=new WeakSet,visited=new WeakSet;for(;pending.length;){
let{value,done}=pending.pop();if(!utils_default.isPlainObject(value)&&!utils_default.isArray(value))continue;if(done){active.
delete(value);continue}if(active.has(value))throw new AxiosError_default("Circular reference detected in params",AxiosError_default.
ERR_BAD_OPTION_VALUE);if(visited.has(value))continue;visited.add(value),active.add(value),pending.push({value,done:!0});
let keys=Object.keys(value);Object.getOwnPropertySymbols&&Object.getOwnPropertyDescriptor&&Object.getOwnPropertySymbols(
value).forEach(key=>{let descriptor=Object.getOwnPropertyDescriptor(value,key);descriptor&&descriptor.enumerable&&keys.push(
key)}),keys.forEach(key=>{if(key==="__proto__"||key==="constructor"||key==="prototype"){let descriptor=Object.getOwnPropertyDescriptor(
value,key);descriptor&&utils_default.hasOwnProp(descriptor,"value")&&pending.push({value:descriptor.value})}else pending.
push({value:value[key]})})}}var headersToObject=thing=>thing instanceof AxiosHeaders_default?{...thing}:thing,ownEnumerableKeys=thing=>Object.getOwnPropertySymbols&&
Object.getOwnPropertyDescriptor?Object.keys(thing).concat(Object.getOwnPropertySymbols(thing).filter(symbol=>{let descriptor=Object.
getOwnPropertyDescriptor(thing,symbol);return descriptor&&descriptor.enumerable})):Object.keys(thing);function mergeParams(a,b){
let pending=[],copies=new WeakMap,empty={};function copy(target,source){if(!utils_default.isPlainObject(source))return utils_default.
isArray(source)?source.slice():source;let base=utils_default.isPlainObject(target)?target:empty,bases=copies.get(source);
if(bases||(bases=new WeakMap,copies.set(source,bases)),bases.has(base))return bases.get(base);let result2={};return bases.
set(base,result2),pending.push({base,source,result:result2}),result2}let result=utils_default.isUndefined(b)?copy(void 0,
a):copy(a,b);for(;pending.length;){let{base,source,result:target}=pending.pop(),baseKeys=new Set(ownEnumerableKeys(base)),
sourceKeys=new Set(ownEnumerableKeys(source));new Set([...baseKeys,...sourceKeys]).forEach(key=>{if(key==="__proto__"||key===
"constructor"||key==="prototype")return;let hasSource=sourceKeys.has(key),value=hasSource?source[key]:void 0,previous=(!hasSource||
utils_default.isPlainObject(value))&&baseKeys.has(key)?base[key]:void 0;target[key]=hasSource?copy(previous,value):copy(
void 0,previous)})}return assertParamsAcyclic(result),result}function getMergedValue(target,source,prop,caseless){return utils_default.
isPlainObject(target)&&utils_default.isPlainObject(source)?utils_default.merge.call({caseless},target,source):utils_default.
isPlainObject(source)?utils_default.merge({},source):utils_default.isArray(source)?source.slice():source}function mergeDeepProperties(a,b,prop,caseless){
if(utils_default.isUndefined(b)){if(!utils_default.isUndefined(a))return getMergedValue(void 0,a,prop,caseless)}else return getMergedValue(
a,b,prop,caseless)}function valueFromConfig2(a,b){if(!utils_default.isUndefined(b))return getMergedValue(void 0,b)}function defaultToConfig2(a,b){
if(utils_default.isUndefined(b)){if(!utils_default.isUndefined(a))return getMergedValue(void 0,a)}else return getMergedValue(
void 0,b)}function getMergedTransitionalOption(config1,config2,prop){let transitional2=utils_default.hasOwnProp(config2,
"transitional")?config2.transitional:void 0;if(!utils_default.isUndefined(transitional2))if(utils_default.isPlainObject(
transitional2)){if(utils_default.hasOwnProp(transitional2,prop))return transitional2[prop]}else return;let transitional1=utils_default.
hasOwnProp(config1,"transitional")?config1.transitional:void 0;if(utils_default.isPlainObject(transitional1)&&utils_default.
hasOwnProp(transitional1,prop))return transitional1[prop]}function mergeDirectKeys(a,b,prop,config1,config2){if(utils_default.
hasOwnProp(config2,prop))return getMergedValue(a,b);if(utils_default.hasOwnProp(config1,prop))return getMergedValue(void 0,
a)}function mergeHeaders(a,b,prop){return mergeDeepProperties(headersToObject(a),headersToObject(b),prop,!0)}var hasOwnPropertyDescriptor=Object.
freeze({__proto__:null,value:Object.prototype.hasOwnProperty,enumerable:!1,writable:!0,configurable:!0}),mergeMap={url:valueFromConfig2,
method:valueFromConfig2,data:valueFromConfig2,baseURL:defaultToConfig2,transformRequest:defaultToConfig2,transformResponse:defaultToConfig2,
params:mergeParams,paramsSerializer:defaultToConfig2,timeout:defaultToConfig2,timeoutErrorMessage:defaultToConfig2,withCredentials:defaultToConfig2,
withXSRFToken:defaultToConfig2,adapter:defaultToConfig2,responseType:defaultToConfig2,xsrfCookieName:defaultToConfig2,xsrfHeaderName:defaultToConfig2,
onUploadProgress:defaultToConfig2,onDownloadProgress:defaultToConfig2,decompress:defaultToConfig2,maxContentLength:defaultToConfig2,
maxBodyLength:defaultToConfig2,beforeRedirect:defaultToConfig2,transport:defaultToConfig2,httpAgent:defaultToConfig2,httpsAgent:defaultToConfig2,
cancelToken:defaultToConfig2,socketPath:defaultToConfig2,allowedSocketPaths:defaultToConfig2,responseEncoding:defaultToConfig2,
validateStatus:mergeDirectKeys,headers:mergeHeaders};function mergeConfig(config1,config2){config1=config1||{},config2=config2||
{};let config=Object.create(null);Object.defineProperty(config,"hasOwnProperty",hasOwnPropertyDescriptor);let keys=ownEnumerableKeys(
{...config1,...config2});for(let i=0,len=keys.length;i<len;i++){let prop=keys[i];if(prop==="__proto__"||prop==="construc\
tor"||prop==="prototype")continue;let merge2=utils_default.hasOwnProp(mergeMap,prop)?mergeMap[prop]:mergeDeepProperties,
a=utils_default.hasOwnProp(config1,prop)?config1[prop]:void 0,b=utils_default.hasOwnProp(config2,prop)?config2[prop]:void 0,
configValue=merge2===mergeDirectKeys?merge2(a,b,prop,config1,config2):merge2(a,b,prop);utils_default.isUndefined(configValue)&&
merge2!==mergeDirectKeys||(config[prop]=configValue)}return utils_default.hasOwnProp(config2,"validateStatus")&&utils_default.
isUndefined(config2.validateStatus)&&getMergedTransitionalOption(config1,config2,"validateStatusUndefinedResolves")===!1&&
(utils_default.hasOwnProp(config1,"validateStatus")?config.validateStatus=getMergedValue(void 0,config1.validateStatus):
delete config.validateStatus),config}function isAbsoluteURL(url){return typeof url!="string"?!1:/^([a-z][a-z\d+\-.]*:)?\/\//i.test(url)}function combineURLs(baseURL,relativeURL){if(!relativeURL)return baseURL;let end=baseURL.length;for(;end>0&&baseURL.charCodeAt(
end-1)===47;)end--;return baseURL.slice(0,end)+"/"+relativeURL.replace(/^\/+/,"")}var urlParserControlCharacters=/[\t\n\r]/g;function normalizeURLForProtocolCheck(url){if(typeof url!="string")return url;
let start=0;for(;start<url.length&&url.charCodeAt(start)<=32;)start++;return url.slice(start).replace(urlParserControlCharacters,
"")}var malformedHttpProtocol=/^https?:(?!\/\/)/i;function redactFragment(fragment){return fragment&&fragment.replace(/(^|&)([^=&]*=)?[^&]+/g,
(match,separator,parameterName="")=>`${separator}${parameterName}${REDACTED}`)}function redactSensitiveURLParts(url){let redactedURL=url.
replace(/^(https?:\/{0,2})[^/?#]*@/i,`$1${REDACTED}@`),fragmentIndex=redactedURL.indexOf("#"),redactedURLWithoutFragment=(fragmentIndex===
-1?redactedURL:redactedURL.slice(0,fragmentIndex)).replace(/([?&][^=&#]*=)[^&#]*/g,`$1${REDACTED}`);return fragmentIndex===
-1?redactedURLWithoutFragment:`${redactedURLWithoutFragment}#${redactFragment(redactedURL.slice(fragmentIndex+1))}`}function assertValidHttpProtocolURL(url,config){
if(typeof url=="string"){let normalizedURL=normalizeURLForProtocolCheck(url);if(malformedHttpProtocol.test(normalizedURL))
throw new AxiosError_default(`Invalid URL ${JSON.stringify(redactSensitiveURLParts(normalizedURL))}: missing "//" after \
protocol`,AxiosError_default.ERR_INVALID_URL,config)}}function buildFullPath(baseURL,requestedURL,allowAbsoluteUrls,config){
assertValidHttpProtocolURL(requestedURL,config);let isRelativeUrl=!isAbsoluteURL(requestedURL);return baseURL&&(isRelativeUrl||
allowAbsoluteUrls===!1)?(assertValidHttpProtocolURL(baseURL,config),combineURLs(baseURL,requestedURL)):requestedURL}var VERSION="1.21.1";var validators={};["object","boolean","number","function","string","symbol"].forEach((type,i)=>{validators[type]=function(thing){
return typeof thing===type||"a"+(i<1?"n ":" ")+type}});var deprecatedWarnings={};validators.transitional=function(validator,version,message){
function formatMessage(opt,desc){return"[Axios v"+VERSION+"] Transitional option '"+opt+"'"+desc+(message?". "+message:"")}
return(value,opt,opts)=>{if(validator===!1)throw new AxiosError_default(formatMessage(opt," has been removed"+(version?"\
 in "+version:"")),AxiosError_default.ERR_DEPRECATED);return version&&!deprecatedWarnings[opt]&&(deprecatedWarnings[opt]=
!0,console.warn(formatMessage(opt," has been deprecated since v"+version+" and will be removed in the near future"))),validator?
validator(value,opt,opts):!0}};validators.spelling=function(correctSpelling){return(value,opt)=>(console.warn(`${opt} is\
 likely a misspelling of ${correctSpelling}`),!0)};function assertOptions(options,schema,allowUnknown){if(typeof options!=
"object"||options===null)throw new AxiosError_default("options must be an object",AxiosError_default.ERR_BAD_OPTION_VALUE);
let keys=Object.keys(options),i=keys.length;for(;i-- >0;){let opt=keys[i],validator=Object.prototype.hasOwnProperty.call(
schema,opt)?schema[opt]:void 0;if(validator){let value=options[opt],result=value===void 0||validator(value,opt,options);
if(result!==!0)throw new AxiosError_default("option "+opt+" must be "+result,AxiosError_default.ERR_BAD_OPTION_VALUE);continue}
if(allowUnknown!==!0)throw new AxiosError_default("Unknown option "+opt,AxiosError_default.ERR_BAD_OPTION)}}var validator_default={
assertOptions,validators};var validators2=validator_default.validators,isHeadersBucket=value=>{if(value==null||utils_default.isPlainObject(value)||
value instanceof AxiosHeaders_default)return!0;try{return utils_default.isObject(value)&&utils_default.getSafeProp(value,
Symbol.toStringTag)==="AxiosHeaders"&&["toJSON","set","get","has","delete","clear","normalize","concat","toString",Symbol.
iterator].every(method=>utils_default.isFunction(utils_default.getSafeProp(value,method)))}catch{return!1}},Axios=class{constructor(instanceConfig){
this.defaults=instanceConfig||{},this.interceptors={request:new InterceptorManager_default,response:new InterceptorManager_default}}async request(configOrUrl,config){
try{return await this._request(configOrUrl,config)}catch(err){if(err instanceof Error)try{let dummy={};Error.captureStackTrace?
Error.captureStackTrace(dummy):dummy=new Error;let dummyStack=dummy.stack,stack="";if(typeof dummyStack=="string"){let firstNewlineIndex=dummyStack.
indexOf(`
`);stack=firstNewlineIndex===-1?"":dummyStack.slice(firstNewlineIndex+1)}if(!err.stack)err.stack=stack;else if(stack){let firstNewlineIndex=stack.
indexOf(`
`),secondNewlineIndex=firstNewlineIndex===-1?-1:stack.indexOf(`
`,firstNewlineIndex+1),duplicateCheckSuffix=secondNewlineIndex===-1?stack:stack.slice(secondNewlineIndex+1),currentStack=String(
err.stack),causeIndex=getCauseStackIndex(err,currentStack),stackHead=causeIndex===-1?currentStack:currentStack.slice(0,causeIndex),
causeSection=causeIndex===-1?"":currentStack.slice(causeIndex);stackHead.endsWith(duplicateCheckSuffix)||(err.stack=stackHead+
`
`+stack+causeSection)}}catch{}throw err}}_request(configOrUrl,config){typeof configOrUrl=="string"?(config=config||{},config.
url=configOrUrl):config=configOrUrl||{},config=mergeConfig(this.defaults,config);let{transitional:transitional2,paramsSerializer,
headers}=config;transitional2!==void 0&&validator_default.assertOptions(transitional2,{silentJSONParsing:validators2.transitional(
validators2.boolean),forcedJSONParsing:validators2.transitional(validators2.boolean),clarifyTimeoutError:validators2.transitional(
validators2.boolean),legacyInterceptorReqResOrdering:validators2.transitional(validators2.boolean),advertiseZstdAcceptEncoding:validators2.
transitional(validators2.boolean),validateStatusUndefinedResolves:validators2.transitional(validators2.boolean),encodeBasicAuthUsername:validators2.
transitional(validators2.boolean)},!1),paramsSerializer!=null&&(utils_default.isFunction(paramsSerializer)?config.paramsSerializer=
{serialize:paramsSerializer}:validator_default.assertOptions(paramsSerializer,{encode:validators2.function,serialize:validators2.
function},!0)),config.allowAbsoluteUrls!==void 0||(utils_default.hasOwnProp(this.defaults,"allowAbsoluteUrls")&&this.defaults.
allowAbsoluteUrls!==void 0?config.allowAbsoluteUrls=this.defaults.allowAbsoluteUrls:config.allowAbsoluteUrls=!0),validator_default.
assertOptions(config,{baseUrl:validators2.spelling("baseURL"),withXsrfToken:validators2.spelling("withXSRFToken")},!0),config.
method=(utils_default.getSafeProp(config,"method")||utils_default.getSafeProp(this.defaults,"method")||"get").toLowerCase();
let commonHeaders=utils_default.getSafeProp(headers,"common"),methodHeaders=utils_default.getSafeProp(headers,config.method),
contextHeaders=headers&&utils_default.merge(isHeadersBucket(commonHeaders)?commonHeaders:void 0,isHeadersBucket(methodHeaders)?
methodHeaders:void 0);headers&&utils_default.forEach(methodList_default.concat("common"),method=>{isHeadersBucket(utils_default.
getSafeProp(headers,method))&&delete headers[method]}),config.headers=AxiosHeaders_default.concat(contextHeaders,headers);
let requestInterceptorChain=[],synchronousRequestInterceptors=!0;this.interceptors.request.forEach(function(interceptor){
if(typeof interceptor.runWhen=="function"&&interceptor.runWhen(config)===!1)return;synchronousRequestInterceptors=synchronousRequestInterceptors&&
interceptor.synchronous;let transitional3=config.transitional||transitional_default;transitional3&&transitional3.legacyInterceptorReqResOrdering?
requestInterceptorChain.unshift(interceptor.fulfilled,interceptor.rejected):requestInterceptorChain.push(interceptor.fulfilled,
interceptor.rejected)});let responseInterceptorChain=[];this.interceptors.response.forEach(function(interceptor){responseInterceptorChain.
push(interceptor.fulfilled,interceptor.rejected)});let promise,i=0,len;if(!synchronousRequestInterceptors){let chain=[dispatchRequest.
bind(this),void 0];for(chain.unshift(...requestInterceptorChain),chain.push(...responseInterceptorChain),len=chain.length,
promise=Promise.resolve(config);i<len;)promise=promise.then(chain[i++],chain[i++]);return promise}len=requestInterceptorChain.
length;let newConfig=config;for(;i<len;){let onFulfilled=requestInterceptorChain[i++],onRejected=requestInterceptorChain[i++];
try{newConfig=onFulfilled?onFulfilled(newConfig):newConfig}catch(error){if(!onRejected){promise=Promise.reject(error);break}
try{let rejectedResult=onRejected.call(this,error);utils_default.isThenable(rejectedResult)&&(promise=Promise.resolve(rejectedResult).
then(()=>dispatchRequest.call(this,newConfig)))}catch(rejectedError){promise=Promise.reject(rejectedError)}break}}if(!promise)
try{promise=dispatchRequest.call(this,newConfig)}catch(error){promise=Promise.reject(error)}for(i=0,len=responseInterceptorChain.
length;i<len;)promise=promise.then(responseInterceptorChain[i++],responseInterceptorChain[i++]);return promise}getUri(config){
config=mergeConfig(this.defaults,config);let fullPath=buildFullPath(config.baseURL,config.url,config.allowAbsoluteUrls,config);
return buildURL(fullPath,config.params,config.paramsSerializer)}};utils_default.forEach(["delete","get","head","options"],
function(method){Axios.prototype[method]=async function(url,config){return this.request(mergeConfig(config||{},{method,url,
data:config&&utils_default.hasOwnProp(config,"data")?config.data:void 0}))}});utils_default.forEach(["post","put","patch",
"query"],function(method){function generateHTTPMethod(isForm){return async function(url,data,config){return this.request(
mergeConfig(config||{},{method,headers:isForm?{"Content-Type":"multipart/form-data"}:{},url,data}))}}Axios.prototype[method]=
generateHTTPMethod(),method!=="query"&&(Axios.prototype[method+"Form"]=generateHTTPMethod(!0))});var Axios_default=Axios;var CancelToken=class _CancelToken{constructor(executor){if(typeof executor!="function")throw new TypeError("executor mu\
st be a function.");let resolvePromise;this.promise=new Promise(function(resolve){resolvePromise=resolve});let token=this;
this.promise.then(cancel=>{if(!token._listeners)return;let i=token._listeners.length;for(;i-- >0;)token._listeners[i](cancel);
token._listeners=null}),this.promise.then=onfulfilled=>{let _resolve,promise=new Promise(resolve=>{token.subscribe(resolve),
_resolve=resolve}).then(onfulfilled);return promise.cancel=function(){token.unsubscribe(_resolve)},promise},executor(function(message,config,request){
token.reason||(token.reason=new CanceledError_default(message,config,request),resolvePromise(token.reason))})}throwIfRequested(){
if(this.reason)throw this.reason}subscribe(listener){if(this.reason){listener(this.reason);return}this._listeners?this._listeners.
push(listener):this._listeners=[listener]}unsubscribe(listener){if(!this._listeners)return;let index=this._listeners.indexOf(
listener);index!==-1&&this._listeners.splice(index,1)}toAbortSignal(){let controller=new AbortController,abort=err=>{controller.
abort(err)};return this.subscribe(abort),controller.signal.unsubscribe=()=>this.unsubscribe(abort),controller.signal}static source(){
let cancel;return{token:new _CancelToken(function(c){cancel=c}),cancel}}},CancelToken_default=CancelToken;function spread(callback){return function(arr){return callback.apply(null,arr)}}function isAxiosError(payload){return utils_default.isObject(payload)&&payload.isAxiosError===!0}var HttpStatusCode={Continue:100,SwitchingProtocols:101,Processing:102,EarlyHints:103,Ok:200,Created:201,Accepted:202,NonAuthoritativeInformation:203,
NoContent:204,ResetContent:205,PartialContent:206,MultiStatus:207,AlreadyReported:208,ImUsed:226,MultipleChoices:300,MovedPermanently:301,
Found:302,SeeOther:303,NotModified:304,UseProxy:305,Unused:306,TemporaryRedirect:307,PermanentRedirect:308,BadRequest:400,
Unauthorized:401,PaymentRequired:402,Forbidden:403,NotFound:404,MethodNotAllowed:405,NotAcceptable:406,ProxyAuthenticationRequired:407,
RequestTimeout:408,Conflict:409,Gone:410,LengthRequired:411,PreconditionFailed:412,PayloadTooLarge:413,ContentTooLarge:413,
UriTooLong:414,UnsupportedMediaType:415,RangeNotSatisfiable:416,ExpectationFailed:417,ImATeapot:418,MisdirectedRequest:421,
UnprocessableEntity:422,UnprocessableContent:422,Locked:423,FailedDependency:424,TooEarly:425,UpgradeRequired:426,PreconditionRequired:428,
TooManyRequests:429,RequestHeaderFieldsTooLarge:431,UnavailableForLegalReasons:451,InternalServerError:500,NotImplemented:501,
BadGateway:502,ServiceUnavailable:503,GatewayTimeout:504,HttpVersionNotSupported:505,VariantAlsoNegotiates:506,InsufficientStorage:507,
LoopDetected:508,NotExtended:510,NetworkAuthenticationRequired:511,WebServerReturnsAnUnknownError:520,WebServerIsDown:521,
ConnectionTimedOut:522,OriginIsUnreachable:523,TimeoutOccurred:524,SslHandshakeFailed:525,InvalidSslCertificate:526};Object.
entries(HttpStatusCode).forEach(([key,value])=>{HttpStatusCode[value]===void 0&&(HttpStatusCode[value]=key)});var HttpStatusCode_default=HttpStatusCode;function createInstance(defaultConfig){let context=new Axios_default(defaultConfig),instance=bind(Axios_default.prototype.
request,context);return utils_default.extend(instance,Axios_default.prototype,context,{allOwnKeys:!0}),utils_default.extend(
instance,context,null,{allOwnKeys:!0}),instance.create=function(instanceConfig){return createInstance(mergeConfig(defaultConfig,
instanceConfig))},instance}var axios=createInstance(defaults_default);axios.Axios=Axios_default;axios.CanceledError=CanceledError_default;
axios.CancelToken=CancelToken_default;axios.isCancel=isCancel;axios.VERSION=VERSION;axios.toFormData=toFormData_default;
axios.AxiosError=AxiosError_default;axios.Cancel=axios.CanceledError;axios.all=function(promises){return Promise.all(promises)};
axios.spread=spread;axios.isAxiosError=isAxiosError;axios.mergeConfig=mergeConfig;axios.AxiosHeaders=AxiosHeaders_default;
axios.formToJSON=thing=>formDataToJSON_default(utils_default.isHTMLForm(thing)?new FormData(thing):thing);axios.getAdapter=
adapters_default.getAdapter;axios.HttpStatusCode=HttpStatusCode_default;axios.default=axios;var axios_default=axios;function settle(resolve,reject,response){let validateStatus2=response.config.validateStatus;!response.status||!validateStatus2||
validateStatus2(response.status)?resolve(response):reject(new AxiosError_default("Request failed with status code "+response.
status,response.status>=400&&response.status<500?AxiosError_default.ERR_BAD_REQUEST:AxiosError_default.ERR_BAD_RESPONSE,
response.config,response.request,response))}
return module.exports;
});
