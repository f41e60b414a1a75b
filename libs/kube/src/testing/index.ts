export { FakeClock, settle } from './fake-clock.ts';
export { FaultProxy } from './fault-proxy.ts';
export { type ContractServer, reflectorContract } from './reflector-contract.ts';
