import{At as e,Bt as t,Dt as n,Et as r,Ft as i,Kr as a,Rt as o,Sa as s,_t as c,dn as l,ht as u,jt as d,lt as f,nt as p,ot as m,rn as h,rt as g,vt as ee,xa as te,xr as _,ya as v}from"./index-DTuVtv0R.js";import{i as y,l as b,n as x,o as S,t as C}from"./embed-496NslPg.js";import{o as w,r as ne}from"./settings-CUKyDDYn.js";import{t as re}from"./conflict-SR4zDNdz.js";import{t as ie}from"./notice-ATq_zYTv.js";import{t as ae}from"./role-note-rCPK4Ogx.js";import{t as T}from"./fault-form-BG4TcB09.js";import{i as E}from"./rows-C8WKMS3j.js";import{t as D}from"./choice-Dkmuc35Z.js";import{t as O}from"./code-CEDwqWmi.js";import{t as k}from"./text-area-C6_K_PtX.js";import{t as A}from"./radios-OVZaleZd.js";import{t as j}from"./tabs-kuN3-E_y.js";var M=s(te(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=v();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(i,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:e,draft:n,mayChange:r,faults:i}){let{t:a}=t(),o=n.values.allowedDomains??null;return(0,P.jsxs)(g,{title:a(`embed.domains`),children:[r?(0,P.jsx)(T,{said:i,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:a(`embed.domainsLabel`),hint:a(`embed.domainsHint`),value:o,split:I,join:L,onChange:e=>n.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:o?L(o):a(`embed.everywhere`)}),r&&(0,P.jsx)(V,{id:e,isChanged:n.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:n,isChanged:i}){let{t:a}=t(),[o,s]=(0,M.useState)(``),[c,l]=(0,M.useState)(null),[u,d]=(0,M.useState)(null),f=()=>{d(null),C(n,o).then(e=>l({page:o,said:e}),d)};return(0,P.jsxs)(_,{className:N.check,onSubmit:e=>{e.preventDefault(),o.trim()&&f()},children:[(0,P.jsx)(m,{name:`address`,label:a(`embed.domainCheck`),hint:i?a(`embed.domainUnsaved`):void 0,placeholder:B,value:o,onChange:s}),(0,P.jsx)(`div`,{children:(0,P.jsx)(e,{type:`submit`,children:a(`embed.check`)})}),u!==null&&(0,P.jsx)(r,{error:u}),c?.page===o&&(0,P.jsx)(F,{isGood:c.said.isAllowed,children:a(c.said.isAllowed?`embed.domainAllowed`:z[c.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(e,t){let n={};for(let[r,i]of Object.entries(e)){let[,e,a]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],o=e&&t[e]?.[Number(a)],s=e?`settings.${e}`:r;n[s]??=o?new f(o,i):i}return n}var q=(e,t,n,r)=>`<script>
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:e,mayChange:n}){let{t:r}=t(),[i,a]=(0,M.useState)(`Node.js`),o=Object.keys(Z);return(0,P.jsxs)(g,{title:r(`embed.identity`),children:[(0,P.jsx)(`p`,{children:r(`embed.identityText`)}),n&&(0,P.jsx)(de,{id:e}),(0,P.jsx)(D,{label:r(`embed.language`),value:i,options:o.map(e=>({id:e,name:e})),onChange:a}),(0,P.jsx)(O,{label:i,text:Z[i]}),(0,P.jsx)(`p`,{children:r(`embed.identify`)}),(0,P.jsx)(O,{label:r(`embed.inPage`),text:le}),n&&(0,P.jsx)(he,{id:e})]})}function de({id:n}){let{t:i,locale:a}=t(),[s,c]=(0,M.useState)(null),[l,u]=(0,M.useState)(!1),[d,f]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[s&&(0,P.jsx)(O,{label:i(`embed.secret`),text:s.secret}),s?.oldUntil&&(0,P.jsx)(`p`,{children:i(`embed.oldUntil`,{time:o(s.oldUntil,a)})}),d!==null&&(0,P.jsx)(r,{error:d}),(0,P.jsxs)(`div`,{className:N.buttons,children:[s?(0,P.jsx)(e,{onPress:()=>c(null),children:i(`embed.hide`)}):(0,P.jsx)(e,{onPress:()=>{f(null),y(n).then(c,f)},children:i(`embed.show`)}),(0,P.jsx)(e,{icon:`refresh-cw`,onPress:()=>u(!0),children:i(`embed.rotate`)})]}),(0,P.jsx)(ee,{title:i(`embed.rotate`),isOpen:l,onClose:()=>u(!1),children:(0,P.jsx)(pe,{id:n,onClose:()=>u(!1),onDone:c})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:n,onClose:i,onDone:a}){let{t:o}=t(),[s,l]=(0,M.useState)(`1`),[u,d]=(0,M.useState)(!1),[f,p]=(0,M.useState)(null),m=async()=>{d(!0),p(null);try{a(await S(n,Number(s))),i()}catch(e){p(e),d(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:o(`embed.rotateText`)}),(0,P.jsx)(D,{label:o(`embed.overlap`),value:s,options:fe.map(e=>({id:e,name:o(`embed.days${e}`)})),onChange:l}),f!==null&&(0,P.jsx)(r,{error:f}),(0,P.jsxs)(c,{children:[(0,P.jsx)(e,{onPress:i,children:o(`dialog.cancel`)}),(0,P.jsx)(e,{kind:`danger`,isPending:u,onPress:()=>void m(),children:o(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:n}){let{t:i}=t(),[a,o]=(0,M.useState)(``),[s,c]=(0,M.useState)(null),[l,u]=(0,M.useState)(null),d=()=>{u(null),x(n,a.trim()).then(e=>c({token:a,verdict:e}),u)},f=s?.token===a?s.verdict:null;return(0,P.jsxs)(_,{className:N.check,onSubmit:e=>{e.preventDefault(),a.trim()&&d()},children:[(0,P.jsx)(k,{name:`token`,label:i(`embed.token`),hint:i(`embed.tokenHint`),rows:4,isCode:!0,value:a,onChange:o}),(0,P.jsx)(`div`,{children:(0,P.jsx)(e,{type:`submit`,children:i(`embed.check`)})}),l!==null&&(0,P.jsx)(r,{error:l}),f&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:f.userId!==``,children:f.userId?i(`embed.valid`,{user:f.userId}):i(me[f.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(f.userId?f.warnings:[f.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:e,mayChange:n,faults:r}){let{t:i}=t();return(0,P.jsxs)(g,{title:i(`embed.limits`),children:[(0,P.jsx)(`p`,{children:i(`embed.limitsText`)}),n?(0,P.jsx)(_e,{draft:e,faults:r}):(0,P.jsx)(ye,{draft:e})]})}function _e({draft:e,faults:n}){let{t:r}=t(),{values:i,change:a}=e,o=(e,t)=>(0,P.jsx)(ve,{name:e,label:r(Q[e]),hint:r(t),value:i[e],onChange:a});return(0,P.jsxs)(T,{className:N.check,said:n,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(m,{name:`settings.ipRateLimits.message`,label:r(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:r(`embed.blocked`),hint:r(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,P.jsx)(m,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ye({draft:{values:e}}){let{t:n,locale:r}=t(),i=e=>typeof e==`number`?new Intl.NumberFormat(r).format(e):Array.isArray(e)?e.join(`, `)||n(`embed.nobody`):String(e??n(`embed.unlimited`)),a=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:a.map(t=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:n(Q[t])}),(0,P.jsx)(`dd`,{dir:`auto`,children:i(e[t])})]},t))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:e,origin:n,isPublic:r}){let{t:i}=t(),[a,o]=(0,M.useState)(`bubble`),s={bubble:(0,P.jsx)(O,{label:i(`embed.bubble`),text:J(n,e)}),stage:(0,P.jsx)(O,{label:i(`embed.stage`),text:oe(n,e)}),frame:(0,P.jsx)(O,{label:i(`embed.frame`),text:se(n,e)}),help:(0,P.jsx)(Se,{id:e,origin:n})},c=be.map(e=>({id:e,name:i(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.${e}Text`)}),s[e]]})}));return(0,P.jsxs)(g,{title:i(`embed.place`),children:[(0,P.jsx)(j,{label:i(`embed.place`),chosen:a,tabs:c,onChange:o}),r&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(d,{icon:`globe`,href:`/agents/${e}/embed/test`,target:`_blank`,rel:`noopener`,children:i(`embed.trialOpen`)}),(0,P.jsx)(d,{href:`${n}/chatbot-iframe/${e}`,target:`_blank`,rel:`noopener`,children:i(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:n}){let{t:r}=t(),[i,a]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:r(`embed.help`),text:ce(n,e)}),(0,P.jsx)(`p`,{children:r(`embed.proxyText`)}),(0,P.jsx)(A,{label:r(`embed.server`),value:i,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,P.jsx)(O,{label:i,text:Y[i](n,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:e}){let{t:n}=t();return(0,P.jsxs)(g,{title:n(`embed.coming`),children:[(0,P.jsx)(`p`,{children:n(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:n(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:n(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:e})})]})]})}function Te({id:e}){let{t:i}=t(),o=ne(e),s=w(e,o.data,G),c=h(`agents:write`),d=b(e),{error:f}=s,m=f instanceof l?K(f.details,s.values):{},g=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(p,{title:i(`embed.title`),actions:s.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:i(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),o.isPending&&(0,P.jsx)(n,{}),o.isError&&!o.data&&(0,P.jsx)(r,{error:o.error,onRetry:()=>void o.refetch()}),o.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[i(`embed.private`),` `,(0,P.jsx)(a,{href:`/agents/${e}/settings`,children:i(`settings.title`)})]}),(0,P.jsx)($,{id:e,origin:d,isPublic:o.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:d}),f!==null&&(0,P.jsx)(r,{error:f}),o.data&&(0,P.jsx)(R,{id:e,draft:s,mayChange:c,faults:m}),o.data&&(0,P.jsx)(ge,{draft:s,mayChange:c,faults:m}),(0,P.jsx)(ue,{id:e,mayChange:c}),(0,P.jsx)(u,{count:s.count,isSaving:s.isSaving,onDiscard:s.discard,onSave:s.save}),(0,P.jsx)(re,{differences:s.disputes.map(({name:e,mine:t,theirs:n})=>({name:i(Q[e]??`embed.limits`),mine:g(t),theirs:g(n)})),onKeepMine:s.keepMine,onTakeTheirs:s.takeTheirs,onClose:s.closeConflict})]})}export{Te as default};