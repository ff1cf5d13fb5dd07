import{Ft as e,Ht as t,Jt as n,Kn as r,Li as i,Pt as a,Tn as o,Xt as s,Zt as c,an as l,er as u,fi as d,hn as f,ho as p,ln as m,on as h,po as g,un as _,uo as ee,yn as te,zt as v}from"./index-KOBUp1Sr.js";import{i as y,l as b,n as x,o as S,t as C}from"./embed-DqSDRXaB.js";import{o as w,r as ne}from"./settings-DpxmKumL.js";import{t as re}from"./conflict-Ccql1PNO.js";import{t as ie}from"./notice-BAnwFims.js";import{t as ae}from"./role-note-aBhA23MC.js";import{t as T}from"./fault-form-hWU0LNhf.js";import{i as E}from"./rows-DGwa5ewU.js";import{t as D}from"./choice-D4LjYLwB.js";import{t as O}from"./code-DmaDI65z.js";import{t as k}from"./text-area-CyIJCtQ-.js";import{t as A}from"./radios-aMbv7AD4.js";import{t as j}from"./tabs-BsHFKxKu.js";var M=p(g(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=ee();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(f,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:t,draft:n,mayChange:r,faults:i}){let{t:a}=o(),s=n.values.allowedDomains??null;return(0,P.jsxs)(e,{title:a(`embed.domains`),children:[r?(0,P.jsx)(T,{said:i,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:a(`embed.domainsLabel`),hint:a(`embed.domainsHint`),value:s,split:I,join:L,onChange:e=>n.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:s?L(s):a(`embed.everywhere`)}),r&&(0,P.jsx)(V,{id:t,isChanged:n.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:e,isChanged:t}){let{t:n}=o(),[r,i]=(0,M.useState)(``),[a,s]=(0,M.useState)(null),[c,u]=(0,M.useState)(null),f=()=>{u(null),C(e,r).then(e=>s({page:r,said:e}),u)};return(0,P.jsxs)(d,{className:N.check,onSubmit:e=>{e.preventDefault(),r.trim()&&f()},children:[(0,P.jsx)(v,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:B,value:r,onChange:i}),(0,P.jsx)(`div`,{children:(0,P.jsx)(m,{type:`submit`,children:n(`embed.check`)})}),c!==null&&(0,P.jsx)(l,{error:c}),a?.page===r&&(0,P.jsx)(F,{isGood:a.said.isAllowed,children:n(a.said.isAllowed?`embed.domainAllowed`:z[a.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(e,n){let r={};for(let[i,a]of Object.entries(e)){let[,e,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(i)??[],s=e&&n[e]?.[Number(o)],c=e?`settings.${e}`:i;r[c]??=s?new t(s,a):a}return r}var q=(e,t,n,r)=>`<script>
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
></iframe>`,ce=(e,t)=>`${e}/${t}/help`,Y={nginx:(e,t)=>`proxy_ssl_server_name on;
location = /help {
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
}`,Caddy:(e,t)=>`@help path /help /help/*
handle @help {
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:t,mayChange:n}){let{t:r}=o(),[i,a]=(0,M.useState)(`Node.js`),s=Object.keys(Z);return(0,P.jsxs)(e,{title:r(`embed.identity`),children:[(0,P.jsx)(`p`,{children:r(`embed.identityText`)}),n&&(0,P.jsx)(de,{id:t}),(0,P.jsx)(D,{label:r(`embed.language`),value:i,options:s.map(e=>({id:e,name:e})),onChange:a}),(0,P.jsx)(O,{label:i,text:Z[i]}),(0,P.jsx)(`p`,{children:r(`embed.identify`)}),(0,P.jsx)(O,{label:r(`embed.inPage`),text:le}),n&&(0,P.jsx)(he,{id:t})]})}function de({id:e}){let{t,locale:n}=o(),[r,i]=(0,M.useState)(null),[a,s]=(0,M.useState)(!1),[u,d]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[r&&(0,P.jsx)(O,{label:t(`embed.secret`),text:r.secret}),r?.oldUntil&&(0,P.jsx)(`p`,{children:t(`embed.oldUntil`,{time:te(r.oldUntil,n)})}),u!==null&&(0,P.jsx)(l,{error:u}),(0,P.jsxs)(`div`,{className:N.buttons,children:[r?(0,P.jsx)(m,{onPress:()=>i(null),children:t(`embed.hide`)}):(0,P.jsx)(m,{onPress:()=>{d(null),y(e).then(i,d)},children:t(`embed.show`)}),(0,P.jsx)(m,{icon:`refresh-cw`,onPress:()=>s(!0),children:t(`embed.rotate`)})]}),(0,P.jsx)(c,{title:t(`embed.rotate`),isOpen:a,onClose:()=>s(!1),children:(0,P.jsx)(pe,{id:e,onClose:()=>s(!1),onDone:i})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:e,onClose:t,onDone:n}){let{t:r}=o(),[i,a]=(0,M.useState)(`1`),[c,u]=(0,M.useState)(!1),[d,f]=(0,M.useState)(null),p=async()=>{u(!0),f(null);try{n(await S(e,Number(i))),t()}catch(e){f(e),u(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.rotateText`)}),(0,P.jsx)(D,{label:r(`embed.overlap`),value:i,options:fe.map(e=>({id:e,name:r(`embed.days${e}`)})),onChange:a}),d!==null&&(0,P.jsx)(l,{error:d}),(0,P.jsxs)(s,{children:[(0,P.jsx)(m,{onPress:t,children:r(`dialog.cancel`)}),(0,P.jsx)(m,{kind:`danger`,isPending:c,onPress:()=>void p(),children:r(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:e}){let{t}=o(),[n,r]=(0,M.useState)(``),[i,a]=(0,M.useState)(null),[s,c]=(0,M.useState)(null),u=()=>{c(null),x(e,n.trim()).then(e=>a({token:n,verdict:e}),c)},f=i?.token===n?i.verdict:null;return(0,P.jsxs)(d,{className:N.check,onSubmit:e=>{e.preventDefault(),n.trim()&&u()},children:[(0,P.jsx)(k,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:r}),(0,P.jsx)(`div`,{children:(0,P.jsx)(m,{type:`submit`,children:t(`embed.check`)})}),s!==null&&(0,P.jsx)(l,{error:s}),f&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:f.userId!==``,children:f.userId?t(`embed.valid`,{user:f.userId}):t(me[f.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(f.userId?f.warnings:[f.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:t,mayChange:n,faults:r}){let{t:i}=o();return(0,P.jsxs)(e,{title:i(`embed.limits`),children:[(0,P.jsx)(`p`,{children:i(`embed.limitsText`)}),n?(0,P.jsx)(_e,{draft:t,faults:r}):(0,P.jsx)(ye,{draft:t})]})}function _e({draft:e,faults:t}){let{t:n}=o(),{values:r,change:i}=e,a=(e,t)=>(0,P.jsx)(ve,{name:e,label:n(Q[e]),hint:n(t),value:r[e],onChange:i});return(0,P.jsxs)(T,{className:N.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[a(`widget.dailyCredits`,`embed.noLimit`),a(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),a(`ipRateLimits.limit`,`embed.rateHint`),a(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(v,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(r[`ipRateLimits.message`]),onChange:e=>i(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:r[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>i(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,P.jsx)(v,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ye({draft:{values:e}}){let{t,locale:n}=o(),r=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),i=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:i.map(n=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:t(Q[n])}),(0,P.jsx)(`dd`,{dir:`auto`,children:r(e[n])})]},n))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:t,origin:n,isPublic:r}){let{t:i}=o(),[a,s]=(0,M.useState)(`bubble`),c={bubble:(0,P.jsx)(O,{label:i(`embed.bubble`),text:J(n,t)}),stage:(0,P.jsx)(O,{label:i(`embed.stage`),text:oe(n,t)}),frame:(0,P.jsx)(O,{label:i(`embed.frame`),text:se(n,t)}),help:(0,P.jsx)(Se,{id:t,origin:n})},l=be.map(e=>({id:e,name:i(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.${e}Text`)}),c[e]]})}));return(0,P.jsxs)(e,{title:i(`embed.place`),children:[(0,P.jsx)(j,{label:i(`embed.place`),chosen:a,tabs:l,onChange:s}),r&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(_,{icon:`globe`,href:`/agents/${t}/embed/test`,target:`_blank`,rel:`noopener`,children:i(`embed.trialOpen`)}),(0,P.jsx)(_,{href:`${n}/chatbot-iframe/${t}`,target:`_blank`,rel:`noopener`,children:i(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:t}){let{t:n}=o(),[r,i]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:n(`embed.help`),text:ce(t,e)}),(0,P.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,P.jsx)(A,{label:n(`embed.server`),value:r,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:i}),(0,P.jsx)(O,{label:r,text:Y[r](t,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:t}){let{t:n}=o();return(0,P.jsxs)(e,{title:n(`embed.coming`),children:[(0,P.jsx)(`p`,{children:n(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:n(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:n(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:t})})]})]})}function Te({id:e}){let{t}=o(),s=ne(e),c=w(e,s.data,G),d=r(`agents:write`),f=b(e),{error:p}=c,m=p instanceof u?K(p.details,c.values):{},g=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(a,{title:t(`embed.title`),actions:c.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:t(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),s.isPending&&(0,P.jsx)(h,{}),s.isError&&!s.data&&(0,P.jsx)(l,{error:s.error,onRetry:()=>void s.refetch()}),s.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[t(`embed.private`),` `,(0,P.jsx)(i,{href:`/agents/${e}/settings`,children:t(`settings.title`)})]}),(0,P.jsx)($,{id:e,origin:f,isPublic:s.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:f}),p!==null&&(0,P.jsx)(l,{error:p}),s.data&&(0,P.jsx)(R,{id:e,draft:c,mayChange:d,faults:m}),s.data&&(0,P.jsx)(ge,{draft:c,mayChange:d,faults:m}),(0,P.jsx)(ue,{id:e,mayChange:d}),(0,P.jsx)(n,{count:c.count,isSaving:c.isSaving,onDiscard:c.discard,onSave:c.save}),(0,P.jsx)(re,{differences:c.disputes.map(({name:e,mine:n,theirs:r})=>({name:t(Q[e]??`embed.limits`),mine:g(n),theirs:g(r)})),onKeepMine:c.keepMine,onTakeTheirs:c.takeTheirs,onClose:c.closeConflict})]})}export{Te as default};