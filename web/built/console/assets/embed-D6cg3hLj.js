import{$ as e,Mt as t,Pt as n,Q as r,Tt as i,Zt as a,an as o,bt as s,ca as c,da as l,ft as u,hr as d,kt as f,nt as p,pt as m,st as h,ua as g,ut as _,wt as v,xt as y}from"./index-CrNEpv7n.js";import{i as b,l as ee,n as te,o as x,t as S}from"./embed-CAcAG58p.js";import{o as ne,r as re}from"./settings-DZErsvrZ.js";import{t as C}from"./conflict-koDwTROJ.js";import{t as ie}from"./role-note-JUADRKH4.js";import{i as w}from"./rows-CxizA6tA.js";import{t as T}from"./choice-BmiORGJz.js";import{t as E}from"./code-C-qvCjgD.js";import{t as D}from"./text-area-BWs8sokT.js";import{t as O}from"./radios-DYGywaLv.js";import{t as k}from"./tabs-Bf73_mA6.js";var A=l(g(),1),j={note:`embed-module_note`,change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},M=c();function N({isGood:e,children:t}){return(0,M.jsxs)(`p`,{role:`status`,className:e?j.good:j.bad,children:[(0,M.jsx)(f,{name:e?`circle-check`:`circle-alert`}),(0,M.jsx)(`span`,{children:t})]})}var P=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},F=e=>(e??[]).join(`
`);function I({id:t,draft:r,mayChange:i,faults:a}){let{t:o}=n(),s=r.values.allowedDomains??null;return(0,M.jsxs)(e,{title:o(`embed.domains`),children:[i?(0,M.jsx)(d,{validationErrors:a,onSubmit:e=>e.preventDefault(),children:(0,M.jsx)(w,{name:`settings.allowedDomains`,label:o(`embed.domainsLabel`),hint:o(`embed.domainsHint`),value:s,split:P,join:F,onChange:e=>r.change(`allowedDomains`,e)})}):(0,M.jsx)(`p`,{dir:`ltr`,className:j.lines,children:s?F(s):o(`embed.everywhere`)}),i&&(0,M.jsx)(z,{id:t,isChanged:r.count>0})]})}var L={no_address:`embed.noAddress`,private:`embed.private`},R=`https://shop.example/help`;function z({id:e,isChanged:t}){let{t:r}=n(),[i,a]=(0,A.useState)(``),[o,c]=(0,A.useState)(null),[l,u]=(0,A.useState)(null),f=()=>{u(null),S(e,i).then(e=>c({page:i,said:e}),u)};return(0,M.jsxs)(d,{className:j.check,onSubmit:e=>{e.preventDefault(),i.trim()&&f()},children:[(0,M.jsx)(p,{name:`address`,label:r(`embed.domainCheck`),hint:t?r(`embed.domainUnsaved`):void 0,placeholder:R,value:i,onChange:a}),(0,M.jsx)(`div`,{children:(0,M.jsx)(v,{type:`submit`,children:r(`embed.check`)})}),l!==null&&(0,M.jsx)(s,{error:l}),o?.page===i&&(0,M.jsx)(N,{isGood:o.said.isAllowed,children:r(o.said.isAllowed?`embed.domainAllowed`:L[o.said.reason]??`embed.domainRefused`)})]})}var B={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function V(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(B)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function H(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var U={name:`/embed`,toValues:V,toSettings:H};function W(e,t,n){let r={};for(let[i,a]of Object.entries(e)){let[,e,o]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(i)??[],s=e&&t[e]?.[Number(o)],c=e?`settings.${e}`:i;r[c]??=s?`${s}: ${n(a)}`:n(a)}return r}var G=(e,t,n,r)=>`<script>
(function(){if(!window.${n}||window.${n}("getState")!=="initialized"){
window.${n}=(...args)=>{(window.${n}.q=window.${n}.q||[]).push(args)};
window.${n}=new Proxy(window.${n},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${e}/${r}";script.id="${t}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
<\/script>`,K=(e,t)=>G(e,t,`chatbase`,`embed.min.js`),q=(e,t)=>G(e,t,`chatbaseCenterStage`,`center-stage-embed.min.js`),J=(e,t)=>`<iframe
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},ae=`window.chatbase("identify", { token });`;function oe({id:t,mayChange:r}){let{t:i}=n(),[a,o]=(0,A.useState)(`Node.js`),s=Object.keys(Q);return(0,M.jsxs)(e,{title:i(`embed.identity`),children:[(0,M.jsx)(`p`,{children:i(`embed.identityText`)}),r&&(0,M.jsx)(se,{id:t}),(0,M.jsx)(T,{label:i(`embed.language`),value:a,options:s.map(e=>({id:e,name:e})),onChange:o}),(0,M.jsx)(E,{label:a,text:Q[a]}),(0,M.jsx)(`p`,{children:i(`embed.identify`)}),(0,M.jsx)(E,{label:i(`embed.inPage`),text:ae}),r&&(0,M.jsx)(de,{id:t})]})}function se({id:e}){let{t:r,locale:i}=n(),[a,o]=(0,A.useState)(null),[c,l]=(0,A.useState)(!1),[u,d]=(0,A.useState)(null);return(0,M.jsxs)(`div`,{className:j.secret,children:[a&&(0,M.jsx)(E,{label:r(`embed.secret`),text:a.secret}),a?.oldUntil&&(0,M.jsx)(`p`,{children:r(`embed.oldUntil`,{time:t(a.oldUntil,i)})}),u!==null&&(0,M.jsx)(s,{error:u}),(0,M.jsxs)(`div`,{className:j.buttons,children:[a?(0,M.jsx)(v,{onPress:()=>o(null),children:r(`embed.hide`)}):(0,M.jsx)(v,{onPress:()=>{d(null),b(e).then(o,d)},children:r(`embed.show`)}),(0,M.jsx)(v,{icon:`refresh-cw`,onPress:()=>l(!0),children:r(`embed.rotate`)})]}),(0,M.jsx)(m,{title:r(`embed.rotate`),isOpen:c,onClose:()=>l(!1),children:(0,M.jsx)(le,{id:e,onClose:()=>l(!1),onDone:o})})]})}var ce=[`0`,`1`,`7`,`14`];function le({id:e,onClose:t,onDone:r}){let{t:i}=n(),[a,o]=(0,A.useState)(`1`),[c,l]=(0,A.useState)(!1),[d,f]=(0,A.useState)(null),p=async()=>{l(!0),f(null);try{r(await x(e,Number(a))),t()}catch(e){f(e),l(!1)}};return(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:i(`embed.rotateText`)}),(0,M.jsx)(T,{label:i(`embed.overlap`),value:a,options:ce.map(e=>({id:e,name:i(`embed.days${e}`)})),onChange:o}),d!==null&&(0,M.jsx)(s,{error:d}),(0,M.jsxs)(u,{children:[(0,M.jsx)(v,{onPress:t,children:i(`dialog.cancel`)}),(0,M.jsx)(v,{kind:`danger`,isPending:c,onPress:()=>void p(),children:i(`embed.rotateNow`)})]})]})}var ue={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function de({id:e}){let{t}=n(),[r,i]=(0,A.useState)(``),[a,o]=(0,A.useState)(null),[c,l]=(0,A.useState)(null),u=()=>{l(null),te(e,r.trim()).then(e=>o({token:r,verdict:e}),l)},f=a?.token===r?a.verdict:null;return(0,M.jsxs)(d,{className:j.check,onSubmit:e=>{e.preventDefault(),r.trim()&&u()},children:[(0,M.jsx)(D,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:r,onChange:i}),(0,M.jsx)(`div`,{children:(0,M.jsx)(v,{type:`submit`,children:t(`embed.check`)})}),c!==null&&(0,M.jsx)(s,{error:c}),f&&(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(N,{isGood:f.userId!==``,children:f.userId?t(`embed.valid`,{user:f.userId}):t(ue[f.reason]??`embed.why.malformed`)}),(0,M.jsx)(`ul`,{className:j.details,lang:`en`,dir:`ltr`,children:(f.userId?f.warnings:[f.message]).map(e=>(0,M.jsx)(`li`,{children:e},e))})]})]})}var $={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function fe({draft:t,mayChange:r,faults:i}){let{t:a}=n();return(0,M.jsxs)(e,{title:a(`embed.limits`),children:[(0,M.jsx)(`p`,{children:a(`embed.limitsText`)}),r?(0,M.jsx)(pe,{draft:t,faults:i}):(0,M.jsx)(he,{draft:t})]})}function pe({draft:e,faults:t}){let{t:r}=n(),{values:i,change:a}=e,o=(e,t)=>(0,M.jsx)(me,{name:e,label:r($[e]),hint:r(t),value:i[e],onChange:a});return(0,M.jsxs)(d,{className:j.check,validationErrors:t,onSubmit:e=>e.preventDefault(),children:[(0,M.jsxs)(`div`,{className:j.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,M.jsx)(p,{name:`settings.ipRateLimits.message`,label:r(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,M.jsx)(w,{name:`settings.widget.blockedRanges`,label:r(`embed.blocked`),hint:r(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function me({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,M.jsx)(p,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function he({draft:{values:e}}){let{t,locale:r}=n(),i=e=>typeof e==`number`?new Intl.NumberFormat(r).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),a=Object.keys($).filter(e=>e!==`allowedDomains`);return(0,M.jsx)(`dl`,{className:j.change,children:a.map(n=>(0,M.jsxs)(A.Fragment,{children:[(0,M.jsx)(`dt`,{children:t($[n])}),(0,M.jsx)(`dd`,{dir:`auto`,children:i(e[n])})]},n))})}var ge=[`bubble`,`stage`,`frame`,`help`];function _e({id:t,origin:r,isPublic:a}){let{t:o}=n(),[s,c]=(0,A.useState)(`bubble`),l={bubble:(0,M.jsx)(E,{label:o(`embed.bubble`),text:K(r,t)}),stage:(0,M.jsx)(E,{label:o(`embed.stage`),text:q(r,t)}),frame:(0,M.jsx)(E,{label:o(`embed.frame`),text:J(r,t)}),help:(0,M.jsx)(ye,{id:t,origin:r})},u=ge.map(e=>({id:e,name:o(`embed.${e}`),content:(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:o(`embed.${e}Text`)}),l[e]]})}));return(0,M.jsxs)(e,{title:o(`embed.place`),children:[(0,M.jsx)(k,{label:o(`embed.place`),chosen:s,tabs:u,onChange:c}),a&&(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:o(`embed.trialText`)}),(0,M.jsxs)(`div`,{className:j.buttons,children:[(0,M.jsx)(i,{icon:`globe`,href:`/agents/${t}/embed/test`,target:`_blank`,rel:`noopener`,children:o(`embed.trialOpen`)}),(0,M.jsx)(i,{href:`${r}/chatbot-iframe/${t}`,target:`_blank`,rel:`noopener`,children:o(`embed.test`)})]})]})]})}var ve=Object.keys(X);function ye({id:e,origin:t}){let{t:r}=n(),[i,a]=(0,A.useState)(`nginx`);return(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(E,{label:r(`embed.help`),text:Y(t,e)}),(0,M.jsx)(`p`,{children:r(`embed.proxyText`)}),(0,M.jsx)(O,{label:r(`embed.server`),value:i,options:ve.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,M.jsx)(E,{label:i,text:X[i](t,e)})]})}var be=`https://www.chatbase.co`;function xe({origin:t}){let{t:r}=n();return(0,M.jsxs)(e,{title:r(`embed.coming`),children:[(0,M.jsx)(`p`,{children:r(`embed.comingText`)}),(0,M.jsxs)(`dl`,{className:j.change,children:[(0,M.jsx)(`dt`,{children:r(`embed.before`)}),(0,M.jsx)(`dd`,{dir:`ltr`,children:(0,M.jsx)(`code`,{children:be})}),(0,M.jsx)(`dt`,{children:r(`embed.after`)}),(0,M.jsx)(`dd`,{dir:`ltr`,children:(0,M.jsx)(`code`,{children:t})})]})]})}function Se({id:e}){let{t,locale:i}=n(),c=re(e),l=ne(e,c.data,U),u=a(`agents:write`),d=ee(e),{error:f}=l,p=f instanceof o?W(f.details,l.values,e=>h(e,t,i)):{},m=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,M.jsxs)(r,{title:t(`embed.title`),actions:l.isSaved&&(0,M.jsx)(`p`,{role:`status`,children:t(`settings.saved`)}),children:[(0,M.jsx)(ie,{needs:`agents:write`,note:`role.embed`}),c.isPending&&(0,M.jsx)(y,{}),c.isError&&!c.data&&(0,M.jsx)(s,{error:c.error,onRetry:()=>void c.refetch()}),c.data?.settings.visibility===`private`&&(0,M.jsx)(`p`,{role:`status`,className:j.note,children:t(`embed.private`)}),(0,M.jsx)(_e,{id:e,origin:d,isPublic:c.data?.settings.visibility===`public`}),(0,M.jsx)(xe,{origin:d}),f!==null&&(0,M.jsx)(s,{error:f}),c.data&&(0,M.jsx)(I,{id:e,draft:l,mayChange:u,faults:p}),c.data&&(0,M.jsx)(fe,{draft:l,mayChange:u,faults:p}),(0,M.jsx)(oe,{id:e,mayChange:u}),(0,M.jsx)(_,{count:l.count,isSaving:l.isSaving,onDiscard:l.discard,onSave:l.save}),(0,M.jsx)(C,{differences:l.disputes.map(({name:e,mine:n,theirs:r})=>({name:t($[e]??`embed.limits`),mine:m(n),theirs:m(r)})),onKeepMine:l.keepMine,onTakeTheirs:l.takeTheirs,onClose:l.closeConflict})]})}export{Se as default};