import{At as e,Ct as t,Dn as n,Dt as r,Fn as i,Ga as a,It as o,Ja as s,Jt as c,Qt as l,Rt as u,Xa as d,Zt as f,cn as p,on as m,qr as h,qt as g,rn as ee,vi as te,wt as _,zt as v}from"./index-DxoUu1nt.js";import{i as y,l as b,n as x,o as S,t as C}from"./embed-CFoLbkuF.js";import{o as w,r as ne}from"./settings-BUpGI1Lm.js";import{t as re}from"./conflict-BG7dhICr.js";import{t as ie}from"./notice-pUiJ6XeS.js";import{t as ae}from"./role-note-BXIucPDd.js";import{t as T}from"./fault-form-B1nGByc4.js";import{i as E}from"./rows-DIHsGLge.js";import{t as D}from"./choice-9OVjZFXV.js";import{t as O}from"./code-Fb37ZMeq.js";import{t as k}from"./text-area-DAuY5zjs.js";import{t as A}from"./radios-C_kq6Fxd.js";import{t as j}from"./tabs-BMQvNpD8.js";var M=d(s(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=a();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(ee,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:e,draft:t,mayChange:n,faults:r}){let{t:i}=p(),a=t.values.allowedDomains??null;return(0,P.jsxs)(_,{title:i(`embed.domains`),children:[n?(0,P.jsx)(T,{said:r,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:i(`embed.domainsLabel`),hint:i(`embed.domainsHint`),value:a,split:I,join:L,onChange:e=>t.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:a?L(a):i(`embed.everywhere`)}),n&&(0,P.jsx)(V,{id:e,isChanged:t.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:e,isChanged:t}){let{t:n}=p(),[i,a]=(0,M.useState)(``),[o,s]=(0,M.useState)(null),[c,l]=(0,M.useState)(null),u=()=>{l(null),C(e,i).then(e=>s({page:i,said:e}),l)};return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),i.trim()&&u()},children:[(0,P.jsx)(r,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:B,value:i,onChange:a}),(0,P.jsx)(`div`,{children:(0,P.jsx)(f,{type:`submit`,children:n(`embed.check`)})}),c!==null&&(0,P.jsx)(g,{error:c}),o?.page===i&&(0,P.jsx)(F,{isGood:o.said.isAllowed,children:n(o.said.isAllowed?`embed.domainAllowed`:z[o.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(t,n){let r={};for(let[i,a]of Object.entries(t)){let[,t,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(i)??[],s=t&&n[t]?.[Number(o)],c=t?`settings.${t}`:i;r[c]??=s?new e(s,a):a}return r}var q=(e,t,n,r)=>`<script>
(function(){if(!window.${n}||window.${n}("getState")!=="initialized"){
window.${n}=(...args)=>{(window.${n}.q=window.${n}.q||[]).push(args)};
window.${n}=new Proxy(window.${n},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${e}/${r}";script.id="${t}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
<\/script>`,J=(e,t)=>q(e,t,`chatbase`,`embed.min.js`),oe=(e,t)=>q(e,t,`chatbaseCenterStage`,`center-stage-embed.min.js`),se=(e,t)=>`<iframe
  src="${e}/chatbot-iframe/${t}"
  title="Chat"
  width="100%"
  height="700"
  allow="microphone; clipboard-write"
></iframe>`,ce=(e,t)=>`${e}/${t}/help`,Y={nginx:(e,t)=>`location = /help {
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:e,mayChange:t}){let{t:n}=p(),[r,i]=(0,M.useState)(`Node.js`),a=Object.keys(Z);return(0,P.jsxs)(_,{title:n(`embed.identity`),children:[(0,P.jsx)(`p`,{children:n(`embed.identityText`)}),t&&(0,P.jsx)(de,{id:e}),(0,P.jsx)(D,{label:n(`embed.language`),value:r,options:a.map(e=>({id:e,name:e})),onChange:i}),(0,P.jsx)(O,{label:r,text:Z[r]}),(0,P.jsx)(`p`,{children:n(`embed.identify`)}),(0,P.jsx)(O,{label:n(`embed.inPage`),text:le}),t&&(0,P.jsx)(he,{id:e})]})}function de({id:e}){let{t,locale:n}=p(),[r,i]=(0,M.useState)(null),[a,o]=(0,M.useState)(!1),[s,c]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[r&&(0,P.jsx)(O,{label:t(`embed.secret`),text:r.secret}),r?.oldUntil&&(0,P.jsx)(`p`,{children:t(`embed.oldUntil`,{time:m(r.oldUntil,n)})}),s!==null&&(0,P.jsx)(g,{error:s}),(0,P.jsxs)(`div`,{className:N.buttons,children:[r?(0,P.jsx)(f,{onPress:()=>i(null),children:t(`embed.hide`)}):(0,P.jsx)(f,{onPress:()=>{c(null),y(e).then(i,c)},children:t(`embed.show`)}),(0,P.jsx)(f,{icon:`refresh-cw`,onPress:()=>o(!0),children:t(`embed.rotate`)})]}),(0,P.jsx)(v,{title:t(`embed.rotate`),isOpen:a,onClose:()=>o(!1),children:(0,P.jsx)(pe,{id:e,onClose:()=>o(!1),onDone:i})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:e,onClose:t,onDone:n}){let{t:r}=p(),[i,a]=(0,M.useState)(`1`),[o,s]=(0,M.useState)(!1),[c,l]=(0,M.useState)(null),d=async()=>{s(!0),l(null);try{n(await S(e,Number(i))),t()}catch(e){l(e),s(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.rotateText`)}),(0,P.jsx)(D,{label:r(`embed.overlap`),value:i,options:fe.map(e=>({id:e,name:r(`embed.days${e}`)})),onChange:a}),c!==null&&(0,P.jsx)(g,{error:c}),(0,P.jsxs)(u,{children:[(0,P.jsx)(f,{onPress:t,children:r(`dialog.cancel`)}),(0,P.jsx)(f,{kind:`danger`,isPending:o,onPress:()=>void d(),children:r(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:e}){let{t}=p(),[n,r]=(0,M.useState)(``),[i,a]=(0,M.useState)(null),[o,s]=(0,M.useState)(null),c=()=>{s(null),x(e,n.trim()).then(e=>a({token:n,verdict:e}),s)},l=i?.token===n?i.verdict:null;return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),n.trim()&&c()},children:[(0,P.jsx)(k,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:r}),(0,P.jsx)(`div`,{children:(0,P.jsx)(f,{type:`submit`,children:t(`embed.check`)})}),o!==null&&(0,P.jsx)(g,{error:o}),l&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:l.userId!==``,children:l.userId?t(`embed.valid`,{user:l.userId}):t(me[l.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(l.userId?l.warnings:[l.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:e,mayChange:t,faults:n}){let{t:r}=p();return(0,P.jsxs)(_,{title:r(`embed.limits`),children:[(0,P.jsx)(`p`,{children:r(`embed.limitsText`)}),t?(0,P.jsx)(_e,{draft:e,faults:n}):(0,P.jsx)(ye,{draft:e})]})}function _e({draft:e,faults:t}){let{t:n}=p(),{values:i,change:a}=e,o=(e,t)=>(0,P.jsx)(ve,{name:e,label:n(Q[e]),hint:n(t),value:i[e],onChange:a});return(0,P.jsxs)(T,{className:N.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(r,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...i}){let a=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,P.jsx)(r,{...i,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:a})}function ye({draft:{values:e}}){let{t,locale:n}=p(),r=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),i=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:i.map(n=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:t(Q[n])}),(0,P.jsx)(`dd`,{dir:`auto`,children:r(e[n])})]},n))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:e,origin:t,isPublic:n}){let{t:r}=p(),[i,a]=(0,M.useState)(`bubble`),o={bubble:(0,P.jsx)(O,{label:r(`embed.bubble`),text:J(t,e)}),stage:(0,P.jsx)(O,{label:r(`embed.stage`),text:oe(t,e)}),frame:(0,P.jsx)(O,{label:r(`embed.frame`),text:se(t,e)}),help:(0,P.jsx)(Se,{id:e,origin:t})},s=be.map(e=>({id:e,name:r(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.${e}Text`)}),o[e]]})}));return(0,P.jsxs)(_,{title:r(`embed.place`),children:[(0,P.jsx)(j,{label:r(`embed.place`),chosen:i,tabs:s,onChange:a}),n&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(l,{icon:`globe`,href:`/agents/${e}/embed/test`,target:`_blank`,rel:`noopener`,children:r(`embed.trialOpen`)}),(0,P.jsx)(l,{href:`${t}/chatbot-iframe/${e}`,target:`_blank`,rel:`noopener`,children:r(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:t}){let{t:n}=p(),[r,i]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:n(`embed.help`),text:ce(t,e)}),(0,P.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,P.jsx)(A,{label:n(`embed.server`),value:r,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:i}),(0,P.jsx)(O,{label:r,text:Y[r](t,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:e}){let{t}=p();return(0,P.jsxs)(_,{title:t(`embed.coming`),children:[(0,P.jsx)(`p`,{children:t(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:t(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:t(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:e})})]})]})}function Te({id:e}){let{t:r}=p(),a=ne(e),s=w(e,a.data,G),l=n(`agents:write`),u=b(e),{error:d}=s,f=d instanceof i?K(d.details,s.values):{},m=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(t,{title:r(`embed.title`),actions:s.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:r(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),a.isPending&&(0,P.jsx)(c,{}),a.isError&&!a.data&&(0,P.jsx)(g,{error:a.error,onRetry:()=>void a.refetch()}),a.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[r(`embed.private`),` `,(0,P.jsx)(te,{href:`/agents/${e}/settings`,children:r(`settings.title`)})]}),(0,P.jsx)($,{id:e,origin:u,isPublic:a.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:u}),d!==null&&(0,P.jsx)(g,{error:d}),a.data&&(0,P.jsx)(R,{id:e,draft:s,mayChange:l,faults:f}),a.data&&(0,P.jsx)(ge,{draft:s,mayChange:l,faults:f}),(0,P.jsx)(ue,{id:e,mayChange:l}),(0,P.jsx)(o,{count:s.count,isSaving:s.isSaving,onDiscard:s.discard,onSave:s.save}),(0,P.jsx)(re,{differences:s.disputes.map(({name:e,mine:t,theirs:n})=>({name:r(Q[e]??`embed.limits`),mine:m(t),theirs:m(n)})),onKeepMine:s.keepMine,onTakeTheirs:s.takeTheirs,onClose:s.closeConflict})]})}export{Te as default};