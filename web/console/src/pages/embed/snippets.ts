// What people copy into their sites. Every part of it that is not this agent's is the same for all.

const loader = (origin: string, id: string, global: string, file: string) => `<script>
(function(){if(!window.${global}||window.${global}("getState")!=="initialized"){
window.${global}=(...args)=>{(window.${global}.q=window.${global}.q||[]).push(args)};
window.${global}=new Proxy(window.${global},{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="${origin}/${file}";script.id="${id}";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
</script>`;

export const bubble = (origin: string, id: string) => loader(origin, id, "chatbase", "embed.min.js");

export const stage = (origin: string, id: string) => loader(origin, id, "chatbaseCenterStage", "center-stage-embed.min.js");

export const frame = (origin: string, id: string) => `<iframe
  src="${origin}/chatbot-iframe/${id}"
  title="Chat"
  width="100%"
  height="700"
  allow="microphone; clipboard-write"
></iframe>`;

export const helpPage = (origin: string, id: string) => `${origin}/${id}/help`;

/** Lines for a company's own server, so that its visitors find the help page below its own host. */
export const proxies = {
  nginx: (origin: string, id: string) => `proxy_ssl_server_name on;
location = /help {
  proxy_pass ${origin}/${id}/help;
  proxy_set_header Host ${hostOf(origin)};
}
location /help/ {
  proxy_pass ${origin}/${id}/help/;
  proxy_set_header Host ${hostOf(origin)};
}
location /__cb/ {
  proxy_pass ${origin};
  proxy_set_header Host ${hostOf(origin)};
}
location /api/chat/${id}/ {
  proxy_pass ${origin};
  proxy_set_header Host ${hostOf(origin)};
  proxy_http_version 1.1;
  proxy_buffering off;
  proxy_read_timeout 10m;
}`,
  Caddy: (origin: string, id: string) => `@help path /help /help/*
handle @help {
  rewrite * /${id}{uri}
  reverse_proxy ${origin} {
    header_up Host ${hostOf(origin)}
  }
}
@chat path /__cb/* /api/chat/${id}/*
handle @chat {
  reverse_proxy ${origin} {
    header_up Host ${hostOf(origin)}
    flush_interval -1
  }
}`,
  Apache: (origin: string, id: string) => `SSLProxyEngine on
ProxyPreserveHost off
ProxyPass /help ${origin}/${id}/help
ProxyPass /__cb/ ${origin}/__cb/
ProxyPass /api/chat/${id}/ ${origin}/api/chat/${id}/ flushpackets=on timeout=600`,
  Next: (origin: string, id: string) => `// next.config.js
module.exports = {
  rewrites: async () => [
    { source: "/help", destination: "${origin}/${id}/help" },
    { source: "/help/:path*", destination: "${origin}/${id}/help/:path*" },
    { source: "/__cb/:path*", destination: "${origin}/__cb/:path*" },
    { source: "/api/chat/${id}/:path*", destination: "${origin}/api/chat/${id}/:path*" },
  ],
};`,
} as const;
export type ProxyName = keyof typeof proxies;

const hostOf = (origin: string) => new URL(origin).host;

/** How a site's server makes a token, and what the page does with it. */
export const samples = {
  "Node.js": `import { createHmac } from "node:crypto";

const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const content = encode({ alg: "HS256", typ: "JWT" }) + "." +
  encode({ user_id: user.id, email: user.email, name: user.name, exp: now + 3600 });
const token = content + "." +
  createHmac("sha256", process.env.CHAT_SECRET).update(content).digest("base64url");`,
  Python: `import os, time, jwt  # PyJWT

token = jwt.encode(
    {"user_id": user.id, "email": user.email, "name": user.name, "exp": int(time.time()) + 3600},
    os.environ["CHAT_SECRET"],
    algorithm="HS256",
)`,
  PHP: `use Firebase\\JWT\\JWT; // firebase/php-jwt

$token = JWT::encode(
    ['user_id' => $user->id, 'email' => $user->email, 'name' => $user->name, 'exp' => time() + 3600],
    getenv('CHAT_SECRET'),
    'HS256'
);`,
  Ruby: `require "jwt"

token = JWT.encode(
  { user_id: user.id, email: user.email, name: user.name, exp: Time.now.to_i + 3600 },
  ENV.fetch("CHAT_SECRET"),
  "HS256"
)`,
  Go: `// github.com/golang-jwt/jwt/v5
claims := jwt.MapClaims{
	"user_id": user.ID, "email": user.Email, "name": user.Name,
	"exp": time.Now().Add(time.Hour).Unix(),
}
token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).
	SignedString([]byte(os.Getenv("CHAT_SECRET")))`,
  Java: `// com.auth0:java-jwt
String token = JWT.create()
    .withClaim("user_id", user.getId())
    .withClaim("email", user.getEmail())
    .withClaim("name", user.getName())
    .withExpiresAt(Instant.now().plusSeconds(3600))
    .sign(Algorithm.HMAC256(System.getenv("CHAT_SECRET")));`,
} as const;
export type SampleName = keyof typeof samples;

/** What the page does with the token. */
export const identify = `window.chatbase("identify", { token });`;
