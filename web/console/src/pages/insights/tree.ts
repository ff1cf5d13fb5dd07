// The tree of topics of an agent, and changes of it. Nothing is changed in place.

export interface Topic {
  name: string;
  keywords?: string[] | null;
  examples?: string[] | null;
  topics?: Topic[] | null;
}

/** Where a topic is: its number in the list, then that in the list below, and so on. */
export type Place = readonly number[];

export interface Placed {
  topic: Topic;
  place: Place;
}

/** All topics in their order, each before those below it. */
export const listTopics = (topics: readonly Topic[], above: Place = []): Placed[] =>
  topics.flatMap((topic, i) => {
    const place = [...above, i];
    return [{ topic, place }, ...listTopics(topic.topics ?? [], place)];
  });

const isSame = (a: Place, b: Place) => a.length === b.length && isBelow(a, b);
/** Reports whether a place is another one, or below it. */
const isBelow = (place: Place, above: Place) => above.every((number, i) => place[i] === number);

const find = (topics: readonly Topic[], place: Place) => listTopics(topics).find((one) => isSame(one.place, place))?.topic;

// What is left out is not sent: a list without entries means the same.
const withList = (topic: Topic, name: "keywords" | "examples" | "topics", list: string[] | Topic[]): Topic => {
  const others: Topic = { ...topic };
  delete others[name];
  return list.length > 0 ? { ...others, [name]: list } : others;
};

/** Changes the list that a topic is in; `change` gets its number in it. */
function changeList(topics: readonly Topic[], place: Place, change: (list: readonly Topic[], at: number) => Topic[]): Topic[] {
  const [at = 0, ...rest] = place;
  if (rest.length === 0) return change(topics, at);
  return topics.map((topic, i) => (i === at ? withList(topic, "topics", changeList(topic.topics ?? [], rest, change)) : topic));
}

const changeTopic = (topics: readonly Topic[], place: Place, change: (topic: Topic) => Topic): Topic[] =>
  changeList(topics, place, (list, at) => list.map((topic, i) => (i === at ? change(topic) : topic)));

export const renameTopic = (topics: readonly Topic[], place: Place, name: string): Topic[] =>
  changeTopic(topics, place, (topic) => ({ ...topic, name }));

export const removeTopic = (topics: readonly Topic[], place: Place): Topic[] =>
  changeList(topics, place, (list, at) => list.filter((_, i) => i !== at));

/** Moves a topic one place up or down in its list; at its end it stays. */
export const shiftTopic = (topics: readonly Topic[], place: Place, by: 1 | -1): Topic[] =>
  changeList(topics, place, (list, at) => {
    const [topic, other] = [list[at], list[at + by]];
    if (!topic || !other) return [...list];
    return list.map((one, i) => (i === at ? other : i === at + by ? topic : one));
  });

/** Puts a topic at the end of those below another one, or of all without one. */
export function moveTopic(topics: readonly Topic[], place: Place, above: Place | null): Topic[] {
  const topic = find(topics, place);
  if (!topic) return [...topics];
  const added = above
    ? changeTopic(topics, above, (one) => withList(one, "topics", [...(one.topics ?? []), topic]))
    : [...topics, topic];
  return removeTopic(added, place); // the end of a list is behind every place
}

/** Adds what a topic has to another one, its name as a keyword, and removes it. */
export function mergeTopic(topics: readonly Topic[], place: Place, into: Place): Topic[] {
  const topic = find(topics, place);
  if (!topic) return [...topics];
  const join = (a: readonly string[] | null | undefined, b: readonly string[]) => [...new Set([...(a ?? []), ...b])];
  const merged = changeTopic(topics, into, (one) => {
    const named = withList(one, "keywords", join(one.keywords, [topic.name, ...(topic.keywords ?? [])]));
    const shown = withList(named, "examples", join(one.examples, topic.examples ?? []));
    return withList(shown, "topics", [...(one.topics ?? []), ...(topic.topics ?? [])]);
  });
  return removeTopic(merged, place);
}

const hasBelow = (topic: Topic) => (topic.topics ?? []).length > 0;

/** The topics that one can be moved below: topics below others have none below them. */
export const placesAbove = (topics: readonly Topic[], { topic, place }: Placed): Placed[] =>
  hasBelow(topic)
    ? []
    : listTopics(topics).filter((one) => one.place.length === 1 && !isSame(one.place, place) && !isSame(one.place, place.slice(0, -1)));

/** The topics that one can be merged into. */
export const mergeTargets = (topics: readonly Topic[], { topic, place }: Placed): Placed[] =>
  listTopics(topics).filter((one) => !isBelow(one.place, place) && (!hasBelow(topic) || one.place.length === 1));
