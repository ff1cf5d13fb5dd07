declare module "*/built/service-voice.js" {
  const ServiceVoice: new () => import("./library").ServiceVoice;
  export default ServiceVoice;
}
