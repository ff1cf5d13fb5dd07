export default {
  parley: {
    input: process.env.DOCUMENT,
    output: { client: "fetch", target: process.env.TARGET, baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
