import{Bt as e,En as t,Ft as n,It as r,Qt as i,Ri as a,Ut as o,Yt as s,Zt as c,bn as l,dn as u,do as d,gn as f,go as p,mo as ee,on as m,pi as h,qn as g,sn as _,tr as v,un as y}from"./index-COcDvfg1.js";import{i as b,l as x,n as S,o as C,t as w}from"./embed-DSaE5j4S.js";import{o as te,r as ne}from"./settings-BbUG5CLI.js";import{t as re}from"./conflict-BtriJ9wk.js";import{t as ie}from"./notice-DvaSb_aq.js";import{t as ae}from"./role-note-YSZpm1lV.js";import{t as T}from"./fault-form-DfvmUmG2.js";import{i as E}from"./rows-CVwrRV01.js";import{t as D}from"./choice-Dkr0OxXb.js";import{t as O}from"./code-Cyk-nvR5.js";import{t as k}from"./text-area-DwRRuj7x.js";import{t as A}from"./radios-wgSJykZU.js";import{t as j}from"./tabs-D2d7IqvK.js";var M=p(ee(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=d();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(f,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:e,draft:n,mayChange:i,faults:a}){let{t:o}=t(),s=n.values.allowedDomains??null;return(0,P.jsxs)(r,{title:o(`embed.domains`),children:[i?(0,P.jsx)(T,{said:a,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:o(`embed.domainsLabel`),hint:o(`embed.domainsHint`),value:s,split:I,join:L,onChange:e=>n.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:s?L(s):o(`embed.everywhere`)}),i&&(0,P.jsx)(V,{id:e,isChanged:n.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:n,isChanged:r}){let{t:i}=t(),[a,o]=(0,M.useState)(``),[s,c]=(0,M.useState)(null),[l,u]=(0,M.useState)(null),d=()=>{u(null),w(n,a).then(e=>c({page:a,said:e}),u)};return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),a.trim()&&d()},children:[(0,P.jsx)(e,{name:`address`,label:i(`embed.domainCheck`),hint:r?i(`embed.domainUnsaved`):void 0,placeholder:B,value:a,onChange:o}),(0,P.jsx)(`div`,{children:(0,P.jsx)(y,{type:`submit`,children:i(`embed.check`)})}),l!==null&&(0,P.jsx)(m,{error:l}),s?.page===a&&(0,P.jsx)(F,{isGood:s.said.isAllowed,children:i(s.said.isAllowed?`embed.domainAllowed`:z[s.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(e,t){let n={};for(let[r,i]of Object.entries(e)){let[,e,a]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],s=e&&t[e]?.[Number(a)],c=e?`settings.${e}`:r;n[c]??=s?new o(s,i):i}return n}var q=(e,t,n,r)=>`<script>
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:e,mayChange:n}){let{t:i}=t(),[a,o]=(0,M.useState)(`Node.js`),s=Object.keys(Z);return(0,P.jsxs)(r,{title:i(`embed.identity`),children:[(0,P.jsx)(`p`,{children:i(`embed.identityText`)}),n&&(0,P.jsx)(de,{id:e}),(0,P.jsx)(D,{label:i(`embed.language`),value:a,options:s.map(e=>({id:e,name:e})),onChange:o}),(0,P.jsx)(O,{label:a,text:Z[a]}),(0,P.jsx)(`p`,{children:i(`embed.identify`)}),(0,P.jsx)(O,{label:i(`embed.inPage`),text:le}),n&&(0,P.jsx)(he,{id:e})]})}function de({id:e}){let{t:n,locale:r}=t(),[a,o]=(0,M.useState)(null),[s,c]=(0,M.useState)(!1),[u,d]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[a&&(0,P.jsx)(O,{label:n(`embed.secret`),text:a.secret}),a?.oldUntil&&(0,P.jsx)(`p`,{children:n(`embed.oldUntil`,{time:l(a.oldUntil,r)})}),u!==null&&(0,P.jsx)(m,{error:u}),(0,P.jsxs)(`div`,{className:N.buttons,children:[a?(0,P.jsx)(y,{onPress:()=>o(null),children:n(`embed.hide`)}):(0,P.jsx)(y,{onPress:()=>{d(null),b(e).then(o,d)},children:n(`embed.show`)}),(0,P.jsx)(y,{icon:`refresh-cw`,onPress:()=>c(!0),children:n(`embed.rotate`)})]}),(0,P.jsx)(i,{title:n(`embed.rotate`),isOpen:s,onClose:()=>c(!1),children:(0,P.jsx)(pe,{id:e,onClose:()=>c(!1),onDone:o})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:e,onClose:n,onDone:r}){let{t:i}=t(),[a,o]=(0,M.useState)(`1`),[s,l]=(0,M.useState)(!1),[u,d]=(0,M.useState)(null),f=async()=>{l(!0),d(null);try{r(await C(e,Number(a))),n()}catch(e){d(e),l(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.rotateText`)}),(0,P.jsx)(D,{label:i(`embed.overlap`),value:a,options:fe.map(e=>({id:e,name:i(`embed.days${e}`)})),onChange:o}),u!==null&&(0,P.jsx)(m,{error:u}),(0,P.jsxs)(c,{children:[(0,P.jsx)(y,{onPress:n,children:i(`dialog.cancel`)}),(0,P.jsx)(y,{kind:`danger`,isPending:s,onPress:()=>void f(),children:i(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:e}){let{t:n}=t(),[r,i]=(0,M.useState)(``),[a,o]=(0,M.useState)(null),[s,c]=(0,M.useState)(null),l=()=>{c(null),S(e,r.trim()).then(e=>o({token:r,verdict:e}),c)},u=a?.token===r?a.verdict:null;return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),r.trim()&&l()},children:[(0,P.jsx)(k,{name:`token`,label:n(`embed.token`),hint:n(`embed.tokenHint`),rows:4,isCode:!0,value:r,onChange:i}),(0,P.jsx)(`div`,{children:(0,P.jsx)(y,{type:`submit`,children:n(`embed.check`)})}),s!==null&&(0,P.jsx)(m,{error:s}),u&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:u.userId!==``,children:u.userId?n(`embed.valid`,{user:u.userId}):n(me[u.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(u.userId?u.warnings:[u.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:e,mayChange:n,faults:i}){let{t:a}=t();return(0,P.jsxs)(r,{title:a(`embed.limits`),children:[(0,P.jsx)(`p`,{children:a(`embed.limitsText`)}),n?(0,P.jsx)(_e,{draft:e,faults:i}):(0,P.jsx)(ye,{draft:e})]})}function _e({draft:n,faults:r}){let{t:i}=t(),{values:a,change:o}=n,s=(e,t)=>(0,P.jsx)(ve,{name:e,label:i(Q[e]),hint:i(t),value:a[e],onChange:o});return(0,P.jsxs)(T,{className:N.check,said:r,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[s(`widget.dailyCredits`,`embed.noLimit`),s(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),s(`ipRateLimits.limit`,`embed.rateHint`),s(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(e,{name:`settings.ipRateLimits.message`,label:i(`embed.rateMessage`),value:String(a[`ipRateLimits.message`]),onChange:e=>o(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:i(`embed.blocked`),hint:i(`embed.blockedHint`),value:a[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>o(`widget.blockedRanges`,e)})]})}function ve({name:t,value:n,onChange:r,...i}){let a=e=>{/^\d{0,12}$/.test(e)&&r(t,e===``?null:Number(e))};return(0,P.jsx)(e,{...i,name:`settings.${t}`,inputMode:`numeric`,value:n===null?``:String(n),onChange:a})}function ye({draft:{values:e}}){let{t:n,locale:r}=t(),i=e=>typeof e==`number`?new Intl.NumberFormat(r).format(e):Array.isArray(e)?e.join(`, `)||n(`embed.nobody`):String(e??n(`embed.unlimited`)),a=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:a.map(t=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:n(Q[t])}),(0,P.jsx)(`dd`,{dir:`auto`,children:i(e[t])})]},t))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:e,origin:n,isPublic:i}){let{t:a}=t(),[o,s]=(0,M.useState)(`bubble`),c={bubble:(0,P.jsx)(O,{label:a(`embed.bubble`),text:J(n,e)}),stage:(0,P.jsx)(O,{label:a(`embed.stage`),text:oe(n,e)}),frame:(0,P.jsx)(O,{label:a(`embed.frame`),text:se(n,e)}),help:(0,P.jsx)(Se,{id:e,origin:n})},l=be.map(e=>({id:e,name:a(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:a(`embed.${e}Text`)}),c[e]]})}));return(0,P.jsxs)(r,{title:a(`embed.place`),children:[(0,P.jsx)(j,{label:a(`embed.place`),chosen:o,tabs:l,onChange:s}),i&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:a(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(u,{icon:`globe`,href:`/agents/${e}/embed/test`,target:`_blank`,rel:`noopener`,children:a(`embed.trialOpen`)}),(0,P.jsx)(u,{href:`${n}/chatbot-iframe/${e}`,target:`_blank`,rel:`noopener`,children:a(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:n}){let{t:r}=t(),[i,a]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:r(`embed.help`),text:ce(n,e)}),(0,P.jsx)(`p`,{children:r(`embed.proxyText`)}),(0,P.jsx)(A,{label:r(`embed.server`),value:i,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,P.jsx)(O,{label:i,text:Y[i](n,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:e}){let{t:n}=t();return(0,P.jsxs)(r,{title:n(`embed.coming`),children:[(0,P.jsx)(`p`,{children:n(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:n(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:n(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:e})})]})]})}function Te({id:e}){let{t:r}=t(),i=ne(e),o=te(e,i.data,G),c=g(`agents:write`),l=x(e),{error:u}=o,d=u instanceof v?K(u.details,o.values):{},f=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(n,{title:r(`embed.title`),actions:o.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:r(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),i.isPending&&(0,P.jsx)(_,{}),i.isError&&!i.data&&(0,P.jsx)(m,{error:i.error,onRetry:()=>void i.refetch()}),i.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[r(`embed.private`),` `,(0,P.jsx)(a,{href:`/agents/${e}/settings`,children:r(`settings.title`)})]}),(0,P.jsx)($,{id:e,origin:l,isPublic:i.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:l}),u!==null&&(0,P.jsx)(m,{error:u}),i.data&&(0,P.jsx)(R,{id:e,draft:o,mayChange:c,faults:d}),i.data&&(0,P.jsx)(ge,{draft:o,mayChange:c,faults:d}),(0,P.jsx)(ue,{id:e,mayChange:c}),(0,P.jsx)(s,{count:o.count,isSaving:o.isSaving,onDiscard:o.discard,onSave:o.save}),(0,P.jsx)(re,{differences:o.disputes.map(({name:e,mine:t,theirs:n})=>({name:r(Q[e]??`embed.limits`),mine:f(t),theirs:f(n)})),onKeepMine:o.keepMine,onTakeTheirs:o.takeTheirs,onClose:o.closeConflict})]})}export{Te as default};