// Every screen in every state: it says what it said and looks as it did (`npm run pictures -- --update` makes what it is
// compared with), and axe-core finds nothing. Where PARLEY_LONG is not set, pictures are not compared, and each screen is
// seen in its first state: the others take most of the time, and axe.test.js sees one of them a screen.
import { place, stopClock } from "./fixed-time.js";
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, skip } from "./browser.js";
import { comparePicture, compareTree, differenceOfPlace, everyGolden, listGoldens, sizeOfPictures, walk } from "./goldens.js";
import { useSamePages } from "./setup.js";

const most = 12_000; // bytes of a picture, on average

describe("screens", { skip }, () => {
  const open = useSamePages(stopClock);
  let arePicturesCompared;
  before(async () => {
    const difference = process.env.PARLEY_LONG ? await findDifferenceOfPlace() : null;
    arePicturesCompared = Boolean(process.env.PARLEY_LONG) && !difference;
    if (difference) console.error(`SKIP: pictures are not compared, only what the screens say: ${difference}`);
  });

  test("each picture and tree is of a screen, and they are small", () => {
    const wanted = everyGolden().flatMap(({ name, looks, hasTree }) => [
      ...looks.map((look) => `pictures/${name}-${look.name}.png`),
      ...(hasTree ? [`trees/${name}.yaml`] : []),
    ]);
    assert.deepEqual(listGoldens().sort(), wanted.sort());
    const count = wanted.filter((name) => name.endsWith(".png")).length;
    assert.ok(sizeOfPictures() <= most * count, `${sizeOfPictures()} bytes of ${count} pictures`);
  });

  for (const golden of everyGolden().filter(({ looks }) => looks.length > 1 || process.env.PARLEY_LONG)) {
    test(golden.name, async (t) => {
      if (!arePicturesCompared && !golden.hasTree) return t.skip("pictures are not compared");
      const { path, ready, answer, options } = golden.view;
      await open(answer(), path, async (page) => {
        await ready(page);
        const wrong = golden.hasTree && (await compareTree(page, golden.name));
        if (wrong) assert.equal(wrong.tree ?? wrong, wrong.want, golden.name);
        if (golden.hasTree) assert.deepEqual(await findings(page), []);
        const differing = [];
        if (arePicturesCompared) await walk(page, golden, async (name) => differing.push(await comparePicture(page, name)));
        assert.deepEqual(differing.filter(Boolean), []);
      }, { ...options, ...place });
    });
  }
});

async function findDifferenceOfPlace() {
  const browser = await launch();
  try {
    return differenceOfPlace(browser);
  } finally {
    await browser.close();
  }
}
