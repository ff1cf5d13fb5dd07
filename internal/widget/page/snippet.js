
(function(){if(!window.chatbase||window.chatbase("getState")!=="initialized"){
window.chatbase=(...args)=>{(window.chatbase.q=window.chatbase.q||[]).push(args)};
window.chatbase=new Proxy(window.chatbase,{get(target,name){
return name==="q"?target.q:(...args)=>target(name,...args)}})}
const load=function(){const script=document.createElement("script");
script.src="https://agents.example.com/embed.min.js";script.id="AGENT_ID";
document.body.appendChild(script)};
if(document.readyState==="complete")load();else addEventListener("load",load)})();
