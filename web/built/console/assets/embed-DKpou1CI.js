import{$ as e,Ct as t,Nt as n,Ot as r,Q as i,Xt as a,bt as o,dt as s,ft as c,in as l,jt as u,la as d,lt as f,mr as p,nt as m,ot as h,sa as g,ua as ee,wt as _,yt as v}from"./index-CVRA4VTP.js";import{i as y,l as b,n as te,o as ne,t as x}from"./embed-Bh3ox2sU.js";import{o as S,r as C}from"./settings-B1sb-_aG.js";import{t as w}from"./conflict-CgfwKIYl.js";import{t as T}from"./role-note-DTFlK-J9.js";import{i as E}from"./rows-CJV_hJAZ.js";import{t as D}from"./choice-B-IU0hd6.js";import{t as O}from"./code-DoC5hJEX.js";import{t as re}from"./text-area-zTEq4jYy.js";import{t as k}from"./radios-DG8M43mT.js";import{t as A}from"./tabs-5Q9zJQ-D.js";var j=ee(d(),1),M={note:`embed-module_note`,change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},N=g();function P({isGood:e,children:t}){return(0,N.jsxs)(`p`,{role:`status`,className:e?M.good:M.bad,children:[(0,N.jsx)(r,{name:e?`circle-check`:`circle-alert`}),(0,N.jsx)(`span`,{children:t})]})}var F=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},I=e=>(e??[]).join(`
`);function L({id:t,draft:r,mayChange:i,faults:a}){let{t:o}=n(),s=r.values.allowedDomains??null;return(0,N.jsxs)(e,{title:o(`embed.domains`),children:[i?(0,N.jsx)(p,{validationErrors:a,onSubmit:e=>e.preventDefault(),children:(0,N.jsx)(E,{name:`settings.allowedDomains`,label:o(`embed.domainsLabel`),hint:o(`embed.domainsHint`),value:s,split:F,join:I,onChange:e=>r.change(`allowedDomains`,e)})}):(0,N.jsx)(`p`,{dir:`ltr`,className:M.lines,children:s?I(s):o(`embed.everywhere`)}),i&&(0,N.jsx)(B,{id:t,isChanged:r.count>0})]})}var R={no_address:`embed.noAddress`,private:`embed.private`},z=`https://shop.example/help`;function B({id:e,isChanged:r}){let{t:i}=n(),[a,o]=(0,j.useState)(``),[s,c]=(0,j.useState)(null),[l,u]=(0,j.useState)(null),d=()=>{u(null),x(e,a).then(e=>c({page:a,said:e}),u)};return(0,N.jsxs)(p,{className:M.check,onSubmit:e=>{e.preventDefault(),a.trim()&&d()},children:[(0,N.jsx)(m,{name:`address`,label:i(`embed.domainCheck`),hint:r?i(`embed.domainUnsaved`):void 0,placeholder:z,value:a,onChange:o}),(0,N.jsx)(`div`,{children:(0,N.jsx)(t,{type:`submit`,children:i(`embed.check`)})}),l!==null&&(0,N.jsx)(v,{error:l}),s?.page===a&&(0,N.jsx)(P,{isGood:s.said.isAllowed,children:i(s.said.isAllowed?`embed.domainAllowed`:R[s.said.reason]??`embed.domainRefused`)})]})}var V={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function H(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(V)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function U(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var W={name:`/embed`,toValues:H,toSettings:U};function G(e,t,n){let r={};for(let[i,a]of Object.entries(e)){let[,e,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(i)??[],s=e&&t[e]?.[Number(o)],c=e?`settings.${e}`:i;r[c]??=s?`${s}: ${n(a)}`:n(a)}return r}var K=(e,t,n,r)=>`<script>
(function(){if(!window.${n}||window.${n}("getState")!=="initialized"){
window.${n}=(...args)=>{(window.${n}.q=window.${n}.q||[]).push(args)};
window.${n}=new Proxy(window.${n},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${e}/${r}";script.id="${t}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
<\/script>`,q=(e,t)=>K(e,t,`chatbase`,`embed.min.js`),ie=(e,t)=>K(e,t,`chatbaseCenterStage`,`center-stage-embed.min.js`),J=(e,t)=>`<iframe
  src="${e}/chatbot-iframe/${t}"
  title="Chat"
  width="100%"
  height="700"
  allow="microphone; clipboard-write"
></iframe>`,Y=(e,t)=>`${e}/${t}/help`,X={nginx:(e,t)=>`location = /help {
  proxy_pass ${e}/${t}/help;
  proxy_set_header Host ${Z(e)};
}
location /help/ {
  proxy_pass ${e}/${t}/help/;
  proxy_set_header Host ${Z(e)};
}
location /__cb/ {
  proxy_pass ${e};
  proxy_set_header Host ${Z(e)};
}
location /api/chat/${t}/ {
  proxy_pass ${e};
  proxy_set_header Host ${Z(e)};
  proxy_http_version 1.1;
  proxy_buffering off;
  proxy_read_timeout 10m;
}`,Caddy:(e,t)=>`handle /help* {
  rewrite * /${t}{uri}
  reverse_proxy ${e} {
    header_up Host ${Z(e)}
  }
}
@chat path /__cb/* /api/chat/${t}/*
handle @chat {
  reverse_proxy ${e} {
    header_up Host ${Z(e)}
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
};`},Z=e=>new URL(e).host,Q={"Node.js":`import { createHmac } from "node:crypto";

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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},ae=`window.chatbase("identify", { token });`;function oe({id:t,mayChange:r}){let{t:i}=n(),[a,o]=(0,j.useState)(`Node.js`),s=Object.keys(Q);return(0,N.jsxs)(e,{title:i(`embed.identity`),children:[(0,N.jsx)(`p`,{children:i(`embed.identityText`)}),r&&(0,N.jsx)(se,{id:t}),(0,N.jsx)(D,{label:i(`embed.language`),value:a,options:s.map(e=>({id:e,name:e})),onChange:o}),(0,N.jsx)(O,{label:a,text:Q[a]}),(0,N.jsx)(`p`,{children:i(`embed.identify`)}),(0,N.jsx)(O,{label:i(`embed.inPage`),text:ae}),r&&(0,N.jsx)(de,{id:t})]})}function se({id:e}){let{t:r,locale:i}=n(),[a,o]=(0,j.useState)(null),[s,l]=(0,j.useState)(!1),[d,f]=(0,j.useState)(null);return(0,N.jsxs)(`div`,{className:M.secret,children:[a&&(0,N.jsx)(O,{label:r(`embed.secret`),text:a.secret}),a?.oldUntil&&(0,N.jsx)(`p`,{children:r(`embed.oldUntil`,{time:u(a.oldUntil,i)})}),d!==null&&(0,N.jsx)(v,{error:d}),(0,N.jsxs)(`div`,{className:M.buttons,children:[a?(0,N.jsx)(t,{onPress:()=>o(null),children:r(`embed.hide`)}):(0,N.jsx)(t,{onPress:()=>{f(null),y(e).then(o,f)},children:r(`embed.show`)}),(0,N.jsx)(t,{icon:`refresh-cw`,onPress:()=>l(!0),children:r(`embed.rotate`)})]}),(0,N.jsx)(c,{title:r(`embed.rotate`),isOpen:s,onClose:()=>l(!1),children:(0,N.jsx)(le,{id:e,onClose:()=>l(!1),onDone:o})})]})}var ce=[`0`,`1`,`7`,`14`];function le({id:e,onClose:r,onDone:i}){let{t:a}=n(),[o,c]=(0,j.useState)(`1`),[l,u]=(0,j.useState)(!1),[d,f]=(0,j.useState)(null),p=async()=>{u(!0),f(null);try{i(await ne(e,Number(o))),r()}catch(e){f(e),u(!1)}};return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:a(`embed.rotateText`)}),(0,N.jsx)(D,{label:a(`embed.overlap`),value:o,options:ce.map(e=>({id:e,name:a(`embed.days${e}`)})),onChange:c}),d!==null&&(0,N.jsx)(v,{error:d}),(0,N.jsxs)(s,{children:[(0,N.jsx)(t,{onPress:r,children:a(`dialog.cancel`)}),(0,N.jsx)(t,{kind:`danger`,isPending:l,onPress:()=>void p(),children:a(`embed.rotateNow`)})]})]})}var ue={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function de({id:e}){let{t:r}=n(),[i,a]=(0,j.useState)(``),[o,s]=(0,j.useState)(null),[c,l]=(0,j.useState)(null),u=()=>{l(null),te(e,i.trim()).then(e=>s({token:i,verdict:e}),l)},d=o?.token===i?o.verdict:null;return(0,N.jsxs)(p,{className:M.check,onSubmit:e=>{e.preventDefault(),i.trim()&&u()},children:[(0,N.jsx)(re,{name:`token`,label:r(`embed.token`),hint:r(`embed.tokenHint`),rows:4,isCode:!0,value:i,onChange:a}),(0,N.jsx)(`div`,{children:(0,N.jsx)(t,{type:`submit`,children:r(`embed.check`)})}),c!==null&&(0,N.jsx)(v,{error:c}),d&&(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(P,{isGood:d.userId!==``,children:d.userId?r(`embed.valid`,{user:d.userId}):r(ue[d.reason]??`embed.why.malformed`)}),(0,N.jsx)(`ul`,{className:M.details,lang:`en`,dir:`ltr`,children:(d.userId?d.warnings:[d.message]).map(e=>(0,N.jsx)(`li`,{children:e},e))})]})]})}var $={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function fe({draft:t,mayChange:r,faults:i}){let{t:a}=n();return(0,N.jsxs)(e,{title:a(`embed.limits`),children:[(0,N.jsx)(`p`,{children:a(`embed.limitsText`)}),r?(0,N.jsx)(pe,{draft:t,faults:i}):(0,N.jsx)(he,{draft:t})]})}function pe({draft:e,faults:t}){let{t:r}=n(),{values:i,change:a}=e,o=(e,t)=>(0,N.jsx)(me,{name:e,label:r($[e]),hint:r(t),value:i[e],onChange:a});return(0,N.jsxs)(p,{className:M.check,validationErrors:t,onSubmit:e=>e.preventDefault(),children:[(0,N.jsxs)(`div`,{className:M.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,N.jsx)(m,{name:`settings.ipRateLimits.message`,label:r(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,N.jsx)(E,{name:`settings.widget.blockedRanges`,label:r(`embed.blocked`),hint:r(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function me({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,N.jsx)(m,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function he({draft:{values:e}}){let{t,locale:r}=n(),i=e=>typeof e==`number`?new Intl.NumberFormat(r).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),a=Object.keys($).filter(e=>e!==`allowedDomains`);return(0,N.jsx)(`dl`,{className:M.change,children:a.map(n=>(0,N.jsxs)(j.Fragment,{children:[(0,N.jsx)(`dt`,{children:t($[n])}),(0,N.jsx)(`dd`,{dir:`auto`,children:i(e[n])})]},n))})}var ge=[`bubble`,`stage`,`frame`,`help`];function _e({id:t,origin:r,isPublic:i}){let{t:a}=n(),[o,s]=(0,j.useState)(`bubble`),c={bubble:(0,N.jsx)(O,{label:a(`embed.bubble`),text:q(r,t)}),stage:(0,N.jsx)(O,{label:a(`embed.stage`),text:ie(r,t)}),frame:(0,N.jsx)(O,{label:a(`embed.frame`),text:J(r,t)}),help:(0,N.jsx)(ye,{id:t,origin:r})},l=ge.map(e=>({id:e,name:a(`embed.${e}`),content:(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:a(`embed.${e}Text`)}),c[e]]})}));return(0,N.jsxs)(e,{title:a(`embed.place`),children:[(0,N.jsx)(A,{label:a(`embed.place`),chosen:o,tabs:l,onChange:s}),i&&(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:a(`embed.trialText`)}),(0,N.jsxs)(`div`,{className:M.buttons,children:[(0,N.jsx)(_,{icon:`globe`,href:`/agents/${t}/embed/test`,target:`_blank`,rel:`noopener`,children:a(`embed.trialOpen`)}),(0,N.jsx)(_,{href:`${r}/chatbot-iframe/${t}`,target:`_blank`,rel:`noopener`,children:a(`embed.test`)})]})]})]})}var ve=Object.keys(X);function ye({id:e,origin:t}){let{t:r}=n(),[i,a]=(0,j.useState)(`nginx`);return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(O,{label:r(`embed.help`),text:Y(t,e)}),(0,N.jsx)(`p`,{children:r(`embed.proxyText`)}),(0,N.jsx)(k,{label:r(`embed.server`),value:i,options:ve.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,N.jsx)(O,{label:i,text:X[i](t,e)})]})}var be=`https://www.chatbase.co`;function xe({origin:t}){let{t:r}=n();return(0,N.jsxs)(e,{title:r(`embed.coming`),children:[(0,N.jsx)(`p`,{children:r(`embed.comingText`)}),(0,N.jsxs)(`dl`,{className:M.change,children:[(0,N.jsx)(`dt`,{children:r(`embed.before`)}),(0,N.jsx)(`dd`,{dir:`ltr`,children:(0,N.jsx)(`code`,{children:be})}),(0,N.jsx)(`dt`,{children:r(`embed.after`)}),(0,N.jsx)(`dd`,{dir:`ltr`,children:(0,N.jsx)(`code`,{children:t})})]})]})}function Se({id:e}){let{t,locale:r}=n(),s=C(e),c=S(e,s.data,W),u=a(`agents:write`),d=b(e),{error:p}=c,m=p instanceof l?G(p.details,c.values,e=>h(e,t,r)):{},g=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,N.jsxs)(i,{title:t(`embed.title`),actions:c.isSaved&&(0,N.jsx)(`p`,{role:`status`,children:t(`settings.saved`)}),children:[(0,N.jsx)(T,{needs:`agents:write`,note:`role.embed`}),s.isPending&&(0,N.jsx)(o,{}),s.isError&&!s.data&&(0,N.jsx)(v,{error:s.error,onRetry:()=>void s.refetch()}),s.data?.settings.visibility===`private`&&(0,N.jsx)(`p`,{role:`status`,className:M.note,children:t(`embed.private`)}),(0,N.jsx)(_e,{id:e,origin:d,isPublic:s.data?.settings.visibility===`public`}),(0,N.jsx)(xe,{origin:d}),p!==null&&(0,N.jsx)(v,{error:p}),s.data&&(0,N.jsx)(L,{id:e,draft:c,mayChange:u,faults:m}),s.data&&(0,N.jsx)(fe,{draft:c,mayChange:u,faults:m}),(0,N.jsx)(oe,{id:e,mayChange:u}),(0,N.jsx)(f,{count:c.count,isSaving:c.isSaving,onDiscard:c.discard,onSave:c.save}),(0,N.jsx)(w,{differences:c.disputes.map(({name:e,mine:n,theirs:r})=>({name:t($[e]??`embed.limits`),mine:g(n),theirs:g(r)})),onKeepMine:c.keepMine,onTakeTheirs:c.takeTheirs,onClose:c.closeConflict})]})}export{Se as default};