// path-browserify 1.0.1 (MIT), bundled by infra/packages/vendor.mjs.
//
// MIT License
//
// Copyright (c) 2013 James Halliday
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of
// this software and associated documentation files (the "Software"), to deal in
// the Software without restriction, including without limitation the rights to
// use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
// the Software, and to permit persons to whom the Software is furnished to do so,
// subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
// FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
// IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
// CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
(function (host, load) {
var module = { exports: {} }, exports = module.exports, require = (name) => load("require").require(name);
"use strict";function assertPath(path){if(typeof path!="string")throw new TypeError("Path must be a string. Received "+JSON.stringify(
path))}function normalizeStringPosix(path,allowAboveRoot){for(var res="",lastSegmentLength=0,lastSlash=-1,dots=0,code,i=0;i<=
path.length;++i){if(i<path.length)code=path.charCodeAt(i);else{if(code===47)break;code=47}if(code===47){if(!(lastSlash===
i-1||dots===1))if(lastSlash!==i-1&&dots===2){if(res.length<2||lastSegmentLength!==2||res.charCodeAt(res.length-1)!==46||
res.charCodeAt(res.length-2)!==46){if(res.length>2){var lastSlashIndex=res.lastIndexOf("/");if(lastSlashIndex!==res.length-
1){lastSlashIndex===-1?(res="",lastSegmentLength=0):(res=res.slice(0,lastSlashIndex),lastSegmentLength=res.length-1-res.
lastIndexOf("/")),lastSlash=i,dots=0;continue}}else if(res.length===2||res.length===1){res="",lastSegmentLength=0,lastSlash=
i,dots=0;continue}}allowAboveRoot&&(res.length>0?res+="/..":res="..",lastSegmentLength=2)}else res.length>0?res+="/"+path.
slice(lastSlash+1,i):res=path.slice(lastSlash+1,i),lastSegmentLength=i-lastSlash-1;lastSlash=i,dots=0}else code===46&&dots!==
-1?++dots:dots=-1}return res}function _format(sep,pathObject){var dir=pathObject.dir||pathObject.root,base=pathObject.base||
(pathObject.name||"")+(pathObject.ext||"");return dir?dir===pathObject.root?dir+base:dir+sep+base:base}var posix={resolve:function(){
for(var resolvedPath="",resolvedAbsolute=!1,cwd,i=arguments.length-1;i>=-1&&!resolvedAbsolute;i--){var path;i>=0?path=arguments[i]:
(cwd===void 0&&(cwd=process.cwd()),path=cwd),assertPath(path),path.length!==0&&(resolvedPath=path+"/"+resolvedPath,resolvedAbsolute=
path.charCodeAt(0)===47)}return resolvedPath=normalizeStringPosix(resolvedPath,!resolvedAbsolute),resolvedAbsolute?resolvedPath.
length>0?"/"+resolvedPath:"/":resolvedPath.length>0?resolvedPath:"."},normalize:function(path){if(assertPath(path),path.
length===0)return".";var isAbsolute2=path.charCodeAt(0)===47,trailingSeparator=path.charCodeAt(path.length-1)===47;return path=
normalizeStringPosix(path,!isAbsolute2),path.length===0&&!isAbsolute2&&(path="."),path.length>0&&trailingSeparator&&(path+=
"/"),isAbsolute2?"/"+path:path},isAbsolute:function(path){return assertPath(path),path.length>0&&path.charCodeAt(0)===47},
join:function(){if(arguments.length===0)return".";for(var joined,i=0;i<arguments.length;++i){var arg=arguments[i];assertPath(
arg),arg.length>0&&(joined===void 0?joined=arg:joined+="/"+arg)}return joined===void 0?".":posix.normalize(joined)},relative:function(from,to){
if(assertPath(from),assertPath(to),from===to||(from=posix.resolve(from),to=posix.resolve(to),from===to))return"";for(var fromStart=1;fromStart<
from.length&&from.charCodeAt(fromStart)===47;++fromStart);for(var fromEnd=from.length,fromLen=fromEnd-fromStart,toStart=1;toStart<
to.length&&to.charCodeAt(toStart)===47;++toStart);for(var toEnd=to.length,toLen=toEnd-toStart,length=fromLen<toLen?fromLen:
toLen,lastCommonSep=-1,i=0;i<=length;++i){if(i===length){if(toLen>length){if(to.charCodeAt(toStart+i)===47)return to.slice(
toStart+i+1);if(i===0)return to.slice(toStart+i)}else fromLen>length&&(from.charCodeAt(fromStart+i)===47?lastCommonSep=i:
i===0&&(lastCommonSep=0));break}var fromCode=from.charCodeAt(fromStart+i),toCode=to.charCodeAt(toStart+i);if(fromCode!==
toCode)break;fromCode===47&&(lastCommonSep=i)}var out="";for(i=fromStart+lastCommonSep+1;i<=fromEnd;++i)(i===fromEnd||from.
charCodeAt(i)===47)&&(out.length===0?out+="..":out+="/..");return out.length>0?out+to.slice(toStart+lastCommonSep):(toStart+=
lastCommonSep,to.charCodeAt(toStart)===47&&++toStart,to.slice(toStart))},_makeLong:function(path){return path},dirname:function(path){
if(assertPath(path),path.length===0)return".";for(var code=path.charCodeAt(0),hasRoot=code===47,end=-1,matchedSlash=!0,i=path.
length-1;i>=1;--i)if(code=path.charCodeAt(i),code===47){if(!matchedSlash){end=i;break}}else matchedSlash=!1;return end===
-1?hasRoot?"/":".":hasRoot&&end===1?"//":path.slice(0,end)},basename:function(path,ext){if(ext!==void 0&&typeof ext!="st\
ring")throw new TypeError('"ext" argument must be a string');assertPath(path);var start=0,end=-1,matchedSlash=!0,i;if(ext!==
void 0&&ext.length>0&&ext.length<=path.length){if(ext.length===path.length&&ext===path)return"";var extIdx=ext.length-1,
firstNonSlashEnd=-1;for(i=path.length-1;i>=0;--i){var code=path.charCodeAt(i);if(code===47){if(!matchedSlash){start=i+1;
break}}else firstNonSlashEnd===-1&&(matchedSlash=!1,firstNonSlashEnd=i+1),extIdx>=0&&(code===ext.charCodeAt(extIdx)?--extIdx===
-1&&(end=i):(extIdx=-1,end=firstNonSlashEnd))}return start===end?end=firstNonSlashEnd:end===-1&&(end=path.length),path.slice(
start,end)}else{for(i=path.length-1;i>=0;--i)if(path.charCodeAt(i)===47){if(!matchedSlash){start=i+1;break}}else end===-1&&
(matchedSlash=!1,end=i+1);return end===-1?"":path.slice(start,end)}},extname:function(path){assertPath(path);for(var startDot=-1,
startPart=0,end=-1,matchedSlash=!0,preDotState=0,i=path.length-1;i>=0;--i){var code=path.charCodeAt(i);if(code===47){if(!matchedSlash){
startPart=i+1;break}continue}end===-1&&(matchedSlash=!1,end=i+1),code===46?startDot===-1?startDot=i:preDotState!==1&&(preDotState=
1):startDot!==-1&&(preDotState=-1)}return startDot===-1||end===-1||preDotState===0||preDotState===1&&startDot===end-1&&startDot===
startPart+1?"":path.slice(startDot,end)},format:function(pathObject){if(pathObject===null||typeof pathObject!="object")throw new TypeError(
'The "pathObject" argument must be of type Object. Received type '+typeof pathObject);return _format("/",pathObject)},parse:function(path){
assertPath(path);var ret={root:"",dir:"",base:"",ext:"",name:""};if(path.length===0)return ret;var code=path.charCodeAt(
0),isAbsolute2=code===47,start;isAbsolute2?(ret.root="/",start=1):start=0;for(var startDot=-1,startPart=0,end=-1,matchedSlash=!0,
i=path.length-1,preDotState=0;i>=start;--i){if(code=path.charCodeAt(i),code===47){if(!matchedSlash){startPart=i+1;break}
continue}end===-1&&(matchedSlash=!1,end=i+1),code===46?startDot===-1?startDot=i:preDotState!==1&&(preDotState=1):startDot!==
-1&&(preDotState=-1)}return startDot===-1||end===-1||preDotState===0||preDotState===1&&startDot===end-1&&startDot===startPart+
1?end!==-1&&(startPart===0&&isAbsolute2?ret.base=ret.name=path.slice(1,end):ret.base=ret.name=path.slice(startPart,end)):
(startPart===0&&isAbsolute2?(ret.name=path.slice(1,startDot),ret.base=path.slice(1,end)):(ret.name=path.slice(startPart,
startDot),ret.base=path.slice(startPart,end)),ret.ext=path.slice(startDot,end)),startPart>0?ret.dir=path.slice(0,startPart-
1):isAbsolute2&&(ret.dir="/"),ret},sep:"/",delimiter:":",win32:null,posix:null};posix.posix=posix;module.exports=posix;
return module.exports;
});
