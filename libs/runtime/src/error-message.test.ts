import { errorMessage } from './error-message.ts';

test.each([
  ['text', 'text'],
  [new Error('a'), 'a'],
  [new Error('cannot read the socket', { cause: new Error('ENOENT') }), 'cannot read the socket: ENOENT'],
  [new AggregateError([new Error('x'), new Error('y')]), 'x; y'],
])('%p reads as %p', (error, message) => {
  expect(errorMessage(error)).toBe(message);
});
