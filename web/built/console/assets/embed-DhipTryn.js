import{Aa as e,Bt as t,Da as n,Dr as r,Dt as i,Ht as a,Lt as o,Ma as s,Mt as c,Ot as l,Qr as u,gt as d,hn as f,it as p,jt as m,rt as h,sn as ee,st as g,ut as _,vt as v,yt as y}from"./index-4mKAE54U.js";import{i as b,l as x,n as S,o as C,t as w}from"./embed-KVEO_Z1d.js";import{o as te,r as ne}from"./settings-D7xinXTv.js";import{t as re}from"./conflict-DADS1C8A.js";import{t as ie}from"./notice-BIkXrgqb.js";import{t as ae}from"./role-note-DgmUhysj.js";import{t as T}from"./fault-form-7mlpSiLG.js";import{i as E}from"./rows-DupaYifP.js";import{t as D}from"./choice-fk6dQc9X.js";import{t as O}from"./code-Dm2TupcS.js";import{t as k}from"./text-area-DWwLCsJU.js";import{t as A}from"./radios-BRLWVkde.js";import{t as j}from"./tabs-62aB4rJR.js";var M=s(e(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=n();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(o,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:e,draft:t,mayChange:n,faults:r}){let{t:i}=a(),o=t.values.allowedDomains??null;return(0,P.jsxs)(p,{title:i(`embed.domains`),children:[n?(0,P.jsx)(T,{said:r,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:i(`embed.domainsLabel`),hint:i(`embed.domainsHint`),value:o,split:I,join:L,onChange:e=>t.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:o?L(o):i(`embed.everywhere`)}),n&&(0,P.jsx)(V,{id:e,isChanged:t.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:e,isChanged:t}){let{t:n}=a(),[o,s]=(0,M.useState)(``),[c,l]=(0,M.useState)(null),[u,d]=(0,M.useState)(null),f=()=>{d(null),w(e,o).then(e=>l({page:o,said:e}),d)};return(0,P.jsxs)(r,{className:N.check,onSubmit:e=>{e.preventDefault(),o.trim()&&f()},children:[(0,P.jsx)(g,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:B,value:o,onChange:s}),(0,P.jsx)(`div`,{children:(0,P.jsx)(m,{type:`submit`,children:n(`embed.check`)})}),u!==null&&(0,P.jsx)(i,{error:u}),c?.page===o&&(0,P.jsx)(F,{isGood:c.said.isAllowed,children:n(c.said.isAllowed?`embed.domainAllowed`:z[c.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(e,t){let n={};for(let[r,i]of Object.entries(e)){let[,e,a]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],o=e&&t[e]?.[Number(a)],s=e?`settings.${e}`:r;n[s]??=o?new _(o,i):i}return n}var q=(e,t,n,r)=>`<script>
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:e,mayChange:t}){let{t:n}=a(),[r,i]=(0,M.useState)(`Node.js`),o=Object.keys(Z);return(0,P.jsxs)(p,{title:n(`embed.identity`),children:[(0,P.jsx)(`p`,{children:n(`embed.identityText`)}),t&&(0,P.jsx)(de,{id:e}),(0,P.jsx)(D,{label:n(`embed.language`),value:r,options:o.map(e=>({id:e,name:e})),onChange:i}),(0,P.jsx)(O,{label:r,text:Z[r]}),(0,P.jsx)(`p`,{children:n(`embed.identify`)}),(0,P.jsx)(O,{label:n(`embed.inPage`),text:le}),t&&(0,P.jsx)(he,{id:e})]})}function de({id:e}){let{t:n,locale:r}=a(),[o,s]=(0,M.useState)(null),[c,l]=(0,M.useState)(!1),[u,d]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[o&&(0,P.jsx)(O,{label:n(`embed.secret`),text:o.secret}),o?.oldUntil&&(0,P.jsx)(`p`,{children:n(`embed.oldUntil`,{time:t(o.oldUntil,r)})}),u!==null&&(0,P.jsx)(i,{error:u}),(0,P.jsxs)(`div`,{className:N.buttons,children:[o?(0,P.jsx)(m,{onPress:()=>s(null),children:n(`embed.hide`)}):(0,P.jsx)(m,{onPress:()=>{d(null),b(e).then(s,d)},children:n(`embed.show`)}),(0,P.jsx)(m,{icon:`refresh-cw`,onPress:()=>l(!0),children:n(`embed.rotate`)})]}),(0,P.jsx)(y,{title:n(`embed.rotate`),isOpen:c,onClose:()=>l(!1),children:(0,P.jsx)(pe,{id:e,onClose:()=>l(!1),onDone:s})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:e,onClose:t,onDone:n}){let{t:r}=a(),[o,s]=(0,M.useState)(`1`),[c,l]=(0,M.useState)(!1),[u,d]=(0,M.useState)(null),f=async()=>{l(!0),d(null);try{n(await C(e,Number(o))),t()}catch(e){d(e),l(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.rotateText`)}),(0,P.jsx)(D,{label:r(`embed.overlap`),value:o,options:fe.map(e=>({id:e,name:r(`embed.days${e}`)})),onChange:s}),u!==null&&(0,P.jsx)(i,{error:u}),(0,P.jsxs)(v,{children:[(0,P.jsx)(m,{onPress:t,children:r(`dialog.cancel`)}),(0,P.jsx)(m,{kind:`danger`,isPending:c,onPress:()=>void f(),children:r(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:e}){let{t}=a(),[n,o]=(0,M.useState)(``),[s,c]=(0,M.useState)(null),[l,u]=(0,M.useState)(null),d=()=>{u(null),S(e,n.trim()).then(e=>c({token:n,verdict:e}),u)},f=s?.token===n?s.verdict:null;return(0,P.jsxs)(r,{className:N.check,onSubmit:e=>{e.preventDefault(),n.trim()&&d()},children:[(0,P.jsx)(k,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:o}),(0,P.jsx)(`div`,{children:(0,P.jsx)(m,{type:`submit`,children:t(`embed.check`)})}),l!==null&&(0,P.jsx)(i,{error:l}),f&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:f.userId!==``,children:f.userId?t(`embed.valid`,{user:f.userId}):t(me[f.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(f.userId?f.warnings:[f.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:e,mayChange:t,faults:n}){let{t:r}=a();return(0,P.jsxs)(p,{title:r(`embed.limits`),children:[(0,P.jsx)(`p`,{children:r(`embed.limitsText`)}),t?(0,P.jsx)(_e,{draft:e,faults:n}):(0,P.jsx)(ye,{draft:e})]})}function _e({draft:e,faults:t}){let{t:n}=a(),{values:r,change:i}=e,o=(e,t)=>(0,P.jsx)(ve,{name:e,label:n(Q[e]),hint:n(t),value:r[e],onChange:i});return(0,P.jsxs)(T,{className:N.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(g,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(r[`ipRateLimits.message`]),onChange:e=>i(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:r[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>i(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,P.jsx)(g,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ye({draft:{values:e}}){let{t,locale:n}=a(),r=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),i=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:i.map(n=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:t(Q[n])}),(0,P.jsx)(`dd`,{dir:`auto`,children:r(e[n])})]},n))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:e,origin:t,isPublic:n}){let{t:r}=a(),[i,o]=(0,M.useState)(`bubble`),s={bubble:(0,P.jsx)(O,{label:r(`embed.bubble`),text:J(t,e)}),stage:(0,P.jsx)(O,{label:r(`embed.stage`),text:oe(t,e)}),frame:(0,P.jsx)(O,{label:r(`embed.frame`),text:se(t,e)}),help:(0,P.jsx)(Se,{id:e,origin:t})},l=be.map(e=>({id:e,name:r(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.${e}Text`)}),s[e]]})}));return(0,P.jsxs)(p,{title:r(`embed.place`),children:[(0,P.jsx)(j,{label:r(`embed.place`),chosen:i,tabs:l,onChange:o}),n&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:r(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(c,{icon:`globe`,href:`/agents/${e}/embed/test`,target:`_blank`,rel:`noopener`,children:r(`embed.trialOpen`)}),(0,P.jsx)(c,{href:`${t}/chatbot-iframe/${e}`,target:`_blank`,rel:`noopener`,children:r(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:t}){let{t:n}=a(),[r,i]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:n(`embed.help`),text:ce(t,e)}),(0,P.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,P.jsx)(A,{label:n(`embed.server`),value:r,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:i}),(0,P.jsx)(O,{label:r,text:Y[r](t,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:e}){let{t}=a();return(0,P.jsxs)(p,{title:t(`embed.coming`),children:[(0,P.jsx)(`p`,{children:t(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:t(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:t(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:e})})]})]})}function Te({id:e}){let{t}=a(),n=ne(e),r=te(e,n.data,G),o=ee(`agents:write`),s=x(e),{error:c}=r,p=c instanceof f?K(c.details,r.values):{},m=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(h,{title:t(`embed.title`),actions:r.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:t(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),n.isPending&&(0,P.jsx)(l,{}),n.isError&&!n.data&&(0,P.jsx)(i,{error:n.error,onRetry:()=>void n.refetch()}),n.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[t(`embed.private`),` `,(0,P.jsx)(u,{href:`/agents/${e}/settings`,children:t(`settings.title`)})]}),(0,P.jsx)($,{id:e,origin:s,isPublic:n.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:s}),c!==null&&(0,P.jsx)(i,{error:c}),n.data&&(0,P.jsx)(R,{id:e,draft:r,mayChange:o,faults:p}),n.data&&(0,P.jsx)(ge,{draft:r,mayChange:o,faults:p}),(0,P.jsx)(ue,{id:e,mayChange:o}),(0,P.jsx)(d,{count:r.count,isSaving:r.isSaving,onDiscard:r.discard,onSave:r.save}),(0,P.jsx)(re,{differences:r.disputes.map(({name:e,mine:n,theirs:r})=>({name:t(Q[e]??`embed.limits`),mine:m(n),theirs:m(r)})),onKeepMine:r.keepMine,onTakeTheirs:r.takeTheirs,onClose:r.closeConflict})]})}export{Te as default};