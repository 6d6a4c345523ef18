// @pkgjs/parseargs 0.11.0 (MIT), bundled by infra/packages/vendor.mjs.
//
// Apache License
//                            Version 2.0, January 2004
//                         http://www.apache.org/licenses/
//
//    TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION
//
//    1. Definitions.
//
//       "License" shall mean the terms and conditions for use, reproduction,
//       and distribution as defined by Sections 1 through 9 of this document.
//
//       "Licensor" shall mean the copyright owner or entity authorized by
//       the copyright owner that is granting the License.
//
//       "Legal Entity" shall mean the union of the acting entity and all
//       other entities that control, are controlled by, or are under common
//       control with that entity. For the purposes of this definition,
//       "control" means (i) the power, direct or indirect, to cause the
//       direction or management of such entity, whether by contract or
//       otherwise, or (ii) ownership of fifty percent (50%) or more of the
//       outstanding shares, or (iii) beneficial ownership of such entity.
//
//       "You" (or "Your") shall mean an individual or Legal Entity
//       exercising permissions granted by this License.
//
//       "Source" form shall mean the preferred form for making modifications,
//       including but not limited to software source code, documentation
//       source, and configuration files.
//
//       "Object" form shall mean any form resulting from mechanical
//       transformation or translation of a Source form, including but
//       not limited to compiled object code, generated documentation,
//       and conversions to other media types.
//
//       "Work" shall mean the work of authorship, whether in Source or
//       Object form, made available under the License, as indicated by a
//       copyright notice that is included in or attached to the work
//       (an example is provided in the Appendix below).
//
//       "Derivative Works" shall mean any work, whether in Source or Object
//       form, that is based on (or derived from) the Work and for which the
//       editorial revisions, annotations, elaborations, or other modifications
//       represent, as a whole, an original work of authorship. For the purposes
//       of this License, Derivative Works shall not include works that remain
//       separable from, or merely link (or bind by name) to the interfaces of,
//       the Work and Derivative Works thereof.
//
//       "Contribution" shall mean any work of authorship, including
//       the original version of the Work and any modifications or additions
//       to that Work or Derivative Works thereof, that is intentionally
//       submitted to Licensor for inclusion in the Work by the copyright owner
//       or by an individual or Legal Entity authorized to submit on behalf of
//       the copyright owner. For the purposes of this definition, "submitted"
//       means any form of electronic, verbal, or written communication sent
//       to the Licensor or its representatives, including but not limited to
//       communication on electronic mailing lists, source code control systems,
//       and issue tracking systems that are managed by, or on behalf of, the
//       Licensor for the purpose of discussing and improving the Work, but
//       excluding communication that is conspicuously marked or otherwise
//       designated in writing by the copyright owner as "Not a Contribution."
//
//       "Contributor" shall mean Licensor and any individual or Legal Entity
//       on behalf of whom a Contribution has been received by Licensor and
//       subsequently incorporated within the Work.
//
//    2. Grant of Copyright License. Subject to the terms and conditions of
//       this License, each Contributor hereby grants to You a perpetual,
//       worldwide, non-exclusive, no-charge, royalty-free, irrevocable
//       copyright license to reproduce, prepare Derivative Works of,
//       publicly display, publicly perform, sublicense, and distribute the
//       Work and such Derivative Works in Source or Object form.
//
//    3. Grant of Patent License. Subject to the terms and conditions of
//       this License, each Contributor hereby grants to You a perpetual,
//       worldwide, non-exclusive, no-charge, royalty-free, irrevocable
//       (except as stated in this section) patent license to make, have made,
//       use, offer to sell, sell, import, and otherwise transfer the Work,
//       where such license applies only to those patent claims licensable
//       by such Contributor that are necessarily infringed by their
//       Contribution(s) alone or by combination of their Contribution(s)
//       with the Work to which such Contribution(s) was submitted. If You
//       institute patent litigation against any entity (including a
//       cross-claim or counterclaim in a lawsuit) alleging that the Work
//       or a Contribution incorporated within the Work constitutes direct
//       or contributory patent infringement, then any patent licenses
//       granted to You under this License for that Work shall terminate
//       as of the date such litigation is filed.
//
//    4. Redistribution. You may reproduce and distribute copies of the
//       Work or Derivative Works thereof in any medium, with or without
//       modifications, and in Source or Object form, provided that You
//       meet the following conditions:
//
//       (a) You must give any other recipients of the Work or
//           Derivative Works a copy of this License; and
//
//       (b) You must cause any modified files to carry prominent notices
//           stating that You changed the files; and
//
//       (c) You must retain, in the Source form of any Derivative Works
//           that You distribute, all copyright, patent, trademark, and
//           attribution notices from the Source form of the Work,
//           excluding those notices that do not pertain to any part of
//           the Derivative Works; and
//
//       (d) If the Work includes a "NOTICE" text file as part of its
//           distribution, then any Derivative Works that You distribute must
//           include a readable copy of the attribution notices contained
//           within such NOTICE file, excluding those notices that do not
//           pertain to any part of the Derivative Works, in at least one
//           of the following places: within a NOTICE text file distributed
//           as part of the Derivative Works; within the Source form or
//           documentation, if provided along with the Derivative Works; or,
//           within a display generated by the Derivative Works, if and
//           wherever such third-party notices normally appear. The contents
//           of the NOTICE file are for informational purposes only and
//           do not modify the License. You may add Your own attribution
//           notices within Derivative Works that You distribute, alongside
//           or as an addendum to the NOTICE text from the Work, provided
//           that such additional attribution notices cannot be construed
//           as modifying the License.
//
//       You may add Your own copyright statement to Your modifications and
//       may provide additional or different license terms and conditions
//       for use, reproduction, or distribution of Your modifications, or
//       for any such Derivative Works as a whole, provided Your use,
//       reproduction, and distribution of the Work otherwise complies with
//       the conditions stated in this License.
//
//    5. Submission of Contributions. Unless You explicitly state otherwise,
//       any Contribution intentionally submitted for inclusion in the Work
//       by You to the Licensor shall be under the terms and conditions of
//       this License, without any additional terms or conditions.
//       Notwithstanding the above, nothing herein shall supersede or modify
//       the terms of any separate license agreement you may have executed
//       with Licensor regarding such Contributions.
//
//    6. Trademarks. This License does not grant permission to use the trade
//       names, trademarks, service marks, or product names of the Licensor,
//       except as required for reasonable and customary use in describing the
//       origin of the Work and reproducing the content of the NOTICE file.
//
//    7. Disclaimer of Warranty. Unless required by applicable law or
//       agreed to in writing, Licensor provides the Work (and each
//       Contributor provides its Contributions) on an "AS IS" BASIS,
//       WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
//       implied, including, without limitation, any warranties or conditions
//       of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
//       PARTICULAR PURPOSE. You are solely responsible for determining the
//       appropriateness of using or redistributing the Work and assume any
//       risks associated with Your exercise of permissions under this License.
//
//    8. Limitation of Liability. In no event and under no legal theory,
//       whether in tort (including negligence), contract, or otherwise,
//       unless required by applicable law (such as deliberate and grossly
//       negligent acts) or agreed to in writing, shall any Contributor be
//       liable to You for damages, including any direct, indirect, special,
//       incidental, or consequential damages of any character arising as a
//       result of this License or out of the use or inability to use the
//       Work (including but not limited to damages for loss of goodwill,
//       work stoppage, computer failure or malfunction, or any and all
//       other commercial damages or losses), even if such Contributor
//       has been advised of the possibility of such damages.
//
//    9. Accepting Warranty or Additional Liability. While redistributing
//       the Work or Derivative Works thereof, You may choose to offer,
//       and charge a fee for, acceptance of support, warranty, indemnity,
//       or other liability obligations and/or rights consistent with this
//       License. However, in accepting such obligations, You may act only
//       on Your own behalf and on Your sole responsibility, not on behalf
//       of any other Contributor, and only if You agree to indemnify,
//       defend, and hold each Contributor harmless for any liability
//       incurred by, or claims asserted against, such Contributor by reason
//       of your accepting any such warranty or additional liability.
//
//    END OF TERMS AND CONDITIONS
//
//    APPENDIX: How to apply the Apache License to your work.
//
//       To apply the Apache License to your work, attach the following
//       boilerplate notice, with the fields enclosed by brackets "[]"
//       replaced with your own identifying information. (Don't include
//       the brackets!)  The text should be enclosed in the appropriate
//       comment syntax for the file format. We also recommend that a
//       file or class name and description of purpose be included on the
//       same "printed page" as the copyright notice for easier
//       identification within third-party archives.
//
//    Copyright [yyyy] [name of copyright owner]
//
//    Licensed under the Apache License, Version 2.0 (the "License");
//    you may not use this file except in compliance with the License.
//    You may obtain a copy of the License at
//
//        http://www.apache.org/licenses/LICENSE-2.0
//
//    Unless required by applicable law or agreed to in writing, software
//    distributed under the License is distributed on an "AS IS" BASIS,
//    WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
//    See the License for the specific language governing permissions and
//    limitations under the License.
(function (host, load) {
var module = { exports: {} }, exports = module.exports, require = (name) => load("require").require(name);
"use strict";var __getOwnPropNames=Object.getOwnPropertyNames;var __commonJS=(cb,mod)=>function(){try{return mod||(0,cb[__getOwnPropNames(cb)[0]])((mod={exports:{}}).exports,mod),mod.
exports}catch(e){throw mod=0,e}};var require_primordials=__commonJS({"node_modules/@pkgjs/parseargs/internal/primordials.js"(exports2,module2){"use stric\
t";var primordials={},{defineProperty:ReflectDefineProperty,getOwnPropertyDescriptor:ReflectGetOwnPropertyDescriptor,ownKeys:ReflectOwnKeys}=Reflect,
{apply,bind,call}=Function.prototype,uncurryThis=bind.bind(call);primordials.uncurryThis=uncurryThis;var applyBind=bind.
bind(apply);primordials.applyBind=applyBind;var varargsMethods=["ArrayOf","ArrayPrototypePush","ArrayPrototypeUnshift","\
MathHypot","MathMax","MathMin","StringPrototypeConcat","TypedArrayOf"];function getNewKey(key){return typeof key=="symbo\
l"?`Symbol${key.description[7].toUpperCase()}${key.description.slice(8)}`:`${key[0].toUpperCase()}${key.slice(1)}`}function copyAccessor(dest,prefix,key,{
enumerable,get,set}){ReflectDefineProperty(dest,`${prefix}Get${key}`,{value:uncurryThis(get),enumerable}),set!==void 0&&
ReflectDefineProperty(dest,`${prefix}Set${key}`,{value:uncurryThis(set),enumerable})}function copyPropsRenamed(src,dest,prefix){
for(let key of ReflectOwnKeys(src)){let newKey=getNewKey(key),desc=ReflectGetOwnPropertyDescriptor(src,key);if("get"in desc)
copyAccessor(dest,prefix,newKey,desc);else{let name=`${prefix}${newKey}`;ReflectDefineProperty(dest,name,desc),varargsMethods.
includes(name)&&ReflectDefineProperty(dest,`${name}Apply`,{value:applyBind(desc.value,src)})}}}function copyPropsRenamedBound(src,dest,prefix){
for(let key of ReflectOwnKeys(src)){let newKey=getNewKey(key),desc=ReflectGetOwnPropertyDescriptor(src,key);if("get"in desc)
copyAccessor(dest,prefix,newKey,desc);else{let{value}=desc;typeof value=="function"&&(desc.value=value.bind(src));let name=`${prefix}${newKey}`;
ReflectDefineProperty(dest,name,desc),varargsMethods.includes(name)&&ReflectDefineProperty(dest,`${name}Apply`,{value:applyBind(
value,src)})}}}function copyPrototype(src,dest,prefix){for(let key of ReflectOwnKeys(src)){let newKey=getNewKey(key),desc=ReflectGetOwnPropertyDescriptor(
src,key);if("get"in desc)copyAccessor(dest,prefix,newKey,desc);else{let{value}=desc;typeof value=="function"&&(desc.value=
uncurryThis(value));let name=`${prefix}${newKey}`;ReflectDefineProperty(dest,name,desc),varargsMethods.includes(name)&&ReflectDefineProperty(
dest,`${name}Apply`,{value:applyBind(value)})}}}["Proxy","globalThis"].forEach(name=>{primordials[name]=globalThis[name]});
[decodeURI,decodeURIComponent,encodeURI,encodeURIComponent].forEach(fn=>{primordials[fn.name]=fn});["JSON","Math","Proxy",
"Reflect"].forEach(name=>{copyPropsRenamed(global[name],primordials,name)});["Array","ArrayBuffer","BigInt","BigInt64Arr\
ay","BigUint64Array","Boolean","DataView","Date","Error","EvalError","Float32Array","Float64Array","Function","Int16Arra\
y","Int32Array","Int8Array","Map","Number","Object","RangeError","ReferenceError","RegExp","Set","String","Symbol","Synt\
axError","TypeError","URIError","Uint16Array","Uint32Array","Uint8Array","Uint8ClampedArray","WeakMap","WeakSet"].forEach(
name=>{let original=global[name];primordials[name]=original,copyPropsRenamed(original,primordials,name),copyPrototype(original.
prototype,primordials,`${name}Prototype`)});["Promise"].forEach(name=>{let original=global[name];primordials[name]=original,
copyPropsRenamedBound(original,primordials,name),copyPrototype(original.prototype,primordials,`${name}Prototype`)});[{name:"\
TypedArray",original:Reflect.getPrototypeOf(Uint8Array)},{name:"ArrayIterator",original:{prototype:Reflect.getPrototypeOf(
Array.prototype[Symbol.iterator]())}},{name:"StringIterator",original:{prototype:Reflect.getPrototypeOf(String.prototype[Symbol.
iterator]())}}].forEach(({name,original})=>{primordials[name]=original,copyPrototype(original,primordials,name),copyPrototype(
original.prototype,primordials,`${name}Prototype`)});var{ArrayPrototypeForEach:ArrayPrototypeForEach2,FunctionPrototypeCall,
Map,ObjectFreeze,ObjectSetPrototypeOf,Set,SymbolIterator,WeakMap,WeakSet:WeakSet2}=primordials,createSafeIterator=(factory,next)=>{
class SafeIterator{constructor(iterable){this._iterator=factory(iterable)}next(){return next(this._iterator)}[SymbolIterator](){
return this}}return ObjectSetPrototypeOf(SafeIterator.prototype,null),ObjectFreeze(SafeIterator.prototype),ObjectFreeze(
SafeIterator),SafeIterator};primordials.SafeArrayIterator=createSafeIterator(primordials.ArrayPrototypeSymbolIterator,primordials.
ArrayIteratorPrototypeNext);primordials.SafeStringIterator=createSafeIterator(primordials.StringPrototypeSymbolIterator,
primordials.StringIteratorPrototypeNext);var copyProps=(src,dest)=>{ArrayPrototypeForEach2(ReflectOwnKeys(src),key=>{ReflectGetOwnPropertyDescriptor(
dest,key)||ReflectDefineProperty(dest,key,ReflectGetOwnPropertyDescriptor(src,key))})},makeSafe=(unsafe,safe)=>{if(SymbolIterator in
unsafe.prototype){let dummy=new unsafe,next;ArrayPrototypeForEach2(ReflectOwnKeys(unsafe.prototype),key=>{if(!ReflectGetOwnPropertyDescriptor(
safe.prototype,key)){let desc=ReflectGetOwnPropertyDescriptor(unsafe.prototype,key);if(typeof desc.value=="function"&&desc.
value.length===0&&SymbolIterator in(FunctionPrototypeCall(desc.value,dummy)??{})){let createIterator=uncurryThis(desc.value);
next=next??uncurryThis(createIterator(dummy).next);let SafeIterator=createSafeIterator(createIterator,next);desc.value=function(){
return new SafeIterator(this)}}ReflectDefineProperty(safe.prototype,key,desc)}})}else copyProps(unsafe.prototype,safe.prototype);
return copyProps(unsafe,safe),ObjectSetPrototypeOf(safe.prototype,null),ObjectFreeze(safe.prototype),ObjectFreeze(safe),
safe};primordials.makeSafe=makeSafe;primordials.SafeMap=makeSafe(Map,class extends Map{constructor(i){super(i)}});primordials.
SafeWeakMap=makeSafe(WeakMap,class extends WeakMap{constructor(i){super(i)}});primordials.SafeSet=makeSafe(Set,class extends Set{constructor(i){
super(i)}});primordials.SafeWeakSet=makeSafe(WeakSet2,class extends WeakSet2{constructor(i){super(i)}});ObjectSetPrototypeOf(
primordials,null);ObjectFreeze(primordials);module2.exports=primordials}});var require_errors=__commonJS({"node_modules/@pkgjs/parseargs/internal/errors.js"(exports2,module2){"use strict";var ERR_INVALID_ARG_TYPE=class extends TypeError{constructor(name,expected,actual){
super(`${name} must be ${expected} got ${actual}`),this.code="ERR_INVALID_ARG_TYPE"}},ERR_INVALID_ARG_VALUE2=class extends TypeError{constructor(arg1,arg2,expected){
super(`The property ${arg1} ${expected}. Received '${arg2}'`),this.code="ERR_INVALID_ARG_VALUE"}},ERR_PARSE_ARGS_INVALID_OPTION_VALUE2=class extends Error{constructor(message){
super(message),this.code="ERR_PARSE_ARGS_INVALID_OPTION_VALUE"}},ERR_PARSE_ARGS_UNKNOWN_OPTION2=class extends Error{constructor(option,allowPositionals){
let suggestDashDash=allowPositionals?`. To specify a positional argument starting with a '-', place it at the end of the\
 command after '--', as in '-- ${JSON.stringify(option)}`:"";super(`Unknown option '${option}'${suggestDashDash}`),this.
code="ERR_PARSE_ARGS_UNKNOWN_OPTION"}},ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL2=class extends Error{constructor(positional){
super(`Unexpected argument '${positional}'. This command does not take positional arguments`),this.code="ERR_PARSE_ARGS_\
UNEXPECTED_POSITIONAL"}};module2.exports={codes:{ERR_INVALID_ARG_TYPE,ERR_INVALID_ARG_VALUE:ERR_INVALID_ARG_VALUE2,ERR_PARSE_ARGS_INVALID_OPTION_VALUE:ERR_PARSE_ARGS_INVALID_OPTION_VALUE2,
ERR_PARSE_ARGS_UNKNOWN_OPTION:ERR_PARSE_ARGS_UNKNOWN_OPTION2,ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL:ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL2}}}});var require_validators=__commonJS({"node_modules/@pkgjs/parseargs/internal/validators.js"(exports2,module2){"use strict";
var{ArrayIsArray,ArrayPrototypeIncludes:ArrayPrototypeIncludes2,ArrayPrototypeJoin}=require_primordials(),{codes:{ERR_INVALID_ARG_TYPE}}=require_errors();
function validateString2(value,name){if(typeof value!="string")throw new ERR_INVALID_ARG_TYPE(name,"String",value)}function validateUnion2(value,name,union){
if(!ArrayPrototypeIncludes2(union,value))throw new ERR_INVALID_ARG_TYPE(name,`('${ArrayPrototypeJoin(union,"|")}')`,value)}
function validateBoolean2(value,name){if(typeof value!="boolean")throw new ERR_INVALID_ARG_TYPE(name,"Boolean",value)}function validateArray2(value,name){
if(!ArrayIsArray(value))throw new ERR_INVALID_ARG_TYPE(name,"Array",value)}function validateStringArray2(value,name){validateArray2(
value,name);for(let i=0;i<value.length;i++)validateString2(value[i],`${name}[${i}]`)}function validateBooleanArray2(value,name){
validateArray2(value,name);for(let i=0;i<value.length;i++)validateBoolean2(value[i],`${name}[${i}]`)}function validateObject2(value,name,options){
let useDefaultOptions=options==null,allowArray=useDefaultOptions?!1:options.allowArray,allowFunction=useDefaultOptions?!1:
options.allowFunction;if(!(useDefaultOptions?!1:options.nullable)&&value===null||!allowArray&&ArrayIsArray(value)||typeof value!=
"object"&&(!allowFunction||typeof value!="function"))throw new ERR_INVALID_ARG_TYPE(name,"Object",value)}module2.exports=
{validateArray:validateArray2,validateObject:validateObject2,validateString:validateString2,validateStringArray:validateStringArray2,
validateUnion:validateUnion2,validateBoolean:validateBoolean2,validateBooleanArray:validateBooleanArray2}}});var require_util=__commonJS({"node_modules/@pkgjs/parseargs/internal/util.js"(exports2,module2){"use strict";var{ObjectCreate,
ObjectFreeze}=require_primordials(),kEmptyObject2=ObjectFreeze(ObjectCreate(null));module2.exports={kEmptyObject:kEmptyObject2}}});var require_utils=__commonJS({"node_modules/@pkgjs/parseargs/utils.js"(exports2,module2){"use strict";var{ArrayPrototypeFind,
ObjectEntries:ObjectEntries2,ObjectPrototypeHasOwnProperty:ObjectHasOwn2,StringPrototypeCharAt:StringPrototypeCharAt2,StringPrototypeIncludes,
StringPrototypeStartsWith:StringPrototypeStartsWith2}=require_primordials(),{validateObject:validateObject2}=require_validators();
function objectGetOwn2(obj,prop){if(ObjectHasOwn2(obj,prop))return obj[prop]}function optionsGetOwn2(options,longOption,prop){
if(ObjectHasOwn2(options,longOption))return objectGetOwn2(options[longOption],prop)}function isOptionValue2(value){return value!=
null}function isOptionLikeValue2(value){return value==null?!1:value.length>1&&StringPrototypeCharAt2(value,0)==="-"}function isLoneShortOption2(arg){
return arg.length===2&&StringPrototypeCharAt2(arg,0)==="-"&&StringPrototypeCharAt2(arg,1)!=="-"}function isLoneLongOption2(arg){
return arg.length>2&&StringPrototypeStartsWith2(arg,"--")&&!StringPrototypeIncludes(arg,"=",3)}function isLongOptionAndValue2(arg){
return arg.length>2&&StringPrototypeStartsWith2(arg,"--")&&StringPrototypeIncludes(arg,"=",3)}function isShortOptionGroup2(arg,options){
if(arg.length<=2||StringPrototypeCharAt2(arg,0)!=="-"||StringPrototypeCharAt2(arg,1)==="-")return!1;let firstShort=StringPrototypeCharAt2(
arg,1),longOption=findLongOptionForShort2(firstShort,options);return optionsGetOwn2(options,longOption,"type")!=="string"}
function isShortOptionAndValue2(arg,options){if(validateObject2(options,"options"),arg.length<=2||StringPrototypeCharAt2(
arg,0)!=="-"||StringPrototypeCharAt2(arg,1)==="-")return!1;let shortOption=StringPrototypeCharAt2(arg,1),longOption=findLongOptionForShort2(
shortOption,options);return optionsGetOwn2(options,longOption,"type")==="string"}function findLongOptionForShort2(shortOption,options){
return validateObject2(options,"options"),ArrayPrototypeFind(ObjectEntries2(options),({1:optionConfig})=>objectGetOwn2(optionConfig,
"short")===shortOption)?.[0]??shortOption}function useDefaultValueOption2(longOption,optionConfig,values){return objectGetOwn2(
optionConfig,"default")!==void 0&&values[longOption]===void 0}module2.exports={findLongOptionForShort:findLongOptionForShort2,
isLoneLongOption:isLoneLongOption2,isLoneShortOption:isLoneShortOption2,isLongOptionAndValue:isLongOptionAndValue2,isOptionValue:isOptionValue2,
isOptionLikeValue:isOptionLikeValue2,isShortOptionAndValue:isShortOptionAndValue2,isShortOptionGroup:isShortOptionGroup2,
useDefaultValueOption:useDefaultValueOption2,objectGetOwn:objectGetOwn2,optionsGetOwn:optionsGetOwn2}}});var{ArrayPrototypeForEach,ArrayPrototypeIncludes,ArrayPrototypeMap,ArrayPrototypePush,ArrayPrototypePushApply,ArrayPrototypeShift,
ArrayPrototypeSlice,ArrayPrototypeUnshiftApply,ObjectEntries,ObjectPrototypeHasOwnProperty:ObjectHasOwn,StringPrototypeCharAt,
StringPrototypeIndexOf,StringPrototypeSlice,StringPrototypeStartsWith}=require_primordials(),{validateArray,validateBoolean,
validateBooleanArray,validateObject,validateString,validateStringArray,validateUnion}=require_validators(),{kEmptyObject}=require_util(),
{findLongOptionForShort,isLoneLongOption,isLoneShortOption,isLongOptionAndValue,isOptionValue,isOptionLikeValue,isShortOptionAndValue,
isShortOptionGroup,useDefaultValueOption,objectGetOwn,optionsGetOwn}=require_utils(),{codes:{ERR_INVALID_ARG_VALUE,ERR_PARSE_ARGS_INVALID_OPTION_VALUE,
ERR_PARSE_ARGS_UNKNOWN_OPTION,ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL}}=require_errors();function getMainArgs(){let execArgv=process.
execArgv;return ArrayPrototypeIncludes(execArgv,"-e")||ArrayPrototypeIncludes(execArgv,"--eval")||ArrayPrototypeIncludes(
execArgv,"-p")||ArrayPrototypeIncludes(execArgv,"--print")?ArrayPrototypeSlice(process.argv,1):ArrayPrototypeSlice(process.
argv,2)}function checkOptionLikeValue(token){if(!token.inlineValue&&isOptionLikeValue(token.value)){let example=StringPrototypeStartsWith(
token.rawName,"--")?`'${token.rawName}=-XYZ'`:`'--${token.name}=-XYZ' or '${token.rawName}-XYZ'`,errorMessage=`Option '${token.
rawName}' argument is ambiguous.
Did you forget to specify the option argument for '${token.rawName}'?
To specify an option argument starting with a dash use ${example}.`;throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(errorMessage)}}
function checkOptionUsage(config,token){if(!ObjectHasOwn(config.options,token.name))throw new ERR_PARSE_ARGS_UNKNOWN_OPTION(
token.rawName,config.allowPositionals);let short=optionsGetOwn(config.options,token.name,"short"),shortAndLong=`${short?
`-${short}, `:""}--${token.name}`,type=optionsGetOwn(config.options,token.name,"type");if(type==="string"&&typeof token.
value!="string")throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shortAndLong} <value>' argument missing`);if(type===
"boolean"&&token.value!=null)throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shortAndLong}' does not take an ar\
gument`)}function storeOption(longOption,optionValue,options,values){if(longOption==="__proto__")return;let newValue=optionValue??
!0;optionsGetOwn(options,longOption,"multiple")?values[longOption]?ArrayPrototypePush(values[longOption],newValue):values[longOption]=
[newValue]:values[longOption]=newValue}function storeDefaultOption(longOption,optionValue,values){longOption!=="__proto_\
_"&&(values[longOption]=optionValue)}function argsToTokens(args,options){let tokens=[],index=-1,groupCount=0,remainingArgs=ArrayPrototypeSlice(
args);for(;remainingArgs.length>0;){let arg=ArrayPrototypeShift(remainingArgs),nextArg=remainingArgs[0];if(groupCount>0?
groupCount--:index++,arg==="--"){ArrayPrototypePush(tokens,{kind:"option-terminator",index}),ArrayPrototypePushApply(tokens,
ArrayPrototypeMap(remainingArgs,arg2=>({kind:"positional",index:++index,value:arg2})));break}if(isLoneShortOption(arg)){
let shortOption=StringPrototypeCharAt(arg,1),longOption=findLongOptionForShort(shortOption,options),value,inlineValue;optionsGetOwn(
options,longOption,"type")==="string"&&isOptionValue(nextArg)&&(value=ArrayPrototypeShift(remainingArgs),inlineValue=!1),
ArrayPrototypePush(tokens,{kind:"option",name:longOption,rawName:arg,index,value,inlineValue}),value!=null&&++index;continue}
if(isShortOptionGroup(arg,options)){let expanded=[];for(let index2=1;index2<arg.length;index2++){let shortOption=StringPrototypeCharAt(
arg,index2),longOption=findLongOptionForShort(shortOption,options);if(optionsGetOwn(options,longOption,"type")!=="string"||
index2===arg.length-1)ArrayPrototypePush(expanded,`-${shortOption}`);else{ArrayPrototypePush(expanded,`-${StringPrototypeSlice(
arg,index2)}`);break}}ArrayPrototypeUnshiftApply(remainingArgs,expanded),groupCount=expanded.length;continue}if(isShortOptionAndValue(
arg,options)){let shortOption=StringPrototypeCharAt(arg,1),longOption=findLongOptionForShort(shortOption,options),value=StringPrototypeSlice(
arg,2);ArrayPrototypePush(tokens,{kind:"option",name:longOption,rawName:`-${shortOption}`,index,value,inlineValue:!0});continue}
if(isLoneLongOption(arg)){let longOption=StringPrototypeSlice(arg,2),value,inlineValue;optionsGetOwn(options,longOption,
"type")==="string"&&isOptionValue(nextArg)&&(value=ArrayPrototypeShift(remainingArgs),inlineValue=!1),ArrayPrototypePush(
tokens,{kind:"option",name:longOption,rawName:arg,index,value,inlineValue}),value!=null&&++index;continue}if(isLongOptionAndValue(
arg)){let equalIndex=StringPrototypeIndexOf(arg,"="),longOption=StringPrototypeSlice(arg,2,equalIndex),value=StringPrototypeSlice(
arg,equalIndex+1);ArrayPrototypePush(tokens,{kind:"option",name:longOption,rawName:`--${longOption}`,index,value,inlineValue:!0});
continue}ArrayPrototypePush(tokens,{kind:"positional",index,value:arg})}return tokens}var parseArgs=(config=kEmptyObject)=>{
let args=objectGetOwn(config,"args")??getMainArgs(),strict=objectGetOwn(config,"strict")??!0,allowPositionals=objectGetOwn(
config,"allowPositionals")??!strict,returnTokens=objectGetOwn(config,"tokens")??!1,options=objectGetOwn(config,"options")??
{__proto__:null},parseConfig={args,strict,options,allowPositionals};validateArray(args,"args"),validateBoolean(strict,"s\
trict"),validateBoolean(allowPositionals,"allowPositionals"),validateBoolean(returnTokens,"tokens"),validateObject(options,
"options"),ArrayPrototypeForEach(ObjectEntries(options),({0:longOption,1:optionConfig})=>{validateObject(optionConfig,`o\
ptions.${longOption}`);let optionType=objectGetOwn(optionConfig,"type");if(validateUnion(optionType,`options.${longOption}\
.type`,["string","boolean"]),ObjectHasOwn(optionConfig,"short")){let shortOption=optionConfig.short;if(validateString(shortOption,
`options.${longOption}.short`),shortOption.length!==1)throw new ERR_INVALID_ARG_VALUE(`options.${longOption}.short`,shortOption,
"must be a single character")}let multipleOption=objectGetOwn(optionConfig,"multiple");ObjectHasOwn(optionConfig,"multip\
le")&&validateBoolean(multipleOption,`options.${longOption}.multiple`);let defaultValue=objectGetOwn(optionConfig,"defau\
lt");if(defaultValue!==void 0){let validator;switch(optionType){case"string":validator=multipleOption?validateStringArray:
validateString;break;case"boolean":validator=multipleOption?validateBooleanArray:validateBoolean;break}validator(defaultValue,
`options.${longOption}.default`)}});let tokens=argsToTokens(args,options),result={values:{__proto__:null},positionals:[]};
return returnTokens&&(result.tokens=tokens),ArrayPrototypeForEach(tokens,token=>{if(token.kind==="option")strict&&(checkOptionUsage(
parseConfig,token),checkOptionLikeValue(token)),storeOption(token.name,token.value,options,result.values);else if(token.
kind==="positional"){if(!allowPositionals)throw new ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);ArrayPrototypePush(
result.positionals,token.value)}}),ArrayPrototypeForEach(ObjectEntries(options),({0:longOption,1:optionConfig})=>{useDefaultValueOption(
longOption,optionConfig,result.values)&&storeDefaultOption(longOption,objectGetOwn(optionConfig,"default"),result.values)}),
result};module.exports={parseArgs};
return module.exports;
});
