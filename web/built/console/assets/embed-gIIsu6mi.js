import{At as e,Et as t,Lt as n,Pt as r,Tt as i,_t as a,br as o,fa as s,ha as c,ht as l,kt as u,lt as d,ma as f,nn as p,nt as ee,ot as m,rt as h,un as te,vt as ne,zt as g}from"./index-Dz8IZBt2.js";import{i as _,l as v,n as y,o as b,t as x}from"./embed-BmJ_6R8w.js";import{o as S,r as C}from"./settings-DBGMqToy.js";import{t as re}from"./conflict-CMe86mRC.js";import{t as ie}from"./role-note-D3gKGPba.js";import{t as w}from"./fault-form-COCc74zC.js";import{i as T}from"./rows-K-UO39dX.js";import{t as E}from"./choice-DMhFdGBK.js";import{t as D}from"./code-CriHvrKx.js";import{t as O}from"./text-area-DHB__fMt.js";import{t as k}from"./radios-DUedFyw4.js";import{t as A}from"./tabs-B0AB01XU.js";var j=c(f(),1),M={note:`embed-module_note`,change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},N=s();function P({isGood:e,children:t}){return(0,N.jsxs)(`p`,{role:`status`,className:e?M.good:M.bad,children:[(0,N.jsx)(r,{name:e?`circle-check`:`circle-alert`}),(0,N.jsx)(`span`,{children:t})]})}var F=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},I=e=>(e??[]).join(`
`);function L({id:e,draft:t,mayChange:n,faults:r}){let{t:i}=g(),a=t.values.allowedDomains??null;return(0,N.jsxs)(h,{title:i(`embed.domains`),children:[n?(0,N.jsx)(w,{said:r,onSubmit:e=>e.preventDefault(),children:(0,N.jsx)(T,{name:`settings.allowedDomains`,label:i(`embed.domainsLabel`),hint:i(`embed.domainsHint`),value:a,split:F,join:I,onChange:e=>t.change(`allowedDomains`,e)})}):(0,N.jsx)(`p`,{dir:`ltr`,className:M.lines,children:a?I(a):i(`embed.everywhere`)}),n&&(0,N.jsx)(B,{id:e,isChanged:t.count>0})]})}var R={no_address:`embed.noAddress`,private:`embed.private`},z=`https://shop.example/help`;function B({id:e,isChanged:t}){let{t:n}=g(),[r,a]=(0,j.useState)(``),[s,c]=(0,j.useState)(null),[l,d]=(0,j.useState)(null),f=()=>{d(null),x(e,r).then(e=>c({page:r,said:e}),d)};return(0,N.jsxs)(o,{className:M.check,onSubmit:e=>{e.preventDefault(),r.trim()&&f()},children:[(0,N.jsx)(m,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:z,value:r,onChange:a}),(0,N.jsx)(`div`,{children:(0,N.jsx)(u,{type:`submit`,children:n(`embed.check`)})}),l!==null&&(0,N.jsx)(i,{error:l}),s?.page===r&&(0,N.jsx)(P,{isGood:s.said.isAllowed,children:n(s.said.isAllowed?`embed.domainAllowed`:R[s.said.reason]??`embed.domainRefused`)})]})}var V={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function H(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(V)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function U(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var W={name:`/embed`,toValues:H,toSettings:U};function G(e,t){let n={};for(let[r,i]of Object.entries(e)){let[,e,a]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],o=e&&t[e]?.[Number(a)],s=e?`settings.${e}`:r;n[s]??=o?new d(o,i):i}return n}var K=(e,t,n,r)=>`<script>
(function(){if(!window.${n}||window.${n}("getState")!=="initialized"){
window.${n}=(...args)=>{(window.${n}.q=window.${n}.q||[]).push(args)};
window.${n}=new Proxy(window.${n},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${e}/${r}";script.id="${t}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
<\/script>`,ae=(e,t)=>K(e,t,`chatbase`,`embed.min.js`),q=(e,t)=>K(e,t,`chatbaseCenterStage`,`center-stage-embed.min.js`),J=(e,t)=>`<iframe
  src="${e}/chatbot-iframe/${t}"
  title="Chat"
  width="100%"
  height="700"
  allow="microphone; clipboard-write"
></iframe>`,oe=(e,t)=>`${e}/${t}/help`,Y={nginx:(e,t)=>`location = /help {
  proxy_pass ${e}/${t}/help;
  proxy_set_header Host ${X(e)};
}
location /help/ {
  proxy_pass ${e}/${t}/help/;
  proxy_set_header Host ${X(e)};
}
location /__cb/ {
  proxy_pass ${e};
  proxy_set_header Host ${X(e)};
}
location /api/chat/${t}/ {
  proxy_pass ${e};
  proxy_set_header Host ${X(e)};
  proxy_http_version 1.1;
  proxy_buffering off;
  proxy_read_timeout 10m;
}`,Caddy:(e,t)=>`handle /help* {
  rewrite * /${t}{uri}
  reverse_proxy ${e} {
    header_up Host ${X(e)}
  }
}
@chat path /__cb/* /api/chat/${t}/*
handle @chat {
  reverse_proxy ${e} {
    header_up Host ${X(e)}
    flush_interval -1
  }
}`,Apache:(e,t)=>`SSLProxyEngine on
ProxyPreserveHost off
ProxyPass /help ${e}/${t}/help
ProxyPass /__cb/ ${e}/__cb/
ProxyPass /api/chat/${t}/ ${e}/api/chat/${t}/ flushpackets=on timeout=600`,Next:(e,t)=>`// next.config.js
module.exports = {
  rewrites: async () => [
    { source: "/help", destination: "${e}/${t}/help" },
    { source: "/help/:path*", destination: "${e}/${t}/help/:path*" },
    { source: "/__cb/:path*", destination: "${e}/__cb/:path*" },
    { source: "/api/chat/${t}/:path*", destination: "${e}/api/chat/${t}/:path*" },
  ],
};`},X=e=>new URL(e).host,Z={"Node.js":`import { createHmac } from "node:crypto";

const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const content = encode({ alg: "HS256", typ: "JWT" }) + "." +
  encode({ user_id: user.id, email: user.email, name: user.name, exp: now + 3600 });
const token = content + "." +
  createHmac("sha256", process.env.CHAT_SECRET).update(content).digest("base64url");`,Python:`import os, time, jwt  # PyJWT

token = jwt.encode(
    {"user_id": user.id, "email": user.email, "name": user.name, "exp": int(time.time()) + 3600},
    os.environ["CHAT_SECRET"],
    algorithm="HS256",
)`,PHP:`use Firebase\\JWT\\JWT; // firebase/php-jwt

$token = JWT::encode(
    ['user_id' => $user->id, 'email' => $user->email, 'name' => $user->name, 'exp' => time() + 3600],
    getenv('CHAT_SECRET'),
    'HS256'
);`,Ruby:`require "jwt"

token = JWT.encode(
  { user_id: user.id, email: user.email, name: user.name, exp: Time.now.to_i + 3600 },
  ENV.fetch("CHAT_SECRET"),
  "HS256"
)`,Go:`// github.com/golang-jwt/jwt/v5
claims := jwt.MapClaims{
	"user_id": user.ID, "email": user.Email, "name": user.Name,
	"exp": time.Now().Add(time.Hour).Unix(),
}
token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).
	SignedString([]byte(os.Getenv("CHAT_SECRET")))`,Java:`// com.auth0:java-jwt
String token = JWT.create()
    .withClaim("user_id", user.getId())
    .withClaim("email", user.getEmail())
    .withClaim("name", user.getName())
    .withExpiresAt(Instant.now().plusSeconds(3600))
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},se=`window.chatbase("identify", { token });`;function ce({id:e,mayChange:t}){let{t:n}=g(),[r,i]=(0,j.useState)(`Node.js`),a=Object.keys(Z);return(0,N.jsxs)(h,{title:n(`embed.identity`),children:[(0,N.jsx)(`p`,{children:n(`embed.identityText`)}),t&&(0,N.jsx)(le,{id:e}),(0,N.jsx)(E,{label:n(`embed.language`),value:r,options:a.map(e=>({id:e,name:e})),onChange:i}),(0,N.jsx)(D,{label:r,text:Z[r]}),(0,N.jsx)(`p`,{children:n(`embed.identify`)}),(0,N.jsx)(D,{label:n(`embed.inPage`),text:se}),t&&(0,N.jsx)(pe,{id:e})]})}function le({id:e}){let{t,locale:r}=g(),[a,o]=(0,j.useState)(null),[s,c]=(0,j.useState)(!1),[l,d]=(0,j.useState)(null);return(0,N.jsxs)(`div`,{className:M.secret,children:[a&&(0,N.jsx)(D,{label:t(`embed.secret`),text:a.secret}),a?.oldUntil&&(0,N.jsx)(`p`,{children:t(`embed.oldUntil`,{time:n(a.oldUntil,r)})}),l!==null&&(0,N.jsx)(i,{error:l}),(0,N.jsxs)(`div`,{className:M.buttons,children:[a?(0,N.jsx)(u,{onPress:()=>o(null),children:t(`embed.hide`)}):(0,N.jsx)(u,{onPress:()=>{d(null),_(e).then(o,d)},children:t(`embed.show`)}),(0,N.jsx)(u,{icon:`refresh-cw`,onPress:()=>c(!0),children:t(`embed.rotate`)})]}),(0,N.jsx)(ne,{title:t(`embed.rotate`),isOpen:s,onClose:()=>c(!1),children:(0,N.jsx)(de,{id:e,onClose:()=>c(!1),onDone:o})})]})}var ue=[`0`,`1`,`7`,`14`];function de({id:e,onClose:t,onDone:n}){let{t:r}=g(),[o,s]=(0,j.useState)(`1`),[c,l]=(0,j.useState)(!1),[d,f]=(0,j.useState)(null),p=async()=>{l(!0),f(null);try{n(await b(e,Number(o))),t()}catch(e){f(e),l(!1)}};return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:r(`embed.rotateText`)}),(0,N.jsx)(E,{label:r(`embed.overlap`),value:o,options:ue.map(e=>({id:e,name:r(`embed.days${e}`)})),onChange:s}),d!==null&&(0,N.jsx)(i,{error:d}),(0,N.jsxs)(a,{children:[(0,N.jsx)(u,{onPress:t,children:r(`dialog.cancel`)}),(0,N.jsx)(u,{kind:`danger`,isPending:c,onPress:()=>void p(),children:r(`embed.rotateNow`)})]})]})}var fe={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function pe({id:e}){let{t}=g(),[n,r]=(0,j.useState)(``),[a,s]=(0,j.useState)(null),[c,l]=(0,j.useState)(null),d=()=>{l(null),y(e,n.trim()).then(e=>s({token:n,verdict:e}),l)},f=a?.token===n?a.verdict:null;return(0,N.jsxs)(o,{className:M.check,onSubmit:e=>{e.preventDefault(),n.trim()&&d()},children:[(0,N.jsx)(O,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:r}),(0,N.jsx)(`div`,{children:(0,N.jsx)(u,{type:`submit`,children:t(`embed.check`)})}),c!==null&&(0,N.jsx)(i,{error:c}),f&&(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(P,{isGood:f.userId!==``,children:f.userId?t(`embed.valid`,{user:f.userId}):t(fe[f.reason]??`embed.why.malformed`)}),(0,N.jsx)(`ul`,{className:M.details,lang:`en`,dir:`ltr`,children:(f.userId?f.warnings:[f.message]).map(e=>(0,N.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function $({draft:e,mayChange:t,faults:n}){let{t:r}=g();return(0,N.jsxs)(h,{title:r(`embed.limits`),children:[(0,N.jsx)(`p`,{children:r(`embed.limitsText`)}),t?(0,N.jsx)(me,{draft:e,faults:n}):(0,N.jsx)(ge,{draft:e})]})}function me({draft:e,faults:t}){let{t:n}=g(),{values:r,change:i}=e,a=(e,t)=>(0,N.jsx)(he,{name:e,label:n(Q[e]),hint:n(t),value:r[e],onChange:i});return(0,N.jsxs)(w,{className:M.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,N.jsxs)(`div`,{className:M.numbers,children:[a(`widget.dailyCredits`,`embed.noLimit`),a(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),a(`ipRateLimits.limit`,`embed.rateHint`),a(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,N.jsx)(m,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(r[`ipRateLimits.message`]),onChange:e=>i(`ipRateLimits.message`,e)}),(0,N.jsx)(T,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:r[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>i(`widget.blockedRanges`,e)})]})}function he({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,N.jsx)(m,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ge({draft:{values:e}}){let{t,locale:n}=g(),r=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),i=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,N.jsx)(`dl`,{className:M.change,children:i.map(n=>(0,N.jsxs)(j.Fragment,{children:[(0,N.jsx)(`dt`,{children:t(Q[n])}),(0,N.jsx)(`dd`,{dir:`auto`,children:r(e[n])})]},n))})}var _e=[`bubble`,`stage`,`frame`,`help`];function ve({id:t,origin:n,isPublic:r}){let{t:i}=g(),[a,o]=(0,j.useState)(`bubble`),s={bubble:(0,N.jsx)(D,{label:i(`embed.bubble`),text:ae(n,t)}),stage:(0,N.jsx)(D,{label:i(`embed.stage`),text:q(n,t)}),frame:(0,N.jsx)(D,{label:i(`embed.frame`),text:J(n,t)}),help:(0,N.jsx)(be,{id:t,origin:n})},c=_e.map(e=>({id:e,name:i(`embed.${e}`),content:(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:i(`embed.${e}Text`)}),s[e]]})}));return(0,N.jsxs)(h,{title:i(`embed.place`),children:[(0,N.jsx)(A,{label:i(`embed.place`),chosen:a,tabs:c,onChange:o}),r&&(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:i(`embed.trialText`)}),(0,N.jsxs)(`div`,{className:M.buttons,children:[(0,N.jsx)(e,{icon:`globe`,href:`/agents/${t}/embed/test`,target:`_blank`,rel:`noopener`,children:i(`embed.trialOpen`)}),(0,N.jsx)(e,{href:`${n}/chatbot-iframe/${t}`,target:`_blank`,rel:`noopener`,children:i(`embed.test`)})]})]})]})}var ye=Object.keys(Y);function be({id:e,origin:t}){let{t:n}=g(),[r,i]=(0,j.useState)(`nginx`);return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(D,{label:n(`embed.help`),text:oe(t,e)}),(0,N.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,N.jsx)(k,{label:n(`embed.server`),value:r,options:ye.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:i}),(0,N.jsx)(D,{label:r,text:Y[r](t,e)})]})}var xe=`https://www.chatbase.co`;function Se({origin:e}){let{t}=g();return(0,N.jsxs)(h,{title:t(`embed.coming`),children:[(0,N.jsx)(`p`,{children:t(`embed.comingText`)}),(0,N.jsxs)(`dl`,{className:M.change,children:[(0,N.jsx)(`dt`,{children:t(`embed.before`)}),(0,N.jsx)(`dd`,{dir:`ltr`,children:(0,N.jsx)(`code`,{children:xe})}),(0,N.jsx)(`dt`,{children:t(`embed.after`)}),(0,N.jsx)(`dd`,{dir:`ltr`,children:(0,N.jsx)(`code`,{children:e})})]})]})}function Ce({id:e}){let{t:n}=g(),r=C(e),a=S(e,r.data,W),o=p(`agents:write`),s=v(e),{error:c}=a,u=c instanceof te?G(c.details,a.values):{},d=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,N.jsxs)(ee,{title:n(`embed.title`),actions:a.isSaved&&(0,N.jsx)(`p`,{role:`status`,children:n(`settings.saved`)}),children:[(0,N.jsx)(ie,{needs:`agents:write`,note:`role.embed`}),r.isPending&&(0,N.jsx)(t,{}),r.isError&&!r.data&&(0,N.jsx)(i,{error:r.error,onRetry:()=>void r.refetch()}),r.data?.settings.visibility===`private`&&(0,N.jsx)(`p`,{role:`status`,className:M.note,children:n(`embed.private`)}),(0,N.jsx)(ve,{id:e,origin:s,isPublic:r.data?.settings.visibility===`public`}),(0,N.jsx)(Se,{origin:s}),c!==null&&(0,N.jsx)(i,{error:c}),r.data&&(0,N.jsx)(L,{id:e,draft:a,mayChange:o,faults:u}),r.data&&(0,N.jsx)($,{draft:a,mayChange:o,faults:u}),(0,N.jsx)(ce,{id:e,mayChange:o}),(0,N.jsx)(l,{count:a.count,isSaving:a.isSaving,onDiscard:a.discard,onSave:a.save}),(0,N.jsx)(re,{differences:a.disputes.map(({name:e,mine:t,theirs:r})=>({name:n(Q[e]??`embed.limits`),mine:d(t),theirs:d(r)})),onKeepMine:a.keepMine,onTakeTheirs:a.takeTheirs,onClose:a.closeConflict})]})}export{Ce as default};