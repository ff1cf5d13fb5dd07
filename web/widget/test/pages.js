// What sites have in their pages to load the widget, in the forms that are in use.

/** A function that keeps the calls until the script comes, with a Proxy around it. */
const stub = (name) => `
  if (!window.${name} || window.${name}("getState") !== "initialized") {
    var kept = function () { kept.q.push(arguments); };
    kept.q = [];
    window.${name} = new Proxy(kept, {
      get: function (target, key) {
        if (key === "q") return target.q;
        return function () { return target.apply(null, [key].concat([].slice.call(arguments))); };
      },
    });
  }`;

const insert = (base, file, prepare) => `
  var load = function () {
    var script = document.createElement("script");
    script.src = "${base}/${file}";
    ${prepare}
    document.body.appendChild(script);
  };
  if (document.readyState === "complete") load(); else window.addEventListener("load", load);`;

/** The snippet of today, with calls behind it. */
export const snippet = (base, id, calls = "", { name = "chatbase", file = "embed.min.js" } = {}) =>
  `<script>(function () {${stub(name)}${insert(base, file, `script.id = "${id}"; script.domain = "${new URL(base).host}";`)}
  })();
  ${calls}</script>`;

const setAttributes = (id, host) =>
  `script.setAttribute("id", "${id}"); script.setAttribute("domain", "${host}"); script.defer = true;`;

/** Every form of loading, by its name. */
export const forms = {
  "the snippet": snippet,
  "attributes set by code": (base, id, calls = "") =>
    `<script>(function () {${stub("chatbase")}${insert(base, "embed.min.js", setAttributes(id, new URL(base).host))}
    })();
    ${calls}</script>`,
  embeddedChatbotConfig: (base, id) =>
    `<script>window.embeddedChatbotConfig = { chatbotId: "${id}", domain: "${new URL(base).host}" };</script>
    <script src="${base}/embed.min.js" chatbotId="${id}" domain="${new URL(base).host}" defer></script>`,
  "chatbaseConfig and the id": (base, id) =>
    `<script>window.chatbaseConfig = { chatbotId: "${id}" };</script><script src="${base}/embed.min.js" id="${id}" defer></script>`,
  "chatbaseConfig with another id": (base, id) =>
    `<script>window.chatbaseConfig = { chatbotId: "${id}" };</script>
    <script src="${base}/embed.min.js" id="chatbase-script" defer></script>`,
  "the attribute alone": (base, id) => `<script src="${base}/embed.min.js" chatbotId="${id}" defer></script>`,
  "an attribute of data": (base, id) => `<script src="${base}/embed.min.js" data-chatbot-id="${id}" async></script>`,
};
