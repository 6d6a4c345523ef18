// bare-path 3.1.3 (Apache-2.0), bundled by infra/packages/vendor.mjs.
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
var __getOwnPropNames=Object.getOwnPropertyNames;var __commonJS=(cb,mod)=>function(){try{return mod||(0,cb[__getOwnPropNames(cb)[0]])((mod={exports:{}}).exports,mod),mod.
exports}catch(e){throw mod=0,e}};var require_binding=__commonJS({"node_modules/bare-path/binding.js"(exports){exports.cwd=drive=>drive??"C:\\"}});var require_constants=__commonJS({"node_modules/bare-path/lib/constants.js"(exports,module2){module2.exports={CHAR_UPPERCASE_A:65,
CHAR_LOWERCASE_A:97,CHAR_UPPERCASE_Z:90,CHAR_LOWERCASE_Z:122,CHAR_DOT:46,CHAR_FORWARD_SLASH:47,CHAR_BACKWARD_SLASH:92,CHAR_COLON:58,
CHAR_QUESTION_MARK:63}}});var require_shared=__commonJS({"node_modules/bare-path/lib/shared.js"(exports){var{CHAR_DOT,CHAR_FORWARD_SLASH}=require_constants();
exports.validateString=function(value,name){if(typeof value!="string")throw new TypeError(`The "${name}" argument must b\
e of type string. Received type ${typeof value}`)};exports.normalizeString=function(path,allowAboveRoot,separator,isPathSeparator){
let res="",lastSegmentLength=0,lastSlash=-1,dots=0,code=0;for(let i=0;i<=path.length;++i){if(i<path.length)code=path.charCodeAt(
i);else{if(isPathSeparator(code))break;code=CHAR_FORWARD_SLASH}if(isPathSeparator(code)){if(!(lastSlash===i-1||dots===1))
if(dots===2){if(res.length<2||lastSegmentLength!==2||res.charCodeAt(res.length-1)!==CHAR_DOT||res.charCodeAt(res.length-
2)!==CHAR_DOT){if(res.length>2){let lastSlashIndex=res.lastIndexOf(separator);lastSlashIndex===-1?(res="",lastSegmentLength=
0):(res=res.substring(0,lastSlashIndex),lastSegmentLength=res.length-1-res.lastIndexOf(separator)),lastSlash=i,dots=0;continue}else if(res.
length!==0){res="",lastSegmentLength=0,lastSlash=i,dots=0;continue}}allowAboveRoot&&(res+=res.length>0?`${separator}..`:
"..",lastSegmentLength=2)}else res.length>0?res+=`${separator}${path.substring(lastSlash+1,i)}`:res=path.substring(lastSlash+
1,i),lastSegmentLength=i-lastSlash-1;lastSlash=i,dots=0}else code===CHAR_DOT&&dots!==-1?++dots:dots=-1}return res}}});var require_posix=__commonJS({"node_modules/bare-path/lib/posix.js"(exports){var binding=require_binding(),{normalizeString,
validateString}=require_shared(),{CHAR_DOT,CHAR_FORWARD_SLASH}=require_constants();function isPosixPathSeparator(code){return code===
CHAR_FORWARD_SLASH}exports.win32=require_win32();exports.posix=exports;exports.sep="/";exports.delimiter=":";exports.resolve=
function(...args){let resolvedPath="",resolvedAbsolute=!1;for(let i=args.length-1;i>=-1&&!resolvedAbsolute;i--){let path=i>=
0?args[i]:binding.cwd();i>=0&&validateString(path,`paths[${i}]`),path.length!==0&&(resolvedPath=`${path}/${resolvedPath}`,
resolvedAbsolute=path.charCodeAt(0)===CHAR_FORWARD_SLASH)}return resolvedPath=normalizeString(resolvedPath,!resolvedAbsolute,
"/",isPosixPathSeparator),resolvedAbsolute?`/${resolvedPath}`:resolvedPath.length>0?resolvedPath:"."};exports.normalize=
function(path){if(validateString(path,"path"),path.length===0)return".";let isAbsolute=path.charCodeAt(0)===CHAR_FORWARD_SLASH,
trailingSeparator=path.charCodeAt(path.length-1)===CHAR_FORWARD_SLASH;return path=normalizeString(path,!isAbsolute,"/",isPosixPathSeparator),
path.length===0?isAbsolute?"/":trailingSeparator?"./":".":(trailingSeparator&&(path+="/"),isAbsolute?`/${path}`:path)};exports.
isAbsolute=function(path){return validateString(path,"path"),path.length>0&&path.charCodeAt(0)===CHAR_FORWARD_SLASH};exports.
join=function(...args){if(args.length===0)return".";let joined;for(let i=0;i<args.length;++i){let arg=args[i];validateString(
arg,"path"),arg.length>0&&(joined===void 0?joined=arg:joined+=`/${arg}`)}return joined===void 0?".":exports.normalize(joined)};
exports.relative=function(from,to){if(validateString(from,"from"),validateString(to,"to"),from===to||(from=exports.resolve(
from),to=exports.resolve(to),from===to))return"";let fromStart=1,fromEnd=from.length,fromLen=fromEnd-fromStart,toStart=1,
toLen=to.length-toStart,length=fromLen<toLen?fromLen:toLen,lastCommonSep=-1,i=0;for(;i<length;i++){let fromCode=from.charCodeAt(
fromStart+i);if(fromCode!==to.charCodeAt(toStart+i))break;fromCode===CHAR_FORWARD_SLASH&&(lastCommonSep=i)}if(i===length)
if(toLen>length){if(to.charCodeAt(toStart+i)===CHAR_FORWARD_SLASH)return to.substring(toStart+i+1);if(i===0)return to.substring(
toStart+i)}else fromLen>length&&(from.charCodeAt(fromStart+i)===CHAR_FORWARD_SLASH?lastCommonSep=i:i===0&&(lastCommonSep=
0));let out="";for(i=fromStart+lastCommonSep+1;i<=fromEnd;++i)(i===fromEnd||from.charCodeAt(i)===CHAR_FORWARD_SLASH)&&(out+=
out.length===0?"..":"/..");return`${out}${to.substring(toStart+lastCommonSep)}`};exports.toNamespacedPath=function(path){
return path};exports.dirname=function(path){if(validateString(path,"path"),path.length===0)return".";let hasRoot=path.charCodeAt(
0)===CHAR_FORWARD_SLASH,end=-1,matchedSlash=!0;for(let i=path.length-1;i>=1;--i)if(path.charCodeAt(i)===CHAR_FORWARD_SLASH){
if(!matchedSlash){end=i;break}}else matchedSlash=!1;return end===-1?hasRoot?"/":".":hasRoot&&end===1?"//":path.substring(
0,end)};exports.basename=function(path,suffix){suffix!==void 0&&validateString(suffix,"suffix"),validateString(path,"pat\
h");let start=0,end=-1,matchedSlash=!0;if(suffix!==void 0&&suffix.length>0&&suffix.length<=path.length){if(suffix===path)
return"";let extIdx=suffix.length-1,firstNonSlashEnd=-1;for(let i=path.length-1;i>=0;--i){let code=path.charCodeAt(i);if(code===
CHAR_FORWARD_SLASH){if(!matchedSlash){start=i+1;break}}else firstNonSlashEnd===-1&&(matchedSlash=!1,firstNonSlashEnd=i+1),
extIdx>=0&&(code===suffix.charCodeAt(extIdx)?--extIdx===-1&&(end=i):(extIdx=-1,end=firstNonSlashEnd))}return start===end?
end=firstNonSlashEnd:end===-1&&(end=path.length),path.substring(start,end)}for(let i=path.length-1;i>=0;--i)if(path.charCodeAt(
i)===CHAR_FORWARD_SLASH){if(!matchedSlash){start=i+1;break}}else end===-1&&(matchedSlash=!1,end=i+1);return end===-1?"":
path.substring(start,end)};exports.extname=function(path){validateString(path,"path");let startDot=-1,startPart=0,end=-1,
matchedSlash=!0,preDotState=0;for(let i=path.length-1;i>=0;--i){let code=path.charCodeAt(i);if(code===CHAR_FORWARD_SLASH){
if(!matchedSlash){startPart=i+1;break}continue}end===-1&&(matchedSlash=!1,end=i+1),code===CHAR_DOT?startDot===-1?startDot=
i:preDotState!==1&&(preDotState=1):startDot!==-1&&(preDotState=-1)}return startDot===-1||end===-1||preDotState===0||preDotState===
1&&startDot===end-1&&startDot===startPart+1?"":path.substring(startDot,end)}}});var require_win32=__commonJS({"node_modules/bare-path/lib/win32.js"(exports){var binding=require_binding(),{normalizeString,
validateString}=require_shared(),{CHAR_UPPERCASE_A,CHAR_LOWERCASE_A,CHAR_UPPERCASE_Z,CHAR_LOWERCASE_Z,CHAR_DOT,CHAR_FORWARD_SLASH,
CHAR_BACKWARD_SLASH,CHAR_COLON,CHAR_QUESTION_MARK}=require_constants();function isWindowsPathSeparator(code){return code===
CHAR_FORWARD_SLASH||code===CHAR_BACKWARD_SLASH}function isWindowsDeviceRoot(code){return code>=CHAR_UPPERCASE_A&&code<=CHAR_UPPERCASE_Z||
code>=CHAR_LOWERCASE_A&&code<=CHAR_LOWERCASE_Z}exports.posix=require_posix();exports.win32=exports;exports.sep="\\";exports.
delimiter=";";exports.resolve=function(...args){let resolvedDevice="",resolvedTail="",resolvedAbsolute=!1;for(let i=args.
length-1;i>=-1;i--){let path;if(i>=0){if(path=args[i],validateString(path,`paths[${i}]`),path.length===0)continue}else resolvedDevice.
length===0?path=binding.cwd():(path=binding.cwd(resolvedDevice),(path===void 0||path.substring(0,2).toLowerCase()!==resolvedDevice.
toLowerCase()&&path.charCodeAt(2)===CHAR_BACKWARD_SLASH)&&(path=`${resolvedDevice}\\`));let len=path.length,rootEnd=0,device="",
isAbsolute=!1,code=path.charCodeAt(0);if(len===1)isWindowsPathSeparator(code)&&(rootEnd=1,isAbsolute=!0);else if(isWindowsPathSeparator(
code))if(isAbsolute=!0,isWindowsPathSeparator(path.charCodeAt(1))){let j=2,last=j;for(;j<len&&!isWindowsPathSeparator(path.
charCodeAt(j));)j++;if(j<len&&j!==last){let firstPart=path.substring(last,j);for(last=j;j<len&&isWindowsPathSeparator(path.
charCodeAt(j));)j++;if(j<len&&j!==last){for(last=j;j<len&&!isWindowsPathSeparator(path.charCodeAt(j));)j++;(j===len||j!==
last)&&(device=`\\\\${firstPart}\\${path.substring(last,j)}`,rootEnd=j)}}}else rootEnd=1;else isWindowsDeviceRoot(code)&&
path.charCodeAt(1)===CHAR_COLON&&(device=path.substring(0,2),rootEnd=2,len>2&&isWindowsPathSeparator(path.charCodeAt(2))&&
(isAbsolute=!0,rootEnd=3));if(device.length>0)if(resolvedDevice.length>0){if(device.toLowerCase()!==resolvedDevice.toLowerCase())
continue}else resolvedDevice=device;if(resolvedAbsolute){if(resolvedDevice.length>0)break}else if(resolvedTail=`${path.substring(
rootEnd)}\\${resolvedTail}`,resolvedAbsolute=isAbsolute,isAbsolute&&resolvedDevice.length>0)break}return resolvedTail=normalizeString(
resolvedTail,!resolvedAbsolute,"\\",isWindowsPathSeparator),resolvedAbsolute?`${resolvedDevice}\\${resolvedTail}`:`${resolvedDevice}${resolvedTail}`||
"."};exports.normalize=function(path){validateString(path,"path");let len=path.length;if(len===0)return".";let rootEnd=0,
device,isAbsolute=!1,code=path.charCodeAt(0);if(len===1)return code===CHAR_FORWARD_SLASH?"\\":path;if(isWindowsPathSeparator(
code))if(isAbsolute=!0,isWindowsPathSeparator(path.charCodeAt(1))){let j=2,last=j;for(;j<len&&!isWindowsPathSeparator(path.
charCodeAt(j));)j++;if(j<len&&j!==last){let firstPart=path.substring(last,j);for(last=j;j<len&&isWindowsPathSeparator(path.
charCodeAt(j));)j++;if(j<len&&j!==last){for(last=j;j<len&&!isWindowsPathSeparator(path.charCodeAt(j));)j++;if(j===len)return`\
\\\\${firstPart}\\${path.substring(last)}\\`;j!==last&&(device=`\\\\${firstPart}\\${path.substring(last,j)}`,rootEnd=j)}}}else
rootEnd=1;else isWindowsDeviceRoot(code)&&path.charCodeAt(1)===CHAR_COLON&&(device=path.substring(0,2),rootEnd=2,len>2&&
isWindowsPathSeparator(path.charCodeAt(2))&&(isAbsolute=!0,rootEnd=3));let tail=rootEnd<len?normalizeString(path.substring(
rootEnd),!isAbsolute,"\\",isWindowsPathSeparator):"";return tail.length===0&&!isAbsolute&&(tail="."),tail.length>0&&isWindowsPathSeparator(
path.charCodeAt(len-1))&&(tail+="\\"),device===void 0?isAbsolute?`\\${tail}`:tail:isAbsolute?`${device}\\${tail}`:`${device}${tail}`};
exports.isAbsolute=function(path){validateString(path,"path");let len=path.length;if(len===0)return!1;let code=path.charCodeAt(
0);return isWindowsPathSeparator(code)||len>2&&isWindowsDeviceRoot(code)&&path.charCodeAt(1)===CHAR_COLON&&isWindowsPathSeparator(
path.charCodeAt(2))};exports.join=function(...args){if(args.length===0)return".";let joined,firstPart;for(let i=0;i<args.
length;++i){let arg=args[i];validateString(arg,"path"),arg.length>0&&(joined===void 0?joined=firstPart=arg:joined+=`\\${arg}`)}
if(joined===void 0)return".";let needsReplace=!0,slashCount=0;if(isWindowsPathSeparator(firstPart.charCodeAt(0))){++slashCount;
let firstLen=firstPart.length;firstLen>1&&isWindowsPathSeparator(firstPart.charCodeAt(1))&&(++slashCount,firstLen>2&&(isWindowsPathSeparator(
firstPart.charCodeAt(2))?++slashCount:needsReplace=!1))}if(needsReplace){for(;slashCount<joined.length&&isWindowsPathSeparator(
joined.charCodeAt(slashCount));)slashCount++;slashCount>=2&&(joined=`\\${joined.substring(slashCount)}`)}return exports.
normalize(joined)};exports.relative=function(from,to){if(validateString(from,"from"),validateString(to,"to"),from===to)return"";
let fromOrig=exports.resolve(from),toOrig=exports.resolve(to);if(fromOrig===toOrig||(from=fromOrig.toLowerCase(),to=toOrig.
toLowerCase(),from===to))return"";let fromStart=0;for(;fromStart<from.length&&from.charCodeAt(fromStart)===CHAR_BACKWARD_SLASH;)
fromStart++;let fromEnd=from.length;for(;fromEnd-1>fromStart&&from.charCodeAt(fromEnd-1)===CHAR_BACKWARD_SLASH;)fromEnd--;
let fromLen=fromEnd-fromStart,toStart=0;for(;toStart<to.length&&to.charCodeAt(toStart)===CHAR_BACKWARD_SLASH;)toStart++;
let toEnd=to.length;for(;toEnd-1>toStart&&to.charCodeAt(toEnd-1)===CHAR_BACKWARD_SLASH;)toEnd--;let toLen=toEnd-toStart,
length=fromLen<toLen?fromLen:toLen,lastCommonSep=-1,i=0;for(;i<length;i++){let fromCode=from.charCodeAt(fromStart+i);if(fromCode!==
to.charCodeAt(toStart+i))break;fromCode===CHAR_BACKWARD_SLASH&&(lastCommonSep=i)}if(i!==length){if(lastCommonSep===-1)return toOrig}else{
if(toLen>length){if(to.charCodeAt(toStart+i)===CHAR_BACKWARD_SLASH)return toOrig.substring(toStart+i+1);if(i===2)return toOrig.
substring(toStart+i)}fromLen>length&&(from.charCodeAt(fromStart+i)===CHAR_BACKWARD_SLASH?lastCommonSep=i:i===2&&(lastCommonSep=
3)),lastCommonSep===-1&&(lastCommonSep=0)}let out="";for(i=fromStart+lastCommonSep+1;i<=fromEnd;++i)(i===fromEnd||from.charCodeAt(
i)===CHAR_BACKWARD_SLASH)&&(out+=out.length===0?"..":"\\..");return toStart+=lastCommonSep,out.length>0?`${out}${toOrig.
substring(toStart,toEnd)}`:(toOrig.charCodeAt(toStart)===CHAR_BACKWARD_SLASH&&++toStart,toOrig.substring(toStart,toEnd))};
exports.toNamespacedPath=function(path){if(typeof path!="string"||path.length===0)return path;let resolvedPath=exports.resolve(
path);if(resolvedPath.length<=2)return path;if(resolvedPath.charCodeAt(0)===CHAR_BACKWARD_SLASH){if(resolvedPath.charCodeAt(
1)===CHAR_BACKWARD_SLASH){let code=resolvedPath.charCodeAt(2);if(code!==CHAR_QUESTION_MARK&&code!==CHAR_DOT)return`\\\\?\\U\
NC\\${resolvedPath.substring(2)}`}}else if(isWindowsDeviceRoot(resolvedPath.charCodeAt(0))&&resolvedPath.charCodeAt(1)===
CHAR_COLON&&resolvedPath.charCodeAt(2)===CHAR_BACKWARD_SLASH)return`\\\\?\\${resolvedPath}`;return path};exports.dirname=
function(path){validateString(path,"path");let len=path.length;if(len===0)return".";let rootEnd=-1,offset=0,code=path.charCodeAt(
0);if(len===1)return isWindowsPathSeparator(code)?path:".";if(isWindowsPathSeparator(code)){if(rootEnd=offset=1,isWindowsPathSeparator(
path.charCodeAt(1))){let j=2,last=j;for(;j<len&&!isWindowsPathSeparator(path.charCodeAt(j));)j++;if(j<len&&j!==last){for(last=
j;j<len&&isWindowsPathSeparator(path.charCodeAt(j));)j++;if(j<len&&j!==last){for(last=j;j<len&&!isWindowsPathSeparator(path.
charCodeAt(j));)j++;if(j===len)return path;j!==last&&(rootEnd=offset=j+1)}}}}else isWindowsDeviceRoot(code)&&path.charCodeAt(
1)===CHAR_COLON&&(rootEnd=len>2&&isWindowsPathSeparator(path.charCodeAt(2))?3:2,offset=rootEnd);let end=-1,matchedSlash=!0;
for(let i=len-1;i>=offset;--i)if(isWindowsPathSeparator(path.charCodeAt(i))){if(!matchedSlash){end=i;break}}else matchedSlash=
!1;if(end===-1){if(rootEnd===-1)return".";end=rootEnd}return path.substring(0,end)};exports.basename=function(path,suffix){
suffix!==void 0&&validateString(suffix,"suffix"),validateString(path,"path");let start=0,end=-1,matchedSlash=!0;if(path.
length>=2&&isWindowsDeviceRoot(path.charCodeAt(0))&&path.charCodeAt(1)===CHAR_COLON&&(start=2),suffix!==void 0&&suffix.length>
0&&suffix.length<=path.length){if(suffix===path)return"";let extIdx=suffix.length-1,firstNonSlashEnd=-1;for(let i=path.length-
1;i>=start;--i){let code=path.charCodeAt(i);if(isWindowsPathSeparator(code)){if(!matchedSlash){start=i+1;break}}else firstNonSlashEnd===
-1&&(matchedSlash=!1,firstNonSlashEnd=i+1),extIdx>=0&&(code===suffix.charCodeAt(extIdx)?--extIdx===-1&&(end=i):(extIdx=-1,
end=firstNonSlashEnd))}return start===end?end=firstNonSlashEnd:end===-1&&(end=path.length),path.substring(start,end)}for(let i=path.
length-1;i>=start;--i)if(isWindowsPathSeparator(path.charCodeAt(i))){if(!matchedSlash){start=i+1;break}}else end===-1&&(matchedSlash=
!1,end=i+1);return end===-1?"":path.substring(start,end)};exports.extname=function(path){validateString(path,"path");let start=0,
startDot=-1,startPart=0,end=-1,matchedSlash=!0,preDotState=0;path.length>=2&&path.charCodeAt(1)===CHAR_COLON&&isWindowsDeviceRoot(
path.charCodeAt(0))&&(start=startPart=2);for(let i=path.length-1;i>=start;--i){let code=path.charCodeAt(i);if(isWindowsPathSeparator(
code)){if(!matchedSlash){startPart=i+1;break}continue}end===-1&&(matchedSlash=!1,end=i+1),code===CHAR_DOT?startDot===-1?
startDot=i:preDotState!==1&&(preDotState=1):startDot!==-1&&(preDotState=-1)}return startDot===-1||end===-1||preDotState===
0||preDotState===1&&startDot===end-1&&startDot===startPart+1?"":path.substring(startDot,end)}}});module.exports=require_win32();
return module.exports;
});
