var e=e=>typeof e==`object`&&!!e&&!Array.isArray(e),t=t=>Array.isArray(t)?t.length===0:e(t)&&Object.keys(t).length===0,n=n=>(e(n)||Array.isArray(n))&&!t(n),r=e=>typeof e==`string`&&/^[\p{L}][^\n:#]*$/u.test(e);function*i(e,t){let a=Array.isArray(e)?e.map(e=>[`-`,e]):Object.entries(e).map(([e,t])=>[`${e}:`,t]);for(let[e,o]of a)if(n(o))yield t+e,yield*i(o,`${t}  `);else if(typeof o==`string`&&o.includes(`
`)){yield`${t}${e} |`;for(let e of o.split(`
`))yield`${t}  ${e}`}else yield`${t}${e} ${r(o)?o:JSON.stringify(o)}`}var a=e=>n(e)?[...i(e,``)].join(`
`):``;export{a as t};