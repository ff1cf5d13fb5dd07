import { launch, open } from "./chromium.js";
import { startRooms } from "./room.js";
const rooms = await startRooms();
const b = await launch();
for (let i=0;i<14;i++) { try {
const page = await open(b, rooms.url);
await page.evaluate(()=>{ window.tr=[]; return call().catch(e=>{ throw new Error(e.message+" <- "+e.cause?.reasonName+" "+e.cause?.status+" "+e.cause?.message+" "+JSON.stringify(e.cause?.context)) }); });
await page.evaluate(()=>{ for (const e of ["trackSubscribed","trackUnsubscribed","trackPublished","trackUnpublished","participantConnected","participantDisconnected","reconnected","trackSubscriptionFailed","audioPlaybackChanged"]) voice.room.on(e,(...a)=>tr.push(e+" "+Math.round(performance.now()))); });
await page.waitForFunction(()=>lines().includes("assistant: Hello."));
await page.evaluate(()=>voice.room.simulateScenario("full-reconnect"));
await page.waitForFunction(() => told("connectionState").join() === "connecting,connected,reconnecting,connected");
await page.evaluate(() => ((window.loud = 0), voice.sendText("Are you there?")));
const ok = await page.waitForFunction(() => lines().includes("assistant: You wrote: Are you there?") && loud >= 300,null,{timeout:5000}).then(()=>true,()=>false);
console.log(ok, ok?"":await page.evaluate(()=>JSON.stringify([lines(), tr, loud, [...document.querySelectorAll("audio")].map(a=>[a.paused,a.muted,a.currentTime,a.srcObject?.getTracks().map(t=>[t.readyState,t.muted,t.enabled])]), [...voice.room.remoteParticipants.values()].map(p=>[...p.trackPublications.values()].map(t=>[t.isSubscribed,t.isDesired,t.subscriptionStatus,!!t.track]))])));
await page.close(); } catch (e) { console.log(String(e).slice(0,600)) }
}
await b.close(); await rooms.stop();
