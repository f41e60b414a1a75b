export { Pause } from '@yagura/runtime';
