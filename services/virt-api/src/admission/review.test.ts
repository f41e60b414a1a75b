import { parseReview, reviewOf } from './review.ts';

interface Response {
  response: {
    uid: string;
    allowed: boolean;
    patch?: string;
    warnings?: string[];
    status?: { code: number; message: string; reason?: string; details?: { causes: unknown[] } };
  };
}
const response = (verdict: Parameters<typeof reviewOf>[1]) => (reviewOf('u', verdict) as Response).response;

test('causes make a 422 whose message is theirs, joined', () => {
  const causes = [
    { reason: 'FieldValueInvalid', field: 'spec.a', message: 'a is wrong' },
    { reason: 'FieldValueRequired', field: 'spec.b', message: 'b is missing' },
  ];
  expect(response({ allowed: false, causes })).toEqual({
    uid: 'u',
    allowed: false,
    status: { code: 422, reason: 'Invalid', message: 'a is wrong, b is missing', details: { causes } },
  });
});

test('beyond ten, causes are counted', () => {
  const causes = Array.from({ length: 13 }, (_, index) => ({ message: `m${index}` }));
  const { status } = response({ allowed: false, causes });
  expect(status?.details?.causes).toHaveLength(10);
  expect(status?.message).toMatch(/m9, and 3 more validation errors$/);
});

test('a refusal without causes is 400 without a reason', () => {
  expect(response({ allowed: false, message: 'no' }).status).toEqual({ code: 400, message: 'no' });
});

test('a patch travels base64', () => {
  const patch = [{ op: 'remove', path: '/status' }] as const;
  expect(JSON.parse(Buffer.from(response({ allowed: true, patch }).patch ?? '', 'base64').toString())).toEqual(patch);
});

test('an empty patch is none', () => {
  expect(response({ allowed: true, patch: [] })).toEqual({ uid: 'u', allowed: true });
});

test.each([
  [{}],
  [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', request: { uid: 'u' } }],
  [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }],
])('what is no review is refused with 400 (%#)', (body) => {
  expect(() => parseReview(body)).toThrow(expect.objectContaining({ code: 400 }));
});
