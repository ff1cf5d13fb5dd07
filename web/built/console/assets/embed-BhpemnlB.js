import{$ as e,At as t,Et as n,Ft as r,Nt as i,Q as a,Qt as o,St as s,Tt as c,at as l,ca as u,da as d,dt as f,gr as p,mt as m,nt as h,on as ee,pt as te,ua as g,xt as _}from"./index-CHKCZc8y.js";import{i as v,l as y,n as b,o as x,t as S}from"./embed-D4Cifq5C.js";import{o as ne,r as re}from"./settings-DBU9ogpd.js";import{t as ie}from"./conflict-VrHAbmRg.js";import{t as ae}from"./role-note-ADuK3Qmy.js";import{t as C}from"./fault-form-D-X3AWLf.js";import{i as w}from"./rows-CwWJi--7.js";import{t as T}from"./choice-BiWgjUMk.js";import{t as E}from"./code-4TLbYvrW.js";import{t as D}from"./text-area-hp57hmin.js";import{t as O}from"./radios-BAHi8R4W.js";import{t as k}from"./tabs-CHuC3HIk.js";var A=d(g(),1),j={note:`embed-module_note`,change:`embed-module_change`,lines:`embed-module_lines`,check:`embed-module_check`,secret:`embed-module_secret`,numbers:`embed-module_numbers`,details:`embed-module_details`,buttons:`embed-module_buttons`,good:`embed-module_good`,bad:`embed-module_bad`},M=u();function N({isGood:e,children:n}){return(0,M.jsxs)(`p`,{role:`status`,className:e?j.good:j.bad,children:[(0,M.jsx)(t,{name:e?`circle-check`:`circle-alert`}),(0,M.jsx)(`span`,{children:n})]})}var P=e=>{let t=e.split(/[\s,]+/).filter(Boolean);return t.length>0?t:null},F=e=>(e??[]).join(`
`);function I({id:t,draft:n,mayChange:i,faults:a}){let{t:o}=r(),s=n.values.allowedDomains??null;return(0,M.jsxs)(e,{title:o(`embed.domains`),children:[i?(0,M.jsx)(C,{said:a,onSubmit:e=>e.preventDefault(),children:(0,M.jsx)(w,{name:`settings.allowedDomains`,label:o(`embed.domainsLabel`),hint:o(`embed.domainsHint`),value:s,split:P,join:F,onChange:e=>n.change(`allowedDomains`,e)})}):(0,M.jsx)(`p`,{dir:`ltr`,className:j.lines,children:s?F(s):o(`embed.everywhere`)}),i&&(0,M.jsx)(z,{id:t,isChanged:n.count>0})]})}var L={no_address:`embed.noAddress`,private:`embed.private`},R=`https://shop.example/help`;function z({id:e,isChanged:t}){let{t:n}=r(),[i,a]=(0,A.useState)(``),[o,s]=(0,A.useState)(null),[l,u]=(0,A.useState)(null),d=()=>{u(null),S(e,i).then(e=>s({page:i,said:e}),u)};return(0,M.jsxs)(p,{className:j.check,onSubmit:e=>{e.preventDefault(),i.trim()&&d()},children:[(0,M.jsx)(h,{name:`address`,label:n(`embed.domainCheck`),hint:t?n(`embed.domainUnsaved`):void 0,placeholder:R,value:i,onChange:a}),(0,M.jsx)(`div`,{children:(0,M.jsx)(c,{type:`submit`,children:n(`embed.check`)})}),l!==null&&(0,M.jsx)(_,{error:l}),o?.page===i&&(0,M.jsx)(N,{isGood:o.said.isAllowed,children:n(o.said.isAllowed?`embed.domainAllowed`:L[o.said.reason]??`embed.domainRefused`)})]})}var B={widget:{dailyCredits:null,dailyCreditsPerVisitor:null,blockedRanges:[]},ipRateLimits:{limit:20,timeframe:240,message:``}};function V(e){let t={allowedDomains:e.allowedDomains??null};for(let[n,r]of Object.entries(B)){let i=e[n]??{};for(let[e,a]of Object.entries(r))t[`${n}.${e}`]=i[e]??a}return t}function H(e){let t={};for(let[n,r]of Object.entries(e)){let[e,i]=n.split(`.`);i===void 0?t[n]=r:t[e]={...t[e],[i]:r}}return t}var U={name:`/embed`,toValues:V,toSettings:H};function W(e,t){let n={};for(let[r,i]of Object.entries(e)){let[,e,a]=/^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(r)??[],o=e&&t[e]?.[Number(a)],s=e?`settings.${e}`:r;n[s]??=o?new l(o,i):i}return n}var G=(e,t,n,r)=>`<script>
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
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`},se=`window.chatbase("identify", { token });`;function ce({id:t,mayChange:n}){let{t:i}=r(),[a,o]=(0,A.useState)(`Node.js`),s=Object.keys(Z);return(0,M.jsxs)(e,{title:i(`embed.identity`),children:[(0,M.jsx)(`p`,{children:i(`embed.identityText`)}),n&&(0,M.jsx)(le,{id:t}),(0,M.jsx)(T,{label:i(`embed.language`),value:a,options:s.map(e=>({id:e,name:e})),onChange:o}),(0,M.jsx)(E,{label:a,text:Z[a]}),(0,M.jsx)(`p`,{children:i(`embed.identify`)}),(0,M.jsx)(E,{label:i(`embed.inPage`),text:se}),n&&(0,M.jsx)(pe,{id:t})]})}function le({id:e}){let{t,locale:n}=r(),[a,o]=(0,A.useState)(null),[s,l]=(0,A.useState)(!1),[u,d]=(0,A.useState)(null);return(0,M.jsxs)(`div`,{className:j.secret,children:[a&&(0,M.jsx)(E,{label:t(`embed.secret`),text:a.secret}),a?.oldUntil&&(0,M.jsx)(`p`,{children:t(`embed.oldUntil`,{time:i(a.oldUntil,n)})}),u!==null&&(0,M.jsx)(_,{error:u}),(0,M.jsxs)(`div`,{className:j.buttons,children:[a?(0,M.jsx)(c,{onPress:()=>o(null),children:t(`embed.hide`)}):(0,M.jsx)(c,{onPress:()=>{d(null),v(e).then(o,d)},children:t(`embed.show`)}),(0,M.jsx)(c,{icon:`refresh-cw`,onPress:()=>l(!0),children:t(`embed.rotate`)})]}),(0,M.jsx)(m,{title:t(`embed.rotate`),isOpen:s,onClose:()=>l(!1),children:(0,M.jsx)(de,{id:e,onClose:()=>l(!1),onDone:o})})]})}var ue=[`0`,`1`,`7`,`14`];function de({id:e,onClose:t,onDone:n}){let{t:i}=r(),[a,o]=(0,A.useState)(`1`),[s,l]=(0,A.useState)(!1),[u,d]=(0,A.useState)(null),f=async()=>{l(!0),d(null);try{n(await x(e,Number(a))),t()}catch(e){d(e),l(!1)}};return(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:i(`embed.rotateText`)}),(0,M.jsx)(T,{label:i(`embed.overlap`),value:a,options:ue.map(e=>({id:e,name:i(`embed.days${e}`)})),onChange:o}),u!==null&&(0,M.jsx)(_,{error:u}),(0,M.jsxs)(te,{children:[(0,M.jsx)(c,{onPress:t,children:i(`dialog.cancel`)}),(0,M.jsx)(c,{kind:`danger`,isPending:s,onPress:()=>void f(),children:i(`embed.rotateNow`)})]})]})}var fe={expired:`embed.why.expired`,bad_signature:`embed.why.signature`,wrong_algorithm:`embed.why.algorithm`,no_user:`embed.why.user`,malformed:`embed.why.malformed`};function pe({id:e}){let{t}=r(),[n,i]=(0,A.useState)(``),[a,o]=(0,A.useState)(null),[s,l]=(0,A.useState)(null),u=()=>{l(null),b(e,n.trim()).then(e=>o({token:n,verdict:e}),l)},d=a?.token===n?a.verdict:null;return(0,M.jsxs)(p,{className:j.check,onSubmit:e=>{e.preventDefault(),n.trim()&&u()},children:[(0,M.jsx)(D,{name:`token`,label:t(`embed.token`),hint:t(`embed.tokenHint`),rows:4,isCode:!0,value:n,onChange:i}),(0,M.jsx)(`div`,{children:(0,M.jsx)(c,{type:`submit`,children:t(`embed.check`)})}),s!==null&&(0,M.jsx)(_,{error:s}),d&&(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(N,{isGood:d.userId!==``,children:d.userId?t(`embed.valid`,{user:d.userId}):t(fe[d.reason]??`embed.why.malformed`)}),(0,M.jsx)(`ul`,{className:j.details,lang:`en`,dir:`ltr`,children:(d.userId?d.warnings:[d.message]).map(e=>(0,M.jsx)(`li`,{children:e},e))})]})]})}var Q={allowedDomains:`embed.domains`,"widget.dailyCredits":`embed.dailyCredits`,"widget.dailyCreditsPerVisitor":`embed.visitorCredits`,"widget.blockedRanges":`embed.blocked`,"ipRateLimits.limit":`embed.rate`,"ipRateLimits.timeframe":`embed.rateTime`,"ipRateLimits.message":`embed.rateMessage`};function $({draft:t,mayChange:n,faults:i}){let{t:a}=r();return(0,M.jsxs)(e,{title:a(`embed.limits`),children:[(0,M.jsx)(`p`,{children:a(`embed.limitsText`)}),n?(0,M.jsx)(me,{draft:t,faults:i}):(0,M.jsx)(ge,{draft:t})]})}function me({draft:e,faults:t}){let{t:n}=r(),{values:i,change:a}=e,o=(e,t)=>(0,M.jsx)(he,{name:e,label:n(Q[e]),hint:n(t),value:i[e],onChange:a});return(0,M.jsxs)(C,{className:j.check,said:t,onSubmit:e=>e.preventDefault(),children:[(0,M.jsxs)(`div`,{className:j.numbers,children:[o(`widget.dailyCredits`,`embed.noLimit`),o(`widget.dailyCreditsPerVisitor`,`embed.noLimit`),o(`ipRateLimits.limit`,`embed.rateHint`),o(`ipRateLimits.timeframe`,`embed.rateTimeHint`)]}),(0,M.jsx)(h,{name:`settings.ipRateLimits.message`,label:n(`embed.rateMessage`),value:String(i[`ipRateLimits.message`]),onChange:e=>a(`ipRateLimits.message`,e)}),(0,M.jsx)(w,{name:`settings.widget.blockedRanges`,label:n(`embed.blocked`),hint:n(`embed.blockedHint`),value:i[`widget.blockedRanges`],split:e=>e.split(/[\s,]+/).filter(Boolean),join:e=>e.join(`
`),onChange:e=>a(`widget.blockedRanges`,e)})]})}function he({name:e,value:t,onChange:n,...r}){let i=t=>{/^\d{0,12}$/.test(t)&&n(e,t===``?null:Number(t))};return(0,M.jsx)(h,{...r,name:`settings.${e}`,inputMode:`numeric`,value:t===null?``:String(t),onChange:i})}function ge({draft:{values:e}}){let{t,locale:n}=r(),i=e=>typeof e==`number`?new Intl.NumberFormat(n).format(e):Array.isArray(e)?e.join(`, `)||t(`embed.nobody`):String(e??t(`embed.unlimited`)),a=Object.keys(Q).filter(e=>e!==`allowedDomains`);return(0,M.jsx)(`dl`,{className:j.change,children:a.map(n=>(0,M.jsxs)(A.Fragment,{children:[(0,M.jsx)(`dt`,{children:t(Q[n])}),(0,M.jsx)(`dd`,{dir:`auto`,children:i(e[n])})]},n))})}var _e=[`bubble`,`stage`,`frame`,`help`];function ve({id:t,origin:i,isPublic:a}){let{t:o}=r(),[s,c]=(0,A.useState)(`bubble`),l={bubble:(0,M.jsx)(E,{label:o(`embed.bubble`),text:K(i,t)}),stage:(0,M.jsx)(E,{label:o(`embed.stage`),text:q(i,t)}),frame:(0,M.jsx)(E,{label:o(`embed.frame`),text:J(i,t)}),help:(0,M.jsx)(be,{id:t,origin:i})},u=_e.map(e=>({id:e,name:o(`embed.${e}`),content:(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:o(`embed.${e}Text`)}),l[e]]})}));return(0,M.jsxs)(e,{title:o(`embed.place`),children:[(0,M.jsx)(k,{label:o(`embed.place`),chosen:s,tabs:u,onChange:c}),a&&(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:o(`embed.trialText`)}),(0,M.jsxs)(`div`,{className:j.buttons,children:[(0,M.jsx)(n,{icon:`globe`,href:`/agents/${t}/embed/test`,target:`_blank`,rel:`noopener`,children:o(`embed.trialOpen`)}),(0,M.jsx)(n,{href:`${i}/chatbot-iframe/${t}`,target:`_blank`,rel:`noopener`,children:o(`embed.test`)})]})]})]})}var ye=Object.keys(Y);function be({id:e,origin:t}){let{t:n}=r(),[i,a]=(0,A.useState)(`nginx`);return(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(E,{label:n(`embed.help`),text:oe(t,e)}),(0,M.jsx)(`p`,{children:n(`embed.proxyText`)}),(0,M.jsx)(O,{label:n(`embed.server`),value:i,options:ye.map(e=>({id:e,name:e===`Next`?`Next.js`:e})),onChange:a}),(0,M.jsx)(E,{label:i,text:Y[i](t,e)})]})}var xe=`https://www.chatbase.co`;function Se({origin:t}){let{t:n}=r();return(0,M.jsxs)(e,{title:n(`embed.coming`),children:[(0,M.jsx)(`p`,{children:n(`embed.comingText`)}),(0,M.jsxs)(`dl`,{className:j.change,children:[(0,M.jsx)(`dt`,{children:n(`embed.before`)}),(0,M.jsx)(`dd`,{dir:`ltr`,children:(0,M.jsx)(`code`,{children:xe})}),(0,M.jsx)(`dt`,{children:n(`embed.after`)}),(0,M.jsx)(`dd`,{dir:`ltr`,children:(0,M.jsx)(`code`,{children:t})})]})]})}function Ce({id:e}){let{t}=r(),n=re(e),i=ne(e,n.data,U),c=o(`agents:write`),l=y(e),{error:u}=i,d=u instanceof ee?W(u.details,i.values):{},p=e=>Array.isArray(e)?e.join(`, `):String(e??``);return(0,M.jsxs)(a,{title:t(`embed.title`),actions:i.isSaved&&(0,M.jsx)(`p`,{role:`status`,children:t(`settings.saved`)}),children:[(0,M.jsx)(ae,{needs:`agents:write`,note:`role.embed`}),n.isPending&&(0,M.jsx)(s,{}),n.isError&&!n.data&&(0,M.jsx)(_,{error:n.error,onRetry:()=>void n.refetch()}),n.data?.settings.visibility===`private`&&(0,M.jsx)(`p`,{role:`status`,className:j.note,children:t(`embed.private`)}),(0,M.jsx)(ve,{id:e,origin:l,isPublic:n.data?.settings.visibility===`public`}),(0,M.jsx)(Se,{origin:l}),u!==null&&(0,M.jsx)(_,{error:u}),n.data&&(0,M.jsx)(I,{id:e,draft:i,mayChange:c,faults:d}),n.data&&(0,M.jsx)($,{draft:i,mayChange:c,faults:d}),(0,M.jsx)(ce,{id:e,mayChange:c}),(0,M.jsx)(f,{count:i.count,isSaving:i.isSaving,onDiscard:i.discard,onSave:i.save}),(0,M.jsx)(ie,{differences:i.disputes.map(({name:e,mine:n,theirs:r})=>({name:t(Q[e]??`embed.limits`),mine:p(n),theirs:p(r)})),onKeepMine:i.keepMine,onTakeTheirs:i.takeTheirs,onClose:i.closeConflict})]})}export{Ce as default};