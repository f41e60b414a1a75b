export { domainSamples } from './domain.ts';
export { agentState, guestSamples } from './guest.ts';
export { type LauncherLink, LINK_MAX_AGE, linkSamples } from './link.ts';
export { domainInterfaces, guestInterfaces, type NetworkInput, networkSamples } from './network.ts';
export { acceleratorWord, channelWord, outcomeWord, stateWord, toDate } from './words.ts';
