export { eventually } from '@yagura/kube/testing/eventually';
