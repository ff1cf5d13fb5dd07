import{En as e,Ft as t,Ht as n,Jt as r,Pt as i,Ri as a,Xt as o,Zt as s,an as c,bn as l,do as u,gn as d,go as f,ln as p,mo as m,on as ee,pi as h,qn as g,tr as te,un as _,zt as v}from"./index-C49lJWcb.js";import{i as y,l as b,n as x,o as S,t as C}from"./embed-BsKw_x2w.js";import{o as w,r as ne}from"./settings-8SM8opQY.js";import{t as re}from"./conflict-DW8G9tEI.js";import{t as ie}from"./notice-DLqsOXVO.js";import{t as ae}from"./role-note-CAr5TW76.js";import{t as T}from"./fault-form-Cu0jSe2r.js";import{i as E}from"./rows-CHezLIYD.js";import{t as D}from"./choice-B-e184Bx.js";import{t as O}from"./code-Dw9nNgTe.js";import{t as k}from"./text-area-JlCOopZh.js";import{t as A}from"./radios-B_efOVzs.js";import{t as j}from"./tabs-DddED51N.js";var M=f(m(),1),N={change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},P=u();function F({isGood:e,children:t}){return(0,P.jsxs)(`p`,{role:`status`,className:e?N.good:N.bad,children:[(0,P.jsx)(d,{name:e?`circle-check`:`circle-alert`}),(0,P.jsx)(`span`,{children:t})]})}var I=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},L=e=>(e??[]).join(`
`);function R({id:n,draft:r,mayChange:i,faults:a}){let{t:o}=e(),s=r.values.allowedDomains??null;return(0,P.jsxs)(t,{title:o(`embed.domains`),children:[i?(0,P.jsx)(T,{said:a,onSubmit:e=>e.preventDefault(),children:(0,P.jsx)(E,{name:`settings.allowedDomains`,label:o(`embed.domainsLabel`),hint:o(`embed.domainsHint`),value:s,split:I,join:L,onChange:e=>r.change(`allowedDomains`,e)})}):(0,P.jsx)(`p`,{dir:`ltr`,className:N.lines,children:s?L(s):o(`embed.everywhere`)}),i&&(0,P.jsx)(V,{id:n,isChanged:r.count>0})]})}var z={no_address:`embed.noAddress`,private:`embed.private`},B=`https://shop.example/help`;function V({id:t,isChanged:n}){let{t:r}=e(),[i,a]=(0,M.useState)(``),[o,s]=(0,M.useState)(null),[l,u]=(0,M.useState)(null),d=()=>{u(null),C(t,i).then(e=>s({page:i,said:e}),u)};return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),i.trim()&&d()},children:[(0,P.jsx)(v,{name:`address`,label:r(`embed.domainCheck`),hint:n?r(`embed.domainUnsaved`):void 0,placeholder:B,value:i,onChange:a}),(0,P.jsx)(`div`,{children:(0,P.jsx)(p,{type:`submit`,children:r(`embed.check`)})}),l!==null&&(0,P.jsx)(c,{error:l}),o?.page===i&&(0,P.jsx)(F,{isGood:o.said.isAllowed,children:r(o.said.isAllowed?`embed.domainAllowed`:z[o.said.reason]??`embed.domainRefused`)})]})}var H={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function U(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(H)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function W(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var G={name:`/embed`,toValues:U,toSettings:W};function K(e,t){let r={};for(let[i,a]of Object.entries(e)){let[,e,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(i)??[],s=e&&t[e]?.[Number(o)],c=e?`settings.${e}`:i;r[c]??=s?new n(s,a):a}return r}var q=(e,t,n,r)=>`<script>
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},le=`window.chatbase("identify", { token });`;function ue({id:n,mayChange:r}){let{t:i}=e(),[a,o]=(0,M.useState)(`Node.js`),s=Object.keys(Z);return(0,P.jsxs)(t,{title:i(`embed.identity`),children:[(0,P.jsx)(`p`,{children:i(`embed.identityText`)}),r&&(0,P.jsx)(de,{id:n}),(0,P.jsx)(D,{label:i(`embed.language`),value:a,options:s.map(e=>({id:e,name:e})),onChange:o}),(0,P.jsx)(O,{label:a,text:Z[a]}),(0,P.jsx)(`p`,{children:i(`embed.identify`)}),(0,P.jsx)(O,{label:i(`embed.inPage`),text:le}),r&&(0,P.jsx)(he,{id:n})]})}function de({id:t}){let{t:n,locale:r}=e(),[i,a]=(0,M.useState)(null),[o,u]=(0,M.useState)(!1),[d,f]=(0,M.useState)(null);return(0,P.jsxs)(`div`,{className:N.secret,children:[i&&(0,P.jsx)(O,{label:n(`embed.secret`),text:i.secret}),i?.oldUntil&&(0,P.jsx)(`p`,{children:n(`embed.oldUntil`,{time:l(i.oldUntil,r)})}),d!==null&&(0,P.jsx)(c,{error:d}),(0,P.jsxs)(`div`,{className:N.buttons,children:[i?(0,P.jsx)(p,{onPress:()=>a(null),children:n(`embed.hide`)}):(0,P.jsx)(p,{onPress:()=>{f(null),y(t).then(a,f)},children:n(`embed.show`)}),(0,P.jsx)(p,{icon:`refresh-cw`,onPress:()=>u(!0),children:n(`embed.rotate`)})]}),(0,P.jsx)(s,{title:n(`embed.rotate`),isOpen:o,onClose:()=>u(!1),children:(0,P.jsx)(pe,{id:t,onClose:()=>u(!1),onDone:a})})]})}var fe=[`0`,`1`,`7`,`14`];function pe({id:t,onClose:n,onDone:r}){let{t:i}=e(),[a,s]=(0,M.useState)(`1`),[l,u]=(0,M.useState)(!1),[d,f]=(0,M.useState)(null),m=async()=>{u(!0),f(null);try{r(await S(t,Number(a))),n()}catch(e){f(e),u(!1)}};return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:i(`embed.rotateText`)}),(0,P.jsx)(D,{label:i(`embed.overlap`),value:a,options:fe.map(e=>({id:e,name:i(`embed.days${e}`)})),onChange:s}),d!==null&&(0,P.jsx)(c,{error:d}),(0,P.jsxs)(o,{children:[(0,P.jsx)(p,{onPress:n,children:i(`dialog.cancel`)}),(0,P.jsx)(p,{kind:`danger`,isPending:l,onPress:()=>void m(),children:i(`embed.rotateNow`)})]})]})}var me={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function he({id:t}){let{t:n}=e(),[r,i]=(0,M.useState)(``),[a,o]=(0,M.useState)(null),[s,l]=(0,M.useState)(null),u=()=>{l(null),x(t,r.trim()).then(e=>o({token:r,verdict:e}),l)},d=a?.token===r?a.verdict:null;return(0,P.jsxs)(h,{className:N.check,onSubmit:e=>{e.preventDefault(),r.trim()&&u()},children:[(0,P.jsx)(k,{name:`token`,label:n(`embed.token`),hint:n(`embed.tokenHint`),rows:4,isCode:!0,value:r,onChange:i}),(0,P.jsx)(`div`,{children:(0,P.jsx)(p,{type:`submit`,children:n(`embed.check`)})}),s!==null&&(0,P.jsx)(c,{error:s}),d&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(F,{isGood:d.userId!==``,children:d.userId?n(`embed.valid`,{user:d.userId}):n(me[d.reason]??`embed.why.malformed`)}),(0,P.jsx)(`ul`,{className:N.details,lang:`en`,dir:`ltr`,children:(d.userId?d.warnings:[d.message]).map(e=>(0,P.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function ge({draft:n,mayChange:r,faults:i}){let{t:a}=e();return(0,P.jsxs)(t,{title:a(`embed.limits`),children:[(0,P.jsx)(`p`,{children:a(`embed.limitsText`)}),r?(0,P.jsx)(_e,{draft:n,faults:i}):(0,P.jsx)(ye,{draft:n})]})}function _e({draft:t,faults:n}){let{t:r}=e(),{values:i,change:a}=t,o=(e,t)=>(0,P.jsx)(ve,{name:e,label:r(Q[e]),hint:r(t),value:i[e],onChange:a});return(0,P.jsxs)(T,{className:N.check,said:n,onSubmit:e=>e.preventDefault(),children:[(0,P.jsxs)(`div`,{className:N.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,P.jsx)(v,{name:`settings.ipRateLimits.message`,label:r(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,P.jsx)(E,{name:`settings.widget.blockedRanges`,label:r(`embed.blocked`),hint:r(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function ve({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,P.jsx)(v,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ye({draft:{values:t}}){let{t:n,locale:r}=e(),i=e=>typeof e==`number`?new Intl.NumberFormat(r).format(e):Array.isArray(e)?e.join(`, `)||n(`embed.nobody`):String(e??n(`embed.unlimited`)),a=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,P.jsx)(`dl`,{className:N.change,children:a.map(e=>(0,P.jsxs)(M.Fragment,{children:[(0,P.jsx)(`dt`,{children:n(Q[e])}),(0,P.jsx)(`dd`,{dir:`auto`,children:i(t[e])})]},e))})}var be=[`bubble`,`stage`,`frame`,`help`];function $({id:n,origin:r,isPublic:i}){let{t:a}=e(),[o,s]=(0,M.useState)(`bubble`),c={bubble:(0,P.jsx)(O,{label:a(`embed.bubble`),text:J(r,n)}),stage:(0,P.jsx)(O,{label:a(`embed.stage`),text:oe(r,n)}),frame:(0,P.jsx)(O,{label:a(`embed.frame`),text:se(r,n)}),help:(0,P.jsx)(Se,{id:n,origin:r})},l=be.map(e=>({id:e,name:a(`embed.${e}`),content:(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:a(`embed.${e}Text`)}),c[e]]})}));return(0,P.jsxs)(t,{title:a(`embed.place`),children:[(0,P.jsx)(j,{label:a(`embed.place`),chosen:o,tabs:l,onChange:s}),i&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:a(`embed.trialText`)}),(0,P.jsxs)(`div`,{className:N.buttons,children:[(0,P.jsx)(_,{icon:`globe`,href:`/agents/${n}/embed/test`,target:`_blank`,rel:`noopener`,children:a(`embed.trialOpen`)}),(0,P.jsx)(_,{href:`${r}/chatbot-iframe/${n}`,target:`_blank`,rel:`noopener`,children:a(`embed.test`)})]})]})]})}var xe=Object.keys(Y);function Se({id:t,origin:n}){let{t:r}=e(),[i,a]=(0,M.useState)(`nginx`);return(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(O,{label:r(`embed.help`),text:ce(n,t)}),(0,P.jsx)(`p`,{children:r(`embed.proxyText`)}),(0,P.jsx)(A,{label:r(`embed.server`),value:i,options:xe.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,P.jsx)(O,{label:i,text:Y[i](n,t)})]})}var Ce=`https://www.chatbase.co`;function we({origin:n}){let{t:r}=e();return(0,P.jsxs)(t,{title:r(`embed.coming`),children:[(0,P.jsx)(`p`,{children:r(`embed.comingText`)}),(0,P.jsxs)(`dl`,{className:N.change,children:[(0,P.jsx)(`dt`,{children:r(`embed.before`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:Ce})}),(0,P.jsx)(`dt`,{children:r(`embed.after`)}),(0,P.jsx)(`dd`,{dir:`ltr`,children:(0,P.jsx)(`code`,{children:n})})]})]})}function Te({id:t}){let{t:n}=e(),o=ne(t),s=w(t,o.data,G),l=g(`agents:write`),u=b(t),{error:d}=s,f=d instanceof te?K(d.details,s.values):{},p=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,P.jsxs)(i,{title:n(`embed.title`),actions:s.isSaved&&(0,P.jsx)(`p`,{role:`status`,children:n(`settings.saved`)}),children:[(0,P.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),o.isPending&&(0,P.jsx)(ee,{}),o.isError&&!o.data&&(0,P.jsx)(c,{error:o.error,onRetry:()=>void o.refetch()}),o.data?.settings.visibility===`private`&&(0,P.jsxs)(ie,{isStatus:!0,children:[n(`embed.private`),` `,(0,P.jsx)(a,{href:`/agents/${t}/settings`,children:n(`settings.title`)})]}),(0,P.jsx)($,{id:t,origin:u,isPublic:o.data?.settings.visibility===`public`}),(0,P.jsx)(we,{origin:u}),d!==null&&(0,P.jsx)(c,{error:d}),o.data&&(0,P.jsx)(R,{id:t,draft:s,mayChange:l,faults:f}),o.data&&(0,P.jsx)(ge,{draft:s,mayChange:l,faults:f}),(0,P.jsx)(ue,{id:t,mayChange:l}),(0,P.jsx)(r,{count:s.count,isSaving:s.isSaving,onDiscard:s.discard,onSave:s.save}),(0,P.jsx)(re,{differences:s.disputes.map(({name:e,mine:t,theirs:r})=>({name:n(Q[e]??`embed.limits`),mine:p(t),theirs:p(r)})),onKeepMine:s.keepMine,onTakeTheirs:s.takeTheirs,onClose:s.closeConflict})]})}export{Te as default};