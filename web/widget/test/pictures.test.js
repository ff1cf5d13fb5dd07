// The chat in every state: it says what it said and looks as it did, and axe-core finds nothing. `node test/pictures.js
// --update` makes what it is compared with. Pictures are compared where PARLEY_LONG is set: they take most of the time.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, skip } from "./browser.js";
import { serveFrames } from "./frame-server.js";
import { openNextState } from "./frames.js";
import { comparePicture, compareTree, differenceOfPlace, listGoldens, sizeOfPictures } from "./goldens.js";
import { isWanted } from "./problems.js";
import { everyGolden } from "./states.js";

const most = 1_500_000; // bytes of all pictures

describe("states of the chat", { skip }, () => {
  let browser, server, arePicturesCompared;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
    const difference = process.env.PARLEY_LONG ? differenceOfPlace(browser) : null;
    arePicturesCompared = Boolean(process.env.PARLEY_LONG) && !difference;
    if (difference) console.error(`SKIP: pictures are not compared, only what the states say: ${difference}`);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  test("each picture and tree is of a state, and they are small", () => {
    const wanted = everyGolden().flatMap(({ name, hasTree }) => [`pictures/${name}.png`, ...(hasTree ? [`trees/${name}.yaml`] : [])]);
    assert.deepEqual(listGoldens().sort(), wanted.sort());
    assert.ok(sizeOfPictures() <= most, `${sizeOfPictures()} bytes`);
  });

  for (const { name, state, look, hasTree } of everyGolden()) {
    test(name, async (t) => {
      if (!hasTree && !arePicturesCompared) return t.skip("pictures are not compared");
      await openNextState(browser, server, state, look, async (page, chat) => {
        const wrong = hasTree && (await compareTree(page, chat, name));
        if (wrong) assert.equal(wrong.tree, wrong.want, name);
        if (arePicturesCompared) assert.equal(await comparePicture(page, name), null);
        if (hasTree) assert.deepEqual(await findings(chat), []);
        assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []);
      });
    });
  }
});
