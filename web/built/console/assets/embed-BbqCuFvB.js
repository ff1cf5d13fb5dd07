import{Ai as e,At as t,Gt as n,Kt as r,Lt as i,Pt as a,Ut as o,ai as s,an as c,bn as l,co as u,en as d,in as f,jt as p,mn as m,oo as h,qn as g,ro as _,tn as v,un as y,zn as b}from"./index-BmZaQ5G9.js";import{i as x,l as S,n as C,o as w,t as ee}from"./embed-Dcofgeud.js";import{o as te,r as ne}from"./settings-C5kKyUyr.js";import{t as re}from"./conflict-CSQVPgn0.js";import{t as ie}from"./notice-BfRz_UUo.js";import{t as T}from"./role-note-BFAffYXN.js";import{t as E}from"./fault-form-Bea2ovlC.js";import{i as D}from"./rows-BwTr70kO.js";import{t as O}from"./choice-BVQ0_nAV.js";import{t as k}from"./code-peQi8NXB.js";import{t as A}from"./text-area-CzZjQgVo.js";import{t as j}from"./radios-BcEwfpoJ.js";import{t as M}from"./tabs-D41bOqqO.js";var N=u(h(),1),P={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},F=_();function I({isGood:e,children:t}){return(0,F.jsxs)(`p`,{role:`status`,className:e?P.good:P.bad,children:[(0,F.jsx)(y,{name:e?`circle-check`:`circle-alert`}),(0,F.jsx)(`span`,{children:t})]})}var L=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},R=e=>(e??[]).join(`
`);function z({id:e,draft:t,mayChange:n,faults:r}){let{t:i}=l(),a=t.values.allowedDomains??null;return(0,F.jsxs)(p,{title:i(`embed.domains`),children:[n?(0,F.jsx)(E,{said:r,onSubmit:e=>e.preventDefault(),children:(0,F.jsx)(D,{name:`settings.allowedDomains`,label:i(`embed.domainsLabel`),hint:i(`embed.domainsHint`),value:a,split:L,join:R,onChange:e=>t.change(`allowedDomains`,e)})}):(0,F.jsx)(`p`,{dir:`ltr`,className:P.lines,children:a?R(a):i(`embed.everywhere`)}),n&&(0,F.jsx)(H,{id:e,isChanged:t.count>0})]})}var B={no_address:`embed.noAddress`,private:`embed.private`},V=`https://shop.example/help`;function H({id:e,isChanged:t}){let{t:n}=l(),[r,i]=(0,N.useState)(``),[o,c]=(0,N.useState)(null),[u,p]=(0,N.useState)(null),m=()=>{p(null),ee(e,r).then(e=>c({page:r,said:e}),p)};return(0,F.jsxs)(s,{className:P.check,onSubmit:e=>{e.preventDefault(),r.trim()&&m()},children:[(0,F.jsx)(a,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:V,value:r,onChange:i}),(0,F.jsx)(`div`,{children:(0,F.jsx)(f,{type:`submit`,children:n(`embed.check`)})}),u!==null&&(0,F.jsx)(d,{error:u}),o?.page===r&&(0,F.jsx)(I,{isGood:o.said.isAllowed,children:n(o.said.isAllowed?`embed.domainAllowed`:B[o.said.reason]??`embed.domainRefused`)})]})}var U={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function W(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(U)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function G(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var K={name:`/embed`,toValues:W,toSettings:G};function q(e,t){let n={};for(let[r,a]of Object.entries(e)){let[,e,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],s=e&&t[e]?.[Number(o)],c=e?`settings.${e}`:r;n[c]??=s?new i(s,a):a}return n}var J=(e,t,n,r)=>`<script>
(function(){if(!window.${n}||window.${n}("getState")!=="initialized"){
window.${n}=(...args)=>{(window.${n}.q=window.${n}.q||[]).push(args)};
window.${n}=new Proxy(window.${n},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${e}/${r}";script.id="${t}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
<\/script>`,ae=(e,t)=>J(e,t,`chatbase`,`embed.min.js`),oe=(e,t)=>J(e,t,`chatbaseCenterStage`,`center-stage-embed.min.js`),se=(e,t)=>`<iframe
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:e,mayChange:t}){let{t:n}=l(),[r,i]=(0,N.useState)(`Node.js`),a=Object.keys(Z);return(0,F.jsxs)(p,{title:n(`embed.identity`),children:[(0,F.jsx)(`p`,{children:n(`embed.identityText`)}),t&&(0,F.jsx)(de,{id:e}),(0,F.jsx)(O,{label:n(`embed.language`),value:r,options:a.map(e=>({id:e,name:e})),onChange:i}),(0,F.jsx)(k,{label:r,text:Z[r]}),(0,F.jsx)(`p`,{children:n(`embed.identify`)}),(0,F.jsx)(k,{label:n(`embed.inPage`),text:le}),t&&(0,F.jsx)(he,{id:e})]})}function de({id:e}){let{t,locale:n}=l(),[i,a]=(0,N.useState)(null),[o,s]=(0,N.useState)(!1),[c,u]=(0,N.useState)(null);return(0,F.jsxs)(`div`,{className:P.secret,children:[i&&(0,F.jsx)(k,{label:t(`embed.secret`),text:i.secret}),i?.oldUntil&&(0,F.jsx)(`p`,{children:t(`embed.oldUntil`,{time:m(i.oldUntil,n)})}),c!==null&&(0,F.jsx)(d,{error:c}),(0,F.jsxs)(`div`,{className:P.buttons,children:[i?(0,F.jsx)(f,{onPress:()=>a(null),children:t(`embed.hide`)}):(0,F.jsx)(f,{onPress:()=>{u(null),x(e).then(a,u)},children:t(`embed.show`)}),(0,F.jsx)(f,{icon:`refresh-cw`,onPress:()=>s(!0),children:t(`embed.rotate`)})]}),(0,F.jsx)(r,{title:t(`embed.rotate`),isOpen:o,onClose:()=>s(!1),children:(0,F.jsx)(pe,{id:e,onClose:()=>s(!1),onDone:a})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:e,onClose:t,onDone:r}){let{t:i}=l(),[a,o]=(0,N.useState)(`1`),[s,c]=(0,N.useState)(!1),[u,p]=(0,N.useState)(null),m=async()=>{c(!0),p(null);try{r(await w(e,Number(a))),t()}catch(e){p(e),c(!1)}};return(0,F.jsxs)(F.Fragment,{children:[(0,F.jsx)(`p`,{children:i(`embed.rotateText`)}),(0,F.jsx)(O,{label:i(`embed.overlap`),value:a,options:fe.map(e=>({id:e,name:i(`embed.days${e}`)})),onChange:o}),u!==null&&(0,F.jsx)(d,{error:u}),(0,F.jsxs)(n,{children:[(0,F.jsx)(f,{onPress:t,children:i(`dialog.cancel`)}),(0,F.jsx)(f,{kind:`danger`,isPending:s,onPress:()=>void m(),children:i(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:e}){let{t}=l(),[n,r]=(0,N.useState)(``),[i,a]=(0,N.useState)(null),[o,c]=(0,N.useState)(null),u=()=>{c(null),C(e,n.trim()).then(e=>a({token:n,verdict:e}),c)},p=i?.token===n?i.verdict:null;return(0,F.jsxs)(s,{className:P.check,onSubmit:e=>{e.preventDefault(),n.trim()&&u()},children:[(0,F.jsx)(A,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:r}),(0,F.jsx)(`div`,{children:(0,F.jsx)(f,{type:`submit`,children:t(`embed.check`)})}),o!==null&&(0,F.jsx)(d,{error:o}),p&&(0,F.jsxs)(F.Fragment,{children:[(0,F.jsx)(I,{isGood:p.userId!==``,children:p.userId?t(`embed.valid`,{user:p.userId}):t(me[p.reason]??`embed.why.malformed`)}),(0,F.jsx)(`ul`,{className:P.details,lang:`en`,dir:`ltr`,children:(p.userId?p.warnings:[p.message]).map(e=>(0,F.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:e,mayChange:t,faults:n}){let{t:r}=l();return(0,F.jsxs)(p,{title:r(`embed.limits`),children:[(0,F.jsx)(`p`,{children:r(`embed.limitsText`)}),t?(0,F.jsx)(_e,{draft:e,faults:n}):(0,F.jsx)(ye,{draft:e})]})}function _e({draft:e,faults:t}){let{t:n}=l(),{values:r,change:i}=e,o=(e,t)=>(0,F.jsx)(ve,{name:e,label:n(Q[e]),hint:n(t),value:r[e],onChange:i});return(0,F.jsxs)(E,{className:P.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,F.jsxs)(`div`,{className:P.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,F.jsx)(a,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(r[`ipRateLimits.message`]),onChange:e=>i(`ipRateLimits.message`,e)}),(0,F.jsx)(D,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:r[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>i(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,F.jsx)(a,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ye({draft:{values:e}}){let{t,locale:n}=l(),r=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),i=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,F.jsx)(`dl`,{className:P.change,children:i.map(n=>(0,F.jsxs)(N.Fragment,{children:[(0,F.jsx)(`dt`,{children:t(Q[n])}),(0,F.jsx)(`dd`,{dir:`auto`,children:r(e[n])})]},n))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:e,origin:t,isPublic:n}){let{t:r}=l(),[i,a]=(0,N.useState)(`bubble`),o={bubble:(0,F.jsx)(k,{label:r(`embed.bubble`),text:ae(t,e)}),stage:(0,F.jsx)(k,{label:r(`embed.stage`),text:oe(t,e)}),frame:(0,F.jsx)(k,{label:r(`embed.frame`),text:se(t,e)}),help:(0,F.jsx)(Se,{id:e,origin:t})},s=be.map(e=>({id:e,name:r(`embed.${e}`),content:(0,F.jsxs)(F.Fragment,{children:[(0,F.jsx)(`p`,{children:r(`embed.${e}Text`)}),o[e]]})}));return(0,F.jsxs)(p,{title:r(`embed.place`),children:[(0,F.jsx)(M,{label:r(`embed.place`),chosen:i,tabs:s,onChange:a}),n&&(0,F.jsxs)(F.Fragment,{children:[(0,F.jsx)(`p`,{children:r(`embed.trialText`)}),(0,F.jsxs)(`div`,{className:P.buttons,children:[(0,F.jsx)(c,{icon:`globe`,href:`/agents/${e}/embed/test`,target:`_blank`,rel:`noopener`,children:r(`embed.trialOpen`)}),(0,F.jsx)(c,{href:`${t}/chatbot-iframe/${e}`,target:`_blank`,rel:`noopener`,children:r(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:e,origin:t}){let{t:n}=l(),[r,i]=(0,N.useState)(`nginx`);return(0,F.jsxs)(F.Fragment,{children:[(0,F.jsx)(k,{label:n(`embed.help`),text:ce(t,e)}),(0,F.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,F.jsx)(j,{label:n(`embed.server`),value:r,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:i}),(0,F.jsx)(k,{label:r,text:Y[r](t,e)})]})}var Ce=`https://www.chatbase.co`;function we({origin:e}){let{t}=l();return(0,F.jsxs)(p,{title:t(`embed.coming`),children:[(0,F.jsx)(`p`,{children:t(`embed.comingText`)}),(0,F.jsxs)(`dl`,{className:P.change,children:[(0,F.jsx)(`dt`,{children:t(`embed.before`)}),(0,F.jsx)(`dd`,{dir:`ltr`,children:(0,F.jsx)(`code`,{children:Ce})}),(0,F.jsx)(`dt`,{children:t(`embed.after`)}),(0,F.jsx)(`dd`,{dir:`ltr`,children:(0,F.jsx)(`code`,{children:e})})]})]})}function Te({id:n}){let{t:r}=l(),i=ne(n),a=te(n,i.data,K),s=b(`agents:write`),c=S(n),{error:u}=a,f=u instanceof g?q(u.details,a.values):{},p=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,F.jsxs)(t,{title:r(`embed.title`),actions:a.isSaved&&(0,F.jsx)(`p`,{role:`status`,children:r(`settings.saved`)}),children:[(0,F.jsx)(T,{needs:`agents:write`,note:`role.embed`}),i.isPending&&(0,F.jsx)(v,{}),i.isError&&!i.data&&(0,F.jsx)(d,{error:i.error,onRetry:()=>void i.refetch()}),i.data?.settings.visibility===`private`&&(0,F.jsxs)(ie,{isStatus:!0,children:[r(`embed.private`),` `,(0,F.jsx)(e,{href:`/agents/${n}/settings`,children:r(`settings.title`)})]}),(0,F.jsx)($,{id:n,origin:c,isPublic:i.data?.settings.visibility===`public`}),(0,F.jsx)(we,{origin:c}),u!==null&&(0,F.jsx)(d,{error:u}),i.data&&(0,F.jsx)(z,{id:n,draft:a,mayChange:s,faults:f}),i.data&&(0,F.jsx)(ge,{draft:a,mayChange:s,faults:f}),(0,F.jsx)(ue,{id:n,mayChange:s}),(0,F.jsx)(o,{count:a.count,isSaving:a.isSaving,onDiscard:a.discard,onSave:a.save}),(0,F.jsx)(re,{differences:a.disputes.map(({name:e,mine:t,theirs:n})=>({name:r(Q[e]??`embed.limits`),mine:p(t),theirs:p(n)})),onKeepMine:a.keepMine,onTakeTheirs:a.takeTheirs,onClose:a.closeConflict})]})}export{Te as default};