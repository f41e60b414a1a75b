/** Last words of fields whose value is a measure or a time that goes on by itself. */
const MEASURE = /(?:^|\.)(?:heartbeat|lease|load|since|age|last[A-Z]\w*|cpuTime\w*|balloon\w*|bytes|packets|moving)$/;
/** Events by which libvirt tells a measure. */
const MEASURING = ['balloon-change'];

/** Whether another value of this field is no change of anything; how far it can be trusted still is one. */
export function isMeasure(field: string): boolean {
  return MEASURE.test(field);
}

export function isMeasuringEvent(type: string): boolean {
  return MEASURING.includes(type);
}
